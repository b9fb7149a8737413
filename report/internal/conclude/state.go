package conclude

import (
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// stateOf returns the first state that holds.
func (c *concluding) stateOf() State {
	result, s := c.result, c.now
	switch {
	case result.Info.Stopped():
		return Stopped
	case result.Expected != nil && result.Expected.Addresses > 0 && s.Entries == 0 && result.Unread() == 0:
		return ExpectedOnly
	case result.SearchConsole != nil && result.SearchConsole.NoSitemap && s.Entries == 0 && result.Unread() == 0:
		return ReportedOnly
	case result.Unread() > 0:
		return Unread
	case s.Crawled() == 0:
		return FilesOnly
	case s.MostlyUnseen():
		return NotSeen
	case s.LeftOut > 0:
		return Part
	case result.Counts.NeedScript():
		return Script
	case len(c.inPart) > 0:
		return InPart
	case s.Fix+s.Decide > 0:
		if r, _, _, _ := c.kinds(); r == s.Faulty() {
			return Redirects
		}
		return Mixed
	case result.Counts.Total(audit.OtherSpelling) > 0:
		return OtherSpelling
	case s.Unseen > 0:
		return Partly
	case c.open():
		return Fine
	case c.faults > 0:
		return FileFaults
	}
	return Clean
}

// open reports whether something of entries that are fine could not be judged.
func (c *concluding) open() bool {
	return c.result.Back.Unlisted > 0 || c.unjudged()
}

// unjudged is open but for what is clean again and in no sitemap.
func (c *concluding) unjudged() bool {
	return len(c.result.NeverGone()) > 0 ||
		slices.ContainsFunc(audit.OpenNotes(), func(n audit.Note) bool { return c.result.Counts.Notes[n] > 0 })
}

// kinds sorts the entries that are not clean: they redirect, are gone, repeat one that is fine, or
// have other faults.
func (c *concluding) kinds() (redirect, gone, twice, other int) {
	for v, n := range c.result.Counts.Verdicts {
		if v.Redirects() {
			redirect += n
		}
	}
	gone = c.result.Counts.Verdicts[audit.NotFound]
	twice = max(0, c.result.Counts.Verdicts[audit.OK]-c.result.Counts.Total(audit.Fine))
	return redirect, gone, twice, c.now.Faulty() - redirect - gone - twice
}

// headline is the sentence that says the state, and where only credentials let the audit see it, that.
func (c *concluding) headline() Sentence {
	stated := c.stated()
	if alarm := c.alarm(); !alarm.IsZero() && !c.quiet() {
		stated = join("", alarm, say("p-more", "what", stated))
	}
	if c.now.Checked() == 0 {
		return stated
	}
	return join("", stated, c.seenWith())
}

// seenWith says that what the audit sent Google does not send; zero where it sent nothing of its own.
func (c *concluding) seenWith() Sentence {
	with := c.result.Info.Credentials()
	switch {
	case with == nil:
		return Sentence{}
	case slices.Contains(with, "--user"):
		return say("h-with-user")
	}
	return say("h-with-header")
}

// stated is the sentence that says the state.
func (c *concluding) stated() Sentence {
	s := c.now
	faulty, n := s.Faulty(), s.Checked()
	if alarm := c.alarm(); !alarm.IsZero() && c.quiet() {
		return alarm
	}
	switch c.state {
	case Stopped:
		return c.stoppedHeadline()
	case ExpectedOnly:
		return c.expectedHeadline()
	case ReportedOnly:
		sc := c.result.SearchConsole
		if sc.Addresses > 0 && audit.MostlyUnseen(sc.Upshots[audit.UpshotUnseen], sc.Addresses-sc.OtherSite) {
			return say("h-reported-unseen")
		}
		return say("h-reported", "k", sc.Upshots[audit.UpshotNothing], "n", sc.Addresses)
	case Unread:
		if c.result.Unread() == c.result.Sitemaps() {
			return say("h-unread")
		}
		return say("h-unread-some", "k", c.result.Unread(), "n", c.result.Sitemaps())
	case InPart:
		if c.result.Sitemaps() == 1 {
			return say("h-in-part")
		}
		return say("h-in-part-some", "k", len(c.inPart))
	case FilesOnly:
		return c.filesHeadline()
	case Part:
		switch {
		case faulty > 0:
			return c.share("h-mixed", faulty, n)
		case s.Unseen > 0:
			return say("h-part-seen")
		}
		return say("h-part-clean", "n", n)
	case Redirects:
		if v := c.result.Counts.Verdicts; v[audit.Loop]+v[audit.TooManyRedirects] == faulty {
			return c.share("h-loops", faulty, n)
		}
		return c.share("h-redirects", faulty, n)
	case Mixed:
		if _, _, twice, _ := c.kinds(); twice == faulty {
			return say("h-twice", "k", faulty, "n", n)
		}
		return c.share("h-mixed", faulty, n)
	case Fine, FileFaults, Clean:
		if x := c.result.Expected; x != nil && x.Unmet() > 0 { // that is what there is to do
			return say("h-unmet", "k", x.Unmet(), "n", x.Addresses)
		}
	}
	return c.statedOfFiles()
}

// statedOfFiles is stated where it depends on the faults of the files at most.
func (c *concluding) statedOfFiles() Sentence {
	switch {
	case c.state == Partly && c.faults > 0: // of the files
		return say("h-seen-files")
	case c.state == FileFaults && c.hides:
		return say("h-clean-lost")
	case c.state == FileFaults && c.ignored:
		return say("h-clean-ignored")
	}
	return say(map[State]string{NotSeen: "h-not-seen", Script: "h-script", OtherSpelling: "h-right",
		Partly: "h-seen", Fine: "h-fine", FileFaults: "h-clean-files", Clean: "h-clean"}[c.state])
}

// filesHeadline is the headline where nothing was to be crawled.
func (c *concluding) filesHeadline() Sentence {
	switch {
	case c.empty():
		return say("h-empty", "n", c.result.Sitemaps())
	case c.faults > 0:
		return say("h-files", "n", c.faults)
	case c.result.Info.NoFetch:
		return say("h-files-clean")
	}
	return say("h-nothing")
}

// empty reports whether nothing is wrong with the files but that they were read to their end and
// list no entry.
func (c *concluding) empty() bool {
	n := 0
	for i := range c.result.Files {
		for _, f := range c.result.Files[i].Sitemap.Faults {
			if f.Name != "Empty sitemap" {
				return false
			}
			n++
		}
	}
	return n > 0 && c.now.Entries == 0 && len(c.inPart) == 0
}

// filesProof says why nothing was crawled.
func (c *concluding) filesProof() Sentence {
	switch {
	case c.empty():
		return say("p-empty", "n", c.result.Sitemaps())
	case c.result.Info.NoFetch:
		return say("p-no-fetch", "n", c.now.Entries)
	case c.now.Entries == 0:
		return say("p-no-entry")
	}
	return say("p-none-crawled", "n", c.now.Entries)
}

// share is the sentence of k faulty entries among the n that were checked: as a percentage, or in
// numbers where that says more. Where those are not all of the sitemap, it says so.
func (c *concluding) share(key string, k, n int) Sentence {
	few := n < 10 || k*100 < n
	if few && n < c.now.Entries || !c.now.AsGoodAsAll() {
		key += "-of"
	}
	if few {
		return say(key+"-n", "k", k, "n", n)
	}
	return say(key, "p", percents(c.now.Clean, k)[1], "n", n) // makes 100 with what is clean
}

// proof is the line under the headline. Whatever the state, it says which sitemap was read
// only in part.
func (c *concluding) proof() Sentence {
	if c.offHost() && !c.alarm().IsZero() {
		return join("", say("p-elsewhere"), say("p-more", "what", c.proved()))
	}
	if len(c.inPart) == 0 {
		return c.proved()
	}
	if c.state != InPart {
		return join("", c.proved(), say("p-more", "what", c.partly("p-in-part")))
	}
	first := c.partly("p-cut") // the headline says that it was read only in part
	if c.now.Entries == 0 {
		return first
	}
	return join("", first, say("p-in-part-rest", "n", c.now.Checked(), "k", c.now.Clean), c.unseen())
}

// partly names the first sitemap that was read only in part, and why, in the words of key.
func (c *concluding) partly(key string) Sentence {
	s := &c.result.Files[c.inPart[0]].Sitemap
	url := address.Shown(s.URL)
	switch f, ok := s.PartFault(); {
	case !ok:
		return say(key, "url", url)
	case f.Line > 0:
		return say(key+"-line", "url", url, "line", f.Line)
	default:
		return say(key+"-why", "url", url, "why", faultText(f))
	}
}

// proved is what proof says of the entries and files that were read.
func (c *concluding) proved() Sentence {
	s, n := c.now, c.now.Crawled()
	switch c.state {
	case Stopped:
		return c.stoppedProof()
	case ExpectedOnly:
		return c.expectedProof()
	case ReportedOnly:
		return say("p-reported", "host", c.host())
	case Unread:
		return c.unread()
	case FilesOnly:
		return c.filesProof()
	case NotSeen:
		return c.notSeen()
	case Part:
		return c.inSample()
	case Script:
		if k := c.result.Counts.Notes[audit.NeedsJavaScript]; k < n {
			return say("p-script", "k", k, "n", n)
		}
		return say("p-script-all", "n", n)
	case OtherSpelling:
		key := "p-right"
		if c.result.Counts.Verdicts[audit.SpellingConflict] > 0 {
			key = "p-right-other"
		}
		return join("", say(key, "k", c.result.Counts.Total(audit.OtherSpelling), "n", n), c.unseen(), c.later())
	case Partly:
		said := join("", say("p-seen", "k", s.Clean, "n", n), c.unseen())
		if left := c.faults - c.mended; left > 0 {
			said = join("", said, say("p-files-remain", "k", left))
		}
		return join("", said, c.later())
	case Fine:
		if !c.unjudged() {
			return join("", say("p-back", "n", c.result.Back.Unlisted), c.later())
		}
		return join("", say("p-fine"), c.later())
	case FileFaults:
		if !c.seenWith().IsZero() {
			return c.cleanWith(n, c.faults-c.mended)
		}
		key := "p-clean-files"
		switch {
		case c.mended >= c.faults:
			key = "p-clean-mended"
		case c.mended > 0:
			key = "p-clean-after"
		}
		return join("", say(key, "n", n, "k", c.faults, "m", c.mended), c.later())
	case Clean:
		return c.cleanProof(n)
	}
	return join("", c.faulty(), c.right(), c.unseen())
}

// cleanProof is what proof says where each of the n entries that were crawled is clean.
func (c *concluding) cleanProof(n int) Sentence {
	key, k := "p-clean", c.ruleFaults()
	if !c.seenWith().IsZero() {
		return c.cleanWith(n, k)
	}
	switch x := c.result.Expected; {
	case x != nil && x.Unmet() > 0:
		key = "p-clean-unmet"
	case k > 0:
		key = "p-clean-files"
	case !c.idle:
		key = "p-clean-entries"
	}
	return join("", say(key, "n", n, "k", k), c.later())
}

// cleanWith is what proof says of n clean entries, and k faults of the files that stay, where Google
// may get other answers.
func (c *concluding) cleanWith(n, k int) Sentence {
	said := say("p-clean-with", "n", n)
	if k > 0 {
		said = join("", said, say("p-files-remain", "k", k))
	}
	return join("", said, c.later())
}

// inSample is what proof says where only a part of the entries was to be crawled.
func (c *concluding) inSample() Sentence {
	key, s := "p-part", c.now
	if !c.unwritten() {
		key = "p-part-written"
	}
	if s.Unseen > 0 { // the headline is of neither
		return join("", say(key+"-unseen", "l", s.LeftOut, "u", s.Unseen, "n", s.Entries), c.right())
	}
	return join("", say(key, "s", s.Crawled(), "n", s.Entries), c.right())
}

// notSeen says why most could not be checked.
func (c *concluding) notSeen() Sentence {
	switch n := audit.RobotsStatus(c.mostUnseen()); {
	case n >= 500 && c.stops():
		key := "p-robots-down"
		if c.now.Unseen < c.now.Crawled() {
			key = "p-robots-down-some"
		}
		return say(key, "status", n, "a", c.now.Unseen, "n", c.now.Crawled())
	case n == 429:
		return join("", say("p-robots-slow", "a", c.result.Counts.Unseen[audit.RobotsWhy(n)], "n", c.now.Crawled()), c.waited("p-wait"), say("p-not-google", "n", c.now.Unseen))
	}
	return join("", c.refusal(), c.waited("p-wait"), c.google())
}

// right says of the entries that are answered otherwise in another spelling that they are right.
func (c *concluding) right() Sentence {
	switch {
	case c.now.Spelt == 0:
		return Sentence{}
	case c.result.Counts.Verdicts[audit.SpellingConflict] > 0:
		return say("p-spelt-other", "n", c.now.Spelt)
	}
	return say("p-spelt", "n", c.now.Spelt)
}

// faulty says of the entries that are not clean what changed since the last audit, where
// all of them are now, or what they are.
func (c *concluding) faulty() Sentence {
	if since := c.since(); !since.IsZero() {
		return since
	}
	if moved := c.moved(); !moved.IsZero() {
		return moved
	}
	r, gone, twice, other := c.kinds()
	if c.state == Redirects {
		of := say("p-redirects-of", "r", r, "n", c.now.Checked())
		switch c.now.Fix {
		case 0:
			return of
		case r:
			return join("", of, say("p-upload-all", "r", r))
		}
		return join("", of, say("p-upload-some", "f", c.now.Fix))
	}
	if n := c.result.Counts.Verdicts[audit.Error]; n > 0 && n == c.now.Faulty() {
		return say("p-errors", "n", n)
	}
	lost := "p-gone"
	if slices.ContainsFunc(c.result.Causes, func(x audit.Cause) bool { return x.Trait == audit.ToMissing }) {
		lost = "p-missing" // of which nobody knows that they are gone
	}
	var parts []Sentence
	for _, x := range []struct {
		key string
		n   int
	}{{"p-redirect", r}, {lost, gone}, {"p-twice", twice}, {"p-other", other}} {
		key := x.key
		if len(parts) > 0 {
			key += "-more"
		}
		if x.n > 0 {
			parts = append(parts, say(key, "n", x.n))
		}
	}
	return join("", join("list", parts...), say("end"))
}

// since says what became of what the last audit found, where the two were compared.
func (c *concluding) since() Sentence {
	last := c.result.Last
	if last == nil || last.Since == nil {
		return Sentence{}
	}
	x := last.Since
	since := say("p-since", "date", last.At.UTC().Format("2006-01-02 15:04"), "x", x.Fixed, "y", x.New)
	if x.Open == 0 {
		return since
	}
	return join("", since, say("p-since-open", "z", x.Open))
}

// quiet reports whether little else is to be said.
func (c *concluding) quiet() bool {
	return slices.Contains([]State{OtherSpelling, Partly, Fine, FileFaults, Clean}, c.state)
}

// alarm is what is to be known before any number: that no entry is on the host of its sitemap. Zero
// where that is not so, and where too little was crawled.
func (c *concluding) alarm() Sentence {
	if !c.quiet() && !slices.Contains([]State{Part, Redirects, Mixed}, c.state) {
		return Sentence{}
	}
	if c.offHost() {
		return say("h-elsewhere", "n", c.now.Entries)
	}
	return Sentence{}
}

// offHost reports whether all entries are on other hosts than their sitemaps, and some stay there.
func (c *concluding) offHost() bool {
	away := 0
	for i := range c.result.Files {
		if s := &c.result.Files[i].Sitemap; s.Kind != "index" {
			away += s.Elsewhere
		}
	}
	return away > c.now.Fix && away >= c.now.Entries
}

// later is since behind another sentence.
func (c *concluding) later() Sentence {
	if s := c.since(); !s.IsZero() {
		return say("p-more", "what", s)
	}
	return Sentence{}
}

// moved says where the files belong now, where all that is edited moved as a whole; else
// nothing.
func (c *concluding) moved() Sentence {
	for _, i := range c.changed {
		if f := &c.result.Files[i]; !f.Moved {
			return Sentence{}
		}
	}
	switch len(c.changed) {
	case 0:
		return Sentence{}
	case 1:
		return say("p-moved", "url", c.result.Files[c.changed[0]].BelongsAt)
	}
	return say("p-moved-n", "n", len(c.changed))
}

// unseen says how many entries could not be checked, and what that means for Google.
func (c *concluding) unseen() Sentence {
	switch {
	case c.now.Unseen == 0:
		return Sentence{}
	case c.barred() == 0:
		return say("p-unseen", "n", c.now.Unseen)
	}
	return join("", say("p-unseen-only", "n", c.now.Unseen), c.google())
}

// google says whether Google may reach what could not be checked: not what redirects into a
// private network.
func (c *concluding) google() Sentence {
	switch inside, barred := c.inside(), c.barred(); {
	case barred == 0:
		return say("p-not-google", "n", c.now.Unseen)
	case barred > inside && barred == c.now.Unseen:
		return say("p-barred", "n", barred)
	case barred > inside:
		return say("p-barred-some", "n", barred)
	case inside == c.now.Unseen:
		return say("p-inside", "n", inside)
	default:
		return say("p-inside-some", "n", inside)
	}
}

// unread names the first sitemap that could not be read, and why, and says of the others
// how they are.
func (c *concluding) unread() Sentence {
	s, removed := c.firstUnread()
	var first, rest Sentence
	fault, _ := s.Error() // it has one
	url, status := address.Shown(s.URL), strconv.Itoa(s.Status)
	switch {
	case s.Status >= 300 && fault.NamedIn != "":
		first = say("p-unread-listed", "url", url, "status", status, "index", address.Shown(fault.NamedIn), "line", fault.NamedAt)
	case s.Status >= 300:
		first = say("p-unread-status", "url", url, "status", status)
	default:
		first = say("p-unread", "url", url, "why", whyOf(s, fault))
	}
	if s.Status == 429 || s.Status == 503 {
		first = join("", first, c.waited("p-wait"))
	}
	switch {
	case removed == 0:
	case c.result.Unread() == 1:
		first = join("", first, say("p-unread-removed"))
	case c.result.Unread() == removed:
		first = join("", first, say("p-unread-removed-all", "n", removed))
	default:
		first = join("", first, say("p-unread-removed-some", "n", removed, "k", c.result.Unread()))
	}
	switch {
	case c.now.Entries == 0:
	case c.now.Checked() > 0:
		rest = say("p-unread-rest", "n", c.now.Entries, "k", c.now.Clean)
	case c.now.LeftOut+c.result.Counts.Unseen[string(audit.FaultAbandoned)] == c.now.Entries:
		rest = say("p-unread-rest-uncrawled", "n", c.now.Entries)
	default:
		rest = say("p-unread-rest-unseen", "n", c.now.Entries)
	}
	return join("", first, rest)
}

// whyOf is why a sitemap could not be read, behind its address, which it does not say once more.
func whyOf(s *audit.Sitemap, f audit.SitemapFault) word {
	text := faultText(f)
	return func(c *messages.Catalogue) string {
		return strings.TrimPrefix(strings.TrimPrefix(text(c), "no answer from "), s.URL+": ")
	}
}

// firstUnread is the first sitemap that could not be read, one that its index goes on to list
// before others, and how many the upload removes from their index.
func (c *concluding) firstUnread() (first *audit.Sitemap, removed int) {
	stays := false
	for i := range c.result.Files {
		s := &c.result.Files[i].Sitemap
		if !s.Unread() {
			continue
		}
		out := c.removes(s)
		if out {
			removed++
		}
		if first == nil || !out && !stays {
			first, stays = s, !out
		}
	}
	return first, removed
}

// removes reports whether the upload removes s from its index.
func (c *concluding) removes(s *audit.Sitemap) bool {
	for _, i := range c.changed {
		if row, ok := c.result.Child(i, s.Place); ok && !c.unwritten() && c.result.Files[i].Sitemap.N == s.Parent {
			return row.Fix.Action == audit.Drop
		}
	}
	return false
}

// refusal says who kept the audit from seeing most of the site, and how often: what could not be
// checked for another reason is no refusal, and counted apart.
func (c *concluding) refusal() Sentence {
	unseen, n := c.result.Counts.Unseen, c.now.Entries
	rest, why := unseen[string(audit.FaultAbandoned)], c.mostUnseen()
	if why == "" {
		return say("p-left", "b", rest, "n", n)
	}
	refused := unseen[why]
	other := c.now.Unseen - rest - refused
	suffix := "-all"
	switch {
	case rest > 0 && refused+rest < n: // some answered otherwise before the host was left
		suffix = "-more"
	case rest > 0:
		suffix = "-rest"
	}
	kind, who := "p-refused", verbatim(why)
	if why == "503" {
		kind = "p-busy"
	} else if status, err := strconv.Atoi(why); err == nil {
		who = say("the-server", "status", why)
		switch status {
		case 401:
			kind = "p-password"
		case 407:
			kind, who = "p-password", say("the-proxy", "status", why)
		}
	} else if unseenKind(why) != "unseen-refused" {
		kind, who = "p-silent", Sentence{}
	}
	if suffix == "-all" && kind != "p-silent" && refused == n && n > 1 {
		suffix = "-each"
	}
	said := say(kind+suffix, "who", who, "what", unseenWord(why), "a", refused, "b", rest, "n", n)
	if other == 0 {
		return said
	}
	return join("", said, say("p-unseen-other", "n", other))
}

// mostUnseen is what kept most entries from being seen, hosts that were left apart; ""
// for nothing.
func (c *concluding) mostUnseen() (most string) {
	for why, n := range c.result.Counts.Unseen {
		if at := c.result.Counts.Unseen[most]; why != string(audit.FaultAbandoned) && n > 0 && (n > at || n == at && why < most) {
			most = why
		}
	}
	return most
}

package conclude

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/command"
	"sitemend/report/messages"
)

// An ActionKind is what an action is about, in one word.
type ActionKind string

// The kinds of actions.
const (
	DoUpload   ActionKind = "upload"
	DoWrite    ActionKind = "write" // the corrected files first, where none was written, and upload them
	DoDecide   ActionKind = "decide"
	DoResubmit ActionKind = "resubmit"
	DoLeave    ActionKind = "leave"    // the sitemap is right
	DoLook     ActionKind = "look"     // see whether Google is affected
	DoServer   ActionKind = "server"   // change the server
	DoLetIn    ActionKind = "let-in"   // let this computer through
	DoBrowser  ActionKind = "browser"  // crawl as a browser
	DoWithout  ActionKind = "without"  // crawl without credentials
	DoRepair   ActionKind = "repair"   // a sitemap that could not be read
	DoFiles    ActionKind = "files"    // faults of the files
	DoWhole    ActionKind = "whole"    // audit all entries
	DoContinue ActionKind = "continue" // go on with an audit that was stopped
	DoExpected ActionKind = "expected" // lead old addresses where the map says
	DoReported ActionKind = "reported" // look at what Google reports
	DoName     ActionKind = "name"     // name the sitemap, where there is one
	DoList     ActionKind = "list"     // list what the last audit removed and what is clean again
)

// An Action is one thing to do.
type Action struct {
	Kind        ActionKind
	Title, Text Sentence
	// Who does it, by their role as in Cause.Who: "Webmaster"; several where its causes are for
	// several, those of most entries first. Zero where nothing is to be done.
	Who Sentence
	// Button leads to Target: a place of the report ("#causes"), an address, or "copy:" with
	// a command to copy. Both are empty where there is none. Filled is set on one at most.
	Button   Sentence
	Target   string
	Filled   bool
	Evidence []Evidence
	Note     Sentence
	// Warns is set where Text says what not to do: an output of the titles alone says it, too.
	Warns bool
	// Command does it without another crawl, or where the answer is the one that If says, "If it is:";
	// "" where there is none. It is the expert's.
	If      Sentence
	Command string
}

// An Evidence is a line under an action: a number, 0 for none, and what it counts.
type Evidence struct {
	Count int
	Text  Sentence
}

// Where buttons lead.
const (
	searchConsole = "https://search.google.com/search-console/sitemaps"
	inspection    = "https://search.google.com/search-console/inspect"
	copied        = "copy:"
	cloudflare    = "https://dash.cloudflare.com/?to=/:account/:zone/security/waf"
)

// evidences is how many lines stand under an action, before those that add up the rest.
const evidences = 4

// actions are what to do now, at most three.
func (c *concluding) actions(lanes []Lane) (out []Action) {
	for _, a := range c.brakeFirst(c.copiesFirst(append([]*Action{c.outdated(), c.away()}, c.inOrder(append(c.ofState(), c.afterwards(lanes)...))...)), lanes) {
		if a != nil && len(out) < 3 {
			out = append(out, *a)
		}
	}
	switch {
	case len(out) > 0:
	case c.now.Unseen > 0:
		out = append(out, *c.letIn())
	case !c.seenWith().IsZero() && c.now.Checked() > 0 && !c.result.Info.Inside():
		out = append(out, c.without())
	}
	fillOne(out)
	for i := range out {
		if a := &out[i]; a.Kind == DoDecide {
			a.Who = c.deciders(lanes)
		} else if who := roles[a.Kind]; who != "" && a.Who.IsZero() {
			a.Who = say("role-" + who)
		}
	}
	return out
}

// outdated is to audit again where sitemaps list something else by now than when they were read.
func (c *concluding) outdated() *Action {
	n := 0
	for i := range c.result.Files {
		if c.result.Files[i].Unwritten == audit.UnwrittenOutdated {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return &Action{Kind: DoWhole, Title: say("a-outdated"), Text: say("a-outdated-text", "n", n), Button: say("a-copy"),
		Target: copied + command.Audit(&c.result.Info, nil)}
}

// listAgain is to list again what the last audit removed, and what is clean again.
func (c *concluding) listAgain() *Action {
	n := c.result.Back.Unlisted
	if n == 0 {
		return nil
	}
	return &Action{Kind: DoList, Title: say("a-list", "n", n), Text: say("a-list-text", "n", n)}
}

// away is to list addresses of the hosts of the sitemaps, where none is on these.
func (c *concluding) away() *Action {
	if !c.offHost() || c.alarm().IsZero() {
		return nil
	}
	return &Action{Kind: DoFiles, Title: say("a-elsewhere"), Text: say("a-elsewhere-text"), Button: say("a-files-open", "n", c.faults), Target: "#faults"}
}

// inOrder puts the upload before what else there is to do with files that have faults: it mends
// some of them, and where links alone are corrected nothing else says so.
func (c *concluding) inOrder(actions []*Action) []*Action {
	at := slices.IndexFunc(actions, func(a *Action) bool { return a != nil && (a.Kind == DoUpload || a.Kind == DoWrite) })
	if c.state != FileFaults || at < 0 {
		return actions
	}
	upload := actions[at]
	return slices.Insert(slices.Delete(actions, at, at+1), 0, upload)
}

// copiesFirst puts that a file is to be restored before all others, in any state, where a corrected
// copy of it was written: nothing else says that this must not be uploaded.
func (c *concluding) copiesFirst(actions []*Action) []*Action {
	first := c.restore()
	if first == nil || !first.Warns {
		return actions
	}
	same := func(a *Action) bool { return a != nil && a.Kind == DoRepair && a.Warns }
	return append([]*Action{first}, slices.DeleteFunc(actions, same)...)
}

// brakeFirst puts what has to be decided before all others where --max-drop held back removals, in
// any state: what the other actions are about depends on the answer.
func (c *concluding) brakeFirst(actions []*Action, lanes []Lane) []*Action {
	var first []*Action
	if !c.brake().isZero() {
		actions = slices.DeleteFunc(actions, func(a *Action) bool { return a != nil && a.Kind == DoDecide })
		first = append(first, c.decideOn(lanes))
	}
	return append(first, actions...)
}

// ofState are the actions of the state alone; what is nil does not apply.
func (c *concluding) ofState() []*Action {
	switch c.state {
	case Stopped:
		return []*Action{c.resume()}
	case NotSeen:
		return []*Action{c.uploadSeen(), c.letIn(), c.asBrowser(), askGoogle()}
	case OtherSpelling:
		return c.spellingActions()
	case Script:
		return []*Action{askGoogle()}
	case Unread:
		return []*Action{c.repair(), c.restore()}
	case InPart:
		return []*Action{c.restore()}
	case ReportedOnly:
		return []*Action{c.look(), {Kind: DoName, Title: say("a-name"), Text: say("a-name-text")}}
	case FilesOnly, FileFaults:
		if c.state == FilesOnly && c.now.Entries > 0 && c.faults == 0 {
			return []*Action{c.whole()}
		}
		if c.empty() {
			return []*Action{{Kind: DoFiles, Title: say("a-empty"), Text: say("a-empty-text"), Button: say("a-files-open", "n", c.faults), Target: "#faults"}}
		}
		if left := c.faults - c.mended; left > 0 && !c.offHost() { // away says it
			return []*Action{{Kind: DoFiles, Title: say("a-files"), Text: say("a-files-text"), Button: say("a-files-open", "n", left), Target: "#faults"}}
		}
	case Part, Redirects, Mixed:
		if c.unwritten() {
			return []*Action{c.whole()}
		}
	}
	return nil
}

// spellingActions are those of a sitemap that is right, and answered otherwise in another spelling.
func (c *concluding) spellingActions() []*Action {
	switch {
	case !c.askedOtherwise() && c.reportedOtherwise() == 0:
		return []*Action{c.leave(),
			{Kind: DoLook, Title: say("a-affected"), Text: say("a-affected-text"), Button: say("a-open-console"), Target: searchConsole, Note: say("a-affected-note")},
			{Kind: DoServer, Title: say("a-server"), Text: say("a-server-text"), Button: say("a-server-open"), Target: "#server"}}
	case len(c.changed) == 0:
		return []*Action{c.server(), c.leave()}
	}
	return []*Action{c.server()}
}

// afterwards are the upload and what goes with it, in any state that knows of one, and the
// redirects that a map asks for.
func (c *concluding) afterwards(lanes []Lane) (out []*Action) {
	if c.state != NotSeen && c.state != OtherSpelling || len(c.changed) > 0 && c.state == OtherSpelling {
		upload, decide, resubmit := c.upload(), c.decideOn(lanes), c.resubmit()
		var server, spelt *Action
		if c.state != OtherSpelling {
			server, spelt = cmp.Or(c.server(), c.refused()), c.spelt()
			if server == nil && c.now.Spelt*10 >= c.now.Checked() { // a tenth is not left unexplained
				server, spelt = spelt, nil
			}
		}
		if upload != nil && resubmit != nil && decide != nil && server != nil { // the fourth
			then := "a-then-resubmit"
			switch {
			case !c.moved().IsZero():
				then = "a-then-submit"
			case c.someMoved():
				then = "a-then-submit-some"
			}
			upload.Note = join("", upload.Note, say(then))
		}
		if resubmit != nil {
			c.submit = resubmit.Evidence
		}
		out = append(out, upload, decide, server, resubmit, spelt)
	}
	return append(out, c.redirects(), c.listAgain())
}

// fillOne fills one button: the first that leads on in the report.
func fillOne(actions []Action) {
	for i := range actions {
		if a := &actions[i]; strings.HasPrefix(a.Target, "#") || a.Kind == DoLetIn {
			a.Filled = !a.Button.IsZero()
			return
		}
	}
}

// leave is to leave the sitemap, which is right.
func (c *concluding) leave() *Action {
	return &Action{Kind: DoLeave, Title: say("a-leave"), Text: say("a-leave-text"),
		Button: say("a-leave-open", "n", c.result.Counts.Total(audit.OtherSpelling)), Target: "#entries"}
}

// askedOtherwise reports whether access logs show that Googlebot asked for listed addresses in
// another spelling and was redirected back to them each time.
func (c *concluding) askedOtherwise() bool {
	l := c.result.Logs
	return l != nil && l.Sum.Back.Requests > 0 && c.result.Counts.Total(audit.OtherSpelling) > 0
}

// reportedOtherwise is how many addresses Search Console reports that are right as listed, and
// answered otherwise in another spelling.
func (c *concluding) reportedOtherwise() int {
	if c.result.SearchConsole == nil {
		return 0
	}
	return c.result.SearchConsole.Upshots[audit.UpshotServer]
}

// server is to change the server, where access logs or Search Console show that Googlebot is
// affected.
func (c *concluding) server() *Action {
	if !c.askedOtherwise() {
		if n := c.reportedOtherwise(); n > 0 {
			return &Action{Kind: DoServer, Title: say("a-server-now"), Text: say("a-server-reported", "n", n), Note: say("a-server-note"),
				Button: say("a-server-open"), Target: "#server"}
		}
		return nil
	}
	seen := &c.result.Logs.Sum.Back
	addresses := c.concerned(seen.Entries)
	text := say("a-asked-undated", "n", int(seen.Requests), "addresses", addresses)
	if seen.Last != 0 {
		day, layout := time.Unix(seen.Last, 0).UTC(), "logs-day"
		if day.Year() != c.result.Info.Ended.UTC().Year() {
			layout = "logs-day-year"
		}
		text = say("a-asked", "n", int(seen.Requests), "addresses", addresses, "day", word(func(w *messages.Catalogue) string { return day.Format(w.Text(layout)) }))
	}
	return &Action{Kind: DoServer, Title: say("a-server-now"), Text: text, Note: say("a-server-note"), Button: say("a-server-open"), Target: "#server"}
}

// concerned says k of the addresses that are answered otherwise in another spelling; where logs
// know of more, k of all.
func (c *concluding) concerned(k int) Sentence {
	if n := c.now.Spelt; k <= n {
		return say("spelt-concerned", "k", k, "n", n)
	}
	return say("as-it-is", "text", word(func(w *messages.Catalogue) string { return w.Count("logs-addresses", k) }))
}

// spelt says of the entries that are answered otherwise in another spelling, beside others that are
// not clean, that the sitemap is right; nil for none, and where logs or Search Console say more.
func (c *concluding) spelt() *Action {
	if c.now.Spelt == 0 || c.askedOtherwise() || c.reportedOtherwise() > 0 {
		return nil
	}
	return &Action{Kind: DoLeave, Title: say("a-spelt", "n", c.now.Spelt), Text: say("a-spelt-text", "n", c.now.Spelt), Note: say("a-affected-note"),
		Button: say("a-leave-open", "n", c.now.Spelt), Target: "#other-spelling"}
}

// twins is how many entries that were on the origin of the files to be uploaded, which stay there, are written on its
// http, https, www or apex twin: in these files Google may not accept them. 0 where the files are on several origins.
func (c *concluding) twins() (n int) {
	var at address.Address
	for _, i := range c.uploads {
		f := &c.result.Files[i]
		base := address.Wire(f.Sitemap.AnsweredAt)
		if f.Moved || !at.IsZero() && base.Origin() != at.Origin() {
			return 0
		}
		at = base
	}
	for i := range c.result.Causes {
		x := &c.result.Causes[i]
		if x.Group != audit.Corrected || len(x.Examples) == 0 || len(x.Finals) == 0 || at.IsZero() {
			continue
		}
		if to := address.Wire(x.Finals[0]); to.SameTwin(at) && to.Origin() != at.Origin() && address.Wire(x.Examples[0]).Origin() == at.Origin() {
			n += x.Count
		}
	}
	return n
}

// broken reports whether a file that is to be uploaded has a parsing error as the original had.
func (c *concluding) broken() bool {
	return slices.ContainsFunc(c.uploads, func(i int) bool {
		return slices.ContainsFunc(c.result.Files[i].Sitemap.Faults, func(f audit.SitemapFault) bool {
			return f.Severity == "error" && f.Name == "Parsing error" && f.Places() > f.Mended
		})
	})
}

// upload is the upload of the corrected files.
func (c *concluding) upload() *Action {
	n := c.copiesToUpload()
	if n == 0 || c.unwritten() {
		return nil
	}
	changes, noindex := c.now.Fix, c.noindex()
	for _, i := range c.changed {
		if f := &c.result.Files[i]; f.Sitemap.InPart() {
			changes -= f.Counts.Total(audit.Corrected) + f.Counts.Total(audit.TakenOut)
			noindex -= f.Counts.Removed(audit.Noindex)
		}
	}
	fix := changes - noindex
	a := &Action{Kind: DoUpload, Title: say("a-upload", "n", n), Text: say("a-upload-text", "f", fix, "n", c.now.Faulty()),
		Button: say("a-upload-open", "n", n), Target: "#files"}
	children := c.onlyChildren()
	switch {
	case fix == 0 && noindex > 0:
		a.Text = say("a-upload-removes")
	case changes == 0 && children > 0:
		a.Text = say("a-upload-index", "n", children)
	case changes == 0:
		a.Text = say("a-upload-links", "n", n)
	case c.state == NotSeen:
		a.Text = say("a-upload-seen", "n", fix)
	case fix == c.now.Faulty():
		a.Text = say("a-upload-all", "n", c.now.Fix)
	}
	if left := c.now.LeftOut; changes > 0 && left > 0 {
		a.Text = join("", a.Text, say("a-upload-left", "n", left))
	}
	if changes > 0 {
		a.Text = join("", a.Text, c.links())
	}
	if children == 0 {
		a.Text = join("", a.Text, c.asks(), c.bounces())
	}
	if c.newParts() > 0 {
		a.Text = join("", a.Text, say("a-upload-parts"))
	}
	if c.broken() {
		a.Text = join("", a.Text, say("a-upload-broken"))
	}
	if twins := c.twins(); twins > 0 {
		a.Text = join("", a.Text, say("a-upload-twins", "n", twins))
	}
	a.Evidence, a.Note = c.uploaded(changes > 0), c.source()
	if c.result.NoFiles {
		c.writeFirst(a)
	}
	return a
}

// newParts is how many files of the upload belong where the audit did not look what is there: the
// parts of those that were divided.
func (c *concluding) newParts() (n int) {
	for _, i := range c.uploads {
		n += len(c.result.Files[i].Written()) - 1
	}
	return n
}

// writeFirst makes of an upload that the files are to be written before: these outputs have none.
func (c *concluding) writeFirst(a *Action) {
	n := c.copiesToUpload()
	a.Kind, a.Title, a.Text = DoWrite, say("a-write", "n", n), join("", say("a-write-text", "n", n), a.Text)
	a.Button, a.Target = say("a-copy"), copied+c.again()
	a.Evidence = []Evidence{{0, say("as-code", "text", c.again())}}
}

// uploadSeen is the upload of an audit that could check less than half: each address that is
// written answered in it, and what was not checked stays as it is.
func (c *concluding) uploadSeen() *Action {
	a := c.upload()
	if resubmit := c.resubmit(); a != nil && resubmit != nil {
		c.submit = resubmit.Evidence
	}
	return a
}

// copiesToUpload is how many files are uploaded: one that was divided is an index and its parts.
func (c *concluding) copiesToUpload() (n int) {
	for _, i := range c.uploads {
		n += len(c.result.Files[i].Written())
	}
	return n
}

// mostNamed is how many parts of a file are named one by one.
const mostNamed = 4

// copiesOf names the copies of a file: of many parts the first and the last.
func copiesOf(f *audit.File) Sentence {
	names := f.Written()
	for i, name := range names {
		names[i] = path.Base(name)
	}
	if len(names) > mostNamed {
		names = append(names[:2:2], "… "+names[len(names)-1])
	}
	return verbatim(strings.Join(names, ", "))
}

// uploaded are the files of the upload, those of most entries first, with how many entries each
// changes: they add up to what the upload changes. Where that is no entry, links are counted
// instead.
func (c *concluding) uploaded(fixes bool) (out []Evidence) {
	count := func(i int) int {
		f := &c.result.Files[i]
		if fixes {
			return f.Counts.Total(audit.Corrected) + f.Counts.Total(audit.TakenOut)
		}
		return f.Relinked + f.Unlinked
	}
	files := slices.Clone(c.uploads)
	slices.SortStableFunc(files, func(x, y int) int { return cmp.Compare(count(y), count(x)) })
	named := len(files)
	if named > evidences+1 {
		named = evidences
	}
	for _, i := range files[:named] {
		out = append(out, Evidence{count(i), copiesOf(&c.result.Files[i])})
	}
	rest, copies := 0, 0
	for _, i := range files[named:] {
		rest, copies = rest+count(i), copies+len(c.result.Files[i].Written())
	}
	if copies > 0 {
		out = append(out, Evidence{rest, say("a-more-files", "n", copies)})
	}
	return out
}

// source says to change what generates the files of the upload, by its name where it has one.
func (c *concluding) source() Sentence {
	n, generators := len(c.uploads), map[string]bool{}
	for _, i := range c.uploads {
		generators[c.result.Files[i].Sitemap.Generator] = true
	}
	for g := range generators {
		if g != "" && len(generators) == 1 {
			return say("a-generator", "generator", g, "n", n)
		}
	}
	return say("a-source", "n", n)
}

// links says how many links of the files that are uploaded change besides their entries.
func (c *concluding) links() Sentence {
	n := 0
	for _, i := range c.uploads {
		n += c.result.Files[i].Relinked + c.result.Files[i].Unlinked
	}
	if n == 0 {
		return Sentence{}
	}
	return say("a-upload-follow", "n", n)
}

// onlyChildren is how many sitemaps the upload removes from their indexes, where it does nothing
// else; 0 where it does more.
func (c *concluding) onlyChildren() (n int) {
	for _, i := range c.uploads {
		f := &c.result.Files[i]
		if f.Counts.Total(audit.Corrected)+f.Counts.Total(audit.TakenOut)+f.Relinked+f.Unlinked > 0 || f.ChildrenOut() == 0 {
			return 0
		}
		n += f.ChildrenOut()
	}
	return n
}

// asks says what of the upload is removed, and asks whether that is meant where nothing else
// lists it. Nothing else of it has to be decided.
func (c *concluding) asks() Sentence {
	removed, merged, children, noindex := 0, 0, 0, 0
	for _, i := range c.uploads {
		f := &c.result.Files[i]
		merged += f.Counts.Actions[audit.Merge]
		removed, children = removed+f.Counts.Total(audit.TakenOut), children+f.ChildrenOut()
		noindex += f.Counts.Removed(audit.Noindex)
	}
	more := ""
	if merged > 0 {
		more = "-more"
	}
	switch {
	case removed > 0 && c.result.Info.Rules.MaxDrop >= 1: // nobody has such a limit who did not decide so
		return join("", listedAlready(merged), say("a-upload-decided"+more, "n", removed))
	case removed > 0:
		return join("", listedAlready(merged), say("a-upload-removed"+more, "n", removed), asksNoindex(noindex))
	case children > 0:
		return join("", say("a-upload-children"), listedAlready(merged))
	case c.now.Decide > 0: // beside an action that is to decide on others
		return join("", listedAlready(merged), say("a-upload-none"))
	}
	if c.now.LeftOut > 0 { // of those nobody knows
		return listedAlready(merged)
	}
	return join("", listedAlready(merged), say("a-upload-nothing"))
}

// moreListedAlready is listedAlready behind a sentence of others that are removed.
func moreListedAlready(n int) Sentence {
	if n == 0 {
		return Sentence{}
	}
	return say("merged-more", "n", n)
}

// listedAlready says of n entries that they are removed, for what would be written for them is
// listed already, or written for another one; of none nothing.
func listedAlready(n int) Sentence {
	if n == 0 {
		return Sentence{}
	}
	return say("merged", "n", n)
}

// decideOn is what has to be decided.
func (c *concluding) decideOn(lanes []Lane) *Action {
	at := slices.IndexFunc(lanes, func(l Lane) bool { return l.Lane == audit.Decide })
	if at < 0 {
		return nil
	}
	l := &lanes[at]
	a := &Action{Kind: DoDecide, Title: say("a-decide", "n", l.Count), Text: say("a-decide-text", "n", len(l.Causes), "k", l.Count),
		Button: say("a-decide-open", "n", len(l.Causes)), Target: "#decide"}
	switch {
	case !slices.ContainsFunc(l.Causes, func(x Cause) bool { return kindOf(&c.result.Causes[x.Index]) != "error-5xx" }):
		a.Title, a.Text = say("a-decide-server", "n", l.Count), say("a-decide-server-text", "n", l.Count)
	case !slices.ContainsFunc(l.Causes, func(x Cause) bool { return !x.Ask.IsZero() }):
		a.Title, a.Text = say("a-decide-repair", "n", l.Count), say("a-decide-repair-text", "n", len(l.Causes), "k", l.Count)
	case slices.ContainsFunc(l.Causes, func(x Cause) bool { return x.Ask.IsZero() }):
		a.Title, a.Text = say("a-decide-both", "n", l.Count), say("a-decide-both-text", "n", len(l.Causes), "k", l.Count)
	}
	if b := c.brake(); !b.isZero() { // the lines under it say what else there is
		if a.Text = b.said; b.command != "" {
			a.If, a.Command = say("brake-if"), b.command
		}
	}
	for i := range l.Causes {
		a.Evidence = append(a.Evidence, Evidence{l.Causes[i].Count, l.distinct(i)})
	}
	a.Evidence = fewest(a.Evidence, "a-more-causes")
	return a
}

// distinct is the title of a cause of l, with its pattern where another has the same title.
func (l *Lane) distinct(at int) Sentence {
	x, en := &l.Causes[at], messages.Of("en")
	title := x.Title.In(en)
	same := func(y Cause) bool { return y.Index != x.Index && y.Title.In(en) == title }
	if pattern := x.Pattern.Text(); pattern != "" && slices.ContainsFunc(l.Causes, same) {
		return say("line", "what", x.Title, "pattern", verbatim(pattern))
	}
	return x.Title
}

// resubmit is to submit the sitemaps again, where a file changed.
func (c *concluding) resubmit() *Action {
	if len(c.uploads) == 0 || c.unwritten() {
		return nil
	}
	a := &Action{Kind: DoResubmit, Title: say("a-resubmit"), Text: say("a-resubmit-text"), Button: say("a-open-console"), Target: searchConsole}
	for _, v := range audit.Verdicts() { // nobody waits for a reason to fade that Google does not give
		if v.Redirects() && c.result.Counts.Groups[audit.Corrected][string(v)]+c.result.Counts.Groups[audit.TakenOut][string(v)] > 0 {
			a.Note = say("a-resubmit-note")
		}
	}
	switch {
	case !c.moved().IsZero():
		a.Text = say("a-resubmit-moved")
	case c.someMoved():
		a.Text = say("a-resubmit-some")
	}
	for _, url := range c.submitted() {
		a.Evidence = append(a.Evidence, Evidence{0, verbatim(url)})
	}
	return a
}

// someMoved reports whether a file that is uploaded belongs at another address now.
func (c *concluding) someMoved() bool {
	return slices.ContainsFunc(c.uploads, func(i int) bool { return c.result.Files[i].Moved })
}

// submitted are the addresses to submit, the first ones: of each file that is edited the
// index on top of it, or where it belongs itself.
func (c *concluding) submitted() (out []string) {
	at := map[int]*audit.File{}
	for i := range c.result.Files {
		at[c.result.Files[i].Sitemap.N] = &c.result.Files[i]
	}
	for _, i := range c.uploads {
		f := &c.result.Files[i]
		for up := at[f.Sitemap.Parent]; up != nil && !f.Moved && up.Sitemap.N < f.Sitemap.N; up = at[f.Sitemap.Parent] {
			f = up
		}
		url := cmp.Or(f.BelongsAt, f.Sitemap.AnsweredAt)
		if url != "" && !slices.Contains(out, url) && len(out) < evidences {
			out = append(out, url)
		}
	}
	return out
}

// letIn is how this computer is let through.
func (c *concluding) letIn() *Action {
	why := c.mostUnseen()
	if why == "" { // hosts that were left alone, and nothing else
		return c.onceMore("unseen-"+string(audit.FaultAbandoned), "a-once-more-text")
	}
	a := &Action{Kind: DoLetIn, Title: say("a-let-in"), Text: say("a-let-in-firewall"), Note: say("a-let-in-note")}
	switch kind := unseenKind(why); {
	case why == "Cloudflare":
		a.Text, a.Button, a.Target = say("a-let-in-cloudflare"), say("a-open-cloudflare"), cloudflare
	case kind == "unseen-refused":
		a.Text = say("a-let-in-text", "who", why)
	case c.someForbidden(why):
		a.Title, a.Text = say("a-closed", "n", c.now.Unseen), say("a-closed-text")
	case kind == "unseen-401":
		return c.password()
	case kind == "unseen-407":
		return proxy()
	case kind == "unseen-outside" || kind == "unseen-unmodelled":
		return &Action{Kind: DoLetIn, Who: say("role-auditor"), Title: say("title-" + kind), Text: say("do-" + kind)}
	case slices.Contains(namesHost, kind):
		return c.checkHost(kind, why)
	case kind == "unseen-robots":
		return &Action{Kind: DoLetIn, Title: say("a-robots"), Text: say("a-robots-text", "status", audit.RobotsStatus(why))}
	case kind == "unseen-robots-slow":
		return c.slower(kind, "a-slower", say("a-robots-slower"))
	case kind == "unseen-busy" || kind == "unseen-slow" || kind == "unseen-fault":
		return c.paced(kind)
	case kind == "unseen-"+string(audit.Unsteady):
		return c.onceMore(kind, "a-once-more-unsteady")
	case kind == "unseen-"+string(audit.FaultNotAgain):
		return c.onceMore(kind, "a-once-more-text")
	}
	return a
}

// paced is to audit again more slowly, for a reason of a kind: later, too, where the server was
// overloaded.
func (c *concluding) paced(kind string) *Action {
	if kind != "unseen-busy" {
		return c.slower(kind, "a-slower", say("a-slower-text"))
	}
	return c.slower(kind, "a-later", say("a-later-text"))
}

// slower is to audit again at a lower rate, for a reason of a kind: said says which, title what to do.
func (c *concluding) slower(kind, title string, said Sentence) *Action {
	rate, given, refused := c.result.Info.Slower()
	from := say("a-slower-to", "r", rate)
	switch {
	case refused != "":
		from = say("a-slower-refused", "g", refused, "r", rate)
	case given == "":
	case given == "0":
		from = say("a-slower-unbounded", "r", rate)
	default:
		from = say("a-slower-from", "g", given, "r", rate)
	}
	return &Action{Kind: DoLetIn, Who: say("role-auditor"), Title: c.inTime(title), Text: join("", said, from, c.waited("a-wait")), Button: say("a-copy"),
		Target: copied + command.Audit(&c.result.Info, []string{c.retry(kind)})}
}

// onceMore is to audit again as before, in the words of key.
func (c *concluding) onceMore(kind, key string) *Action {
	return &Action{Kind: DoLetIn, Who: say("role-" + roleOf(kind)), Title: c.inTime("a-once-more"), Text: join("", say(key, "n", c.now.Unseen), c.waited("a-wait")), Button: say("a-copy"),
		Target: copied + command.Audit(&c.result.Info, nil)}
}

// inTime is the title of what is to be done at once, or after a wait; where a host asked for too long
// a one, to find out about that first.
func (c *concluding) inTime(title string) Sentence {
	if _, _, tooLong := c.result.Info.Wait(); tooLong {
		return say("a-ask-wait")
	}
	return say(title)
}

// waited says in the words of key for how long a host asked to be left alone, and in those of key
// with "-long" behind it that it asked for too long a time, and how many others did; zero where none did.
func (c *concluding) waited(key string) Sentence {
	host, wait, tooLong := c.result.Info.Wait()
	if host == "" {
		return Sentence{}
	}
	if tooLong {
		key += "-long"
	}
	said := say(key, "host", address.ToUnicodeHost(host), "wait", word(func(w *messages.Catalogue) string { return w.Wait(wait) }))
	if others := len(c.result.Info.Waits) - 1; others > 0 {
		said = join("", said, say("wait-others", "n", others))
	}
	return said
}

// namesHost are the kinds of what could not be seen for which what to do depends on the host.
var namesHost = []string{"unseen-dns", "unseen-tls", "unseen-network", "unseen-to-private", "unseen-private", "unseen-robots-private", "unseen-answer"}

// checkHost is to see why a host gave no answer, or where it leads: the first one that could not be
// seen for why, which is of a kind.
func (c *concluding) checkHost(kind, why string) *Action {
	for i := range c.result.Causes {
		x := &c.result.Causes[i]
		if x.Group.Lane() == audit.Unseen && label(x, "unseen") == why && len(x.Finals) > 0 {
			kind = kindOf(x)
			if kind == "unseen-dns" && c.elsewhere(x) {
				kind = "unseen-dns-listed"
			}
			return c.checkOf(kind, x.Finals[0], unseenWord(why))
		}
	}
	return c.checkOf(kind, "", unseenWord(why))
}

// elsewhere reports whether the entries of a cause are listed at a host that is none of the
// targets'.
func (c *concluding) elsewhere(x *audit.Cause) bool {
	return wireOf(x.Examples[0]).Host() == address.Wire(x.Finals[0]).Host() && !c.isTarget(x.Finals[0])
}

// isTarget reports whether the host of an address is that of a target, or may be.
func (c *concluding) isTarget(url string) bool {
	host := address.Wire(url).Host()
	return slices.ContainsFunc(c.result.Info.Targets, func(target string) bool {
		a, err := address.Parse(target)
		return err != nil || a.Host() == host
	})
}

// checkOf is what to do about the host of an address, "" for unknown, that could not be seen for a
// reason of a kind, in words. Where the site names a private address, and is none itself, no command lets
// the audit go there.
func (c *concluding) checkOf(kind, url string, what word) *Action {
	host := say("the-host")
	if url != "" {
		host = hostOf(url)
	}
	if kind == "unseen-private" && url != "" && !c.isTarget(url) {
		kind = "unseen-private-named"
	}
	key := "a-" + strings.TrimPrefix(kind, "unseen-")
	a := &Action{Kind: DoLetIn, Who: say("role-auditor"), Title: say(key, "host", host), Text: say(key+"-text", "host", host, "what", what)}
	if doers[kind] != "" {
		a.Who = say("role-" + doers[kind])
	}
	if flag := c.retry(kind); flag != "" {
		a.Button, a.Target = say("a-copy"), copied+command.Audit(&c.result.Info, []string{flag})
	}
	return a
}

// hostOf is the host of an address, with its port where that is not the usual one, or of a target
// without a scheme.
func hostOf(url string) Sentence {
	a, err := address.Parse(url)
	if err != nil {
		a = address.Wire(url)
	}
	if a.Host() == "" {
		return verbatim(address.Shown(url))
	}
	return verbatim(address.ToUnicodeHost(a.HostPort()))
}

// without is to audit again as Google does: without what it does not send.
func (c *concluding) without() Action {
	return Action{Kind: DoWithout, Title: say("a-without"), Text: say("a-without-text"), Button: say("a-copy"),
		Target: copied + command.Audit(&c.result.Info, nil, "user", "header")}
}

// password is to open what asks for a password, and to audit again with it only what is not public yet.
func (c *concluding) password() *Action {
	return &Action{Kind: DoLetIn, Who: say("role-owner"), Title: say("a-password"), Text: say("a-password-text"), Button: say("a-copy"),
		Target: copied + command.Audit(&c.result.Info, []string{retries["unseen-401"]})}
}

// proxy is to give a proxy its password: none that the audit would send to the site.
func proxy() *Action {
	return &Action{Kind: DoLetIn, Who: say("role-auditor"), Title: say("a-proxy"), Text: say("a-proxy-text")}
}

// refused is letIn where a part of the site could not be seen, a tenth of the entries or more, for
// what another audit would meet again; nil where less was: then it is enough to say so beside
// them, unless there is nothing else to do.
func (c *concluding) refused() *Action {
	kind := unseenKind(c.mostUnseen())
	lasts := kind == "unseen-refused" || kind == "unseen-status" || kind == "unseen-401" || kind == "unseen-407" || slices.Contains(namesHost, kind)
	switch {
	case c.now.Unseen == 0:
		return nil
	case c.state == Partly: // that is what there is to do
		return c.letIn()
	case !lasts || c.now.Unseen*10 < c.now.Crawled():
		return nil
	}
	return c.letIn()
}

// asBrowser is to crawl as a browser; nil where that was done, or cannot help.
func (c *concluding) asBrowser() *Action {
	if kind := unseenKind(c.mostUnseen()); c.result.Info.Identity == "browser" || kind != "unseen-refused" && kind != "unseen-status" {
		return nil
	}
	again := command.Audit(&c.result.Info, []string{"--as=browser"})
	return &Action{Kind: DoBrowser, Title: say("a-browser"), Text: say("a-browser-text"), Button: say("a-copy"), Target: copied + again,
		Evidence: []Evidence{{0, say("as-code", "text", again)}}}
}

func askGoogle() *Action {
	return &Action{Kind: DoLook, Title: say("a-google"), Text: say("a-google-text"), Button: say("a-open-console"), Target: inspection}
}

// repair is to make the first sitemap readable that could not be read; nil where the upload
// removes all such from their indexes.
func (c *concluding) repair() *Action {
	s, removed := c.firstUnread()
	if removed == c.result.Unread() {
		return nil
	}
	a := &Action{Kind: DoRepair, Title: say("a-repair"), Text: say("a-repair-text"), Evidence: []Evidence{{0, verbatim(address.Shown(s.URL))}}}
	switch {
	case s.Status == 401:
		return c.password()
	case s.Status == 407:
		return proxy()
	case s.Status == 429 || s.Status == 503:
		again := c.paced(unseenKind(strconv.Itoa(s.Status)))
		again.Evidence = a.Evidence
		return again
	case s.Status == 403:
		return &Action{Kind: DoLetIn, Title: say("a-let-in"), Text: say("a-let-in-firewall"), Note: say("a-let-in-note"), Evidence: a.Evidence}
	case s.Status >= 500:
		a.Who, a.Text = say("role-operator"), say("a-repair-server", "status", strconv.Itoa(s.Status))
	}
	if f, ok := unanswered(s); ok {
		if kind := unseenKind(string(f)); slices.Contains(namesHost, kind) {
			return c.checkOf(kind, cmp.Or(s.AnsweredAt, s.URL), unseenWord(string(f)))
		}
		a.Who, a.Text = say("role-operator"), say("a-repair-silent")
	}
	dns := func(f audit.SitemapFault) bool {
		return f.Key == audit.FaultAsSaid && strings.HasSuffix(f.Args[0], audit.FaultDNS.Words())
	}
	if slices.ContainsFunc(s.Faults, dns) {
		a.Who = say("role-auditor")
		a.Title, a.Text = say("a-dns", "host", hostOf(s.URL)), say("a-dns-site")
		return a
	}
	if said := func(f audit.SitemapFault) bool { return f.Key == audit.FaultAsSaid }; s.Parent < 0 && s.Status == 0 && slices.ContainsFunc(s.Faults, said) {
		return c.none(a, s)
	}
	if why := c.lasting(s); why != "" {
		if a.Text = join("", a.Text, say("a-repair-"+string(why))); why == audit.LastingMany {
			a.If, a.Command = say("brake-if"), c.maxDrop()
		}
	}
	if u, err := address.Parse(s.URL); err == nil {
		a.Button, a.Target = say("a-repair-open"), u.String()
	}
	return a
}

// lasting says why the index of a sitemap that is gone stays as it is; "" where it does not for that.
func (c *concluding) lasting(s *audit.Sitemap) audit.Lasting {
	at := slices.IndexFunc(c.result.Files, func(f audit.File) bool { return f.Sitemap.N == s.Parent })
	if at < 0 || !s.GoneTwice || c.unwritten() {
		return ""
	}
	return c.result.Files[at].Lasting
}

// busy is the 429 or 503 that a site answered in place of a sitemap, or for which its host was left
// alone; 0 where neither was.
func (c *concluding) busy(s *audit.Sitemap) int {
	for _, f := range s.Faults {
		if f.Key == audit.FaultAsSaid && len(f.Args) > 1 {
			status, _ := strconv.Atoi(f.Args[1])
			return status
		}
	}
	a, err := address.Parse(s.URL)
	if err != nil {
		return 0
	}
	if status := c.result.Info.Abandoned[a.HostPort()]; status == 429 || status == 503 {
		return status
	}
	return 0
}

// unanswered is the fault for which no answer, or too little of one, came for a sitemap; false
// where one did.
func unanswered(s *audit.Sitemap) (audit.Fault, bool) {
	for _, f := range s.Faults {
		switch f.Key {
		case "no-answer", "no-answer-detail", "left-wait", "left-silent":
			return audit.Fault(f.Args[0]), true
		case "first-came-nothing":
			return audit.Fault(f.Args[1]), true
		}
	}
	return "", false
}

// none is what to do about a target in whose place nothing was found. a is what to do about any
// sitemap that could not be read.
func (c *concluding) none(a *Action, s *audit.Sitemap) *Action {
	said := func(text string) bool {
		return slices.ContainsFunc(s.Faults, func(f audit.SitemapFault) bool {
			return f.Key == audit.FaultAsSaid && strings.Contains(f.Args[0], text)
		})
	}
	_, err := address.Parse(s.URL)
	if err != nil && !said("; tried http") { // a local file, or standard input, and not "shop.example"
		a.Text = say("a-repair-local")
		return a
	}
	if status := c.busy(s); status > 0 { // it is there, and asks to be left alone
		again := c.paced(unseenKind(strconv.Itoa(status)))
		again.Evidence = a.Evidence
		return again
	}
	a.Title, a.Text = say("a-network", "host", hostOf(s.URL)), say("a-repair-target") // a site, where nothing was found
	if said(": it answers 404") {
		a.Title, a.Text = say("a-name"), say("a-repair-none")
	}
	if err == nil {
		a.Button, a.Target = say("a-repair-open"), s.URL
	}
	return a
}

// restore is to put back the whole of a sitemap whose end was not read: its corrected copy
// ends where it does.
func (c *concluding) restore() *Action {
	if len(c.inPart) == 0 {
		return nil
	}
	a := &Action{Kind: DoRepair, Title: say("a-restore", "n", len(c.inPart)), Text: say("a-restore-text")}
	if c.cutCopies() > 0 && !c.unwritten() {
		names, n := c.partCopies()
		a.Text, a.Warns = say("a-restore-copy", "n", n, "files", verbatim(names)), true
	}
	for _, i := range c.inPart[:min(len(c.inPart), evidences)] {
		a.Evidence = append(a.Evidence, Evidence{0, verbatim(address.Shown(c.result.Files[i].Sitemap.URL))})
	}
	return a
}

// partCopies names the files that were read only in part and of which a corrected copy was written,
// of many the first ones, and returns how many there are.
func (c *concluding) partCopies() (names string, n int) {
	var all []string
	for _, i := range c.inPart {
		if f := &c.result.Files[i]; f.Changed {
			all = append(all, c.names[f.Sitemap.N])
		}
	}
	names = strings.Join(all[:min(len(all), mostNamed)], ", ")
	if len(all) > mostNamed {
		names += ", …"
	}
	return names, len(all)
}

// whole is to audit all entries, where a part of them was left out.
func (c *concluding) whole() *Action {
	return &Action{Kind: DoWhole, Title: say("a-whole"), Text: say("a-whole-text"), Button: say("a-copy"),
		Target: copied + command.Audit(&c.result.Info, nil, "sample", "no-fetch")}
}

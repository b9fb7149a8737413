// Package conclude says what an audit comes to: how many URLs are clean, today and after the upload, what is
// fixed, to decide and unknown, what to know before any number, at most three things to do, and the causes
// lane by lane. Every surface (the page, the terminal, Markdown, JSON, sarif, serve) shows the one
// Conclusion that Of draws.
//
// It judges nothing and counts nothing anew: result did. It writes no markup, and says nothing in one
// language: a messages.Sentence is put into words by whoever shows it.
package conclude

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// A Conclusion is what an audit comes to. Its numbers add up: Clean + Fix + Decide + Unseen + LeftOut =
// Entries, and Fix = Replaced + Removed.N.
type Conclusion struct {
	Shares
	Hosts    []string // as people read them, each once, in the order of the targets
	Sitemaps int
	Replaced int
	Removed  Numbers // by "duplicate" or the verdict
	Decided  Numbers // what is to be decided, by the rule that keeps the URL, else the verdict
	Unknown  Numbers // what could not be checked, by audit.Counts.Unseen

	Title    messages.Sentence // of the document
	Headline messages.Sentence
	Alarm    Alarm
	Proof    []messages.Sentence // the lines under the headline, the alarm first
	Since    messages.Sentence   // of these, what changed since the last audit; nil without one
	Bar      []Segment           // what becomes of the URLs
	Actions  []Action            // at most three
	Lanes    []Lane              // those with causes
	Spelling *Spelling           // an example where nothing but another encoding is wrong

	// Writes is set where corrected sitemaps are written and one may be uploaded: else URLs are fixable, not
	// fixed.
	Writes  bool
	Files   int               // corrected sitemaps to upload
	Links   int               // linked URLs that they change
	Moving  int               // how many of them belong to another host from now on
	Copies  string            // corrected copies of sitemaps that were read only in part, which are not to be uploaded
	Folder  string            // below sitemaps/ that has all corrected ones, with a slash; "" where they are of several hosts
	Besides []Beside          // what was asked for beside the sitemaps: a map, an export of Search Console
	Asked   messages.Sentence // what access logs say of Googlebot; nil without them

	// Faults say how many errors and warnings sitemap files have, without those that the upload mends, and
	// which the headline does not say.
	Faults []messages.Sentence
	Errors int // among them
}

// Shares are the URLs of an audit by what becomes of them. The parts add up to Entries.
type Shares struct {
	Entries int
	Clean   int // answer 200 as listed, in another encoding or not
	Spelt   int // of Clean: answered otherwise in another encoding
	Fix     int // the upload fixes them
	Decide  int // somebody has to decide
	Unseen  int // could not be checked
	LeftOut int // were not crawled
}

// Crawled is how many URLs were crawled.
func (s Shares) Crawled() int { return s.Entries - s.LeftOut }

// Checked is how many URLs were checked: crawled, and seen.
func (s Shares) Checked() int { return s.Crawled() - s.Unseen }

// SharesOf counts the URLs of groups, as audit.Counts.Total or a kept count has them.
func SharesOf(total func(audit.Group) int) Shares {
	s := Shares{Clean: total(audit.Fine) + total(audit.OtherSpelling), Spelt: total(audit.OtherSpelling), Fix: total(audit.Corrected) + total(audit.TakenOut),
		Decide: total(audit.NeedsDecision), Unseen: total(audit.NotChecked), LeftOut: total(audit.LeftOut)}
	s.Entries = s.Clean + s.Fix + s.Decide + s.Unseen + s.LeftOut
	return s
}

// Uploaded are the URLs that are listed after the upload.
func Uploaded(n *audit.Counts) Shares {
	s := SharesOf(n.Total)
	s.Clean, s.Fix = s.Clean+n.Actions[audit.Replace], 0
	s.Entries = s.Clean + s.Decide + s.Unseen + s.LeftOut
	return s
}

// Figure says in numbers how many URLs are clean.
func Figure(s Shares) messages.Sentence { return messages.Say("figure", "k", s.Clean, "n", s.Entries) }

// Numbers are numbers by a key, the largest first; N is their sum.
type Numbers struct {
	N  int
	By []Number
}

// A Number is how many URLs have a key.
type Number struct {
	Key string
	N   int
}

// A Beside is what addresses that no sitemap lists come to, under the key of a label.
type Beside struct {
	Label string
	Said  messages.Sentence
}

// A Segment is a part of the bar: Kind is one of "clean", "fix", "decide" and "unseen", Label says it
// in a few words.
type Segment struct {
	Kind  string
	Count int
	Label messages.Sentence
}

// A Spelling is a URL in its two encodings, in wire form, and the statuses with which the other one is
// answered, nil for unknown.
type Spelling struct {
	Listed, Other string
	Answers       []int
}

// concluding is a conclusion while it is drawn.
type concluding struct {
	Conclusion
	result  *audit.Result
	again   string
	uploads []int          // indexes of the edited files that were read to their end
	inPart  []int          // indexes of the files that were read only in part
	names   map[int]string // of the files, by Sitemap.N
}

// Of concludes an audit; again is the command that writes its outputs again, "sitemend report" where it is "".
func Of(result *audit.Result, again string) *Conclusion {
	c := &concluding{result: result, again: again, names: map[int]string{}}
	c.Shares, c.Sitemaps = SharesOf(result.Counts.Total), result.Sitemaps()
	for _, t := range result.Info.Targets {
		if host := hostShown(t); !slices.Contains(c.Hosts, host) {
			c.Hosts = append(c.Hosts, host)
		}
	}
	c.uploaded()
	c.count()
	c.besides()
	c.Alarm = c.alarm()
	c.Headline = c.headline()
	c.Title = messages.Say("doc", "host", strings.Join(c.Hosts[:min(1, len(c.Hosts))], ""), "what", c.Headline)
	c.Lanes = c.lanes()
	c.Spelling = c.spelling()
	c.Proof = c.proof()
	c.Bar = c.bar()
	c.Actions = c.actions()
	return &c.Conclusion
}

// uploaded finds what is to be uploaded, and what is not.
func (c *concluding) uploaded() {
	names, copies := FileNames(c.result), []string(nil)
	for i := range c.result.Files {
		f := &c.result.Files[i]
		c.names[f.Sitemap.N] = names[i]
		part := f.Sitemap.InPart()
		switch {
		case part && f.Changed:
			copies = append(copies, names[i])
			fallthrough
		case part:
			c.inPart = append(c.inPart, i)
		case f.Changed:
			c.uploads = append(c.uploads, i)
		}
	}
	if c.Writes = c.result.Writes() && (len(c.uploads) > 0 || len(copies) == 0); c.result.Writes() {
		if c.Copies = strings.Join(copies[:min(Evidences, len(copies))], ", "); len(copies) > Evidences {
			c.Copies += ", …"
		}
	}
	if !c.Writes {
		c.uploads = nil
	}
	for _, i := range c.uploads {
		f := &c.result.Files[i]
		host, _, _ := strings.Cut(f.Name, "/")
		if host += "/"; c.Files > 0 && c.Folder != host {
			host = ""
		}
		c.Folder = host
		c.Files += len(f.Written())
		c.Links += f.Relinked + f.Unlinked
		if f.Moved() {
			c.Moving++
		}
	}
}

// count counts what is fixed, to decide and unknown.
func (c *concluding) count() {
	n := &c.result.Counts
	removed, decide := map[string]int{"duplicate": n.Actions[audit.Merge]}, map[string]int{}
	maps.Copy(removed, n.Groups[audit.TakenOut])
	for i := range c.result.Causes {
		if x := &c.result.Causes[i]; x.Group == audit.NeedsDecision {
			by := cmp.Or(string(x.Stop), string(x.Verdict))
			if strings.HasPrefix(by, "target-") { // these have one name
				by = "target-" + string(audit.NotFound)
			}
			decide[by] += x.Count
		}
	}
	c.Replaced, c.Removed, c.Decided, c.Unknown = n.Actions[audit.Replace], numbersOf(removed), numbersOf(decide), numbersOf(n.Unseen)
	faults := map[string]int{}
	for i := range c.result.Files {
		for _, f := range c.result.Files[i].Sitemap.Faults {
			faults[f.Severity] += f.Places()
			if c.Files > 0 {
				faults[f.Severity] -= f.Mended
			}
		}
	}
	c.Errors = faults["error"]
	for _, severity := range []string{"error", "warning"} {
		if n := faults[severity]; n > 0 || severity == "error" && c.uncrawled() {
			c.Faults = append(c.Faults, messages.Say("n-"+severity+"s", "n", n))
		}
	}
}

// besides says what was asked for beside the sitemaps.
func (c *concluding) besides() {
	if l := c.result.Logs; l != nil {
		c.Asked = messages.Say("brief-asked", "k", l.Sum.Entries-l.Sum.Never, "urls", messages.Say("entries", "n", c.Entries), "n", l.Sum.Otherwise)
		if back := &l.Sum.Back; back.Entries > 0 {
			c.Asked = messages.Say("brief-asked-back", "n", back.Entries, "kinds", strings.Join(back.Kinds(), " "))
		}
	}
	if x := ExpectedOf(c.result); x != nil && c.result.Expected.Addresses > 0 {
		c.Besides = append(c.Besides, Beside{"brief-step-map", x.Lead[0]})
	}
	if r := ReportedOf(c.result); r != nil {
		var ends []messages.Sentence
		for _, e := range r.Ends {
			ends = append(ends, messages.Say("line", "what", e.Title, "pattern", e.Count))
		}
		said := messages.Say("h-console", "n", c.result.SearchConsole.Addresses, "what", messages.Join(" · ", ends...))
		c.Besides = append(c.Besides, Beside{"brief-step-console", said})
	}
}

// headline says how many URLs are clean, and how many will be after the upload.
func (c *concluding) headline() messages.Sentence {
	switch {
	case c.Alarm.Leads:
		return c.Alarm.Said
	case c.Entries == 0 && c.Besides != nil:
		return c.Besides[0].Said
	case c.Entries == 0:
		return messages.Say("h-none")
	}
	// be: "0 of 1 URL is", "0 of 2 URLs are"
	first, after := messages.Say("h-count", "k", c.Clean, "n", c.Entries, "be", max(c.Clean, 2-c.Entries)), Uploaded(&c.result.Counts)
	if c.Clean == c.Entries && c.Entries > 1 {
		first = messages.Say("h-all", "n", c.Entries)
	} else if c.LeftOut*10 >= c.Entries {
		first = messages.Say("h-part", "k", c.Clean, "n", c.Crawled(), "m", c.LeftOut, "be", max(c.Clean, 2-c.Crawled()))
		after.Entries -= c.LeftOut
	}
	then := messages.Say("h-then", "n", c.Files, "k", after.Clean, "m", after.Entries)
	switch {
	case c.Files == 0:
		return first
	case c.Fix == 0 && c.Links > 0:
		then = messages.Say("h-links", "n", c.Files, "k", c.Links)
	case c.Fix == 0:
		then = messages.Say("h-index", "n", c.Files)
	}
	return messages.Say("two", "one", first, "two", then)
}

// proof are the lines under the headline.
func (c *concluding) proof() (out []messages.Sentence) {
	add := func(when bool, key string, pairs ...any) {
		if when {
			out = append(out, messages.Say(key, pairs...))
		}
	}
	if c.Alarm.Key != "" && !c.Alarm.Leads && c.Alarm.Key != "braked" { // which stand elsewhere
		out = append(out, c.Alarm.Said)
	}
	for i := range c.Besides {
		if c.Entries > 0 {
			out = append(out, c.Besides[i].Said)
		}
	}
	add(c.Spelt > 0, "encoded", "n", c.Spelt)
	out = append(out, c.Faults...)
	if last := c.result.Last; last != nil {
		c.Since = messages.Say("p-since", "date", last.At.UTC().Format("2006-01-02 15:04"), "x", last.Fixed, "y", last.New)
		out = append(out, c.Since)
	}
	return out
}

// uncrawled reports whether nothing but the files was checked.
func (c *concluding) uncrawled() bool {
	return c.Entries > 0 && (c.Crawled() == 0 || c.result.Info.NoFetch)
}

// bar is what becomes of the URLs.
func (c *concluding) bar() []Segment {
	if c.Crawled() == 0 || c.Alarm.Leads {
		return nil
	}
	fix := "n-fixed"
	if !c.Writes {
		fix = "n-fixable"
	}
	return segments(c.Shares, fix, c.Replaced)
}

// segments are what becomes of URLs, of which so many are replaced, from left to right, none empty.
func segments(s Shares, fix string, replaced int) []Segment {
	all := []Segment{{"clean", s.Clean, messages.Say("n-clean", "n", s.Clean)}, {"fix", s.Fix, messages.Say(fix, "n", s.Fix, "a", replaced, "b", s.Fix-replaced)},
		{"decide", s.Decide, messages.Say("n-decide", "n", s.Decide)}, {"unseen", s.Unseen + s.LeftOut, messages.Say("n-unknown", "n", s.Unseen+s.LeftOut)}}
	return slices.DeleteFunc(all, func(x Segment) bool { return x.Count == 0 })
}

// spelling is the first URL that is answered otherwise in another encoding, where nothing else is wrong.
func (c *concluding) spelling() *Spelling {
	for i := range c.result.Causes {
		x := &c.result.Causes[i]
		if c.Clean == c.Entries && x.Group == audit.OtherSpelling && len(x.Examples) > 0 {
			first := &x.Examples[0]
			return &Spelling{Listed: wireOf(first.Listed).String(), Other: first.Final, Answers: first.Others}
		}
	}
	return nil
}

// numbersOf sorts numbers, the largest first; those that are 0 are left out.
func numbersOf(counts map[string]int) (p Numbers) {
	for key, n := range counts {
		if n > 0 {
			p.N += n
			p.By = append(p.By, Number{key, n})
		}
	}
	slices.SortFunc(p.By, func(a, b Number) int { return cmp.Or(b.N-a.N, strings.Compare(a.Key, b.Key)) })
	return p
}

// hostShown is the host of a target as people read it; of a file its name.
func hostShown(target string) string {
	if a, err := address.Parse(target); err == nil {
		return a.HostPort()
	}
	return messages.Visible(address.Shown(target))
}

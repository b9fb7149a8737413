// Package conclude says what an audit comes to: its state in one sentence, how many URLs are clean
// before and after the upload, at most three things to do, and the causes lane by lane. Every surface
// (the page, the terminal, Markdown, the workbook, serve) takes it from Of and BriefOf, so that all
// say the same in the same order.
//
// It judges nothing and counts nothing anew: result did. It writes no markup, and says nothing in one
// language: a Sentence is put into words by whoever shows it.
package conclude

import (
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/command"
)

// Options are what Of knows besides the audit.
type Options struct {
	// Again is the command that writes the outputs again; "sitemend report" where it is "".
	Again string
}

// A Conclusion is what an audit comes to.
type Conclusion struct {
	State    State
	Title    Sentence // of the document
	Headline Sentence
	Proof    Sentence
	Bar      []Segment // what becomes of the URLs; none where nothing is to be compared
	Actions  []Action  // at most three
	Lanes    []Lane    // those with causes
	Spelling *Spelling // an example in state OtherSpelling

	watch string
}

// Watch is the command that says, from cron or CI, whether something new breaks.
func (c *Conclusion) Watch() string { return c.watch }

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

// MostlyUnseen reports whether most of what was crawled could not be checked (audit.MostlyUnseen), or
// nothing was.
func (s Shares) MostlyUnseen() bool {
	return s.Checked() == 0 || audit.MostlyUnseen(s.Unseen, s.Crawled())
}

// SharesOf counts the URLs of groups, as audit.Counts.Total or a kept count has them.
func SharesOf(total func(audit.Group) int) Shares {
	s := Shares{Clean: total(audit.Fine) + total(audit.OtherSpelling), Spelt: total(audit.OtherSpelling), Fix: total(audit.Corrected) + total(audit.TakenOut),
		Decide: total(audit.NeedsDecision), Unseen: total(audit.NotChecked), LeftOut: total(audit.LeftOut)}
	s.Entries = s.Clean + s.Fix + s.Decide + s.Unseen + s.LeftOut
	return s
}

// Uploaded are the URLs that are listed after the upload, in all files.
func Uploaded(result *audit.Result) Shares {
	p := &result.Proof // no upload changes what is right as listed
	return Shares{Entries: p.Entries, Clean: p.Direct, Spelt: result.Counts.Total(audit.OtherSpelling), Decide: p.NeedDecision,
		Unseen: p.NotChecked, LeftOut: p.LeftOut}
}

// Figure says in numbers how many URLs are clean.
func Figure(s Shares) Sentence { return say("figure", "k", s.Clean, "n", s.Entries) }

// A Segment is a part of the bar: Kind is one of "clean", "fix", "decide" and "unseen", Label says it
// in a few words.
type Segment struct {
	Kind  string
	Count int
	Label Sentence
}

// segments are what becomes of the URLs, from left to right, none empty.
func (c *concluding) segments() (out []Segment) {
	s, replaced := c.now, c.result.Counts.Actions[audit.Replace]
	fix := "n-fixed"
	if c.unwritten() || c.copies() {
		fix = "n-fixable"
	}
	for _, x := range []Segment{{"clean", s.Clean, say("n-clean", "n", s.Clean)}, {"fix", s.Fix, say(fix, "n", s.Fix, "a", replaced, "b", s.Fix-replaced)},
		{"decide", s.Decide, say("n-decide", "n", s.Decide)}, {"unseen", s.Unseen + s.LeftOut, say("n-unknown", "n", s.Unseen+s.LeftOut)}} {
		if x.Count > 0 {
			out = append(out, x)
		}
	}
	return out
}

// A Spelling is a URL in its two encodings, in wire form, and the statuses with which the other one is
// answered, nil for unknown.
type Spelling struct {
	Listed, Other string
	Answers       []int
}

// concluding is a conclusion while it is drawn.
type concluding struct {
	result  *audit.Result
	o       Options
	state   State
	now     Shares
	faults  int            // places of the sitemap files that have a fault
	mended  int            // those of them that the upload corrects
	hides   bool           // one of them may hide URLs from Google
	changed []int          // indexes of the files that are edited
	uploads []int          // those of changed that were read to their end
	inPart  []int          // indexes of the files that were read only in part
	names   map[int]string // of the files, by Sitemap.N
}

// prepared is a conclusion before anything is concluded.
func prepared(result *audit.Result, o Options) *concluding {
	c := &concluding{result: result, o: o, now: SharesOf(result.Counts.Total), names: map[int]string{}}
	names := FileNames(result)
	for i := range result.Files {
		c.names[result.Files[i].Sitemap.N] = names[i]
		for _, x := range result.Files[i].Sitemap.Faults {
			c.faults += x.Places()
			c.mended += x.Mended
			c.hides = c.hides || hides(&x)
		}
		part := result.Files[i].Sitemap.InPart()
		if part {
			c.inPart = append(c.inPart, i)
		}
		if result.Files[i].Changed {
			c.changed = append(c.changed, i)
			if !part {
				c.uploads = append(c.uploads, i)
			}
		}
	}
	if len(c.uploads) == 0 {
		c.mended = 0
	}
	c.state = c.stateOf()
	return c
}

// Of concludes an audit.
func Of(result *audit.Result, o Options) *Conclusion {
	c := prepared(result, o)
	out := &Conclusion{State: c.state, Lanes: c.lanes(), Headline: c.headline(), Proof: c.proof(), watch: command.Audit(&result.Info, []string{"-q", "--new"})}
	out.Title = say("doc", "host", c.host(), "what", out.Headline)
	out.Actions = c.actions(out.Lanes)
	switch c.state {
	case InPart, Mixed, Partly, Unread:
		if c.now.Crawled() > 0 {
			out.Bar = c.segments()
		}
	case OtherSpelling:
		out.Spelling = c.spelling()
	}
	return out
}

// unwritten reports whether the audit writes no sitemap.
func (c *concluding) unwritten() bool { return c.result.Info.Partial || c.result.Info.NoFetch }

// copies reports whether all that is edited are copies of files that were read only in part:
// none of them is to be uploaded.
func (c *concluding) copies() bool { return len(c.changed) > 0 && len(c.uploads) == 0 }

// again is the command that writes the outputs again.
func (c *concluding) again() string {
	if c.o.Again == "" {
		return "sitemend report"
	}
	return c.o.Again
}

// host names what was audited.
func (c *concluding) host() Sentence {
	targets := c.result.Info.Targets
	if len(targets) == 0 {
		return verbatim("-")
	}
	name := address.Shown(targets[0])
	if a, err := address.Parse(targets[0]); err == nil {
		name = address.ToUnicodeHost(a.HostPort())
	}
	one := verbatim(strings.TrimSuffix(name, "/"))
	if len(targets) == 1 {
		return one
	}
	return say("host-more", "host", one, "n", len(targets)-1)
}

// spelling is the first URL that is answered otherwise in another encoding.
func (c *concluding) spelling() *Spelling {
	for i := range c.result.Causes {
		x := &c.result.Causes[i]
		if x.Group == audit.OtherSpelling && len(x.Examples) > 0 && len(x.Finals) > 0 {
			s := &Spelling{Listed: wireOf(x.Examples[0]).String(), Other: x.Finals[0]}
			if len(x.Others) > 0 {
				s.Answers = x.Others[0]
			}
			return s
		}
	}
	return nil
}

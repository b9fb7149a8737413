// Package conclude says what an audit comes to: its state in one sentence, what was seen
// before and is left after the upload, at most three things to do, and the causes lane by
// lane. Every surface (the page, the terminal, Markdown, the workbook, serve) takes it
// from Of, so that all say the same in the same order.
//
// It judges nothing and counts nothing anew: result did. It writes no markup, and says
// nothing in one language: a Sentence is put into words by whoever shows it.
package conclude

import (
	"slices"
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

// A State is what kind of end an audit has, in one word.
type State string

// The states. Of several that hold, the first is reported.
const (
	Stopped       State = "stopped"        // before its end, whatever was left
	ExpectedOnly  State = "expected-only"  // the old addresses of a map, and no sitemap
	ReportedOnly  State = "reported-only"  // addresses of Search Console, and no sitemap
	Unread        State = "unread"         // a sitemap, or all, could not be read
	FilesOnly     State = "files-only"     // --no-fetch, or nothing was to be crawled
	NotSeen       State = "not-seen"       // half of what was crawled or more could not be checked
	Part          State = "part"           // a sample, --include or --exclude
	Script        State = "script"         // half of the pages or more are filled by JavaScript
	InPart        State = "in-part"        // the end of a sitemap was not read
	Redirects     State = "redirects"      // not clean, and every fault is a redirect
	Mixed         State = "mixed"          // not clean
	OtherSpelling State = "other-spelling" // right as listed, answered otherwise in another spelling
	Partly        State = "partly"         // clean as far as could be checked
	Fine          State = "fine"           // every address is, and something is open all the same
	FileFaults    State = "file-faults"    // clean, but for faults of the sitemap files
	Clean         State = "clean"
)

// A Conclusion is what an audit comes to.
type Conclusion struct {
	State    State
	Title    Sentence // of the document
	Headline Sentence
	Proof    Sentence
	// Alarm is what is to be known before any number, and begins Headline; zero for nothing.
	Alarm Sentence
	// Since is what became of the last audit, where the two were compared; else zero.
	Since   Sentence
	Bars    []Bar    // [last audit,] today, after the upload; none where there is nothing to compare
	Actions []Action // at most three
	// Braked is set where --max-drop kept entries, or links to alternates, that would be removed
	// otherwise: whatever the state, the first action asks whether they are meant to go.
	Braked   bool
	Lanes    []Lane    // those with causes
	Spelling *Spelling // an example in state OtherSpelling
	// Asked says that access logs show Googlebot asking for another spelling, and redirected.
	Asked bool
	// Reported is how many addresses Search Console reports that are right as listed, and answered
	// otherwise in another spelling.
	Reported int
	// Submit are the addresses to submit again after the upload, the first ones.
	Submit []Evidence
	// Moved says that all files to be uploaded belong at new addresses, which Submit names.
	Moved bool
	// Would is set where what could be fixed is not fixed by an upload of these outputs: no
	// corrected sitemap is written, or none that is to be uploaded.
	Would bool
	// IndexOnly is set where the upload changes nothing but which sitemaps an index lists.
	IndexOnly bool
	// Uploads is how many corrected files are to be uploaded: not a copy of a file that was read
	// only in part, and none of an audit that writes none.
	Uploads int
	// Broken is set where one of these has a parsing error, as its original has.
	Broken bool
	// Twins is how many entries of these are written on another scheme or www than they and the file have.
	Twins int
	// Copies is how many corrected files are copies of files that were read only in part, and CopyNames
	// their names, of many the first.
	Copies    int
	CopyNames string
	// Parts is how many of these are parts of a file that was divided, and belong at new addresses: what
	// is there was not asked.
	Parts int

	watch string
}

// Watch is the command that says, from cron or CI, whether something new breaks.
func (c *Conclusion) Watch() string { return c.watch }

// Shares are the entries of an audit by what becomes of them. The parts add up to Entries.
type Shares struct {
	Entries int
	Clean   int // answer 200 at the address as listed, in another spelling or not
	Spelt   int // of Clean: answered otherwise in another spelling
	Fix     int // the upload fixes them
	Decide  int // somebody has to decide
	Unseen  int // could not be checked
	LeftOut int // were not crawled
}

// Crawled is how many entries were crawled.
func (s Shares) Crawled() int { return s.Entries - s.LeftOut }

// Checked is how many entries were checked: crawled, and seen. It is the whole of every percentage.
func (s Shares) Checked() int { return s.Crawled() - s.Unseen }

// MostlyUnseen reports whether most of what was crawled could not be checked (audit.MostlyUnseen),
// or nothing was: then no percentage is given, which would be taken for one of the site.
func (s Shares) MostlyUnseen() bool {
	return s.Checked() == 0 || audit.MostlyUnseen(s.Unseen, s.Crawled())
}

// AsGoodAsAll reports whether 99 of 100 entries were checked or more: then a percentage of them is
// one of the sitemap.
func (s Shares) AsGoodAsAll() bool { return (s.Entries-s.Checked())*100 <= s.Entries }

// Percent is how much of what was checked is clean, as the function Percent writes it.
func (s Shares) Percent() string { return Percent(s.Clean, s.Checked()) }

// Faulty is how many entries are not clean, of those that were checked. With the clean ones they
// make Checked.
func (s Shares) Faulty() int { return s.Fix + s.Decide }

// SharesOf counts the entries of groups, as audit.Counts.Total or a kept count has them.
func SharesOf(total func(audit.Group) int) Shares {
	s := Shares{Clean: total(audit.Fine) + total(audit.OtherSpelling), Spelt: total(audit.OtherSpelling), Fix: total(audit.Corrected) + total(audit.TakenOut),
		Decide: total(audit.NeedsDecision), Unseen: total(audit.NotChecked), LeftOut: total(audit.LeftOut)}
	s.Entries = s.Clean + s.Fix + s.Decide + s.Unseen + s.LeftOut
	return s
}

// Uploaded are the entries that are left after the upload, of all files.
func Uploaded(result *audit.Result) Shares {
	p := &result.Proof // no upload changes what is right as listed
	return Shares{Entries: p.Entries, Clean: p.Direct, Spelt: result.Counts.Total(audit.OtherSpelling), Decide: p.NeedDecision,
		Unseen: p.NotChecked, LeftOut: p.LeftOut}
}

// A Spelling is an address in its two spellings, in wire form, and the statuses with which
// the other one is answered, nil for unknown.
type Spelling struct {
	Listed, Other string
	Answers       []int
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
			c.hides, c.ignored = c.hides || hides(&x), c.ignored || ignored(&x)
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
	out := &Conclusion{State: c.state, Since: c.since(), Bars: c.bars(), Lanes: c.lanes()}
	out.Actions, out.Asked = c.actions(out.Lanes), c.askedOtherwise()
	c.idle = len(out.Actions) == 0
	out.Headline, out.Proof, out.Alarm = c.mapFirst(c.headline()), c.proof(), c.alarm()
	out.Title, out.watch = c.title(out.Bars), command.Audit(&result.Info, []string{"-q", "--new"})
	out.Braked = !c.brake().isZero()
	out.CopyNames, out.Copies = c.partCopies()
	out.Reported = c.reportedOtherwise()
	out.Would = c.unwritten() || c.copies()
	out.Submit, out.Moved = c.submit, len(c.uploads) > 0 && !c.moved().IsZero()
	if !c.unwritten() {
		out.Uploads, out.Parts, out.IndexOnly = c.copiesToUpload(), c.newParts(), c.onlyChildren() > 0
		out.Broken, out.Twins = c.broken(), c.twins()
	}
	if c.state == OtherSpelling {
		out.Spelling = c.spelling()
	}
	return out
}

// concluding is a conclusion while it is drawn.
type concluding struct {
	result  *audit.Result
	o       Options
	state   State
	now     Shares
	faults  int            // places of the sitemap files that have a fault
	mended  int            // those of them that the upload corrects
	hides   bool           // one of them may hide an entry
	ignored bool           // one of them makes entries count for nothing
	changed []int          // indexes of the files that are edited
	submit  []Evidence     // what to submit after the upload
	uploads []int          // those of changed that were read to their end
	inPart  []int          // indexes of the files that were read only in part
	names   map[int]string // of the files, by Sitemap.N
	idle    bool           // nothing is to be done, but to leave what has moved
}

// unwritten reports whether the audit writes no sitemap.
func (c *concluding) unwritten() bool { return c.result.Info.Partial || c.result.Info.NoFetch }

// copies reports whether all that is edited are copies of files that were read only in part:
// none of them is to be uploaded.
func (c *concluding) copies() bool { return len(c.changed) > 0 && c.cutCopies() == len(c.changed) }

// cutCopies is how many files that are edited were read only in part.
func (c *concluding) cutCopies() int { return len(c.changed) - len(c.uploads) }

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

// title is the title of the document.
func (c *concluding) title(bars []Bar) Sentence {
	what := Sentence{}
	switch c.state {
	case Stopped:
		what = say("doc-stopped")
	case FileFaults, Clean:
		what = say("doc-clean")
		if c.hides || c.ignored || !c.alarm().IsZero() {
			what = say("doc-seen")
		}
	case OtherSpelling:
		what = say("doc-right")
	case Fine, Partly:
		what = say("doc-seen")
	case NotSeen:
		what = say("doc-not-seen")
	case Script:
		what = say("doc-script")
	case FilesOnly:
		what = say("doc-files")
	case ExpectedOnly:
		what = say("doc-expected", "m", c.result.Expected.Met, "n", c.result.Expected.Addresses)
	case ReportedOnly:
		what = say("doc-reported", "n", c.result.SearchConsole.Addresses)
	case Unread:
		what = say("doc-unread")
		if k, n := c.result.Unread(), c.result.Sitemaps(); k < n {
			what = say("doc-unread-some", "k", k, "n", n)
		}
	case InPart:
		what = say("doc-in-part")
	case Part:
		what = say("doc-part", "p", c.now.Percent(), "s", c.now.Checked())
	default:
		what = say("doc-percent", "p", c.now.Percent())
		if n := len(bars); n > 1 && bars[n-1].After && bars[n-1].Percent != "" {
			what = say("doc-after", "p", c.now.Percent(), "q", bars[n-1].Percent)
		}
	}
	return say("doc", "host", c.host(), "what", what)
}

// spelling is the first address that is answered otherwise in another spelling.
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

// hides reports whether an entry may not have been read because of a fault: one of the XML, or of an
// entry without an address.
func hides(f *audit.SitemapFault) bool {
	return f.Severity == "error" && f.Places() > f.Mended && (f.Name == "Parsing error" || f.Key == "no-address")
}

// ignored reports whether Google takes no entry for what it is because of a fault: entries of another
// site, in an address or a file that is too large, or in a file of another namespace.
func ignored(f *audit.SitemapFault) bool {
	return f.Severity == "error" && f.Places() > f.Mended &&
		slices.Contains([]string{"URL not allowed", "Invalid URL", "Too many URLs", "Sitemap file size error", "Incorrect namespace"}, f.Name)
}

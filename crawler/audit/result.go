package audit

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"sitemend/crawler/address"
)

// Info is what is known of an audit as a whole.
type Info struct {
	ID                  string // its start in UTC, "20261121T101502Z"; of the second one in that second with "-2"
	Seq                 uint64 // counts the audits of its store in the order in which they began; 0 where that was not kept
	Targets             []string
	Given               []string // its flags, "--name" or "--name=value" each; a secret is a placeholder; nil where they were not kept
	Identity            string   // name of --as
	Agent               string   // the User-Agent header that was sent
	Rules               Rules
	Tool                string
	Started             time.Time
	Ended               time.Time // zero while it runs
	Duration            time.Duration
	Requests            int               // sent, tries, sitemaps and robots.txt included
	AltSpellingRequests int               // of these, asked in the second spelling
	Servers             map[string]string // which server or host said that it answers ("nginx", "Netlify"), by host and port
	Abandoned           map[string]int    // hosts that were left (FaultAbandoned), with the status of the last answer (0: none)
	Proxy               bool              // requests went through a proxy: only literal addresses could be checked
	NoFetch             bool
	Site                string   // the folder of the build that answered in place of the network; "" for none
	Part                string   // the flags that leave entries out, as given; "" where none does
	Partial             bool     // a sample, or only the files were checked: no sitemap is written
	RobotsBad           []string // origins whose robots.txt did not answer
	// Continued is when the last run of the audit began, where that went on with what others had crawled;
	// zero where one run did all.
	Continued time.Time
	// Outdated are the sitemaps, by Sitemap.N, that listed something else when they were requested once
	// more at the end of the audit. No copy of them is written.
	Outdated   []int
	RobotsDown []string // those of them where it answered 5xx, which stops Google, too; sorted
	// Waits are the hosts, with their ports, that asked in an answer 429 or 5xx that stands to be left
	// alone for a time (Retry-After), the longest that each named.
	Waits map[string]time.Duration
	// Refused are the hosts, with their ports, that answered that requests came too fast, or not at all,
	// with the slowest rate at which each did, in requests a second.
	Refused map[string]float64
}

// Writes reports whether corrected sitemaps are written: all entries were to be crawled, and the
// outputs go into a folder.
func (t *Result) Writes() bool { return !t.Info.Partial && !t.Info.NoFetch && !t.NoFiles }

// Stopped reports whether an audit began and has no end: what it did not see could change all that
// is said of it.
func (i *Info) Stopped() bool { return !i.Started.IsZero() && i.Ended.IsZero() }

// Before reports whether an audit began before another one of its store, by their
// numbers: the clock may have been set back in between. Those without a number are
// older than those with one, and ordered by their IDs.
func (i *Info) Before(o *Info) bool { return i.Compare(o) < 0 }

// Compare orders audits of one store by when they began, as Before does: -1, 0 or 1.
func (i *Info) Compare(o *Info) int {
	return cmp.Or(cmp.Compare(i.Seq, o.Seq), cmp.Compare(i.ID, o.ID))
}

// A Group is one line of the summary: what becomes of an entry.
type Group string

// The groups, in the order of the summary. Every row is in exactly one.
const (
	Fine          Group = "fine"
	Corrected     Group = "corrected"      // replace and merge
	TakenOut      Group = "taken-out"      // drop
	NeedsDecision Group = "needs-you"      // kept, though something is wrong
	OtherSpelling Group = "other-spelling" // right as listed, answers otherwise in its second spelling
	NotChecked    Group = "not-checked"    // unverified
	LeftOut       Group = "skipped"
)

// Groups returns all groups in the order of the summary.
func Groups() []Group {
	return []Group{Fine, Corrected, TakenOut, NeedsDecision, OtherSpelling, NotChecked, LeftOut}
}

// Group returns the one group that r is in.
func (r *Row) Group() Group {
	switch {
	case r.Fix.Action == Replace || r.Fix.Action == Merge:
		return Corrected
	case r.Fix.Action == Drop:
		return TakenOut
	}
	return r.Verdict.Facts().Group
}

// Counts adds up rows.
type Counts struct {
	Entries  int
	Verdicts map[Verdict]int
	Reasons  map[address.Reason]int
	Notes    map[Note]int
	// Liftable counts the entries that only rules keep which the owner of the site may lift
	// (OwnerKnows), by each of them.
	Liftable map[Note]int
	Actions  map[Action]int
	// Groups counts the rows of a group by verdict; merged entries stand under
	// the key "merged".
	Groups map[Group]map[string]int
	// Again counts the skipped rows whose address answered 404 or 410, and was not requested again
	// yet: only of an audit that was stopped.
	Again int
	// Filtered counts the rows that were not to be crawled (Row.Filtered), Unrequested those that
	// are decided without a request (Row.Unrequested).
	Filtered, Unrequested int
	// Unseen counts unverified rows by why: "403", "429", "timeout", "dns", "robots-503", a
	// challenge's name, ...
	Unseen map[string]int
}

// MostlyUnseen reports whether more than half of what was to be checked could not be seen: then an
// audit says nothing of the site, and ends so (exit status 2; contract, section 1).
func MostlyUnseen(unseen, of int) bool { return 2*unseen > of }

// NeedScript reports whether at least half of the entries that were crawled are pages that a
// script fills: whether those are pages or errors nobody knows, so no share of them is reported.
func (c *Counts) NeedScript() bool {
	n := c.Notes[NeedsJavaScript]
	return n > 0 && n*2 >= c.Entries-c.Total(LeftOut)
}

// Total returns how many entries are in a group.
func (c *Counts) Total(g Group) (n int) {
	for _, part := range c.Groups[g] {
		n += part
	}
	return n
}

// Removed returns how many entries a corrected sitemap leaves out for their verdict; those that are
// listed already (Merge) are none of them.
func (c *Counts) Removed(v Verdict) int { return c.Groups[TakenOut][string(v)] }

// Problems is how many entries are in the group `problem` of --fail-on.
func (c *Counts) Problems() int {
	problems := 0
	for v, n := range c.Verdicts {
		if v.Problem() {
			problems += n
		}
	}
	return problems
}

// A File is the result for one sitemap file.
type File struct {
	Sitemap Sitemap
	Counts  Counts
	// Name is the file's name under sitemaps/ and originals/, with slashes
	// ("shop.example/sitemap.xml"): of where the corrected file belongs.
	Name string
	// Changed is set where an entry or link of the file is edited, and so a
	// corrected file is written.
	Changed bool
	// BelongsAt is the URL where the corrected file belongs: AnsweredAt, or its
	// place under the new origin after a whole move. "" for local input.
	BelongsAt string
	Moved     bool // BelongsAt is on another origin than AnsweredAt
	// Braked counts the entries that the safety limit keeps in the file, by verdict.
	Braked map[Verdict]int
	// AllBraked is set where those are all entries of the file: no --max-drop
	// writes an empty sitemap.
	AllBraked bool
	// Unwritten says why no corrected copy is written although entries of the file
	// could be corrected; "" where that is not so.
	Unwritten Unwritten
	// Relinked and Unlinked count the xhtml:links of the file that are changed and taken
	// out. They are known when the corrected copy is written.
	Relinked, Unlinked int
	// TextSHA256 is the SHA-256 of the corrected copy, unpacked, in hex. It is known when that
	// is written; "" where none is.
	TextSHA256 string

	// Parts are what the corrected file is written as, where it lists too much for one; nil
	// else. The first has the file's name where an index lists the file, which then lists the
	// others, too; else that name is of an index of the parts. They are known when the
	// corrected copy is written.
	Parts []FilePart

	children children
}

// A FilePart is one of the files in place of one that lists too much.
type FilePart struct {
	Name       string // under sitemaps/, as File.Name
	BelongsAt  string // the URL where it belongs
	Entries    int
	TextSHA256 string // as File.TextSHA256
}

// Written returns the names of the corrected files that stand for f, under sitemaps/: its own, and
// where it was divided those of the parts, in their order. The caller owns the slice.
func (f *File) Written() []string {
	names := []string{f.Name}
	for _, p := range f.Parts {
		if p.Name != f.Name {
			names = append(names, p.Name)
		}
	}
	return names
}

// MayChange reports whether a corrected copy of a file of t may be written, were anything of it edited.
func (t *Result) MayChange(f *File) bool {
	return f.Unwritten == "" && !f.Sitemap.Cut && !t.Info.Partial && !t.Info.NoFetch
}

// TooLarge reports whether s lists more than a sitemap may, or is larger.
func (s *Sitemap) TooLarge() bool {
	return slices.ContainsFunc(s.Faults, func(f SitemapFault) bool { return f.tooLarge() })
}

func (f *SitemapFault) tooLarge() bool { return f.Key == "too-many-urls" || f.Key == "too-large" }

// Divided returns the faults of s without those of its size: they are mended.
func (s *Sitemap) Divided() []SitemapFault {
	faults := slices.Clone(s.Faults)
	for i := range faults {
		if faults[i].tooLarge() {
			faults[i].Mended = faults[i].Places()
		}
	}
	return faults
}

// Earlier reports whether f is no file, but a list of addresses that an earlier
// audit took out. Result.Files has none: Result.Back lists those that are fine again.
func (f *File) Earlier() bool { return f.Sitemap.Kind == KindEarlier }

// Result is an audit judged as a whole: all that the outputs need. Rows are not
// held in memory; Rows judges them again from what is remembered.
type Result struct {
	Info   Info
	Counts Counts
	Files  []File
	Causes []Cause
	Proof  Proof
	Back   CameBackList
	// NoFiles is set where what is written goes to standard output, and no corrected sitemap with
	// it, nor was before. Who evaluates sets it.
	NoFiles bool
	// Last is the last audit of the same targets; nil for none. Who evaluates sets it.
	Last *Last
	// SearchConsole is the result for the addresses of --search-console; nil
	// without that.
	SearchConsole *SearchConsole
	// Expected is the result for the old addresses of --expect; nil without that.
	Expected *ExpectedList
	// Inspections are what Google's index says of some of the addresses; nil where it was not
	// asked. Rows have them with their addresses.
	Inspections *Inspections
	// Build is what answered in place of the network; nil for nothing.
	Build *Build
	// Logs are what access logs say; nil where none was read. Rows have it with their addresses.
	Logs *Logs
	// Also are the lists of addresses that sitemaps name beside what they list, as far as any was
	// crawled. No other count has them.
	Also []AlsoSum
	// Linked is what the links of the pages say; nil where they were not read.
	Linked *Linked

	rows       func(ctx context.Context, file int) iter.Seq2[*Row, error]
	edits      func(ctx context.Context, file int) iter.Seq2[*Row, error]
	links      func(ctx context.Context, own []Own, links []Link) ([]LinkFix, error)
	plan       *evaluation // nil of MakeResult
	neverGone  []string
	editsLinks bool
}

// AddFaults adds to each of Files the faults that were found elsewhere, in its order. It is
// called once at most.
func (t *Result) AddFaults(faults [][]SitemapFault) {
	for i, more := range faults {
		if s := &t.Files[i].Sitemap; len(more) > 0 {
			s.Faults = append(slices.Clip(s.Faults), more...)
		}
	}
}

// Sitemaps counts the sitemap files that list entries: all but indexes, each once.
func (t *Result) Sitemaps() int {
	n := 0
	for i := range t.Files {
		if s := &t.Files[i].Sitemap; s.Kind != "index" && !s.Again() {
			n++
		}
	}
	return n
}

// Unread counts the sitemaps that could not be read: nobody looked at what they list.
func (t *Result) Unread() (n int) {
	for i := range t.Files {
		if t.Files[i].Sitemap.Unread() {
			n++
		}
	}
	return n
}

// Rows yields the rows of Files[file] in file order, final: with the rules that
// need other rows applied. A row is the caller's until the next one is asked for: who keeps it
// makes a copy (Row.Keep). It may be ranged over again. An error ends it, and so does ctx.
func (t *Result) Rows(ctx context.Context, file int) iter.Seq2[*Row, error] {
	rows := t.rows(ctx, file)
	if t.Logs != nil {
		rows = beside(rows, t.Logs.Listed(ctx, t.Files[file].Sitemap.N))
	}
	if t.Inspections == nil {
		return rows
	}
	return func(yield func(*Row, error) bool) {
		for r, err := range rows {
			if err == nil {
				r.Inspection = t.Inspections.of(r.Address)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// Edits is Rows for callers that look at no answers: it is quicker, but of a row that is fine and
// stays as it is only Entry, Address, Final, Status, Verdict, Fix and Notes are filled in.
func (t *Result) Edits(ctx context.Context, file int) iter.Seq2[*Row, error] {
	return t.edits(ctx, file)
}

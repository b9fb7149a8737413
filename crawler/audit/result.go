package audit

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/internal/sketch"
)

// A Result is an audit judged as a whole: all that the outputs need. Rows are not
// held in memory; Rows and Edits judge them again from what is remembered.
type Result struct {
	Info   Info
	Counts Counts
	Files  []File
	Causes []Cause
	// CauseOf returns the index in Causes of the cause of an entry, by its final row; -1 for one without.
	CauseOf func(r *Row) int `json:"-"`
	// NoFiles is set where what is written goes to standard output, and no corrected sitemap with
	// it, nor was before. Who evaluates sets it.
	NoFiles bool
	// Last is the last audit of the same targets; nil for none. Who evaluates sets it.
	Last *Last
	// SearchConsole is the result for the addresses of --search-console; nil
	// without that.
	SearchConsole *SearchConsole
	// Expected is the result for the old addresses of --expect; nil without that.
	Expected *expectedList
	// Inspections are what Google's index says of some of the addresses; nil where it was not
	// asked. Rows have them with their addresses.
	Inspections *Inspections
	// Build is what answered in place of the network; nil for nothing.
	Build *answers.Build
	// Logs are what access logs say; nil where none was read. Rows have it with their addresses.
	Logs *Logs
	// Also are the lists of addresses that sitemaps name beside what they list, as far as any was
	// crawled. No other count has them.
	Also []AlsoSum
	// Linked is what the links of the pages say; nil where they were not read.
	Linked *Linked

	// Rows yields the rows of Files[file] in file order, final: with the rules that need other rows
	// applied. A row is the caller's until the next one is asked for: who keeps it makes a copy. It may be
	// ranged over again. An error ends it, and so does ctx.
	Rows func(ctx context.Context, file int) iter.Seq2[*Row, error] `json:"-"`
	// Edits is Rows for callers that look at no answers: it is quicker, but of a row that is fine and stays
	// as it is only Entry, Address, Final, Status, Verdict, Fix and Notes are filled in.
	Edits func(ctx context.Context, file int) iter.Seq2[*Row, error] `json:"-"`
	// Becomes returns what becomes of a URL, by its wire form, for the links of sitemaps; nil where
	// that is nothing.
	Becomes func(url string) Edited `json:"-"`

	plan *Plan
}

// Result makes the result for the outputs, and is called once. name gives each sitemap file a name of
// its own, from the URL where it belongs. see gets each row as Edits has them; nil for nobody. The error
// is one of see, of the source of the audit, or ctx's. A walk over the result ends with an error of the
// source, too: nothing that it yielded before may be believed then.
func (t *Plan) Result(ctx context.Context, name func(url string) string, see func(*Row) error) (*Result, error) {
	if t.confirmed == nil {
		if _, err := t.Needs(ctx); err != nil {
			return nil, err
		}
	}
	t.d.of = nil // another takes its place: not both are in memory at once
	t.d, t.causes = t.decide(t.confirmed), newCauses(t.entries)
	asides, err := t.newAsides(ctx)
	if err != nil {
		return nil, err
	}
	result := &Result{Info: t.info, Files: make([]File, len(t.sitemaps)), plan: t}
	result.Rows = func(ctx context.Context, file int) iter.Seq2[*Row, error] {
		return t.rows(ctx, t.sitemaps[file:file+1], nil, func(row *Row, mem *AnswerCache, e Entry) {
			t.judged(row, mem, e)
			row.Inspection = result.Inspections.of(row.Address)
		})
	}
	result.Edits = func(ctx context.Context, file int) iter.Seq2[*Row, error] {
		return t.rows(ctx, t.sitemaps[file:file+1], nil, t.brief)
	}
	for i := range result.Files {
		result.Files[i] = t.file(i, name)
		if err := t.count(ctx, result, &result.Files[i], asides, see); err != nil {
			return nil, err
		}
	}
	if result.Also, err = t.also(ctx); err != nil {
		return nil, err
	}
	result.Causes, result.CauseOf = t.causes.List(), t.causes.Of
	if t.links.edits {
		result.Becomes = func(url string) Edited { return t.links.at[sketch.Hash(url)] }
	}
	for _, x := range asides {
		if err := x.join(ctx, result); err != nil {
			return nil, err
		}
	}
	return result, t.src.Err()
}

// Writes reports whether corrected sitemaps are written: all entries were to be crawled, and the
// outputs go into a folder.
func (t *Result) Writes() bool { return !t.Info.Partial && !t.NoFiles }

// Dropped yields the entries that the audit drops. One that is no URL is not among them. An error
// ends it.
func (t *Result) Dropped(ctx context.Context) iter.Seq2[Entry, error] {
	in, dropped := t.plan, sketch.Set{}
	for n := range in.d.edits.All() {
		if in.d.of[n].act == drops && in.d.records[n].own != 0 {
			dropped.Add(n)
		}
	}
	return EntriesIn(ctx, in.src, 0, in.entries, &dropped)
}

// Sitemaps counts the sitemap files that list entries: all but indexes, each once.
func (t *Result) Sitemaps() int {
	return t.number(func(s *Sitemap) bool { return s.Kind != "index" && !s.again() })
}

// Unread counts the sitemaps that could not be read: nobody looked at what they list.
func (t *Result) Unread() int { return t.number((*Sitemap).Unread) }

// number counts sitemaps.
func (t *Result) number(is func(*Sitemap) bool) (n int) {
	for i := range t.Files {
		if is(&t.Files[i].Sitemap) {
			n++
		}
	}
	return n
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
	// Braked counts the entries that the safety limit keeps in the file, by verdict.
	Braked map[Verdict]int
	// AllBraked is set where those are all entries of the file: no --max-drop
	// writes an empty sitemap.
	AllBraked bool
	// Outdated is set where no corrected copy is written, for the sitemap lists something else by
	// now (Info.Outdated): a copy would take out what was added since, and list again what was taken out.
	Outdated bool
	// Relinked and Unlinked count the xhtml:links of the file that are changed and taken
	// out. They are known when the corrected copy is written.
	Relinked, Unlinked int
	// TextSHA256 is the SHA-256 of the corrected copy, unpacked, in hex. It is known when that
	// is written; "" where none is.
	TextSHA256 string

	// Parts are what the corrected file is written as if it lists too much for one; else nil. Of each only
	// Name, BelongsAt, TextSHA256 and Counts.Entries are known, once the corrected copy is written. If an
	// index lists the file, the first part has its name, and the index lists the other parts, too; else an
	// index of the parts has that name.
	Parts []File

	children children
}

// Moved reports whether the corrected file belongs on another origin than the one that answered.
func (f *File) Moved() bool { return f.BelongsAt != f.Sitemap.AnsweredAt }

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
	return !f.Outdated && !t.Info.Partial
}

// file describes sitemap i as its fate leaves it; counts come with count.
func (t *Plan) file(i int, name func(url string) string) File {
	s, fate := &t.sitemaps[i], &t.d.files[i]
	f := File{Sitemap: *s, BelongsAt: s.AnsweredAt, Braked: fate.held, AllBraked: fate.empty, children: t.index(i)}
	if fate.move != "" && s.AnsweredAt != "" {
		f.BelongsAt = fate.move + address.Wire(s.AnsweredAt).Target()
	}
	f.Name = name(cmp.Or(f.BelongsAt, s.URL))
	f.Changed = len(f.children) > 0
	if slices.Contains(t.info.Outdated, i) {
		f.Outdated, f.Changed, f.children = true, false, nil
		f.Sitemap.Faults = append(slices.Clip(s.Faults),
			SitemapFault{Name: "No corrected copy", Severity: severityWarning, Key: "withheld-outdated", Sitemap: s.URL})
	}
	return f
}

// Logs is what access logs say of listed addresses.
type Logs struct {
	Sum   accesslog.Sum
	Tally accesslog.Tally
	Count accesslog.Count
	Files int // logs that were read
	// Unreadable names the first line that could not be read, "FILE line 812"; "" for none.
	Unreadable string
	Foreign    int64  // requests of verified robots for hosts without entries
	Compared   bool   // an audit has our own answers
	Path       string // of googlebot.csv
	// Rows yields the findings in the order of entries, those that no sitemap lists last. It may be
	// ranged over again.
	Rows func(context.Context) iter.Seq2[LogRow, error] `json:"-"`
}

// A LogRow is a finding with what is known of it besides.
type LogRow struct {
	accesslog.Finding
	Sitemap string         `cbor:"9,keyasint,omitzero"` // the first that lists it, "" for none
	Ours    accesslog.Ours `cbor:"10,keyasint,omitzero"`
}

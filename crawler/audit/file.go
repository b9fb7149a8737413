package audit

import (
	"cmp"
	"slices"

	"sitemend/crawler/address"
)

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
	// Outdated is set where no corrected copy is written, for the sitemap lists something else by
	// now (Info.Outdated): a copy would take out what was added since, and list again what was taken out.
	Outdated bool
	// Relinked and Unlinked count the xhtml:links of the file that are changed and taken
	// out. They are known when the corrected copy is written.
	Relinked, Unlinked int
	// TextSHA256 is the SHA-256 of the corrected copy, unpacked, in hex. It is known when that
	// is written; "" where none is.
	TextSHA256 string

	// Parts are what the corrected file is written as, where it lists too much for one; nil
	// else. Of each only Name, BelongsAt, TextSHA256 and Counts.Entries are known. The first has the file's name where an index lists the file, which then lists the
	// others, too; else that name is of an index of the parts. They are known when the
	// corrected copy is written.
	Parts []File

	children children
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
	return !f.Outdated && !t.Info.Partial
}

// file describes sitemap i as its fate leaves it; counts come with count.
func (t *Plan) file(i int, name func(url string) string) File {
	s, fate := &t.sitemaps[i], &t.d.files[i]
	f := File{Sitemap: *s, BelongsAt: s.AnsweredAt, Braked: fate.held, AllBraked: fate.empty, children: t.index(i)}
	if fate.move != "" && s.AnsweredAt != "" {
		f.BelongsAt, f.Moved = fate.move+address.Wire(s.AnsweredAt).Target(), true
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

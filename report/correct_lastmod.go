package report

import (
	"fmt"
	"maps"
	"slices"

	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// dating is what is written into one file beside the edits of its entries: lastmods, and into
// an index the parts of a sitemap that is written as several.
type dating struct {
	date     string              // "" for none
	children map[int]*audit.File // of an index, those that are written anew, by their place in it
	dated    []int               // places of an index whose lastmod was written
	added    map[int][]string    // of an index, the parts that it is to list behind a place
}

// newDating returns what is written into Files[file], after the files that it lists were written.
func newDating(result *audit.Result, file int) dating {
	d, s := dating{}, &result.Files[file].Sitemap
	if result.Info.Rules.Lastmod {
		d.date = result.Info.Started.UTC().Format("2006-01-02")
	}
	if d.date == "" && !result.Info.Rules.Split || s.Kind != string(sitemap.Index) {
		return d
	}
	d.children, d.added = map[int]*audit.File{}, map[int][]string{}
	for i := range result.Files {
		c := &result.Files[i]
		if c.Sitemap.Parent != s.N || i == file || !c.Changed {
			continue
		}
		if d.date != "" && !c.Moved {
			d.children[c.Sitemap.Place] = c
		}
		for _, p := range c.Parts[min(1, len(c.Parts)):] {
			d.added[c.Sitemap.Place] = append(d.added[c.Sitemap.Place], p.BelongsAt)
		}
	}
	return d
}

// dateFor returns the lastmod to write for the n-th entry of the file; "" leaves it.
func (d *dating) dateFor(n int, r *audit.Row) string {
	if d.date == "" || d.children == nil && r.Fix.Action != audit.Replace || d.children != nil && d.children[n] == nil {
		return ""
	}
	return d.date
}

// sayDated writes a line of changes.csv for the lastmod of the latest entry; that of the n-th
// address of an index, of which there are few, is said behind the file's other lines.
func (m *mending) sayDated(n int) error {
	if m.children != nil {
		m.dated = append(m.dated, n)
		return nil
	}
	row := audit.RedatedEntry(m.latest, m.date)
	return m.change(&m.result.Files[m.file], &row)
}

// sayIndex writes a line of changes.csv for each lastmod of an index that was written, and for
// each part that was added, of which there are so many.
func (m *mending) sayIndex(added int) error {
	for _, n := range m.dated {
		row := audit.Redated(&m.children[n].Sitemap, m.date)
		if err := m.change(&m.result.Files[m.file], &row); err != nil {
			return err
		}
	}
	for _, n := range slices.Sorted(maps.Keys(m.added)) {
		at := slices.IndexFunc(m.result.Files, func(f audit.File) bool {
			return f.Sitemap.Parent == m.result.Files[m.file].Sitemap.N && f.Sitemap.Place == n && f.Parts != nil
		})
		for _, part := range m.added[n] {
			added--
			row := audit.Added(&m.result.Files[at].Sitemap, part)
			if err := m.change(&m.result.Files[m.file], &row); err != nil {
				return err
			}
		}
	}
	if added != 0 {
		return fmt.Errorf("%w: not all parts of a sitemap are listed", errUnproved)
	}
	return nil
}

// order is the order in which files are written: those that list others after these.
func order(result *audit.Result) []int {
	var files, indexes []int
	for i := range result.Files {
		if (result.Info.Rules.Lastmod || result.Info.Rules.Split) && result.Files[i].Sitemap.Kind == string(sitemap.Index) {
			indexes = append(indexes, i)
		} else {
			files = append(files, i)
		}
	}
	slices.Reverse(indexes)
	return append(files, indexes...)
}

package report

import (
	"slices"

	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// dating is what is written as lastmod into one file.
type dating struct {
	date     string              // "" for none
	children map[int]*audit.File // of an index, those that are written anew, by their place in it
	dated    []int               // places of an index whose lastmod was written and that are kept else
}

// newDating returns what is written into Files[file], after the files that it lists were written.
func newDating(told *audit.Result, file int) dating {
	if !told.Info.Rules.Lastmod {
		return dating{}
	}
	d := dating{date: told.Info.Started.UTC().Format("2006-01-02")}
	s := &told.Files[file].Sitemap
	if s.Kind != string(sitemap.Index) {
		return d
	}
	d.children = map[int]*audit.File{}
	for i := range told.Files {
		if c := &told.Files[i]; c.Sitemap.Parent == s.N && i != file && c.Changed && !c.Moved && c.MergeInto == "" {
			d.children[c.Sitemap.Place] = c
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

// sayDated takes note that the lastmod of the n-th address of an index was written.
func (m *mending) sayDated(n int) {
	if _, edited := m.told.Child(m.file, n); !edited {
		m.dated = append(m.dated, n)
	}
}

// sayAllDated writes a line of changes.csv for each lastmod of an index that was written
// beside an address that stays.
func (m *mending) sayAllDated() error {
	for _, n := range m.dated {
		row := audit.Redated(&m.children[n].Sitemap, m.date)
		if err := m.change(&m.told.Files[m.file], &row); err != nil {
			return err
		}
	}
	return nil
}

// order is the order in which files are written: those that list others after these.
func order(told *audit.Result) []int {
	var files, indexes []int
	for i := range told.Files {
		if told.Info.Rules.Lastmod && told.Files[i].Sitemap.Kind == string(sitemap.Index) {
			indexes = append(indexes, i)
		} else {
			files = append(files, i)
		}
	}
	slices.Reverse(indexes)
	return append(files, indexes...)
}

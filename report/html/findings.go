package html

import (
	"strconv"

	"sitemend/crawler/audit"
	"sitemend/report/internal/page"
)

// firstRows and firstEdits are how many findings and edits the page holds
// without its script.
const (
	firstRows  = 200
	firstEdits = 50
)

// findings collects the first rows that are not fine: of each group as many as
// may be shown, for it is not known yet how many of the more urgent ones come.
type findings struct {
	told  *audit.Result
	rows  map[audit.Group][]page.Row
	edits []editView
	count int // edits in all
	flow  *flowing
}

func newFindings(told *audit.Result) *findings {
	return &findings{told: told, rows: map[audit.Group][]page.Row{}, flow: newFlowing()}
}

// urgency is the order of the groups in the list.
var urgency = []audit.Group{audit.NeedsDecision, audit.TakenOut, audit.Corrected, audit.OtherSpelling, audit.NotChecked}

func (f *findings) add(file int, r *audit.Row) {
	g := r.Group()
	f.flow.add(r)
	if r.Fix.Action != audit.Keep && r.Fix.Action != "" {
		f.addEdit(file, r)
	}
	if g == audit.Fine || g == audit.Settled || g == audit.LeftOut || len(f.rows[g]) >= firstRows {
		return
	}
	f.rows[g] = append(f.rows[g], page.NewRow(f.place(file, r), r))
}

func (f *findings) place(file int, r *audit.Row) string {
	return page.Visible(f.told.Files[file].Sitemap.URL) + ":" + strconv.Itoa(r.Entry.Line)
}

func (f *findings) addEdit(file int, r *audit.Row) {
	if f.count++; len(f.edits) < firstEdits {
		f.edits = append(f.edits, editView{f.place(file, r), page.Shown(r.Entry.Loc), page.Visible(r.Fix.Loc), r.Fix.Action})
	}
}

// An editView is one edit of a sitemap, told as a diff.
type editView struct {
	Place, Loc, Written string
	Action              audit.Action
}

// Stays reports whether Written is an entry that stands already, and is not written.
func (e editView) Stays() bool { return e.Action == audit.Merge }

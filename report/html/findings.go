package html

import (
	"strconv"

	"sitemend/crawler/audit"
	"sitemend/report/internal/page"
)

// firstRows is how many findings the page holds without its script.
const firstRows = 200

// findings collects the first rows that are not fine: of each group as many as
// may be shown, for it is not known yet how many of the more urgent ones come.
type findings struct {
	result *audit.Result
	groups *entryGroups
	rows   map[audit.Group][]foundRow
}

// A foundRow is a row with the number of its group in the table.
type foundRow struct {
	page.Row
	group int
}

func newFindings(result *audit.Result, groups *entryGroups) *findings {
	return &findings{result: result, groups: groups, rows: map[audit.Group][]foundRow{}}
}

// urgency is the order of the groups in the list.
var urgency = []audit.Group{audit.NeedsDecision, audit.TakenOut, audit.Corrected, audit.OtherSpelling, audit.NotChecked}

func (f *findings) add(file int, r *audit.Row) {
	g := r.Group()
	if g == audit.Fine || g == audit.LeftOut || len(f.rows[g]) >= firstRows {
		return
	}
	f.rows[g] = append(f.rows[g], foundRow{page.NewRow(f.place(file, r), r), f.groups.of(r)})
}

func (f *findings) place(file int, r *audit.Row) string {
	return page.Visible(f.result.Files[file].Sitemap.URL) + ":" + strconv.Itoa(r.Entry.Line)
}

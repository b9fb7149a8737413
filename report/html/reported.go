package html

import (
	"cmp"
	_ "embed"
	"fmt"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

var (
	//go:embed page/reported.tmpl
	reportedTemplate string
	//go:embed page/reported.css
	reportedCSS string
)

// A reportedView is the section of what Search Console reports.
type reportedView struct {
	Headline page.Phrase
	Remarks  []page.Phrase
	Ends     []endView
	Heads    reportedHeads
	Reasons  []reasonView
	Files    []page.Phrase
	Count    int // addresses in all
}

// reportedHeads are the heads of the section's columns.
type reportedHeads struct{ Count, End, Do, Reason, ByReason page.Phrase }

// An endView is what becomes of some of the addresses: Kind is the colour of its bar, which
// is Width wide.
type endView struct {
	Kind, Width string
	Count       int
	Title, Text page.Phrase
}

// A reasonView is a reason of Google with its addresses, in all and by end.
type reasonView struct {
	Name  page.Phrase
	Count int
	Cells []countView
}

type countView struct {
	Name  page.Phrase
	Count int
}

// endKinds are the colours of what becomes of addresses; the others are quiet.
var endKinds = map[audit.Upshot]string{audit.UpshotFixed: "fix", audit.UpshotDecide: "decide", audit.UpshotServer: "decide", audit.UpshotUnseen: "unseen"}

// newReportedView is what the addresses come to; nil where the audit has no export.
func newReportedView(result *audit.Result) *reportedView {
	r := conclude.ReportedOf(result)
	if r == nil {
		return nil
	}
	v := &reportedView{Count: result.SearchConsole.Addresses}
	v.Headline = phrase(r.Headline)
	v.Heads = reportedHeads{phrase(r.Heads.Count), phrase(r.Heads.End), phrase(r.Heads.Do), phrase(r.Heads.Reason), phrase(r.Heads.ByReason)}
	for _, x := range r.Remarks {
		v.Remarks = append(v.Remarks, phrase(x))
	}
	for _, x := range r.Exports {
		v.Files = append(v.Files, phrase(x))
	}
	most := 0
	for _, e := range r.Ends {
		most = max(most, e.Count)
	}
	for _, e := range r.Ends {
		v.Ends = append(v.Ends, endView{cmp.Or(endKinds[e.Upshot], "quiet"), fmt.Sprintf("%.2f%%", 100*float64(e.Count)/float64(most)),
			e.Count, phrase(e.Title), phrase(e.Text)})
	}
	for _, x := range r.Reasons {
		row := reasonView{Name: phrase(x.Name), Count: x.Count}
		for i, n := range x.Counts {
			row.Cells = append(row.Cells, countView{v.Ends[i].Title, n})
		}
		v.Reasons = append(v.Reasons, row)
	}
	return v
}

// adviceText is what to do, the address in it as code.
func adviceText(r *audit.ReportedRow) page.Phrase {
	return page.Each(func(c *messages.Catalogue) []page.Run {
		text, pairs := c.AdviceParts(r)
		values := make([]any, len(pairs))
		for i, p := range pairs {
			values[i] = page.Visible(p)
			if i > 0 && pairs[i-1] == "do" { // ours, with code in it
				text = strings.ReplaceAll(text, "{do}", p)
			}
		}
		return page.Runs(strings.ReplaceAll(text, "{to}", "`{to}`"), c.Lang(), values...)
	})
}

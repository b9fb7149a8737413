package html

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"strconv"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/page"
)

//go:embed page/expected.tmpl
var expectedTemplate string

// An expectedView is the section of where old addresses lead.
type expectedView struct {
	Headline, Forgotten page.Phrase
	Remarks             []page.Phrase
	Ends                []endView
	Heads               expectedHeads
	Rows                []expectedRow
}

// expectedHeads are the heads of the section's columns.
type expectedHeads struct{ Count, End, Do, Line, Old, To, Why, Suggestion page.Phrase }

// An expectedRow is an address that does not lead where it should, or that was forgotten.
type expectedRow struct {
	Line, Old, To, End, Suggestion string
	Gone                           bool // it must be gone
	Why                            page.Phrase
}

// shownExpected is how many addresses the section lists.
const shownExpected = 100

// unmetKinds are the colours of reasons; the others are a decision.
var unmetKinds = map[audit.Unmet]string{audit.UnmetUnverified: "unseen"}

// newExpectedView is what becomes of a map; nil where the audit has none. It reads its rows
// until ctx ends.
func newExpectedView(ctx context.Context, result *audit.Result) (*expectedView, error) {
	x := conclude.ExpectedOf(result)
	if x == nil {
		return nil, nil
	}
	h := &x.Heads
	v := &expectedView{Headline: phrase(x.Headline), Forgotten: phrase(x.Forgotten),
		Heads: expectedHeads{phrase(h.Count), phrase(h.End), phrase(h.Do), phrase(h.Line), phrase(h.Old), phrase(h.To), phrase(h.Why), phrase(h.Suggestion)}}
	for _, r := range x.Remarks {
		v.Remarks = append(v.Remarks, phrase(r))
	}
	for _, e := range x.Ends { // the first has most addresses
		width := fmt.Sprintf("%.2f%%", 100*float64(e.Count)/float64(x.Ends[0].Count))
		v.Ends = append(v.Ends, endView{Kind: cmp.Or(unmetKinds[e.Why], "decide"), Width: width, Count: e.Count, Title: phrase(e.Title), Text: phrase(e.Text)})
	}
	if result.Expected.Unmet()+result.Expected.Forgotten == 0 {
		return v, nil
	}
	origin := targetOrigin(result)
	for r, err := range result.ExpectedRows(ctx) {
		switch {
		case err != nil:
			return nil, fmt.Errorf("expected URLs: %w", err)
		case !r.Forgotten && r.Met():
			continue
		case len(v.Rows) == shownExpected:
			return v, nil
		}
		v.Rows = append(v.Rows, newExpectedRow(&r, origin))
	}
	return v, nil
}

// targetOrigin is the origin of the one target; "" for several.
func targetOrigin(result *audit.Result) string {
	if len(result.Info.Targets) != 1 {
		return ""
	}
	a, err := address.Parse(result.Info.Targets[0])
	if err != nil {
		return ""
	}
	return a.Origin()
}

// newExpectedRow leaves out the origin of the site.
func newExpectedRow(r *audit.ExpectedRow, origin string) expectedRow {
	shown := func(a address.Address) string { return trimOrigin(page.Shown(a.String()), origin) }
	row := expectedRow{Old: shown(r.Address), To: shown(r.To), Gone: !r.Forgotten && r.To.IsZero(),
		Suggestion: shown(r.Suggestion), Why: phrase(conclude.ExpectedWhy(r))}
	if !r.Forgotten {
		row.Line = strconv.Itoa(r.Line)
	}
	if end := r.Final; !end.IsZero() && end != r.Address && end != r.To {
		row.End = shown(end)
	}
	return row
}

package report

import (
	"context"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// links decides on the xhtml:links of one element, and writes a line of changes.csv for each that
// is edited.
func (m *mending) links(ctx context.Context, links []sitemap.Link) ([]sitemap.Edit, error) {
	fixes, err := sitemap.Fixes(ctx, m.result, m.own, links)
	if err != nil {
		return nil, err
	}
	f := &m.result.Files[m.file]
	edits := make([]sitemap.Edit, len(links))
	for i, fix := range fixes {
		if edits[i] = sitemap.EditOf(&links[i], &fix); edits[i].Action == sitemap.Keep {
			continue
		}
		row := audit.Row{Entry: audit.Entry{Loc: address.Masked(links[i].Href), Line: links[i].Line}, Verdict: fix.Verdict, Fix: audit.Fix{Action: fix.Action, Loc: fix.Loc, Why: fix.Why}}
		if err := m.change(f, &row); err != nil {
			return nil, err
		}
	}
	return edits, nil
}

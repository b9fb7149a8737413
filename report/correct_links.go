package report

import (
	"context"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// links decides on the xhtml:links of one element, and on its images and videos, and writes a line
// of changes.csv for each that is edited.
func (m *mending) links(ctx context.Context, links []sitemap.Link) ([]sitemap.Edit, error) {
	fixes, gone, err := sitemap.Fixes(ctx, m.result, m.own, links)
	if err != nil {
		return nil, err
	}
	f := &m.result.Files[m.file]
	if gone != "" {
		f.Sitemap.Faults = audit.WithGone(f.Sitemap.Faults, f.Sitemap.URL, gone, links[0].Line)
	}
	edits := make([]sitemap.Edit, len(links))
	for i, fix := range fixes {
		edits[i] = sitemap.EditOf(&links[i], &fix)
		edited := edits[i].Action != sitemap.Keep
		m.also.Add(fix, edited)
		switch {
		case edited:
		case fix.Action == audit.Keep && fix.Verdict == audit.Noindex:
			f.Sitemap.Faults = audit.WithGone(f.Sitemap.Faults, f.Sitemap.URL, audit.GoneNoindex, links[i].Line)
			continue
		default:
			continue
		}
		row := audit.Row{Entry: audit.Entry{Loc: address.Masked(links[i].Href), Line: links[i].Line}, Verdict: fix.Verdict, Fix: audit.Fix{Action: fix.Action, Loc: fix.Loc, Why: fix.Why}}
		if err := m.change(f, &row); err != nil {
			return nil, err
		}
	}
	return edits, nil
}

// gone notes the addresses that leave with the entries of one element, all of which are removed.
func (m *mending) gone(ctx context.Context, links []sitemap.Link) error {
	fixes, _, err := sitemap.Fixes(ctx, m.result, m.own, links)
	for _, fix := range fixes {
		m.also.Leave(fix)
	}
	return err
}

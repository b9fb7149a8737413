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
	fixes, gone, err := m.linkFixes(ctx, links)
	if err != nil {
		return nil, err
	}
	f := &m.result.Files[m.file]
	if gone != "" {
		f.Sitemap.Faults = audit.WithGone(f.Sitemap.Faults, f.Sitemap.URL, gone, links[0].Line)
	}
	edits := make([]sitemap.Edit, len(links))
	for i, fix := range fixes {
		m.also.Add(fix, fix.Action == audit.Relink && fix.Loc != links[i].Href || fix.Action == audit.Unlink)
		switch {
		case fix.Action == audit.Relink && fix.Loc != links[i].Href:
			edits[i] = sitemap.Edit{Action: sitemap.Replace, Loc: fix.Loc}
		case fix.Action == audit.Unlink:
			edits[i] = sitemap.Edit{Action: sitemap.Drop}
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

// linkFixes returns the fix of each link; gone is of the alternates alone.
func (m *mending) linkFixes(ctx context.Context, links []sitemap.Link) (fixes []audit.LinkFix, gone audit.Gone, err error) {
	var alternates []audit.Link
	var assets []audit.Asset
	for _, l := range links {
		if l.Kind == sitemap.Alternate {
			alternates = append(alternates, audit.Link{Href: l.Href, Lang: l.Lang, Bound: l.Bound})
		} else {
			assets = append(assets, l.Asset())
		}
	}
	ofAlternates, gone, err := m.result.Links(ctx, m.own, alternates)
	if err != nil {
		return nil, "", err
	}
	ofAssets, err := m.result.Assets(ctx, m.own, assets)
	if err != nil {
		return nil, "", err
	}
	for _, l := range links {
		from := &ofAssets
		if l.Kind == sitemap.Alternate {
			from = &ofAlternates
		}
		fixes, *from = append(fixes, (*from)[0]), (*from)[1:]
	}
	return fixes, gone, nil
}

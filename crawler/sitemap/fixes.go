package sitemap

import (
	"context"

	"sitemend/crawler/audit"
)

// Fixes returns a fix for each link of one element, as Result.Links and Result.Assets decide. own
// are the element's entries. gone is that of the alternates alone. The error is that of
// Links or Assets.
func Fixes(ctx context.Context, result *audit.Result, own []audit.Own, links []Link) (
	fixes []audit.LinkFix, gone audit.Gone, err error) {
	var alternates []audit.Link
	var assets []audit.Asset
	for _, l := range links {
		if l.Kind == Alternate {
			alternates = append(alternates, audit.Link{Href: l.Href, Lang: l.Lang, Bound: l.Bound})
		} else {
			assets = append(assets, l.Asset())
		}
	}
	ofAlternates, gone, err := result.Links(ctx, own, alternates)
	if err != nil {
		return nil, "", err
	}
	ofAssets, err := result.Assets(ctx, own, assets)
	if err != nil {
		return nil, "", err
	}
	for _, l := range links {
		from := &ofAssets
		if l.Kind == Alternate {
			from = &ofAlternates
		}
		fixes, *from = append(fixes, (*from)[0]), (*from)[1:]
	}
	return fixes, gone, nil
}

// EditOf returns the Edit, for Edits.Links, of a link whose fix is f.
func EditOf(l *Link, f *audit.LinkFix) Edit {
	switch {
	case f.Action == audit.Relink && f.Loc != l.Href:
		return Edit{Action: Replace, Loc: f.Loc}
	case f.Action == audit.Unlink:
		return Edit{Action: Drop}
	}
	return Edit{Action: Keep}
}

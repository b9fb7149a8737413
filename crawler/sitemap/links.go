package sitemap

import "sitemend/crawler/audit"

// A LinkKind is the kind of address that a Link holds.
type LinkKind uint8

// The kinds. All but Alternate are read only where Options.Assets is set.
const (
	Alternate LinkKind = iota // xhtml:link
	Image                     // image:loc
	Thumbnail                 // video:thumbnail_loc
	Content                   // video:content_loc, the file
	Player                    // video:player_loc, a page with the player
)

// Fixes returns a fix for each xhtml:link of one element, as Result.Links decides. own are the
// element's entries.
func Fixes(result *audit.Result, own []audit.Own, links []Link) []audit.LinkFix {
	alternates := make([]audit.Link, len(links))
	for i, l := range links {
		alternates[i] = audit.Link{Href: l.Href, Lang: l.Lang, Bound: l.Bound}
	}
	return result.Links(own, alternates)
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

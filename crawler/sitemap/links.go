package sitemap

import (
	"cmp"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

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

// An Own is an entry of the element that has the links.
type Own struct {
	URL string // wire form, "" where it is no URL
	audit.Edited
}

// A LinkFix is what becomes of an xhtml:link: it stays where Action is "".
type LinkFix struct {
	audit.Fix
	Verdict audit.Verdict // of what the link names
}

// Fixes returns a fix for each xhtml:link of one element, whose entries are own; becomes says what the
// audit makes of other URLs, by their wire form, nil where that is nothing. A link follows the entry that it names, and so that of
// the element itself whatever becomes of others with its URL. Two URLs of a set do not become one: then
// the link to an entry that is merged goes with it, and that to what no sitemap lists stays. Links stay
// where a set would be left with no other URL than the element's own.
func Fixes(becomes func(url string) audit.Edited, own []Own, links []Link) []LinkFix {
	fixes, at, edits, turns := make([]LinkFix, len(links)), make([]string, len(links)), make([]audit.Edited, len(links)), make([]int, len(links))
	mine, self := make(map[string]audit.Edited, len(own)), make(map[string]bool, len(own))
	for _, o := range own {
		mine[o.URL] = o.Edited
		self[cmp.Or(o.Loc, o.URL)] = true
	}
	for i, l := range links {
		turns[i], at[i] = i, l.Href
		if a, err := address.Parse(l.Href); err == nil {
			at[i] = a.String()
		}
		is, known := mine[at[i]]
		if !known && becomes != nil {
			is = becomes(at[i])
		}
		edits[i] = is
	}
	slices.SortStableFunc(turns, func(i, j int) int { return turn(&edits[i]) - turn(&edits[j]) })
	others, names := false, map[string]string{} // the URLs that the set will name -> what it lists in their place
	for _, i := range turns {
		to, everyone := cmp.Or(edits[i].Loc, at[i]), strings.EqualFold(links[i].Lang, xDefault)
		from, named := names[to]
		taken := named && from != at[i] && !everyone || links[i].Lang == "" && self[to] && !self[at[i]]
		if fixes[i] = fixOf(&edits[i], taken, links[i].Bound); fixes[i].Action == audit.Unlink {
			continue
		}
		to = cmp.Or(fixes[i].Loc, at[i])
		others = others || !self[to]
		if !everyone {
			names[to] = at[i]
		}
	}
	for i := range fixes {
		if !others && fixes[i].Action == audit.Unlink {
			fixes[i] = LinkFix{}
		}
	}
	return fixes
}

// xDefault is the code of the page for whoever no other is for; it names no language, and may be
// that of another link, too.
const xDefault = "x-default"

// turn is when a link is decided, so that the order in which those of a set stand says nothing: what
// stays or is replaced, what is merged, and what no sitemap lists.
func turn(e *audit.Edited) int {
	switch {
	case e.Also:
		return 2
	case e.Action == audit.Merge:
		return 1
	}
	return 0
}

// fixOf says what becomes of a link to an edited URL; taken is set where the set names already what
// would be written, bound where the link cannot be taken out.
func fixOf(e *audit.Edited, taken, bound bool) LinkFix {
	relink := audit.Fix{Action: audit.Relink, Loc: e.Loc, Why: audit.Why{Key: audit.WhyRelinked}}
	switch a := e.Action; {
	case a == audit.Replace && e.Also && !taken:
		relink.Why.Key = string(e.Verdict)
		return LinkFix{relink, e.Verdict}
	case a == audit.Replace && !e.Also, a == audit.Merge && !taken:
		return LinkFix{relink, e.Verdict}
	case (a == audit.Merge || a == audit.Drop) && !bound:
		return LinkFix{audit.Fix{Action: audit.Unlink, Why: relink.Why}, e.Verdict}
	}
	return LinkFix{}
}

// Edit returns the Edit, for Edits.Links, of a link.
func (f *LinkFix) Edit(l *Link) Edit {
	switch {
	case f.Action == audit.Relink && f.Loc != l.Href:
		return Edit{Action: Replace, Loc: f.Loc}
	case f.Action == audit.Unlink:
		return Edit{Action: Drop}
	}
	return Edit{Action: Keep}
}

package html

import (
	_ "embed"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

//go:embed page/links.tmpl
var linksTemplate string

// A linksView is the section about the links of the pages.
type linksView struct {
	Lines []page.Phrase
	Lists []linkList
}

// A linkList is the rows of one kind.
type linkList struct {
	Head     page.Phrase
	Rows     []linkRow
	More     int  // rows that are not shown; links.csv has all
	Unlinked bool // the entries that no page links to
}

// A linkRow is an address; a Phrase of it may be empty.
type linkRow struct {
	Target, To, At string
	Verdict        page.Phrase
	Pages, Do      page.Phrase
	Examples       []string
	Known          bool // there is a verdict to show
}

// linkKeys are the headings of the kinds.
var linkKeys = []struct {
	kind audit.LinkKind
	key  string
}{{audit.LinkedOld, "links-head-old"}, {audit.LinkedUnlisted, "links-head-unlisted"}, {audit.Unlinked, "links-head-unlinked"}}

// newLinksView is the section; nil where no links were read.
func newLinksView(result *audit.Result) *linksView {
	l := result.Linked
	if l == nil {
		return nil
	}
	origin := targetOrigin(result)
	v := &linksView{Lines: page.List(func(c *messages.Catalogue) []string { return conclude.LinkLines(c, result) })}
	for _, k := range linkKeys {
		if len(l.First[k.kind]) == 0 {
			continue
		}
		list := linkList{Head: page.Plain(func(c *messages.Catalogue) string { return c.Text(k.key) }),
			More: l.Kinds[k.kind].Targets - len(l.First[k.kind]), Unlinked: k.kind == audit.Unlinked}
		for i := range l.First[k.kind] {
			list.Rows = append(list.Rows, newLinkRow(&l.First[k.kind][i], origin))
		}
		v.Lists = append(v.Lists, list)
	}
	return v
}

// newLinkRow leaves out the origin of the site.
func newLinkRow(r *audit.LinkRow, origin string) linkRow {
	shown := func(s string) string { return trimOrigin(page.Visible(s), origin) }
	out := linkRow{Target: shown(r.Target), To: shown(r.LinkTo), Known: r.Verdict != "",
		Verdict: page.VerdictText(r.Verdict, ""),
		Pages:   page.AsIs(func(c *messages.Catalogue) string { return conclude.LinkPages(c, r) }),
		Do:      page.AsIs(func(c *messages.Catalogue) string { return conclude.LinkAdvice(c, r) }),
	}
	if r.LinkTo == "" && r.RedirectsTo != r.Target {
		out.To = shown(r.RedirectsTo)
	}
	if r.Kind == audit.Unlinked {
		out.At = shown(r.Sitemap)
	}
	for _, x := range r.Examples {
		out.Examples = append(out.Examples, shown(x))
	}
	return out
}

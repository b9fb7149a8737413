package html

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/page"
)

//go:embed page/also.tmpl
var alsoTemplate string

// An alsoView is the section of the addresses that sitemaps name beside what they list.
type alsoView struct {
	Lists []alsoList
	Heads alsoHeads
	Rows  []alsoRow
}

type alsoList struct{ Headline, Parts page.Phrase }

// alsoHeads are the heads of the section's columns.
type alsoHeads struct{ Address, To, Why, By page.Phrase }

// An alsoRow is an address that is not fine.
type alsoRow struct {
	Address, To string
	What, Why   page.Phrase
	By          page.Phrase
	First       []string // entries that name it: file:line
}

// shownAlso is how many addresses the section lists.
const shownAlso = 100

// newAlsoView is what becomes of these addresses; nil where the audit has none. It reads its rows
// until ctx ends.
func newAlsoView(ctx context.Context, result *audit.Result) (*alsoView, error) {
	x := conclude.AlsoOf(result)
	if x == nil {
		return nil, nil
	}
	h := &x.Heads
	v := &alsoView{Heads: alsoHeads{phrase(h.Address), phrase(h.To), phrase(h.Why), phrase(h.By)}}
	names, origin := map[int]string{}, targetOrigin(result)
	for i, name := range conclude.FileNames(result) {
		names[result.Files[i].Sitemap.N] = name
	}
	for i := range x.Lists {
		l := &x.Lists[i]
		v.Lists = append(v.Lists, alsoList{phrase(l.Headline), phrase(l.Parts)})
		if l.Open == 0 {
			continue
		}
		for r, err := range result.AlsoRows(ctx, i) {
			switch {
			case err != nil:
				return nil, fmt.Errorf("URLs named beside URLs: %w", err)
			case !conclude.AlsoOpen(r.Group()):
				continue
			case len(v.Rows) == shownAlso:
				return v, nil
			}
			v.Rows = append(v.Rows, newAlsoRow(&r, names, origin))
		}
	}
	return v, nil
}

// newAlsoRow leaves out the origin of the site; names are those of its files, by their number.
func newAlsoRow(r *audit.Row, names map[int]string, origin string) alsoRow {
	shown := func(a address.Address) string { return trimOrigin(page.Shown(a.String()), origin) }
	row := alsoRow{Address: shown(r.Address), What: phrase(conclude.AlsoWhat(r)), Why: phrase(conclude.AlsoWhy(r)), By: phrase(conclude.AlsoBy(r))}
	if end := r.Final; !end.IsZero() && end != r.Address {
		row.To = shown(end)
	}
	for _, n := range r.Entry.Also.By {
		row.First = append(row.First, names[n.Sitemap]+":"+strconv.Itoa(n.Line))
	}
	return row
}

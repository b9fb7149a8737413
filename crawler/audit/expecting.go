package audit

import (
	"context"
	"iter"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/expect"
	"sitemend/crawler/internal/sketch"
	"sitemend/crawler/nearest"
)

// expecting holds a map against what was seen, in the last walk over the final rows and
// after it. It holds two or three dozen bytes for each line of the map, and a few bits for each
// entry.
type expecting struct {
	t        *Plan
	lists    []Sitemap
	patterns expect.Patterns
	lines    sketch.Numbers // wire form of an old address -> its entry
	olds     sketch.Members // old and new addresses, whatever their scheme and www
	news     sketch.Members
	under    sketch.Set // entries of sitemaps that fall under a pattern and that no line names
	rest     sketch.Set // entries that the map says nothing of: those of old sitemaps were forgotten
	balance  []int      // of each sitemap that no index names, how many more old addresses of the map than new ones it, and what it names, lists
	found    *nearest.Finder
}

// newExpecting reads the map once; nil where there is none.
func newExpecting(ctx context.Context, t *Plan, lists []Sitemap) (*expecting, error) {
	if len(lists) == 0 {
		return nil, nil
	}
	n := 0
	for i := range lists {
		n += lists[i].Entries
	}
	x := &expecting{t: t, lists: lists, olds: sketch.NewMembers(n), news: sketch.NewMembers(n), balance: make([]int, len(t.sitemaps)), found: nearest.New(maxSuggestions)}
	for e, err := range t.listed(ctx, lists) {
		if err != nil {
			return nil, err
		}
		a, err := e.Parse()
		if err != nil {
			continue
		}
		to := address.Wire(e.Expected.To)
		if e.Expected.Wild {
			x.patterns.Add(expect.Pair{Line: e.Line, Old: a, To: to, Wild: true})
			continue
		}
		if number, known := x.lines.At(sketch.Hash(a.String())); !known {
			*number = uint32(e.N)
		}
		x.olds.Add(loose(a))
		if !to.IsZero() {
			x.news.Add(loose(to))
		}
	}
	return x, nil
}

// loose is the key of an address under which those of http and https and of www meet.
func loose(a address.Address) uint64 {
	return sketch.Hash(strings.TrimPrefix(a.HostPort(), "www.") + a.Target())
}

// see looks what the map says of an entry, by its final row.
func (x *expecting) see(r *Row) {
	if x == nil || r.Address.IsZero() || r.Entry.Skip != SkipNone || x.t.d.repeated.Has(r.Entry.N) {
		return
	}
	_, named := x.lines.Get(sketch.Hash(r.Address.String()))
	_, _, falls := x.patterns.Match(r.Address)
	switch {
	case x.isOld(r.Address):
		x.balance[x.root(r.Entry.Sitemap)]++
		if falls && !named {
			x.under.Add(r.Entry.N)
		}
	case x.news.Has(loose(r.Address)):
		x.balance[x.root(r.Entry.Sitemap)]--
	default:
		x.rest.Add(r.Entry.N)
	}
}

// root is the sitemap from which sitemap n was found.
func (x *expecting) root(n int) int {
	for p := x.t.sitemaps[n].Parent; p >= 0 && p < n; p = x.t.sitemaps[n].Parent {
		n = p
	}
	return n
}

// rows yields all that the map says something of, and what was forgotten.
func (x *expecting) rows(ctx context.Context) iter.Seq2[ExpectedRow, error] {
	t := x.t
	all := chain(t.rowsOf(ctx, x.lists, t.judge), t.rowsIn(ctx, x.under), t.rowsIn(ctx, x.rest))
	return func(yield func(ExpectedRow, error) bool) {
		for row, err := range all {
			if err != nil {
				yield(ExpectedRow{}, err)
				return
			}
			n := row.Entry.N
			out := ExpectedRow{Row: *row, Forgotten: x.rest.Has(n)}
			if row.Entry.Expected.Wild || out.Forgotten && x.balance[x.root(row.Entry.Sitemap)] <= 0 {
				continue
			}
			if !out.Forgotten {
				out.Expectation = x.of(row)
			}
			if m, ok := x.found.Found(n); ok {
				out.Suggestion, out.Similarity = m.Address, m.Similarity
			}
			if !yield(out, nil) {
				return
			}
		}
	}
}

// of returns what the map says of a row: by its first line under which the address falls.
func (x *expecting) of(r *Row) Expectation {
	p, _, falls := x.patterns.Match(r.Address)
	if falls && (!r.Entry.Expected.Is || p.Line < r.Entry.Line) {
		return r.expectation(p.Line, p.To)
	}
	return r.expectation(r.Entry.Line, address.Wire(r.Entry.Expected.To))
}

// join adds to the result what becomes of the addresses of the map.
func (x *expecting) join(ctx context.Context, result *Result) error {
	if x == nil {
		return nil
	}
	list := &ExpectedList{Rows: x.rows}
	for _, s := range x.lists {
		list.Name, list.Faults = s.URL, append(list.Faults, s.Faults...)
	}
	for r, err := range x.rows(ctx) {
		if err != nil {
			return err
		}
		if r.lost() {
			x.found.Ask(r.Row.Entry.N, r.Address)
		}
	}
	if err := x.suggest(ctx, result); err != nil {
		return err
	}
	for r, err := range x.rows(ctx) {
		if err != nil {
			return err
		}
		list.Add(&r)
	}
	result.Expected = list
	return nil
}

// lost reports whether a page is looked for that the address became.
func (r *ExpectedRow) lost() bool {
	return r.Why == UnmetNotFound || r.Forgotten && !r.leadsToPage() && !r.unknown()
}

// isOld reports whether an address is an old one of the map: a line names it, or one with a *,
// or a line names its twin of http, https or www and none leads to it.
func (x *expecting) isOld(a address.Address) bool {
	if _, named := x.lines.Get(sketch.Hash(a.String())); named {
		return true
	}
	if _, _, falls := x.patterns.Match(a); falls {
		return true
	}
	key := loose(a)
	return x.olds.Has(key) && !x.news.Has(key)
}

// suggest shows the pages to which addresses may have led that lead to none: those of this
// audit that answer 200 and may be written. An old address of the map is none of them, even
// where it still answers 200: the map says that it moves or goes.
func (x *expecting) suggest(ctx context.Context, result *Result) error {
	if x.found.Len() == 0 {
		return nil
	}
	var all []iter.Seq2[*Row, error]
	for i := range result.Files {
		all = append(all, x.t.finals(ctx, result.Files[i].Sitemap.N, x.t.judged))
	}
	for row, err := range chain(append(all, x.t.rowsOf(ctx, x.lists, x.t.judge))...) {
		if err != nil {
			return err
		}
		to := address.Address{}
		switch {
		case row.fine():
			to = row.Address
		case row.Fix.Action == Replace && row.Verdict != Noncanonical:
			to = row.Final
		}
		if !to.IsZero() && !x.isOld(to) {
			x.found.Page(to, row.Trail.last().Hop.Page.Title)
		}
	}
	return nil
}

package audit

import (
	"context"
	"iter"

	"sitemend/crawler/address"
	"sitemend/crawler/expect"
	"sitemend/crawler/internal/sketch"
	"sitemend/crawler/nearest"
)

// expecting holds a map against what was seen, in the last walk over the final rows and
// after it. It holds two or three dozen bytes for each line of the map, and a few bits for each
// entry.
type expecting struct {
	t        *evaluation
	lists    []Sitemap
	patterns expect.Patterns
	busy     []bool         // patterns under which an address falls
	lines    sketch.Numbers // wire form of an old address -> its entry
	olds     sketch.Members // old and new addresses, whatever their scheme and www
	news     sketch.Members
	under    sketch.Set      // entries of sitemaps that fall under a pattern and that no line names
	rest     sketch.Set      // entries of old sitemaps that the map says nothing of: they were forgotten
	old      []bool          // sitemaps that are old ones
	found    *nearest.Finder // nil where nothing is looked for
}

// fromMap counts the old and new addresses of the map that a file lists.
type fromMap struct{ old, new int }

// newExpecting reads the map once; nil where there is none.
func newExpecting(ctx context.Context, t *evaluation, lists []Sitemap) (*expecting, error) {
	if len(lists) == 0 {
		return nil, nil
	}
	n := 0
	for i := range lists {
		n += lists[i].Entries
	}
	x := &expecting{t: t, lists: lists, olds: sketch.NewMembers(n), news: sketch.NewMembers(n)}
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
	x.busy = make([]bool, x.patterns.Len())
	return x, x.sort(ctx)
}

// sort finds which sitemaps are old ones: one is where it, with all that the same index lists, has more
// old addresses of the map than new ones; of one that has as many (none, for most) all sitemaps together
// decide.
func (x *expecting) sort(ctx context.Context) error {
	roots, all := map[int]fromMap{}, fromMap{}
	for i := range x.t.sitemaps {
		if x.t.sitemaps[i].Kind == KindEarlier { // what left the sitemaps makes none of them a new one
			continue
		}
		root := x.root(i)
		in := roots[root]
		for e, err := range x.t.listed(ctx, x.t.sitemaps[i:i+1]) {
			if err != nil {
				return err
			}
			a, err := e.Parse()
			switch {
			case err != nil || e.Skip != SkipNone:
			case x.isOld(a):
				in.old++
				all.old++
			case x.news.Has(loose(a)):
				in.new++
				all.new++
			}
		}
		roots[root] = in
	}
	x.old = make([]bool, len(x.t.sitemaps))
	for i := range x.old {
		if x.t.sitemaps[i].Kind == KindEarlier {
			continue
		}
		in := roots[x.root(i)]
		x.old[i] = in.old > in.new || in.old == in.new && all.old > all.new
	}
	return x.t.src.Err()
}

// loose is the key of an address under which those of http and https and of www meet.
func loose(a address.Address) uint64 {
	host := a.HostPort()
	if len(host) > 4 && host[:4] == "www." {
		host = host[4:]
	}
	return sketch.Hash(host + a.Target())
}

// see looks what the map says of an entry, by its final row.
func (x *expecting) see(r *Row) {
	if x == nil || r.Address.IsZero() || r.Entry.Skip != SkipNone || x.t.d.repeated.Has(r.Entry.N) {
		return
	}
	_, named := x.lines.Get(sketch.Hash(r.Address.String()))
	_, _, falls := x.patterns.Match(r.Address)
	key := loose(r.Address)
	switch {
	case named:
	case falls:
		x.under.Add(r.Entry.N)
	case x.old[r.Entry.Sitemap] && !x.news.Has(key) && !x.olds.Has(key):
		x.rest.Add(r.Entry.N)
	}
}

// rows yields all that the map says something of, and what was forgotten.
func (x *expecting) rows(ctx context.Context) iter.Seq2[ExpectedRow, error] {
	return func(yield func(ExpectedRow, error) bool) {
		for row, err := range x.judged(ctx) {
			if err == nil && x.found != nil {
				if m, ok := x.found.Found(row.Row.Entry.N); ok {
					row.Suggestion, row.Similarity = m.Address, m.Similarity
				}
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// judged is rows without suggestions.
func (x *expecting) judged(ctx context.Context) iter.Seq2[ExpectedRow, error] {
	t := x.t
	rows := chain(t.rowsOf(ctx, x.lists, t.judge), t.rowsIn(ctx, x.under), t.rowsIn(ctx, x.rest))
	return func(yield func(ExpectedRow, error) bool) {
		for row, err := range rows {
			if err != nil {
				yield(ExpectedRow{}, err)
				return
			}
			if row.Entry.Expected.Wild {
				continue
			}
			out := ExpectedRow{Row: *row, Forgotten: x.rest.Has(row.Entry.N)}
			if !out.Forgotten {
				out.Expectation = x.of(row)
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

// root is the sitemap from which sitemap n was found.
func (x *expecting) root(n int) int {
	for range x.t.sitemaps {
		parent := x.t.sitemaps[n].Parent
		if parent < 0 || parent >= len(x.t.sitemaps) {
			break
		}
		n = parent
	}
	return n
}

// join adds what becomes of the map to the result, in one walk over its rows.
func (x *expecting) join(ctx context.Context, result *Result) error {
	if x == nil {
		return nil
	}
	list := &ExpectedList{Patterns: x.patterns.Len()}
	for _, s := range x.lists {
		list.Name, list.Faults = s.URL, append(list.Faults, s.Faults...)
	}
	found, forgotten := nearest.New(MaxSuggestions), map[int]bool{}
	for r, err := range x.judged(ctx) {
		if err != nil {
			return err
		}
		list.Add(&r)
		if p, at, falls := x.patterns.Match(r.Address); falls && !r.Forgotten && p.Line == r.Line {
			x.busy[at] = true
		}
		switch {
		case !r.lost():
		case found.Ask(r.Row.Entry.N, r.Address):
			forgotten[r.Row.Entry.N] = r.Forgotten
		default:
			list.Unasked++
		}
	}
	if err := x.suggest(ctx, result, found); err != nil {
		return err
	}
	for n, of := range forgotten {
		if _, ok := found.Found(n); ok && of {
			list.ForgottenSuggested++
		} else if ok {
			list.Suggested++
		}
	}
	for _, busy := range x.busy {
		if !busy {
			list.Idle++
		}
	}
	result.Expected, result.expected = list, x.rows
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
func (x *expecting) suggest(ctx context.Context, result *Result, found *nearest.Finder) error {
	if found.Len() == 0 {
		return nil
	}
	for row, err := range x.pages(ctx, result) {
		if err != nil {
			return err
		}
		title := ""
		if n := len(row.Trail.Steps); n > 0 {
			title = row.Trail.Steps[n-1].Hop.Page.Title
		}
		to := address.Address{}
		switch {
		case row.fine():
			to = row.Address
		case row.Fix.Action == Replace && row.Verdict != Noncanonical:
			to = row.Final
		}
		if !to.IsZero() && !x.isOld(to) {
			found.Page(to, title)
		}
	}
	x.found = found
	return nil
}

// pages yields all rows of the audit: those of the sitemaps, final, and those of the map.
func (x *expecting) pages(ctx context.Context, result *Result) iter.Seq2[*Row, error] {
	var all []iter.Seq2[*Row, error]
	for i := range result.Files {
		all = append(all, x.t.finals(ctx, result.Files[i].Sitemap.N, x.t.judged))
	}
	return chain(append(all, x.t.rowsOf(ctx, x.lists, x.t.judge))...)
}

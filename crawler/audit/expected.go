package audit

import (
	"context"
	"iter"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/expect"
	"sitemend/crawler/internal/sketch"
	"sitemend/crawler/nearest"
)

// KindExpect is the Kind of a list that is no file of the site: the old addresses of a map
// (--expect), by the name of that file. They are crawled with the others; no count of entries
// and no sitemap knows of them.
const KindExpect = "expect"

// Expected is what a map says of an old address.
type Expected struct {
	Is bool // the entry is a line of a map
	// To is where the address must lead, in wire form; "" where it must be gone.
	To string
	// Wild is set where the line has a * at the end of its old address: Loc is what stands
	// before, ":splat" in To is what the * stands for, and nothing is requested for the line.
	Wild bool
}

// Why an expectation is not met; of several reasons the first is told. After UnmetTarget come the notes that
// name the verdict of an expected address, as "target-not-found".
const (
	UnmetUnverified Note = "unverified"     // nobody saw where it leads
	UnmetNotFound   Note = "not-found"      // 404 or 410, not at the expected address
	UnmetNoRedirect Note = "not-redirected" // it answers itself
	UnmetTarget     Note = "wrong-target"   // it leads elsewhere, or nowhere
	UnmetTemporary  Note = "temporary"      // a redirect on the way is temporary
	UnmetHops       Note = "hops"           // two redirects or more
	UnmetSpelling   Note = "spelling"       // right but for the encoding of the address
)

// An ExpectedRow is an address that a map says something of, or a forgotten one.
type ExpectedRow struct {
	// Row is the address judged like an entry. What becomes of sitemaps is not said in it.
	Row
	Line int             // of the map, from 1
	To   address.Address // where it must lead; zero: it must be gone
	Why  Note            // "" where it is met
	// Forgotten is set where a sitemap lists the address, it leads to no page, and no line of the map
	// names it.
	Forgotten bool
	// Suggestion is the page that the address most likely became; zero for none. Similarity is
	// from 0 to 1.
	Suggestion address.Address
	Similarity float64
}

// Met reports whether the address leads where it should.
func (r *ExpectedRow) Met() bool { return r.Why == "" }

// unmet says why the address does not lead where it should.
func (r *ExpectedRow) unmet() Note {
	at, last := r.reaches(), len(r.Trail.Steps)-1
	what, unseen := r.end(at == last), r.Verdict.Facts().Leads == leadUnknown
	switch {
	case last < 0, unseen && !(r.Verdict == Disallowed && at > 0 && at == last):
		return UnmetUnverified
	case r.Verdict == NotFound && r.To.IsZero():
		return ""
	case r.Verdict == NotFound && at < 0:
		return UnmetNotFound
	case r.Trail.Redirects() == 0:
		return UnmetNoRedirect
	case at < 0:
		return UnmetTarget
	case what != "":
		return targetIs(what)
	case r.Trail.Temporary():
		return UnmetTemporary
	case r.Trail.Redirects() > 1:
		return UnmetHops
	case r.Final != r.To:
		return UnmetSpelling
	}
	return ""
}

// end is the verdict of the expected address, by where the trail ends; at is set where it ends there.
// "" where it is a page.
func (r *ExpectedRow) end(at bool) Verdict {
	hop := &r.Trail.Last().Hop
	switch named := hop.Page.CanonicalURL(r.Final); {
	case r.Trail.End == answers.EndForbidden, hop.Forbidden != "":
		return Disallowed
	case r.Trail.End == answers.EndAnswer && answers.Gone(r.Status):
		return NotFound
	case r.Trail.End != answers.EndAnswer, !answers.Is200(r.Status):
		return Error
	case !at:
		return Moved
	case hop.Page.Noindex():
		return Noindex
	case !named.IsZero() && named != r.Final && named != r.To:
		return Noncanonical
	}
	return ""
}

// reaches returns the step of the trail that is the expected address, behind the first: as
// expected, else in another spelling; -1 for none.
func (r *ExpectedRow) reaches() int {
	spelled := -1
	for i := 1; i < len(r.Trail.Steps); i++ {
		switch at := address.Wire(r.Trail.Steps[i].Hop.URL); {
		case at == r.To:
			return i
		case address.OnlyEncoding(address.Compare(at, r.To)):
			spelled = i
		}
	}
	return spelled
}

// An expectedList adds up what becomes of the addresses of a map.
type expectedList struct {
	List      Sitemap // the map: its name, and as faults lines that say nothing or that others come before
	Addresses int     // old addresses that were held against the map
	Met       int
	Why       map[Note]int // of those that are not met
	// Forgotten are in a sitemap and in no line of the map, and lead to no page; ForgottenSuggested of these have a suggestion.
	Forgotten, ForgottenSuggested int
	// Rows yields the old addresses of the map in its order, then those of sitemaps that fall under
	// a line with * or were forgotten. What a row holds is the caller's until the next. It may
	// be ranged over again. An error ends it, and so does ctx.
	Rows func(ctx context.Context) iter.Seq2[ExpectedRow, error] `json:"-"`
}

// Unmet is how many expectations are not met.
func (x *expectedList) Unmet() int { return x.Addresses - x.Met }

// maxSuggestions bounds for how many addresses a suggestion is looked for.
const maxSuggestions = 20_000

// expecting holds a map against what was seen, in the last walk over the final rows and
// after it. It holds some two dozen bytes for each line of the map, and a bit for each entry.
type expecting struct {
	t        *Plan
	maps     []Sitemap
	patterns expect.Patterns
	old      map[uint64]bool // hashes of the addresses that a line without * names, and under loose
	more     sketch.Set      // lines without *, and entries that fall under one with it, or that lead to no page, where no other line names them
	found    *nearest.Finder
}

func (x *expecting) know(e *Entry, a address.Address) {
	if e.Expected.Wild {
		x.patterns.Add(expect.Pair{Line: e.Line, Old: a, To: address.Wire(e.Expected.To), Wild: true})
		return
	}
	x.more.Add(e.N)
	x.old[sketch.Hash(a.String())], x.old[loose(a)] = true, true
}

// loose is the key of an address under which those of http and https and of www meet.
func loose(a address.Address) uint64 {
	return sketch.Hash(strings.TrimPrefix(a.HostPort(), "www.") + a.Target())
}

// moves reports whether the map says that an address moves or goes, and whether only a line with *
// does.
func (x *expecting) moves(a address.Address) (is, falls bool) {
	if x.old[sketch.Hash(a.String())] {
		return true, false
	}
	_, _, falls = x.patterns.Match(a)
	return falls, falls
}

// see looks what the map says of an entry, by its final row.
func (x *expecting) see(r *Row) {
	if r.Address.IsZero() || r.Entry.Skip != SkipNone || x.t.d.repeated.Has(r.Entry.N) {
		return
	}
	is, falls := x.moves(r.Address)
	lead := r.Verdict.Facts().Leads
	if falls || !is && !x.old[loose(r.Address)] && (lead == LeadNowhere || lead == LeadRound || r.Verdict == Homepage) {
		x.more.Add(r.Entry.N)
	}
}

// rows yields all that the map says something of, and what was forgotten: what a sitemap lists, leads
// to no page, and no line names.
func (x *expecting) rows(ctx context.Context) iter.Seq2[ExpectedRow, error] {
	lists := append(slices.Clip(x.maps), x.t.sitemaps...)
	return rowsAs(x.t.rows(ctx, lists, &x.more, x.t.judge), func(row *Row) ExpectedRow {
		r, is := ExpectedRow{Row: *row}, &row.Entry.Expected
		p, _, falls := x.patterns.Match(row.Address)
		switch {
		case is.Is && !(falls && p.Line < row.Entry.Line): // the first line counts
			r.Line, r.To = row.Entry.Line, address.Wire(is.To)
		case falls:
			r.Line, r.To = p.Line, p.To
		default:
			r.Forgotten = true
		}
		if !r.Forgotten {
			r.Why = r.unmet()
		}
		if m, ok := x.found.Found(row.Entry.N); ok {
			r.Suggestion, r.Similarity = m.Address, m.Similarity
		}
		return r
	})
}

// join adds to the result what becomes of the addresses of the map. The pages to which addresses may
// have led that lead to none are those of this audit that are right as listed. An old address of the
// map is none of them, even where it still answers 200: the map says that it moves or goes.
func (x *expecting) join(ctx context.Context, result *Result) error {
	list, forgotten := &expectedList{List: x.maps[0], Why: map[Note]int{}, Rows: x.rows}, sketch.Set{}
	for r, err := range x.rows(ctx) {
		if err != nil {
			return err
		}
		switch {
		case r.Forgotten:
			list.Forgotten++
			forgotten.Add(r.Entry.N)
		case r.Met():
			list.Addresses++
			list.Met++
		default:
			list.Addresses++
			list.Why[r.Why]++
		}
		if r.Forgotten || r.Why == UnmetNotFound {
			x.found.Ask(r.Entry.N, r.Address)
		}
	}
	pages := x.t.sitemaps
	if x.found.Len() == 0 {
		pages = nil
	}
	for row, err := range x.t.rows(ctx, pages, nil, x.t.judged) {
		if err != nil {
			return err
		}
		if moves, _ := x.moves(row.Address); row.fine() && !moves {
			x.found.Page(row.Address, row.Trail.Last().Hop.Page.Title)
		}
	}
	for n := range forgotten.All() {
		if _, ok := x.found.Found(n); ok {
			list.ForgottenSuggested++
		}
	}
	result.Expected = list
	return nil
}

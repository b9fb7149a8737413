package audit

import (
	"context"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// surveying is what must be known of all entries before any of them is decided:
// which addresses repeat, on which pages many redirects end, and which replacements
// are listed already. A few walks keep it small and exact: the first leaves in a few
// bits an entry what may be, those after it look at that alone. The first plans each
// file, too: only where many redirects turn out to end on one page is that done again.
type surveying struct {
	t    *evaluation
	size int // entries
	// twice sees the listed addresses, ends the pages of Row.end; leads are the
	// entries with such a page.
	twice sketch.Bloom
	ends  sketch.CountMin
	leads sketch.Set
	// few counts the ends of Row.gathers; gatherings are the entries with one of gatherAt.
	few        sketch.CountMin
	unlike     sketch.Set // entries of Row.unlike
	gatherings []gathering
	crowds     sketch.Numbers // how many have an end
	kinds      map[readKind]wavering
	clocks     map[string]*clock // by origin
	// listed are the addresses that may be listed twice.
	listed sketch.Numbers
	// targets sees the replacements; it is made with the first. replaced are the
	// entries that have one, as far as they know themselves; named those whose address
	// may be one.
	targets         sketch.Bloom
	replaced, named sketch.Set
}

func (t *evaluation) survey(ctx context.Context) error {
	s := surveying{t: t, ends: sketch.CountMin{Limit: collapseAt}, few: sketch.CountMin{Limit: gatherAt}}
	for i := range t.sitemaps {
		s.size += t.sitemaps[i].Entries
	}
	s.twice = sketch.NewBloom(s.size)
	t.plain = sketch.NewSet(s.size)
	if err := t.planAll(ctx, t.judge, s.first); err != nil {
		return err
	}
	s.twice.OnlyMaybe()
	for i := range t.sitemaps {
		for e, err := range t.entries(ctx, i) {
			if err != nil {
				return err
			}
			s.second(e)
		}
	}
	if err := t.src.Err(); err != nil {
		return err
	}
	s.braked()
	s.wavered()
	s.endings()
	if err := t.planAgain(ctx); err != nil {
		return err
	}
	if err := t.places(ctx); err != nil {
		return err
	}
	return s.merge(ctx)
}

// planAgain plans all files once more where an end turned out to be no
// replacement, a kind of edit to waver, a site to have been down, or an old address to be a page again.
func (t *evaluation) planAgain(ctx context.Context) error {
	collapses := !t.rules.Lift[Collapsed] && (len(t.gathered) > 0 || t.ends.Any(func(n uint32) bool { return n >= collapseAt }))
	if !collapses && len(t.wavers) == 0 && !t.down && len(t.formers) == 0 {
		return nil
	}
	return t.planAll(ctx, t.brief, func(*Row) {})
}

func (s *surveying) first(row *Row) {
	if row.Address.IsZero() {
		return
	}
	if !s.earlier(&row.Entry) {
		s.t.causes.See(row)
	}
	if row.isPlain() {
		s.t.plain.Add(row.Entry.N)
		s.t.plainFix = row.Fix
	} else {
		s.t.outcomes.see(row, s.size)
	}
	s.twice.Add(sketch.Hash(row.Address.String()))
	if row.Fix.Action == Replace {
		if s.targets.IsZero() {
			s.targets = sketch.NewBloom(s.size)
		}
		s.targets.Add(pageHash(address.Wire(row.Fix.Loc)))
		s.replaced.Add(row.Entry.N)
	}
	if s.earlier(&row.Entry) {
		return
	}
	s.waver(row)
	s.tick(row)
	s.t.formers.see(row)
	for end := range row.ends {
		s.ends.Add(end, s.size)
		s.leads.Add(row.Entry.N)
	}
	if end, ok := row.gathers(); ok {
		s.few.Add(end, s.size)
		if row.unlike {
			s.unlike.Add(row.Entry.N)
		}
	}
}

// earlier reports whether no sitemap lists an entry any more: it was taken out.
func (s *surveying) earlier(e *Entry) bool { return s.t.sitemaps[e.Sitemap].Kind == KindEarlier }

func (s *surveying) second(e Entry) {
	a, err := e.Parse()
	if err != nil {
		return
	}
	if !s.earlier(&e) {
		delete(s.t.formers, a)
	}
	h := sketch.Hash(a.String())
	if s.targets.Has(pageHash(a)) {
		s.named.Add(e.N)
	}
	if s.twice.Maybe(h) {
		if _, again := s.listed.At(h); again {
			s.t.repeated.Add(e.N)
			return
		}
	}
	if !s.ends.Full() && !s.few.Full() && !s.unlike.Has(e.N) || !s.leads.Has(e.N) {
		return
	}
	var row Row
	if !s.t.outcomes.judge(&row, s.t.mem, e, s.t.rules) {
		s.t.judge(&row, s.t.mem, e)
	}
	s.gather(&row)
	for end := range row.ends {
		if !s.ends.Maybe(end) {
			continue
		}
		if n, _ := s.t.ends.At(end); *n < collapseAt {
			*n++
		}
	}
}

// ends yields hashes of the page that a row ends on, or names as its canonical, with another path
// than its own: that of its address and, where the redirect made up a query, those of its path with
// its title and with its heading. A waiting room or an error page may give everybody an address of
// their own ("/queue?id=1001"), but is one page. Of a row that adds a parameter it is a hash of that.
func (r *Row) ends(yield func(uint64) bool) {
	switch {
	case r.adds() != "":
		yield(sketch.Hash(r.Final.Origin() + " adds " + r.adds()))
	case !r.has(address.Path):
	case r.Verdict == Noncanonical:
		yield(sketch.Hash(r.named.String()))
	case len(r.Trail.Steps) > 1 && !r.Final.IsZero():
		query, made := r.Final.Query()
		if own, _ := r.Address.Query(); !yield(sketch.Hash(r.Final.String())) || !made || query == own {
			return
		}
		page := &r.Trail.last().Hop.Page
		path := r.Final.Origin() + r.Final.Path()
		if page.Title == "" || yield(sketch.Hash(path+" <title> "+page.Title)) {
			if page.Heading != "" {
				yield(sketch.Hash(path + " <h1> " + page.Heading))
			}
		}
	}
}

// adds returns the name of the parameter that redirects added to an address which is otherwise the
// listed one, but for a slash at its end; "" where they did not. Added to many it is no new address of a page, but a test for
// cookies, or a session.
func (r *Row) adds() string {
	bare := func(a address.Address) string { return strings.TrimSuffix(a.Path(), "/") }
	if r.Verdict != Moved || bare(r.Final) != bare(r.Address) || !r.has(address.Query) {
		return ""
	}
	own, _ := r.Address.Query()
	query, _ := r.Final.Query()
	if own != "" {
		own += "&"
	}
	added, ok := strings.CutPrefix(query, own)
	if name, _, valued := strings.Cut(added, "="); ok && valued && !strings.Contains(added, "&") {
		return name
	}
	return ""
}

// collapses reports whether one of the ends of a row is that of many, as ends counts them.
func (r *Row) collapses(ends *sketch.Numbers) bool {
	for end := range r.ends {
		if n, _ := ends.Get(end); n >= collapseAt {
			return true
		}
	}
	return false
}

// isPlain reports whether there is nothing to say of a row but that it is fine:
// one answer, a 200, and the entry stays as it is.
func (r *Row) isPlain() bool {
	return r.Verdict == OK && r.Status == 200 && r.Fix.Action == Keep && r.Trail.direct() && len(r.Notes) == 0 && len(r.Needs) == 0 && r.Other == nil
}

// plainSteps are the trail of all plain rows, as far as counting looks at it.
var plainSteps = []Step{{Hop: Hop{Status: 200}}}

// brief makes the row of an entry as judged does. That of an entry which the
// survey found plain holds no answer: it is not judged again.
func (t *evaluation) brief(row *Row, mem Answers, e Entry) {
	if !t.plain.Has(e.N) {
		t.judged(row, mem, e)
		return
	}
	a, _ := e.Parse() // it was parsed before
	*row = Row{room: row.room, Entry: e, Address: a, Verdict: OK, Trail: Trail{Steps: plainSteps, End: EndAnswer}, Final: a, Status: 200, Fix: t.plainFix}
	t.inAll(row)
}

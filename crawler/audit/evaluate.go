package audit

import (
	"context"
	"iter"
	"slices"
	"sync"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// Source is what Evaluate reads: what an audit remembers, and what it listed.
type Source interface {
	Answers
	// Sitemaps returns the sitemap files in the order of reading.
	Sitemaps() ([]Sitemap, error)
	// Entries yields the entries from <= N < to in order, until ctx ends: then its error.
	// An error ends it.
	Entries(ctx context.Context, from, to int) iter.Seq2[Entry, error]
}

// A Plan is an audit of which each entry is settled and decided, before its outputs are made.
type Plan struct {
	t       *evaluation
	decided *decisions // before anything was confirmed
}

// NewPlan decides on an audit from what is remembered, without a request. settled is what the crawl
// said of the entries; nil where that is to be found again. It returns an error only where src does,
// and ctx's once that ends.
func NewPlan(ctx context.Context, src Source, info Info, settled *SettledRows) (*Plan, error) {
	t, err := newEvaluation(src, info)
	if err != nil {
		return nil, err
	}
	if err := t.settle(ctx, settled); err != nil {
		return nil, err
	}
	if t.expects, err = newExpecting(ctx, t, ofKind(t.aside, KindExpect)); err != nil {
		return nil, err
	}
	return &Plan{t: t, decided: t.decide(nil)}, nil
}

// Needs returns what is to be requested before the edits are final: whether hosts are steady, and
// answer everybody alike. Request it, and call Needs again until there is none. An edit of which
// that is not known is not made.
func (p *Plan) Needs(ctx context.Context) ([]Request, error) {
	c, err := p.t.confirm(ctx, p.decided)
	if err != nil {
		return nil, err
	}
	return c.needs, nil
}

// Outdated keeps all entries of some files, by Sitemap.N: what they list has changed meanwhile.
func (p *Plan) Outdated(files []int) {
	p.t.info.Outdated = files
	for _, n := range files {
		p.t.unwritten[n] = UnwrittenOutdated
	}
	p.decided = p.t.decide(nil)
}

// Edited yields the sitemaps in which an entry or a child would be edited.
func (p *Plan) Edited() iter.Seq[*Sitemap] {
	return func(yield func(*Sitemap) bool) {
		if p.t.info.Partial {
			return
		}
		for i := range p.t.sitemaps {
			s := &p.t.sitemaps[i]
			edits := s.Links
			for n := s.First; n < s.First+s.Entries && !edits; n++ {
				edits = p.decided.of[n].act != keeps
			}
			if !edits && s.Kind == "index" {
				children := p.t.index(i)
				edits = len(children) > 0
			}
			if edits && !yield(s) {
				return
			}
		}
	}
}

// Result makes the result for the outputs. name gives each sitemap file a name of its own, from the
// URL where it belongs. It returns an error only where the source of the audit does, and so does
// every walk over the result: it ends with the error of the source where an answer could not be
// read, and nothing that it yielded may be believed then. With ctx it ends, and each walk with the
// one that it is given.
func (p *Plan) Result(ctx context.Context, name func(url string) string) (*Result, error) {
	c, err := p.t.confirm(ctx, p.decided)
	if err != nil {
		return nil, err
	}
	p.t.confirmed, p.t.d = c, p.t.decide(c)
	return p.t.result(ctx, name)
}

// Evaluate judges a whole audit from what is remembered, without a request: NewPlan and Result.
func Evaluate(ctx context.Context, src Source, info Info, name func(url string) string) (*Result, error) {
	p, err := NewPlan(ctx, src, info, nil)
	if err != nil {
		return nil, err
	}
	return p.Result(ctx, name)
}

// evaluation is the state of one Plan, kept for the rows of its Result. What it holds grows by some
// 60 bytes an entry.
type evaluation struct {
	src      Source
	mem      Answers   // src, for the goroutine of the caller
	mems     sync.Pool // of the same, for the goroutines that judge
	info     Info
	rules    *Rules
	sitemaps []Sitemap // of the site
	aside    []Sitemap // lists that are no file
	exports  []Sitemap // lists of reported addresses

	settled   *SettledRows
	rich      sketch.Set // entries that are not plain, or listed before, by N
	share     map[uint32]bool
	unwritten map[int]Unwritten
	confirmed *confirmed
	d         *decisions

	causes  Causes
	links   linkEdits
	also    *alsoJudging
	expects *expecting // nil without a map

	plainFix Fix // of what is fine
}

func newEvaluation(src Source, info Info) (*evaluation, error) {
	sitemaps, err := src.Sitemaps()
	if err != nil {
		return nil, err
	}
	at := firstAside(sitemaps)
	t := &evaluation{src: src, mem: NewAnswerCache(src, walkHops), mems: sync.Pool{New: func() any { return NewAnswerCache(src, walkHops) }},
		info: info, rules: &info.Rules, sitemaps: sitemaps[:at], aside: sitemaps[at:], exports: ofKind(sitemaps[at:], KindSearchConsole),
		unwritten: map[int]Unwritten{}}
	for _, n := range info.Outdated {
		t.unwritten[n] = UnwrittenOutdated
	}
	_, policy := t.rules.action(OK)
	t.plainFix = Fix{Action: Keep, Policy: policy, Why: Why{Key: string(OK)}}
	t.links = linkEdits{action: t.rules.action, row: t.rowAt}
	for i := range t.sitemaps {
		t.links.wanted = t.links.wanted || t.sitemaps[i].Links
	}
	for i := range t.sitemaps {
		if t.sitemaps[i].WrongSum() {
			t.unwritten[i] = UnwrittenChecksum
		}
	}
	return t, nil
}

// settle judges the entries that the crawl did not settle.
func (t *evaluation) settle(ctx context.Context, settled *SettledRows) error {
	total := 0
	for i := range t.sitemaps {
		total = max(total, t.sitemaps[i].First+t.sitemaps[i].Entries)
	}
	if t.settled = settled; settled == nil || len(settled.records) < total {
		t.settled = NewSettledRows(total)
	}
	open := sketch.NewSet(total)
	for i := range t.sitemaps {
		s := &t.sitemaps[i]
		for n := s.First; n < s.First+s.Entries; n++ {
			if t.settled.records[n].verdict == 0 {
				open.Add(n)
			}
		}
	}
	for row, err := range t.walk(t.entriesIn(ctx, 0, total, open), open.Len(), t.judge) {
		if err != nil {
			return err
		}
		t.settled.Put(row, t.rules)
	}
	t.rich = sketch.NewSet(total)
	for n := range t.settled.records[:total] {
		if !t.settled.records[n].has(isPlain) {
			t.rich.Add(n)
		}
	}
	return t.src.Err()
}

// readsOn is how many entries that are not wanted are read for less than it takes to begin to read
// anew behind them.
const readsOn = 12

// entriesIn yields the entries from <= N < to that are in a set.
func (t *evaluation) entriesIn(ctx context.Context, from, to int, in sketch.Set) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for from, to := range in.Clusters(from, to, readsOn) {
			for e, err := range t.src.Entries(ctx, from, to) {
				if (err != nil || in.Has(e.N)) && !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

// listed yields the entries of lists.
func (t *evaluation) listed(ctx context.Context, lists []Sitemap) iter.Seq2[Entry, error] {
	all := make([]iter.Seq2[Entry, error], len(lists))
	for i, s := range lists {
		all[i] = t.src.Entries(ctx, s.First, s.First+s.Entries)
	}
	return chain(all...)
}

// rowsOf yields the rows of lists, as judge makes them.
func (t *evaluation) rowsOf(ctx context.Context, lists []Sitemap, judge judger) iter.Seq2[*Row, error] {
	n := 0
	for i := range lists {
		n += lists[i].Entries
	}
	return t.walk(t.listed(ctx, lists), n, judge)
}

// rowsIn yields the rows of the entries in a set.
func (t *evaluation) rowsIn(ctx context.Context, in sketch.Set) iter.Seq2[*Row, error] {
	return t.walk(t.entriesIn(ctx, 0, len(t.settled.records), in), in.Len(), t.judge)
}

// base is where a file is served; of local input, the URL of its first entry.
func (t *evaluation) base(file int) address.Address {
	s := &t.sitemaps[file]
	if s.AnsweredAt != "" {
		return address.Wire(s.AnsweredAt)
	}
	for n := s.First; n < s.First+s.Entries; n++ {
		if x := &t.settled.records[n]; x.own != 0 {
			return address.Wire(t.settled.origins[x.from] + "/")
		}
	}
	return address.Address{}
}

// editable says why no entry of a file is edited; "" where they may be.
func (t *evaluation) editable(file int) Note {
	switch {
	case t.sitemaps[file].Cut:
		return HeldCut
	case t.unwritten[file] != "":
		return t.unwritten[file].note()
	case t.sitemaps[file].unclear():
		return HeldUnclear
	}
	return ""
}

// unclear reports whether URLs of s may be others than were read: they have entities that its own DTD
// declares, or its charset is not known.
func (s *Sitemap) unclear() bool {
	return slices.ContainsFunc(s.Faults, func(f SitemapFault) bool { return f.Key == "dtd-unread" || f.Key == "unknown-charset" })
}

// passwords reports whether most pages of an origin that are fine have a field for a password: then
// it says nothing of one of them.
func (t *evaluation) passwords(origin uint32) bool {
	if t.share == nil {
		fine, with := map[uint32]int{}, map[uint32]int{}
		for n := range t.settled.records {
			if x := &t.settled.records[n]; x.has(isFine) {
				fine[x.from]++
				with[x.from] += int(x.is & isPassword / isPassword)
			}
		}
		t.share = map[uint32]bool{}
		for o, n := range with {
			t.share[o] = 2*n > fine[o]
		}
	}
	return t.share[origin]
}

// result makes the result of what was decided, and is called once.
func (t *evaluation) result(ctx context.Context, name func(url string) string) (_ *Result, err error) {
	if t.also, err = newAlso(ctx, t, t.aside); err != nil {
		return nil, err
	}
	joins, err := newJoining(ctx, t)
	if err != nil {
		return nil, err
	}
	result := &Result{Info: t.info, links: t.links.fix, plan: t}
	result.rows = func(ctx context.Context, file int) iter.Seq2[*Row, error] {
		return t.finals(ctx, result.Files[file].Sitemap.N, t.judged)
	}
	result.edits = func(ctx context.Context, file int) iter.Seq2[*Row, error] {
		return t.finals(ctx, result.Files[file].Sitemap.N, t.brief)
	}
	for i := range t.sitemaps {
		result.Files = append(result.Files, t.file(i, name))
	}
	if err := t.count(ctx, result, joins); err != nil {
		return nil, err
	}
	result.editsLinks = t.links.edits
	result.Files = slices.DeleteFunc(result.Files, func(f File) bool { return f.Earlier() })
	if err := joins.join(ctx, result); err != nil {
		return nil, err
	}
	if err := t.expects.join(ctx, result); err != nil {
		return nil, err
	}
	return result, t.src.Err()
}

// judge is Judge of what is remembered.
func (t *evaluation) judge(row *Row, mem Answers, e Entry) {
	row.Judge(mem, e, t.rules, Want{Recheck: true, Last: !t.info.Ended.IsZero()})
}

// judged makes the final row of an entry.
func (t *evaluation) judged(row *Row, mem Answers, e Entry) {
	if !t.plain(e.N) || !row.follow(mem, e, t.rules) {
		t.judge(row, mem, e)
	} else {
		row.Verdict, row.Fix = OK, t.plainFix
	}
	t.apply(row)
}

// brief makes the row of an entry as judged does. That of a plain entry holds no answer: nothing is
// looked up for it.
func (t *evaluation) brief(row *Row, mem Answers, e Entry) {
	if !t.plain(e.N) {
		t.judged(row, mem, e)
		return
	}
	a, _ := e.Parse() // it was parsed before
	*row = Row{room: row.room, Entry: e, Address: a, Verdict: OK, Trail: Trail{Steps: plainSteps, End: EndAnswer}, Final: a, Status: 200, Fix: t.plainFix}
	t.apply(row)
}

// plain reports whether there is nothing to say of an entry but that it is fine.
func (t *evaluation) plain(n int) bool {
	return n < len(t.settled.records) && t.settled.records[n].has(isPlain)
}

// plainSteps are the trail of all plain rows, as far as counting looks at it.
var plainSteps = []Step{{Hop: Hop{Status: 200}}}

// isPlain reports whether there is nothing to say of a row but that it is fine: one answer, a 200,
// and the entry stays as it is.
func (r *Row) isPlain() bool {
	return r.Verdict == OK && r.Status == 200 && r.Fix.Action == Keep && r.Trail.direct() && len(r.Notes) == 0 && len(r.Needs) == 0 && r.Other == nil
}

// apply writes what was decided on an entry into its row.
func (t *evaluation) apply(r *Row) {
	n := r.Entry.N
	if n >= len(t.d.of) || t.sitemaps[r.Entry.Sitemap].Kind == KindEarlier {
		return
	}
	if t.d.repeated.Has(n) {
		r.note(Duplicate)
	}
	is := t.d.of[n]
	if is.lifted != 0 {
		r.Fix.Policy = liftedBy(stopNotes[is.lifted])
	}
	switch why := stopNotes[is.stop]; {
	case is.act == merges && r.Fix.Action == Keep:
		r.Fix = Fix{Action: Merge, Loc: r.Address.String(), Policy: r.Fix.Policy, Why: Why{Key: whyListedTwice}}
	case is.act == merges:
		r.Fix.Action, r.Fix.Why = Merge, Why{Key: whyMerged}
	case why == "" || r.Fix.Action == Keep:
	case CanLift(why) || why == Unsteady:
		r.stop(why)
	case why == Braked:
		r.stop(why)
		r.Fix.Why = t.d.plans[r.Entry.Sitemap].why
	default:
		r.hold(why)
	}
}

// rowAt returns the final row of an entry.
func (t *evaluation) rowAt(ctx context.Context, n int) (*Row, error) {
	var row Row
	for e, err := range t.src.Entries(ctx, n, n+1) {
		switch {
		case err != nil:
			return nil, err
		case e.Also != nil:
			t.also.final(&row, t.mem, e)
		default:
			t.judged(&row, t.mem, e)
		}
	}
	return &row, t.mem.Err()
}

// finals yields the final rows of a file; judged makes one of an entry. A row is the caller's until
// the next.
func (t *evaluation) finals(ctx context.Context, file int, judged judger) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		for row, err := range t.rowsOf(ctx, t.sitemaps[file:file+1], judged) {
			if err == nil && t.sitemaps[file].Kind == KindEarlier && !row.Has(CameBack) {
				continue
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
		if err := t.src.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// file describes sitemap i as its plan leaves it; counts come with count.
func (t *evaluation) file(i int, name func(string) string) File {
	s, p := &t.sitemaps[i], &t.d.plans[i]
	f := File{Sitemap: *s, BelongsAt: s.AnsweredAt, Braked: p.held, AllBraked: p.unlimited}
	if f.Earlier() {
		return f
	}
	at := s.AnsweredAt
	if at == "" {
		at = s.URL
	}
	if p.move != "" {
		f.BelongsAt, f.Moved = p.move+address.Wire(at).Target(), true
		if s.AnsweredAt == "" {
			f.BelongsAt, f.Moved = "", false
		} else {
			at = f.BelongsAt
		}
	}
	f.Name = name(at)
	f.children = t.index(i)
	f.Changed = len(f.children) > 0 && !s.Cut
	if why := t.unwritten[i]; why != "" {
		f.withhold(why)
	}
	return f
}

// Dropped yields the entries that the audit drops. One that is no URL is not among them. An error
// ends it.
func (t *Result) Dropped(ctx context.Context) iter.Seq2[Entry, error] {
	in, dropped := t.plan, sketch.Set{}
	in.d.all(func(_, n int, x *settled) {
		if in.d.of[n].act == drops && x.own != 0 {
			dropped.Add(n)
		}
	})
	return in.entriesIn(ctx, 0, len(in.d.records), dropped)
}

// SitemapURL returns the URL of sitemap n of the audit.
func (t *Result) SitemapURL(n int) string {
	if t.plan != nil {
		return t.plan.sitemaps[n].URL
	}
	for i := range t.Files { // of MakeResult
		if t.Files[i].Sitemap.N == n {
			return t.Files[i].Sitemap.URL
		}
	}
	return ""
}

package audit

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sort"
	"sync"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/internal/sketch"
)

// Source is what a Plan reads: what an audit remembers, and what it listed.
type Source interface {
	answers.Memory
	// Sitemaps returns the sitemap files in the order of reading, then the lists that are no file.
	Sitemaps() ([]Sitemap, error)
	// Entries yields the entries from <= N < to in order, until ctx ends: then its error.
	// An error ends it.
	Entries(ctx context.Context, from, to int) iter.Seq2[Entry, error]
}

// A Plan is an audit of which each entry is settled and decided, and of which the rows can be made.
// It holds some seven bytes an entry besides the settled rows, and more of what is edited.
type Plan struct {
	src      Source
	mem      *AnswerCache // of src, for the goroutine of the caller
	mems     sync.Pool    // of the same, for walks
	segments sync.Pool
	info     Info
	rules    *Rules    // of info
	sitemaps []Sitemap // of the site
	lists    []Sitemap // that are no file
	entries  int       // that sitemaps list; those of lists come after them

	settled   *SettledRows
	eventful  sketch.Set     // by N, entries that are edited, wrong or have a note
	asks      map[uint32]int // by origin: how many more pages have a field for a password than have none
	confirmed *confirmed
	d         *decisions

	causes *causes
	links  linkEdits

	uneventful Row // stands for each entry that is not eventful, for whoever counts rows
}

// NewPlan decides on an audit from what is remembered, without a request. settled is what the crawl said
// of the entries; if it is nil they are judged again. The error is one of src, or ctx's.
func NewPlan(ctx context.Context, src Source, info Info, settled *SettledRows) (*Plan, error) {
	sitemaps, err := src.Sitemaps()
	if err != nil {
		return nil, err
	}
	at := sort.Search(len(sitemaps), func(i int) bool { return !sitemaps[i].Listed() }) // these are read last
	cache := func() any { return NewAnswerCache(src, walkHops, !info.Ended.IsZero()) }
	t := &Plan{src: src, mem: cache().(*AnswerCache), mems: sync.Pool{New: cache}, segments: sync.Pool{New: func() any { return new(segment) }},
		info: info, sitemaps: sitemaps[:at], lists: sitemaps[at:]}
	t.rules = &t.info.Rules
	_, policy := t.rules.action(OK)
	t.uneventful = Row{Verdict: OK, Trail: answers.Trail{Steps: []answers.Step{{Hop: answers.Hop{Status: 200}}}, End: answers.EndAnswer},
		Status: 200, Fix: Fix{Action: Keep, Policy: policy, Why: Why{Key: string(OK)}}}
	t.links = linkEdits{action: t.rules.action, at: map[uint64]Edited{}}
	for i := range t.sitemaps {
		s := &t.sitemaps[i]
		t.entries = max(t.entries, s.First+s.Entries)
		t.links.wanted = t.links.wanted || s.Links
	}
	if err := t.settle(ctx, settled); err != nil {
		return nil, err
	}
	t.d = t.decide(nil)
	return t, nil
}

// settle judges the entries that the crawl did not settle.
func (t *Plan) settle(ctx context.Context, settled *SettledRows) error {
	if t.settled = settled; settled == nil || len(settled.records) < t.entries {
		t.settled = NewSettledRows(make([]byte, t.entries*SettledBytes), nil, nil)
	}
	open := sketch.NewSet(t.entries)
	for n := range t.entries {
		if t.settled.records[n].verdict == 0 {
			open.Add(n)
		}
	}
	for row, err := range t.rows(ctx, t.sitemaps, &open, t.judge) {
		if err != nil {
			return err
		}
		t.settled.Put(row, t.rules)
	}
	t.eventful = sketch.NewSet(t.entries)
	for n := range t.entries {
		if !t.settled.records[n].uneventful() {
			t.eventful.Add(n)
		}
	}
	return t.src.Err()
}

// Needs returns what is to be requested before the edits are final: the answers show whether hosts are
// steady, and answer everybody alike. Request it, and call Needs again until there is none. An edit
// without these answers is not made. An error is one of the source, or ctx's.
func (t *Plan) Needs(ctx context.Context) (_ []answers.Request, err error) {
	if t.confirmed, err = t.confirm(ctx, t.d); err != nil {
		return nil, err
	}
	return t.confirmed.needs, nil
}

// Outdated keeps all entries of some files, by Sitemap.N: what they list has changed meanwhile. It is
// called before Needs.
func (t *Plan) Outdated(files []int) {
	t.info.Outdated = files
	t.d = t.decide(nil)
}

// EditedSitemaps returns the sitemaps in which an entry or a child would be edited.
func (t *Plan) EditedSitemaps() (edited []Sitemap) {
	for i, s := range t.sitemaps {
		edits := s.Links || len(t.index(i)) > 0 ||
			slices.ContainsFunc(t.d.of[s.First:s.First+s.Entries], func(is decision) bool { return is.act != keeps })
		if edits && !t.info.Partial {
			edited = append(edited, s)
		}
	}
	return edited
}

// Evaluate judges a whole audit from what is remembered, without a request: NewPlan and Result.
func Evaluate(ctx context.Context, src Source, info Info, settled *SettledRows, name func(url string) string, see func(*Row) error) (*Result, error) {
	t, err := NewPlan(ctx, src, info, settled)
	if err != nil {
		return nil, err
	}
	return t.Result(ctx, name, see)
}

// base is where a file is served; of local input, the URL of its first entry.
func (t *Plan) base(file int) address.Address {
	s := &t.sitemaps[file]
	if s.AnsweredAt != "" {
		return address.Wire(s.AnsweredAt)
	}
	for n := s.First; n < s.First+s.Entries; n++ {
		if x := &t.settled.records[n]; x.own != 0 {
			return address.Wire(t.settled.Origins[x.from] + "/")
		}
	}
	return address.Address{}
}

// editable says why no entry of a file is edited; "" where they may be.
func (t *Plan) editable(file int) Note {
	switch {
	case slices.Contains(t.info.Outdated, file):
		return heldUnwritten
	case t.sitemaps[file].unclear():
		return heldUnclear
	}
	return ""
}

// passwords reports whether most fine pages of an origin have a field for a password: then such a field
// shows nothing.
func (t *Plan) passwords(origin uint32) bool {
	if t.asks == nil {
		t.asks = map[uint32]int{}
		for n := range t.settled.records {
			switch x := &t.settled.records[n]; {
			case x.fine() && x.has(isPassword):
				t.asks[x.from]++
			case x.fine():
				t.asks[x.from]--
			}
		}
	}
	return t.asks[origin] > 0
}

// judge is Judge of what is remembered.
func (t *Plan) judge(row *Row, mem *AnswerCache, e Entry) {
	want := Want{Recheck: true, last: !t.info.Ended.IsZero()}
	if e.N < t.entries {
		want.before = t.settled.records[e.N]
	}
	row.Judge(mem, e, t.rules, want)
}

// judged makes the final row of an entry of a sitemap: what was decided on it is written into it.
func (t *Plan) judged(row *Row, mem *AnswerCache, e Entry) {
	t.judge(row, mem, e)
	if t.d.repeated.Has(e.N) {
		row.note(duplicate)
	}
	is := t.d.of[e.N]
	if is.lifted != 0 {
		row.Fix.Policy = liftedBy(stopNotes[is.lifted])
	}
	switch why := stopNotes[is.stop]; {
	case is.act == merges:
		row.Fix = Fix{Action: Merge, Loc: cmp.Or(row.Fix.Loc, row.Address.String()), Policy: row.Fix.Policy, Why: Why{Key: whyMerged}}
	case why != "" && row.Fix.Action != Keep:
		row.stop(why, t.rules)
		if why == Braked {
			row.Fix.Why = t.d.files[e.Sitemap].why
		}
	}
	if row.Fix.Action != Keep && t.sitemaps[e.Sitemap].InPart() {
		row.Fix.Stop = heldUnwritten
	}
}

// brief is judged, but that the row of an entry which is not eventful has no answers: nothing is looked up
// for it.
func (t *Plan) brief(row *Row, mem *AnswerCache, e Entry) {
	if t.eventful.Has(e.N) {
		t.judged(row, mem, e)
		return
	}
	steps := row.steps
	*row = t.uneventful
	row.Entry, row.steps = e, steps
	row.Address, _ = e.Parse() // it was parsed before
	row.Final = row.Address
}

package crawler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"

	"sitemend/crawler/audit"
)

// faraway is the Frontier of dueHosts as if it were on another machine: everything that passes is
// encoded and decoded, the answers of a lease are gathered until its end, and a host is leased to
// one holder only.
type faraway struct {
	*dueHosts
	t *testing.T

	mu      sync.Mutex
	leased  map[string]bool
	states  map[string]HostState
	kept    map[string][]audit.Hop // of a lease
	fenced  string                 // a host whose answers are refused
	refused int
}

// written encodes a value and decodes it again.
func written[T any](t *testing.T, v T) (again T) {
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &again)
	}
	if err != nil {
		t.Error(err)
	}
	return again
}

func (f *faraway) Lease(ctx context.Context) (*Lease, error) {
	l, err := f.dueHosts.Lease(ctx)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.leased[l.Key] {
		f.t.Errorf("%s is leased twice", l.Key)
	}
	f.leased[l.Key] = true
	l.State, l.Elsewhere, l.Answers = written(f.t, f.states[l.Key]), true, gathered{f.store, f, l.Key}
	return l, nil
}

func (f *faraway) Next(ctx context.Context, l *Lease, into []Task) ([]Task, error) {
	tasks, err := f.dueHosts.Next(ctx, l, into)
	for i, t := range tasks {
		tasks[i] = written(f.t, t)
	}
	return tasks, err
}

func (f *faraway) Done(ctx context.Context, l *Lease, hops []audit.Hop, foreign []Task) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l.Key == f.fenced && len(hops) > 0 {
		f.refused++
		return ErrFenced
	}
	for _, t := range foreign {
		if len(t.Trail) == 0 || t.Trail[0].URL != t.Entry.Loc {
			f.t.Errorf("%s comes to %s without its trail: %v", t.Entry.Loc, t.Request.URL, t.Trail)
		}
	}
	for _, t := range foreign {
		if name := f.key(t.Request.URL); f.add(name, written(f.t, t)) {
			defer f.more(name)
		}
	}
	f.kept[l.Key] = append(f.kept[l.Key], written(f.t, hops)...)
	return nil
}

func (f *faraway) Release(ctx context.Context, l *Lease, s HostState) error {
	f.mu.Lock()
	f.leased[l.Key], f.states[l.Key] = false, written(f.t, s)
	hops := f.kept[l.Key]
	f.kept[l.Key] = nil
	f.mu.Unlock()
	return errors.Join(f.dueHosts.Done(ctx, l, hops, nil), f.dueHosts.Release(ctx, l, s))
}

// gathered is the answers that are known while a host is leased.
type gathered struct {
	audit.Answers
	f   *faraway
	key string
}

func (g gathered) Hop(r audit.Request) (audit.Hop, bool) {
	g.f.mu.Lock()
	defer g.f.mu.Unlock()
	if i := slices.IndexFunc(g.f.kept[g.key], func(h audit.Hop) bool { return h.Request == r }); i >= 0 {
		return g.f.kept[g.key][i], true
	}
	return g.Answers.Hop(r)
}

// workFar runs the first phase of an audit over a remote Frontier, until nothing is due.
func workFar(t *testing.T, c *Crawler, fenced string) *faraway {
	t.Helper()
	n := c.store.EntryCount()
	p := phase{first: true, open: allNumbers(n)}
	c.open = open{trail: p.open, spelled: noNumbers(n), gone: noNumbers(n)}
	c.rows = audit.NewSettledRows(n)
	f := &faraway{t: t, leased: map[string]bool{}, states: map[string]HostState{}, kept: map[string][]audit.Hop{}, fenced: fenced}
	for {
		runs, err := c.plan(t.Context(), p)
		must(t, err)
		if len(runs) == 0 || f.refused > 0 {
			return f
		}
		f.dueHosts = c.newDueHosts(p.ask)
		for name, r := range runs {
			f.plan(name, r)
		}
		must(t, c.work(t.Context(), p, f))
	}
}

// Tasks are data: over a Frontier that encodes everything and gathers the answers of a lease, an
// audit ends as it does in one process.
func TestAFrontierFarAway(t *testing.T) {
	locs, hosts, answer := randomWeb(200, 3)
	s := serveSite(t, answer)
	near, far := newMemoryStore(locs...), newMemoryStore(locs...)
	must(t, s.crawler(t, near, hosts...).Run(t.Context()))
	f := workFar(t, s.crawler(t, far, hosts...), "")
	if len(f.states) != len(hosts) {
		t.Errorf("given back were %v", f.states)
	}
	got, want := far.statuses(), near.statuses()
	maps.DeleteFunc(want, func(r, _ string) bool { _, ok := got[r]; return !ok }) // spellings and confirmations
	if len(got) < len(locs) || !maps.Equal(got, want) {
		t.Errorf("%d answers, or others than near: %d", len(got), len(want))
	}
}

// A host that another holder has by now gets no more requests, and that is not a fault.
func TestAFencedLease(t *testing.T) {
	s := serveSite(t, func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusOK) })
	var locs []string
	for i := range 100 {
		locs = append(locs, fmt.Sprintf("http://a.example/%d", i), fmt.Sprintf("http://b.example/%d", i))
	}
	store := newMemoryStore(locs...)
	c := s.crawler(t, store, "a.example", "b.example")
	f := workFar(t, c, "a.example")
	if len(store.hops) != 100 || f.refused == 0 {
		t.Errorf("%d answers, %d refused", len(store.hops), f.refused)
	}
}

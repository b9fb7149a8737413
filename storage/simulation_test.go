package storage

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
)

// A model is what a store should contain, in maps. hops has the latest answer to each request.
type model struct {
	mu      sync.Mutex
	hops    map[answers.Request]answers.Hop
	records map[string]string
	kept    int
	entries []audit.Entry
}

// workers is how many goroutines use an audit at once. Each has addresses of its own, so that it
// knows the latest answer, and reads those of all others.
const workers = 4

func TestSimulation(t *testing.T) {
	dir := t.TempDir()
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		path := filepath.Join(dir, fmt.Sprint(round), "audits.db")
		s, a := mustBegin(rt, path)
		defer func() { _ = s.Close() }()
		m := &model{hops: map[answers.Request]answers.Hop{}, records: map[string]string{}}
		for range rapid.IntRange(1, 4).Draw(rt, "sessions") {
			m.work(rt, a)
			m.compare(rt, a)
			mustDo(rt, s.Close())
			s = mustOpen(rt, path)
			a = mustAudit(rt, s, Latest)
			m.compare(rt, a)
		}
	})
}

// An op is one step of a worker.
type op struct {
	kind, which, value int
}

// work makes all workers perform their steps while a sitemap is added.
func (m *model) work(rt *rapid.T, a *Audit) {
	step := rapid.Custom(func(rt *rapid.T) op {
		return op{rapid.IntRange(0, 5).Draw(rt, "kind"), rapid.IntRange(0, 9).Draw(rt, "which"), rapid.IntRange(0, 1<<20).Draw(rt, "value")}
	})
	var group sync.WaitGroup
	errs := make([]error, workers+1)
	n := rapid.IntRange(0, 30).Draw(rt, "entries")
	group.Go(func() { errs[workers] = m.addSitemap(a, n) })
	for w := range workers {
		steps := rapid.SliceOfN(step, 0, 60).Draw(rt, fmt.Sprintf("worker %d", w))
		group.Go(func() {
			for _, o := range steps {
				errs[w] = errors.Join(errs[w], m.step(a, w, o))
			}
		})
	}
	group.Wait()
	mustDo(rt, errors.Join(errs...))
}

func (m *model) step(a *Audit, w int, o op) error {
	r := answers.Request{URL: fmt.Sprintf("https://w%d.example/%d", w, o.which), Purpose: answers.Purpose(o.which % 3)}
	name := fmt.Sprintf("%d-%d", w, o.which)
	switch o.kind {
	case 0, 1:
		h := answers.Hop{Request: r, Status: o.value, Tries: o.which, At: start, Page: answers.Page{Title: string(make([]byte, o.value%3000))}}
		m.mu.Lock()
		m.kept++
		m.hops[r] = h
		m.mu.Unlock()
		return a.Keep(h)
	case 2:
		m.mu.Lock()
		m.records[name] = fmt.Sprint(o.value)
		m.mu.Unlock()
		return a.Put(name, []byte(fmt.Sprint(o.value)))
	case 3:
		return a.Flush()
	case 4:
		return m.own(a, r, name)
	}
	other := answers.Request{URL: fmt.Sprintf("https://w%d.example/%d", o.value%workers, o.which), Purpose: answers.Purpose(o.which % 3)}
	if h, ok := a.Hop(other); ok && h.Request != other {
		return fmt.Errorf("asked for %v, got %v", other, h.Request)
	}
	return nil
}

// own compares what only this worker writes, at once.
func (m *model) own(a *Audit, r answers.Request, name string) error {
	m.mu.Lock()
	want, wantOK := m.hops[r]
	record, recordOK := m.records[name]
	m.mu.Unlock()
	if got, ok := a.Hop(r); ok != wantOK || got != want {
		return fmt.Errorf("hop %v: got %+v, %v, want %+v, %v", r, got, ok, want, wantOK)
	}
	v, ok, err := a.Get(name)
	if err != nil || ok != recordOK || string(v) != record {
		return fmt.Errorf("record %s: got %q, %v, %v, want %q", name, v, ok, err, record)
	}
	return nil
}

func (m *model) addSitemap(a *Audit, n int) error {
	sm, err := added(a, context.Background(), audit.Sitemap{}, listed(n))
	for e := range listed(n) {
		e.N, e.Sitemap = len(m.entries), sm.N
		m.entries = append(m.entries, e)
	}
	return err
}

func (m *model) compare(rt *rapid.T, a *Audit) {
	for r, want := range m.hops {
		if got, ok := a.Hop(r); !ok || got != want {
			rt.Fatalf("hop %v: got %+v, %v, want %+v", r, got, ok, want)
		}
	}
	for name, want := range m.records {
		if v, ok, err := a.Get(name); !ok || err != nil || string(v) != want {
			rt.Fatalf("record %s: got %q, %v, %v, want %q", name, v, ok, err, want)
		}
	}
	n := 0
	for e, err := range a.Entries(rt.Context(), 0, len(m.entries)+1) {
		mustDo(rt, err)
		if e != m.entries[n] {
			rt.Fatalf("entry %d: got %+v, want %+v", n, e, m.entries[n])
		}
		n++
	}
	if n != len(m.entries) || a.Hops() != m.kept {
		rt.Fatalf("got %d entries and %d hops, want %d and %d", n, a.Hops(), len(m.entries), m.kept)
	}
}

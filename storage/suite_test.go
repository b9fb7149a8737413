package storage_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/storage"
)

// TestStore checks what the crawler relies on.
func TestStore(t *testing.T) {
	for name, test := range map[string]func(*testing.T, *storage.Audit){
		"the latest answer counts":              latest,
		"purposes are kept apart":               purposes,
		"records are copies":                    records,
		"entries come in order":                 entries,
		"a sitemap is there whole or not":       whole,
		"a sitemap that ends early is not kept": cut,
		"what is known of a sitemap changes":    changes,
		"a file comes back as it was":           spool,
		"what is read ends with its context":    stopped,
		"many use it at once":                   atOnce,
	} {
		t.Run(name, func(t *testing.T) {
			s, err := storage.Open(filepath.Join(t.TempDir(), "audits.db"))
			must(t, err)
			t.Cleanup(func() { _ = s.Close() })
			a, err := s.Begin(audit.Info{Tool: "sitemend test"}, "shape")
			must(t, err)
			test(t, a)
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func request(n int) audit.Request {
	return audit.Request{URL: fmt.Sprintf("https://a.example/%d", n)}
}

func hop(n, status int) audit.Hop {
	return audit.Hop{Request: request(n), Status: status, Tries: 1}
}

func latest(t *testing.T, s *storage.Audit) {
	if h, ok := s.Hop(request(1)); ok {
		t.Fatalf("an empty store remembers %+v", h)
	}
	for _, status := range []int{503, 503, 200} {
		must(t, s.Keep(hop(1, status)))
		if h, ok := s.Hop(request(1)); !ok || h.Status != status {
			t.Fatalf("after %d: %d, %v", status, h.Status, ok)
		}
	}
	must(t, s.Err())
}

func purposes(t *testing.T, s *storage.Audit) {
	for i, as := range []audit.Purpose{audit.AsRobot, audit.AsBrowser, audit.AsProof,
		audit.AsRobot | audit.WithoutSecrets} {
		h := hop(1, 200+i)
		h.Purpose = as
		must(t, s.Keep(h))
	}
	for i, as := range []audit.Purpose{audit.AsRobot, audit.AsBrowser, audit.AsProof,
		audit.AsRobot | audit.WithoutSecrets} {
		if h, ok := s.Hop(audit.Request{URL: request(1).URL, Purpose: as}); !ok || h.Status != 200+i {
			t.Errorf("purpose %d: %d, %v", as, h.Status, ok)
		}
	}
	if _, ok := s.Hop(audit.Request{URL: request(1).URL, Purpose: audit.AsBrowser | audit.WithoutSecrets}); ok {
		t.Error("a question that was never asked has an answer")
	}
}

func records(t *testing.T, s *storage.Audit) {
	if _, ok, err := s.Get("k"); ok || err != nil {
		t.Fatalf("an empty store has a record: %v, %v", ok, err)
	}
	value := []byte("abc")
	must(t, s.Put("k", value))
	must(t, s.Put("empty", nil))
	value[0] = 'x'
	for range 2 {
		got, ok, err := s.Get("k")
		if string(got) != "abc" || !ok || err != nil {
			t.Fatalf("got %q, %v, %v", got, ok, err)
		}
		got[0] = 'y'
	}
	if got, ok, err := s.Get("empty"); len(got) != 0 || !ok || err != nil {
		t.Fatalf("the empty record is %q, %v, %v", got, ok, err)
	}
	must(t, s.Put("k", []byte("new")))
	if got, _, _ := s.Get("k"); string(got) != "new" {
		t.Fatalf("put again, it is %q", got)
	}
}

// listed yields n entries, and then err where there is one.
func listed(n int, err error) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		for i := range n {
			if !yield(audit.Entry{Loc: request(i).URL, Line: i + 1}, nil) {
				return
			}
		}
		if err != nil {
			yield(audit.Entry{}, err)
		}
	}
}

// read returns the N of the entries with from <= N < to.
func read(t *testing.T, s *storage.Audit, from, to int) (ns []int) {
	t.Helper()
	for e, err := range s.Entries(t.Context(), from, to) {
		must(t, err)
		ns = append(ns, e.N)
	}
	return ns
}

func entries(t *testing.T, s *storage.Audit) {
	for i, n := range []int{3, 0, 2} {
		sm, err := added(s, t.Context(),
			audit.Sitemap{URL: fmt.Sprint("https://a.example/", i, ".xml")}, listed(n, nil))
		must(t, err)
		if sm.N != i || sm.Entries != n || sm.First != []int{0, 3, 3}[i] {
			t.Errorf("sitemap %d is %d, with %d entries from %d", i, sm.N, sm.Entries, sm.First)
		}
	}
	if s.EntryCount() != 5 {
		t.Fatalf("%d entries", s.EntryCount())
	}
	for _, tt := range []struct {
		from, to int
		want     []int
	}{{0, 5, []int{0, 1, 2, 3, 4}}, {1, 4, []int{1, 2, 3}}, {-2, 2, []int{0, 1}}, {4, 99, []int{4}},
		{2, 2, nil}, {7, 9, nil}} {
		if got := read(t, s, tt.from, tt.to); !slices.Equal(got, tt.want) {
			t.Errorf("from %d to %d: %v, want %v", tt.from, tt.to, got, tt.want)
		}
	}
	for e, err := range s.Entries(t.Context(), 3, 5) {
		must(t, err)
		if e.Sitemap != 2 || e.Loc != request(e.N-3).URL || e.Line != e.N-2 {
			t.Errorf("entry %d is %+v", e.N, e)
		}
		break // leaving a walk early leaves nothing locked
	}
	must(t, s.Keep(hop(1, 200)))
}

func whole(t *testing.T, s *storage.Audit) {
	seen := func(yield func(audit.Entry, error) bool) {
		for e := range listed(700, nil) {
			if n := s.EntryCount(); n != 0 {
				t.Fatalf("%d entries are there while their sitemap is read", n)
			}
			if !yield(e, nil) {
				return
			}
		}
	}
	err := s.AddSitemap(t.Context(), &audit.Sitemap{URL: "https://a.example/s.xml"}, seen)
	must(t, err)
	if s.EntryCount() != 700 {
		t.Errorf("%d entries", s.EntryCount())
	}
}

func cut(t *testing.T, s *storage.Audit) {
	broken := errors.New("broken")
	if err := s.AddSitemap(t.Context(), &audit.Sitemap{URL: "https://a.example/s.xml"}, listed(10, broken)); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stopping := func(yield func(audit.Entry, error) bool) {
		for e, err := range listed(5000, nil) {
			cancel()
			if !yield(e, err) {
				return
			}
		}
	}
	if err := s.AddSitemap(ctx, &audit.Sitemap{URL: "https://a.example/s.xml"}, stopping); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped, the error is %v", err)
	}
	if sms, err := s.Sitemaps(); len(sms) != 0 || err != nil || s.EntryCount() != 0 {
		t.Fatalf("%d sitemaps, %d entries, %v", len(sms), s.EntryCount(), err)
	}
	sm, err := added(s, t.Context(), audit.Sitemap{URL: "https://a.example/s.xml"},
		listed(2, nil))
	must(t, err)
	if sm.N != 0 || sm.First != 0 || !slices.Equal(read(t, s, 0, 2), []int{0, 1}) {
		t.Errorf("the next one is %d, its entries begin with %d", sm.N, sm.First)
	}
}

func changes(t *testing.T, s *storage.Audit) {
	sm, err := added(s, t.Context(),
		audit.Sitemap{URL: "https://a.example/s.xml", Kind: "urlset"}, listed(2, nil))
	must(t, err)
	sm.Faults = []audit.SitemapFault{{Name: "Too long", Line: 3}}
	must(t, s.PutSitemap(sm))
	sm.Faults[0].Name = "changed by the caller"
	sms, err := s.Sitemaps()
	must(t, err)
	if len(sms) != 1 || len(sms[0].Faults) != 1 || sms[0].Faults[0].Name != "Too long" ||
		sms[0].Entries != 2 {
		t.Errorf("it is kept as %+v", sms)
	}
}

func spool(t *testing.T, s *storage.Audit) {
	const text = "<urlset>\x00\xff</urlset>"
	w, err := s.SpoolWriter("0001.xml")
	must(t, err)
	_, err = io.WriteString(w, text)
	must(t, err)
	must(t, w.Close())
	for range 2 {
		r, err := s.OpenSpool(t.Context(), "0001.xml")
		must(t, err)
		got, err := io.ReadAll(r)
		must(t, err)
		must(t, r.Close())
		if string(got) != text {
			t.Fatalf("got %q", got)
		}
	}
	if r, err := s.OpenSpool(t.Context(), "0002.xml"); err == nil {
		t.Errorf("a file that was never written opens: %v", r.Close())
	}
}

func stopped(t *testing.T, s *storage.Audit) {
	err := s.AddSitemap(t.Context(), &audit.Sitemap{URL: "https://a.example/s.xml"},
		listed(2000, nil))
	must(t, err)
	w, err := s.SpoolWriter("0001.xml")
	must(t, err)
	_, err = w.Write(make([]byte, 1<<20))
	must(t, errors.Join(err, w.Close()))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r, err := s.OpenSpool(ctx, "0001.xml")
	must(t, err)
	defer r.Close()
	n := 0
	for _, err = range s.Entries(ctx, 0, 2000) {
		if n++; n == 10 {
			stop()
		}
	}
	if n > 11 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d entries come, then %v", n, err)
	}
	if n, err := io.Copy(io.Discard, r); n > 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d bytes come, then %v", n, err)
	}
}

func atOnce(t *testing.T, s *storage.Audit) {
	var group sync.WaitGroup
	for w := range 4 {
		group.Go(func() {
			for i := range 50 {
				h := hop(w*50+i, 200+w)
				if err := s.Keep(h); err != nil {
					t.Error(err)
				}
				if got, ok := s.Hop(h.Request); !ok || got.Status != h.Status {
					t.Errorf("%s: %d, %v", h.URL, got.Status, ok)
				}
				if err := s.Put(h.URL, []byte{byte(w)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	for n := range 200 {
		if h, ok := s.Hop(request(n)); !ok || h.Status != 200+n/50 {
			t.Errorf("%d: %d, %v", n, h.Status, ok)
		}
	}
}

// added adds a sitemap and returns it.
func added(a *storage.Audit, ctx context.Context, sm audit.Sitemap, entries iter.Seq2[audit.Entry, error]) (audit.Sitemap, error) {
	err := a.AddSitemap(ctx, &sm, entries)
	return sm, err
}

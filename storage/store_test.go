package storage

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

func entries(t *testing.T, a *Audit, from, to int) []audit.Entry {
	t.Helper()
	var got []audit.Entry
	for e, err := range a.Entries(t.Context(), from, to) {
		mustDo(t, err)
		got = append(got, e)
	}
	return got
}

func TestAuditsAreListedOldestFirst(t *testing.T) {
	s := mustOpen(t, filepath.Join(t.TempDir(), "audits.db"))
	for _, at := range []time.Time{start, start, start.In(time.FixedZone("JST", 9*3600)), start.Add(time.Hour)} {
		_, err := s.Begin(audit.Info{Started: at}, "")
		mustDo(t, err)
	}
	infos, err := s.Audits()
	mustDo(t, err)
	var ids []string
	for _, i := range infos {
		ids = append(ids, i.ID)
	}
	same(t, "ids", ids, []string{"20261121T101502Z", "20261121T101502Z-2", "20261121T101502Z-3", "20261121T111502Z"})
	if a := mustAudit(t, s, Latest); a.ID() != ids[3] {
		t.Fatalf("latest is %s", a.ID())
	}
	for _, id := range []string{"20261121T101505Z", "", "../x"} {
		if _, err := s.Audit(id); !errors.Is(err, ErrNone) {
			t.Fatalf("Audit(%q): %v", id, err)
		}
	}
}

func TestUnfinished(t *testing.T) {
	s := mustOpen(t, filepath.Join(t.TempDir(), "audits.db"))
	now := start
	s.now = func() time.Time { return now }
	begin := func(shape string) *Audit {
		t.Helper()
		a, err := s.Begin(audit.Info{Started: now}, shape)
		mustDo(t, err)
		return a
	}
	check := func(shape string, notBefore time.Time, want string) {
		t.Helper()
		if id, err := s.Unfinished(shape, notBefore); id != want || err != nil {
			t.Fatalf("Unfinished(%q) = %q, %v; want %q", shape, id, err, want)
		}
	}
	old := begin("a")
	now = now.Add(time.Hour)
	young, other := begin("a"), begin("b")
	check("a", start, young.ID())
	check("b", start, other.ID())
	check("c", start, "")
	check("a", now, young.ID())
	check("a", now.Add(time.Millisecond), "")
	mustDo(t, young.SetInfo(audit.Info{Ended: now}))
	check("a", start, "") // the older one is not continued
	now = now.Add(time.Hour)
	mustDo(t, old.Keep(usualHop(1)))
	mustDo(t, old.Flush())
	check("a", now, "")
	if at, err := old.Active(); !at.Equal(now) || err != nil {
		t.Fatalf("active at %v, %v", at, err)
	}
}

func TestSitemapIsThereWholeOrNotAtAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audits.db")
	s, a := mustBegin(t, path)
	err := a.AddSitemap(t.Context(), &audit.Sitemap{URL: "one"}, listed(3))
	mustDo(t, err)
	broken := errors.New("the file broke off")
	var sm audit.Sitemap
	err = a.AddSitemap(t.Context(), &sm, breakOff(2*batchRecords+10, broken))
	if !errors.Is(err, broken) || a.EntryCount() != 3 {
		t.Fatalf("got %v and %d entries", err, a.EntryCount())
	}
	mustDo(t, s.Close())
	s = mustOpen(t, path)
	a = mustAudit(t, s, Latest)
	if a.EntryCount() != 3 || len(entries(t, a, 0, 99)) != 3 {
		t.Fatalf("got %d entries of half a sitemap", a.EntryCount())
	}
	sm, err = added(a, t.Context(), audit.Sitemap{URL: "two"}, listed(4))
	mustDo(t, err)
	if sm.N != 1 || sm.First != 3 || sm.Entries != 4 || a.EntryCount() != 7 {
		t.Fatalf("got %+v", sm)
	}
	_, err = added(a, t.Context(), audit.Sitemap{URL: "three"}, listed(200))
	mustDo(t, err)
	if got := entries(t, a, 0, 999); len(got) != 207 || got[3].N != 3 || got[3].Sitemap != 1 || got[3].Loc != wire(0) {
		t.Fatalf("got %d entries: %+v", len(got), got)
	}
}

func breakOff(after int, err error) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		for e := range listed(after) {
			if !yield(e, nil) {
				return
			}
		}
		yield(audit.Entry{}, err)
	}
}

// drawn is a value of which each field is drawn; texts are any octets.
func drawn[T any](seed int) T {
	return rapid.MakeCustom[T](rapid.MakeConfig{
		Kinds: map[reflect.Kind]*rapid.Generator[any]{reflect.String: rapid.Map(rapid.SliceOf(rapid.SampledFrom([]byte("ab\xff\x00"))), func(b []byte) string { return string(b) }).AsAny()},
		Types: map[reflect.Type]*rapid.Generator[any]{reflect.TypeFor[time.Time](): rapid.Map(rapid.Int64Range(0, 1<<42), func(ms int64) time.Time { return time.UnixMilli(ms).UTC() }).AsAny()},
	}).Example(seed)
}

// Every field of an answer and of an entry comes back, but the links of a page.
func TestEveryFieldIsStored(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audits.db")
	s, a := mustBegin(t, path)
	var hops []answers.Hop
	var listed []audit.Entry
	for i := range 50 {
		h, e := drawn[answers.Hop](i), drawn[audit.Entry](i)
		h.URL, e.N, e.Sitemap = wire(i), i, 0
		hops, listed = append(hops, h), append(listed, e)
		mustDo(t, a.Keep(h))
	}
	err := a.AddSitemap(t.Context(), &audit.Sitemap{}, func(yield func(audit.Entry, error) bool) {
		for _, e := range listed {
			if !yield(e, nil) {
				return
			}
		}
	})
	mustDo(t, errors.Join(err, s.Close()))
	a = mustAudit(t, mustOpen(t, path), Latest)
	for _, want := range hops {
		got, _ := a.Hop(want.Request)
		want.Links = ""
		same(t, "answer", got, want)
	}
	same(t, "entries", entries(t, a, 0, 50), listed)
}

func TestRemove(t *testing.T) {
	s, a := mustBegin(t, filepath.Join(t.TempDir(), "audits.db"))
	writeSpool(t, a, "1", []byte("<urlset/>"))
	b, err := s.Begin(audit.Info{Started: start}, "")
	mustDo(t, err)
	writeSpool(t, b, "1", []byte("kept"))
	other := s.spoolPath("", "mine")
	mustDo(t, os.Mkdir(other, 0o755))
	if err := s.Remove(a.ID()); !errors.Is(err, ErrOpen) {
		t.Fatalf("an open audit: %v", err)
	}
	mustDo(t, a.Close())
	mustDo(t, s.Remove(a.ID()))
	if err := s.Remove(a.ID()); !errors.Is(err, ErrNone) {
		t.Fatalf("removed again: %v", err)
	}
	left, err := os.ReadDir(s.spoolPath("", ""))
	mustDo(t, err)
	names := slices.Collect(func(yield func(string) bool) {
		for _, d := range left {
			yield(d.Name())
		}
	})
	same(t, "spool folders", names, []string{b.ID(), "mine"})
	same(t, "spooled", readSpool(t, b, "1"), []byte("kept"))
	mustDo(t, b.Close())
	mustDo(t, s.Remove(Latest))
	if infos, err := s.Audits(); len(infos) != 0 || err != nil {
		t.Fatalf("left: %v, %v", infos, err)
	}
}

func TestReadingOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audits.db")
	if _, err := OpenReadOnly(path); !errors.Is(err, ErrNone) {
		t.Fatalf("no file: %v", err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Fatalf("it was created: %v", err)
	}
	s, a := mustBegin(t, path)
	writeSpool(t, a, "x", []byte("x"))
	mustDo(t, s.Close())
	before, err := os.ReadFile(path)
	mustDo(t, err)
	s, err = OpenReadOnly(path)
	mustDo(t, err)
	second, err := OpenReadOnly(path)
	mustDo(t, err)
	mustDo(t, second.Close())
	a = mustAudit(t, s, Latest)
	addErr := a.AddSitemap(t.Context(), &audit.Sitemap{}, nil)
	_, beginErr := s.Begin(audit.Info{}, "")
	_, spoolErr := a.SpoolWriter("y")
	for what, err := range map[string]error{"Keep": a.Keep(usualHop(1)), "Put": a.Put("k", nil), "SetInfo": a.SetInfo(a.Info()),
		"AddSitemap": addErr, "NoteAll": s.NoteAll(map[string][]byte{"a": nil}), "Begin": beginErr, "SpoolWriter": spoolErr, "Remove": s.Remove("20261121T101502Z")} {
		if !errors.Is(err, ErrReadOnly) && !(what == "Remove" && errors.Is(err, ErrOpen)) {
			t.Errorf("%s: %v", what, err)
		}
	}
	same(t, "spooled", readSpool(t, a, "x"), []byte("x"))
	mustDo(t, errors.Join(a.Close(), s.Close(), s.Close()))
	after, err := os.ReadFile(path)
	mustDo(t, err)
	if !reflect.DeepEqual(before, after) {
		t.Fatal("the file was changed")
	}
}

// What is pending is written automatically, without a Flush.
func TestPendingIsWrittenInTime(t *testing.T) {
	s, a := mustBegin(t, filepath.Join(t.TempDir(), "audits.db"))
	written := make(chan struct{})
	at := start
	s.now = func() time.Time { // called for each commit
		close(written)
		return at
	}
	mustDo(t, a.Keep(usualHop(1)))
	<-written
	a.committing.Lock() // waits for the end of the commit
	defer func() { a.committing.Unlock(); s.now = time.Now }()
	mustDo(t, a.chunk(hopsBucket, 0, 1, func(uint64, []byte) error { return nil }))
}

// An answer after which another attempt is due is stored until the answer to that one replaces it,
// and its requests count once, also where there is no further attempt.
func TestAPendingAnswer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audits.db")
	s, a := mustBegin(t, path)
	first := usualHop(1)
	first.Status, first.Pending = 503, true
	second := first
	second.Tries, second.Counted, second.At = 2, 1, first.At.Add(time.Second)
	for i, h := range []answers.Hop{first, second, second.Stands()} {
		mustDo(t, a.Keep(h))
		mustDo(t, s.Close())
		s = mustOpen(t, path)
		a = mustAudit(t, s, Latest)
		sent := a.Sent()
		if got, _ := a.Hop(h.Request); got != h || sent != min(i+1, 2) {
			t.Errorf("%d requests, remembered is %+v,\nwant %+v", sent, got, h)
		}
	}
	mustDo(t, s.Close())
}

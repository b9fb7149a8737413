package serve

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"html"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sitemend/crawler/audit"
	"sitemend/crawler/diff"
	"sitemend/crawler/sitemap"
	"sitemend/report/internal/fixture"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A kept audit is one as a store has it.
type kept struct {
	Audit
	Source *fixture.Audit
}

// at is the start of audit n.
func at(n int) time.Time { return time.Date(2026, 11, n, 10, 2, 0, 0, time.UTC) }

// newKept makes the audit of the nth of November of one sitemap.
func newKept(n int, url string, locs []string, web map[string]string) *kept {
	k := &kept{Source: fixture.New()}
	k.Source.List(url, "urlset", "")
	for _, loc := range locs {
		k.Source.Add(loc, strings.Fields(web[loc])...)
	}
	k.Source.Info.ID, k.Source.Info.Targets, k.Source.Info.Started, k.Source.Info.Ended = at(n).Format("20060102T150405Z"), []string{url}, at(n), at(n).Add(time.Minute)
	result := k.Source.Result()
	k.Info, k.Active = k.Source.Info, k.Source.Info.Ended
	k.Counts = &Counts{Entries: result.Counts.Entries, Groups: map[audit.Group]int{}}
	for _, g := range audit.Groups() {
		k.Counts.Groups[g] = result.Counts.Total(g)
	}
	return k
}

// stopped is k as it is when it was interrupted.
func (k *kept) stopped() *kept {
	k.Info.Ended, k.Counts = time.Time{}, nil
	return k
}

func (k *kept) evaluate(ctx context.Context) (*audit.Result, error) {
	info := k.Info
	info.Partial = info.Partial || info.Ended.IsZero()
	return audit.Evaluate(ctx, k.Source, info, nil, new(sitemap.Names).Name, nil)
}

// text is its sitemap as fetched.
func (k *kept) text() string {
	var b strings.Builder
	b.WriteString("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n")
	for _, e := range k.Source.Listed {
		fmt.Fprintf(&b, "<url><loc>%s</loc></url>\n", html.EscapeString(e.Loc))
	}
	return b.String() + "</urlset>\n"
}

// A shelfOf audits is a Library.
type library struct {
	mu          sync.Mutex
	kept        []*kept
	err         error         // of every call, where it is set
	hold        chan struct{} // Evaluate waits for it, where it is set
	evaluations int
}

func (l *library) fails(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
}

func (l *library) List() ([]Audit, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := []Audit{}
	for _, k := range l.kept {
		list = append(list, k.Audit)
	}
	return list, l.err
}

func (l *library) find(id string) (*kept, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, k := range l.kept {
		if k.Info.ID == id && l.err == nil {
			return k, nil
		}
	}
	return nil, cmp.Or(l.err, ErrNone)
}

func (l *library) Diff(ctx context.Context, older, newer string) (*diff.Result, error) {
	var seen []*diff.Seen
	for _, id := range []string{older, newer} {
		k, err := l.find(id)
		if err != nil {
			return nil, err
		}
		sorter := &memorySorter{}
		result, err := audit.Evaluate(ctx, k.Source, k.Info, nil, func(url string) string { return url }, diff.Keep(sorter))
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := diff.Write(ctx, &b, result, sorter); err != nil {
			return nil, err
		}
		s, err := diff.Open(ctx, k.Info, func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil })
		if err != nil {
			return nil, err
		}
		seen = append(seen, s)
	}
	return diff.Compare(ctx, seen[0], seen[1])
}

func (l *library) Evaluate(ctx context.Context, id string, fn func(Evaluated) error) error {
	k, err := l.find(id)
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.evaluations++
	hold := l.hold
	l.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	result, err := k.evaluate(ctx)
	if err != nil {
		return err
	}
	open := func(context.Context, int) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader([]byte(k.text()))), nil
	}
	return fn(Evaluated{Result: result, Open: open})
}

func (l *library) Read(_ context.Context, id string, fn func(audit.Source, *audit.Rules) error) error {
	k, err := l.find(id)
	if err != nil {
		return err
	}
	return fn(k.Source, &k.Info.Rules)
}

const (
	shop = "https://shop.example/sitemap.xml"
	wiki = "http://wiki.example/sitemap.txt"
)

// hostile are addresses that harm the reader of a page; the others harm who reads something else.
var hostile = append(slices.Clone(fixture.Hostile[:4]), fixture.Hostile[5])

// shops is a store of three audits of a shop, one of them stopped, and one of a
// wiki in EUC-JP.
func shops() *library {
	const base = "https://shop.example"
	locs := append([]string{base + "/", base + "/old", base + "/gone", base + "/カテゴリ?a=(1)", base + "/new"}, hostile...)
	first := map[string]string{base + "/": "200", base + "/old": "301 " + base + "/new", base + "/new": "200", base + "/gone": "200", base + "/カテゴリ?a=(1)": "200"}
	for _, x := range hostile {
		first[x] = "302 " + base + "/new"
	}
	second := maps.Clone(first)
	second[base+"/gone"], second[base+"/カテゴリ?a=(1)"] = "404", "timeout"
	euc := "http://wiki.example/?%B9%E2%C2%AE%B2%BD%284%29"
	large := newKept(8, wiki, []string{euc, "http://wiki.example/shop.example"}, map[string]string{euc: "200", "http://wiki.example/shop.example": "200"})
	large.Info.Requests = 1_402_311
	large.Info.Targets = []string{wiki, "https://shop.example/a-sitemap-with-a-long-name-for-the-products-of-the-season.xml"}
	large.Counts.Entries = 1_000_000
	for i, g := range audit.Groups() {
		large.Counts.Groups[g] = 1_000_000 / (i + 2)
	}
	return &library{kept: []*kept{
		newKept(1, shop, locs, first),
		large,
		newKept(15, shop, locs[1:], second),
		newKept(20, shop, locs, first).stopped(),
	}}
}

const token = "TESTTOKENTESTTOKEN"

// newSite is the pages of a library, in English.
func newSite(t *testing.T, l Library) *Site {
	t.Helper()
	s, err := New(Options{Library: l, Store: "sitemend-out/audits.db", Token: token, Lang: "en"})
	if err != nil {
		t.Fatal(err)
	}
	s.cache.patience = 20 * time.Second
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// memorySorter is a Sorter in memory.
type memorySorter struct{ records [][2]string }

// Add keeps a record.
func (s *memorySorter) Add(key, value string) error {
	s.records = append(s.records, [2]string{key, value})
	return nil
}

// Sorted yields the records in order.
func (s *memorySorter) Sorted() iter.Seq2[[2]string, error] {
	slices.SortFunc(s.records, func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return fixture.Each(s.records)
}

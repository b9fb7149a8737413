package serve

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"html"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/diff"
	"sitemend/crawler/sitemap"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A web is what addresses answer: "200", "301 /to", "timeout".
type web map[string]string

// A kept audit is one as a store has it: what it listed and what was answered.
type kept struct {
	Audit
	url   string // of its one sitemap
	locs  []string
	web   web
	file  audit.Sitemap
	hops  map[audit.Request]audit.Hop
	text  string
	lines []int
}

// at is the start of audit n.
func at(n int) time.Time { return time.Date(2026, 11, n, 10, 2, 0, 0, time.UTC) }

// newKept makes the audit of the nth of November of one sitemap.
func newKept(n int, url string, locs []string, w web) *kept {
	k := &kept{url: url, locs: locs, web: w, hops: map[audit.Request]audit.Hop{}}
	k.Info = audit.Info{ID: at(n).Format("20060102T150405Z"), Targets: []string{url}, Identity: "googlebot", Tool: "1.0", Started: at(n),
		Ended: at(n).Add(time.Minute), Duration: time.Minute, Requests: len(w), Rules: audit.Rules{MaxHops: 10, MaxDrop: 0.1}}
	k.Active = k.Info.Ended
	var b strings.Builder
	b.WriteString("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n")
	for i, loc := range locs {
		fmt.Fprintf(&b, "<url><loc>%s</loc></url>\n", html.EscapeString(loc))
		k.lines = append(k.lines, i+2)
	}
	b.WriteString("</urlset>\n")
	k.text = b.String()
	k.file = audit.Sitemap{URL: url, AnsweredAt: url, Kind: "urlset", Entries: len(locs), Spool: "0"}
	for from, answer := range w {
		a, _ := address.Parse(from)
		hop := audit.Hop{At: at(n), MS: 12}
		to := ""
		if _, err := fmt.Sscan(answer, &hop.Status, &to); hop.Status == 0 && err != nil {
			hop.Fault = audit.Fault(answer)
		}
		hop.Location = to
		for _, as := range []audit.Purpose{audit.AsRobot, audit.AsBrowser, audit.AsProof} {
			hop.Request = audit.Request{URL: a.String(), Purpose: as}
			k.hops[hop.Request] = hop
		}
	}
	result, err := k.evaluate(context.Background())
	if err != nil {
		panic(err)
	}
	k.Counts = &Counts{Entries: result.Counts.Entries, Groups: map[audit.Group]int{}}
	for g, parts := range result.Counts.Groups {
		for _, n := range parts {
			k.Counts.Groups[g] += n
		}
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
	return audit.Evaluate(ctx, k, info, new(sitemap.Names).Name)
}

func (k *kept) Sitemaps() ([]audit.Sitemap, error) { return []audit.Sitemap{k.file}, nil }

func (k *kept) Entries(ctx context.Context, from, to int) iter.Seq2[audit.Entry, error] {
	return audit.Until(ctx, func(yield func(audit.Entry, error) bool) {
		for i := from; i < to; i++ {
			if !yield(audit.Entry{N: i, Loc: k.locs[i], Line: k.lines[i]}, nil) {
				return
			}
		}
	})
}

func (k *kept) Hop(r audit.Request) (audit.Hop, bool) {
	h, ok := k.hops[r]
	return h, ok
}

func (k *kept) Err() error { return nil }

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
	if l.err != nil {
		return nil, l.err
	}
	return list, nil
}

func (l *library) find(id string) (*kept, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, k := range l.kept {
		if k.Info.ID == id && l.err == nil {
			return k, nil
		}
	}
	if l.err != nil {
		return nil, l.err
	}
	return nil, ErrNone
}

func (l *library) Diff(ctx context.Context, older, newer string, fn func(*diff.Result) error) error {
	var seen []*diff.Seen
	for _, id := range []string{older, newer} {
		k, err := l.find(id)
		if err != nil {
			return err
		}
		result, err := audit.Evaluate(ctx, k, k.Info, func(url string) string { return url })
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := diff.Write(ctx, &b, result, &memoryShelf{}); err != nil {
			return err
		}
		s, err := diff.Open(ctx, k.Info, func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil })
		if err != nil {
			return err
		}
		seen = append(seen, s)
	}
	d, err := diff.Compare(ctx, seen[0], seen[1])
	if err != nil {
		return err
	}
	return fn(d)
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
		return io.NopCloser(bytes.NewReader([]byte(k.text))), nil
	}
	return fn(Evaluated{Result: result, Open: open})
}

func (l *library) Read(_ context.Context, id string, fn func(audit.Source) error) error {
	k, err := l.find(id)
	if err != nil {
		return err
	}
	return fn(k)
}

const (
	shop = "https://shop.example/sitemap.xml"
	wiki = "http://wiki.example/sitemap.txt"
)

// hostile are addresses that a site may list to harm the reader of a page.
var hostile = []string{
	`https://shop.example/</script><img src=x onerror=alert(1)>`,
	`javascript:alert(document.domain)`,
	"https://shop.example/\u202egnp.exe",
	`https://shop.example/"><svg onload=alert(2)>?{{.}}${alert(3)}&lt;b&gt;`,
	`https://shop.example/` + strings.Repeat("very-long-", 200),
}

// shops is a store of three audits of a shop, one of them stopped, and one of a
// wiki in EUC-JP.
func shops() *library {
	const base = "https://shop.example"
	locs := append([]string{base + "/", base + "/old", base + "/gone", base + "/カテゴリ?a=(1)", base + "/new"}, hostile...)
	first := web{base + "/": "200", base + "/old": "301 /new", base + "/new": "200", base + "/gone": "200", base + "/カテゴリ?a=(1)": "200"}
	for _, x := range hostile {
		first[x] = "302 /new"
	}
	second := web{}
	for k, v := range first {
		second[k] = v
	}
	second[base+"/gone"], second[base+"/カテゴリ?a=(1)"] = "404", "timeout"
	euc := "http://wiki.example/?%B9%E2%C2%AE%B2%BD%284%29"
	large := newKept(8, wiki, []string{euc, "http://wiki.example/shop.example"}, web{euc: "200", "http://wiki.example/shop.example": "200"})
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
	s, err := New(Options{Library: l, Store: "sitemend-out/audits.db", Token: token, Lang: "en", Patience: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// memoryShelf is a Shelf in memory.
type memoryShelf struct{ records [][2]string }

// Add keeps a record.
func (s *memoryShelf) Add(key, value string) error {
	s.records = append(s.records, [2]string{key, value})
	return nil
}

// Sorted yields the records in order.
func (s *memoryShelf) Sorted() iter.Seq2[[2]string, error] {
	slices.SortFunc(s.records, func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return func(yield func([2]string, error) bool) {
		for _, r := range s.records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

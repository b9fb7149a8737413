package diff_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/diff"
)

// sorter keeps records in memory.
type sorter struct{ records [][2]string }

func (s *sorter) Add(key, value string) error {
	s.records = append(s.records, [2]string{key, value})
	return nil
}

func (s *sorter) Sorted() iter.Seq2[[2]string, error] {
	slices.SortFunc(s.records, func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return func(yield func([2]string, error) bool) {
		for _, r := range s.records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

const root = "http://a.example/"

// A file is a sitemap with entries, each as "NAME VERDICT", with a status, "to=NAME" and "fix=ACTION".
type file struct {
	sitemap audit.Sitemap
	entries []string
}

func listing(name string, entries ...string) file {
	return file{audit.Sitemap{URL: root + name, AnsweredAt: root + name, Kind: "urlset", Status: 200}, entries}
}

func unread(name string, status int) file {
	return file{audit.Sitemap{URL: root + name, Status: status, Faults: []audit.SitemapFault{{Name: "HTTP error", Key: "status", Severity: "error"}}}, nil}
}

func rowOf(text string, line int) audit.Row {
	words := strings.Fields(text)
	r := audit.Row{Entry: audit.Entry{Loc: root + words[0], Line: line}, Address: address.Wire(root + words[0]), Verdict: audit.Verdict(words[1]), Fix: audit.Fix{Action: audit.Keep}}
	for _, w := range words[2:] {
		switch key, value, _ := strings.Cut(w, "="); key {
		case "to":
			r.Final = address.Wire(root + value)
		case "fix":
			r.Fix.Action = audit.Action(value)
		case "other":
			r.Other = &answers.Trail{}
		default:
			fmt.Sscan(key, &r.Status)
		}
	}
	return r
}

// bytesOf is what an audit of some files writes.
func bytesOf(t rapid.TB, files []file) []byte {
	t.Helper()
	var result audit.Result
	for i := range files {
		files[i].sitemap.N = i
		result.Files = append(result.Files, audit.File{Sitemap: files[i].sitemap})
	}
	s := &sorter{}
	see := diff.Keep(s)
	for n := range files {
		for i, e := range files[n].entries {
			row := rowOf(e, i+1)
			row.Entry.Sitemap = n
			if err := see(&row); err != nil {
				t.Fatal(err)
			}
		}
	}
	var b bytes.Buffer
	if err := diff.Write(context.Background(), &b, &result, s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(b []byte) (*diff.Seen, error) {
	return diff.Open(context.Background(), audit.Info{Targets: []string{root}}, func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil })
}

func compare(t rapid.TB, old, new []file) *diff.Result {
	t.Helper()
	a, err := open(bytesOf(t, old))
	if err != nil {
		t.Fatal(err)
	}
	b, err := open(bytesOf(t, new))
	if err != nil {
		t.Fatal(err)
	}
	d, err := diff.Compare(context.Background(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// said are the changes, each as "NAME KIND".
func said(t rapid.TB, d *diff.Result) string {
	t.Helper()
	var list []string
	for c, err := range d.Changes(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, strings.TrimPrefix(c.URL, root)+" "+string(c.Kind))
	}
	return strings.Join(list, ", ")
}

func one(entries ...string) []file { return []file{listing("s.xml", entries...)} }

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		old, new []file
		want     string
	}{
		{one("x ok 200"), one("x ok 200"), ""},
		{one("x ok 200"), one("x not-found 404 fix=drop"), "x new"},
		{one("x moved 200 to=y fix=replace"), one("x not-found 404 fix=drop"), "x new"},
		{one("x moved 200 to=y fix=replace"), one("x ok 200"), "x fixed"},
		{one("x moved 200 to=y fix=replace"), one("x moved 200 to=z fix=replace"), "x changed"},
		{one("x moved 200 to=y fix=replace"), one("x moved 200 to=y"), "x changed"},
		{one("x moved 200 to=y fix=replace"), one("y ok 200"), "x fixed, y joined"},
		{one("x ok 200"), one("y not-found 404"), "x left, y new"},
		// One of the audits could not see it.
		{one("x unverified 503"), one("x unverified 503"), ""},
		{one("x unverified 503"), one("x not-found 404"), "x not-comparable"},
		{one("x not-found 404"), one("x skipped"), "x not-comparable"},
		{one("x ok 200"), one("x disallowed"), "x changed"},
		// Other spellings are requested in samples.
		{one("x ok 200"), one("x spelling-conflict 200 other"), ""},
		{one("x ok 200 other"), one("x spelling-conflict 200 other"), "x changed"},
		// Which sitemaps were read.
		{one("x not-found 404"), []file{unread("s.xml", 503)}, "x not-comparable"},
		{[]file{unread("s.xml", 503)}, one("x not-found 404"), "x not-comparable"},
		{one("x not-found 404"), nil, "x not-comparable"}, // an audit of an export found no sitemap
		{[]file{listing("a.xml", "x ok"), listing("b.xml")}, []file{listing("a.xml"), unread("b.xml", 503)}, "x left"},
		{[]file{listing("a.xml", "x ok"), listing("b.xml", "x ok")}, []file{listing("a.xml"), unread("b.xml", 503)}, "x not-comparable"},
		{[]file{listing("a.xml"), listing("b.xml", "x ok")}, []file{listing("a.xml")}, "x left"},
		{[]file{listing("a.xml"), listing("b.xml", "x ok")}, []file{unread("a.xml", 503)}, "x not-comparable"},
		{[]file{listing("a.xml", "x ok"), listing("b.xml")}, []file{listing("a.xml"), listing("b.xml", "x ok")}, ""},
	} {
		if got := said(t, compare(t, c.old, c.new)); got != c.want {
			t.Errorf("%v -> %v: %q, want %q", c.old, c.new, got, c.want)
		}
	}
}

// --new and watch count each problem that the older audit did not have there, also one that it could
// not see; what is decided about stays open as long as it is.
func TestWhatIsNew(t *testing.T) {
	d := compare(t, one("a ok 200", "b unverified 503", "c temporary 200 to=d", "e not-found 404"), one("a not-found 404", "b not-found 404", "c temporary 200 to=d", "e not-found 404", "f moved 200 to=g"))
	if d.NewVerdicts[audit.NotFound] != 2 || d.NewVerdicts[audit.Moved] != 1 || d.Problems() != 3 || !d.Worse() || d.Open == 0 || d.Both != 4 {
		t.Errorf("%v, %d problems, %d open, %d in both", d.NewVerdicts, d.Problems(), d.Open, d.Both)
	}
	if d := compare(t, one("a not-found 404"), one("a ok 200")); d.Worse() || d.Counts[diff.Fixed] != 1 {
		t.Errorf("what was fixed is worse: %+v", d.Counts)
	}
}

func TestSitemaps(t *testing.T) {
	faulty := func(n int) file {
		f := listing("s.xml")
		for range n {
			f.sitemap.Faults = append(f.sitemap.Faults, audit.SitemapFault{Name: "Invalid URL", Key: "invalid", Severity: "error"})
		}
		f.sitemap.Faults = append(f.sitemap.Faults, audit.SitemapFault{Name: "Date", Key: "date", Severity: "warning", Count: n + 1}, audit.SitemapFault{Name: "No corrected copy", Key: "withheld-fault", Severity: "error"})
		return f
	}
	for _, c := range []struct {
		name        string
		old, new    []file
		lost        int
		added, gone int
		worse       bool
	}{
		{"the same", []file{faulty(1)}, []file{faulty(1)}, 0, 0, 0, false},
		{"more errors", []file{faulty(1)}, []file{faulty(3)}, 0, 2, 0, true},
		{"not read any more", []file{faulty(3)}, []file{unread("s.xml", 503)}, 1, 1, 0, true},
		{"read again", []file{unread("s.xml", 503)}, []file{listing("s.xml")}, 0, 0, 1, false},
		{"not named any more", []file{faulty(1)}, nil, 0, 0, 1, false},
	} {
		d := compare(t, c.old, c.new)
		added, gone := d.Errors()
		if d.Lost() != c.lost || added != c.added || gone != c.gone || d.Worse() != c.worse {
			t.Errorf("%s: %d lost, %d errors added, %d gone, worse %v", c.name, d.Lost(), added, gone, d.Worse())
		}
	}
}

// Every URL has one kind, the counts add up, and what is new one way is fixed or changed the other way.
func TestComparingBothWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) []file {
			verdicts := rapid.SampledFrom([]string{"ok 200", "moved 200 to=y fix=replace", "not-found 404", "unverified 503", "skipped", "disallowed", "noindex 200"})
			files := []file{listing("a.xml"), listing("b.xml")}
			seen := map[string]string{}
			for range rapid.IntRange(0, 12).Draw(t, name) {
				at := fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "url"))
				if seen[at] == "" {
					seen[at] = verdicts.Draw(t, "verdict")
				}
				f := &files[rapid.IntRange(0, 1).Draw(t, "file")]
				f.entries = append(f.entries, at+" "+seen[at])
			}
			if rapid.Bool().Draw(t, "unread") {
				files[1] = unread("b.xml", 503)
			}
			return files
		}
		old, new := draw("old"), draw("new")
		there, back := compare(t, old, new), compare(t, new, old)
		turned := map[diff.Kind][]diff.Kind{diff.New: {diff.Fixed, diff.New}, diff.Fixed: {diff.New}, diff.Changed: {diff.Changed}, diff.Joined: {diff.Left}, diff.Left: {diff.Joined}, diff.NotComparable: {diff.NotComparable}}
		kinds, all := map[string]diff.Kind{}, there.Counts[diff.Same]
		for c := range there.Changes(context.Background()) {
			kinds[c.URL] = c.Kind
			all++
		}
		for c := range back.Changes(context.Background()) {
			if !slices.Contains(turned[kinds[c.URL]], c.Kind) {
				t.Fatalf("%s is %s, and %s the other way", c.URL, kinds[c.URL], c.Kind)
			}
			delete(kinds, c.URL)
		}
		sum := 0
		for n := range maps.Values(there.Counts) {
			sum += n
		}
		if len(kinds) > 0 || sum != all || there.Both != back.Both {
			t.Fatalf("%v one way alone; %d URLs, %d counted", kinds, all, sum)
		}
	})
}

// A file that was cut off or changed is an error, and nothing else.
func TestDamagedFiles(t *testing.T) {
	good := bytesOf(t, one("a ok 200", "ab moved 200 to=y", "b not-found 404"))
	other, err := open(bytesOf(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		b := slices.Clone(good)
		b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] ^= byte(rapid.IntRange(0, 255).Draw(t, "bits"))
		s, err := open(b[:rapid.IntRange(0, len(b)).Draw(t, "to")])
		if err == nil {
			_, _ = diff.Compare(context.Background(), other, s)
		}
	})
	for to := range good {
		if s, err := open(good[:to]); err == nil {
			if d, err := diff.Compare(context.Background(), other, s); err == nil && d.Counts[diff.Joined]+d.Counts[diff.New] == 3 {
				t.Errorf("cut off at %d, all is read", to)
			}
		}
	}
}

package html

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"

	"sitemend/crawler/audit"
	"sitemend/report/internal/fixture"
)

const site = fixture.Site

// writeTo writes the page of result to w.
func writeTo(w io.Writer, result *audit.Result, o Options) error {
	p, err := New(context.Background(), w, result, o)
	if err != nil {
		return err
	}
	for i := range result.Files {
		for row, err := range result.Rows(context.Background(), i) {
			if err != nil {
				return fmt.Errorf("rows of %s: %w", result.Files[i].Sitemap.URL, err)
			}
			if err := p.Add(&result.Files[i], row); err != nil {
				return err
			}
		}
	}
	return p.Close()
}

// pageOf is the page of result, whose corrected files are written where they are changed.
func pageOf(t testing.TB, result *audit.Result, lang string) string {
	t.Helper()
	var b strings.Builder
	before, err := json.Marshal(result)
	if err == nil {
		err = writeTo(&b, result, Options{Lang: lang})
	}
	if err != nil {
		t.Fatal(err)
	}
	if after, err := json.Marshal(result); err != nil || string(after) != string(before) {
		t.Errorf("writing changed what was told (%v):\n%s\nto\n%s", err, before, after)
	}
	return b.String()
}

// saved is the page of result on disk.
func saved(t testing.TB, result *audit.Result, lang string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(pageOf(t, result, lang)), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func parse(t testing.TB, text string) *xhtml.Node {
	t.Helper()
	doc, err := xhtml.ParseWithOptions(strings.NewReader(text), xhtml.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func attr(n *xhtml.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// The policy names the hash of exactly the style and the script in the page,
// as a browser computes them (CSP Level 3, section 6.7.2.2), and nothing else
// may load.
func TestPolicyNamesStyleAndScript(t *testing.T) {
	got, seen := "", 0
	for n := range parse(t, pageOf(t, fixture.Study(60), "en")).Descendants() {
		switch {
		case n.Data == "meta" && attr(n, "http-equiv") == "Content-Security-Policy":
			if got = attr(n, "content"); !strings.HasPrefix(got, "default-src 'none'; ") {
				t.Fatalf("policy %q allows by default", got)
			}
		case n.Type == xhtml.ElementNode && (n.Data == "style" || n.Data == "script" && attr(n, "type") == ""):
			sum := sha256.Sum256([]byte(n.FirstChild.Data))
			if want := n.Data + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(got, want) {
				t.Errorf("policy %q does not hold %s", got, want)
			}
			seen++
		}
	}
	if seen != 2 {
		t.Errorf("%d styles and scripts that run, want one of each", seen)
	}
}

// ownLink is what the page links to: its own parts, entries, the corrected files, and
// the two services where something is to be done.
var ownLink = regexp.MustCompile(`^(#[a-z0-9-]+|#entries(&(lane|cause|file)=[^&=<>"]+)*|sitemaps/[A-Za-z0-9._/%-]*|https://search\.google\.com/search-console/[a-z]+|https://dash\.cloudflare\.com/[?:/a-z=]*)$`)

// Nothing that a site, a log or an export sends becomes markup, a link or steers the reading order,
// in any state and language; and every element is closed where it was opened: a browser would
// mend it without a word, into another layout.
func TestHostileAddressesStayText(t *testing.T) {
	allowed := "html head meta title style body svg defs pattern path circle rect a header div nav span ul li fieldset legend label input select option button main section p h1 h2 h3 h4 figure figcaption ol " +
		"details summary table caption colgroup col thead tbody tfoot tr th td b i bdi wbr mark ins del code br pre footer script"
	elements := map[string]bool{}
	for name := range strings.FieldsSeq(allowed) {
		elements[name] = true
	}
	for _, s := range fixture.States() {
		text := pageOf(t, s.Result, "ja")
		if i := strings.IndexAny(text, "\u202e\u2066\u200f\u0000\u2028\ufeff"); i >= 0 {
			t.Errorf("%s: the page holds what is not seen: %+q", s.Name, text[max(0, i-40):i+9])
		}
		for n := range parse(t, text).Descendants() {
			if n.Type != xhtml.ElementNode {
				continue
			}
			if !elements[n.Data] {
				t.Errorf("%s: element %s", s.Name, n.Data)
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" || a.Key == "srcset" || a.Key == "href" && !ownLink.MatchString(a.Val) {
					t.Errorf("%s: <%s %s=%q>", s.Name, n.Data, a.Key, a.Val)
				}
			}
		}
		nested(t, s.Name, text)
	}
}

func nested(t *testing.T, name, text string) {
	t.Helper()
	void := map[string]bool{"meta": true, "col": true, "br": true, "wbr": true, "input": true}
	var open []string
	z := xhtml.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case xhtml.ErrorToken:
			if len(open) > 0 || z.Err() != io.EOF {
				t.Errorf("%s: left open: %v (%v)", name, open, z.Err())
			}
			return
		case xhtml.StartTagToken:
			if name, _ := z.TagName(); !void[string(name)] {
				open = append(open, string(name))
			}
		case xhtml.EndTagToken:
			end, _ := z.TagName()
			if n := len(open) - 1; n < 0 || open[n] != string(end) {
				t.Fatalf("%s: </%s> closes %v", name, end, open)
			}
			open = open[:len(open)-1]
		}
	}
}

// Of more entries than a page shows those that are not fine are there, the most urgent first, and the
// page says what it leaves out.
func TestTooManyEntriesForAPage(t *testing.T) {
	c := audit.Counts{Entries: 3 * maxRows, Groups: map[audit.Group]map[string]int{audit.Corrected: {"moved": 2 * maxRows}, audit.NeedsDecision: {"loop": 7},
		audit.Fine: {"ok": maxRows - 10}, audit.NotChecked: {"unverified": 3}}}
	got := room(&c)
	for g, want := range map[audit.Group]int{audit.NeedsDecision: 7, audit.NotChecked: 3, audit.Corrected: maxRows - 10, audit.Fine: 0, audit.LeftOut: 0} {
		if got[g] != want {
			t.Errorf("%s has room for %d, want %d", g, got[g], want)
		}
	}
	result := fixture.Study(30)
	result.Counts = c
	if text := pageOf(t, result, "en"); !strings.Contains(text, "More than 1,000,000 URLs") || !strings.Contains(text, "1,000,010 more are in entries.csv") {
		t.Error("the page does not say what it leaves out")
	}
}

// Memory does not grow with the rows: ten chunks take little more than one.
func TestMemoryIsFlat(t *testing.T) {
	study := fixture.Study(2000)
	rows := fixture.Rows(study)[1]
	peak := func(times int) (most uint64) {
		result := *study
		result.Rows = func(_ context.Context, f int) iter.Seq2[*audit.Row, error] {
			return func(yield func(*audit.Row, error) bool) {
				for i := 0; f == 1 && i < times*chunkRows; i++ {
					if i%chunkRows == chunkRows-1 {
						var m runtime.MemStats
						runtime.GC()
						runtime.ReadMemStats(&m)
						most = max(most, m.HeapAlloc)
					}
					if row := rows[i%len(rows)]; !yield(&row, nil) {
						return
					}
				}
			}
		}
		if err := writeTo(io.Discard, &result, Options{}); err != nil {
			t.Fatal(err)
		}
		return most
	}
	peak(1)
	if one, ten := peak(2), peak(12); ten > one+16<<20 {
		t.Errorf("12 chunks hold %d bytes, 2 chunks %d", ten, one)
	}
}

// Without a script the page has the first 200 that need a decision, and others only where
// there are fewer.
func TestFirstRowsNeedADecision(t *testing.T) {
	for _, n := range []int{300, 5000} {
		result := fixture.Study(n)
		_, section, _ := strings.Cut(pageOf(t, result, "en"), `id="static"`)
		section, _, _ = strings.Cut(section, "</section>")
		shown := strings.Split(section, `<th scope="row">`)[1:]
		decide := 0
		for _, rows := range fixture.Rows(result) {
			for i := range rows {
				if rows[i].Group() == audit.NeedsDecision && decide < firstRows {
					if at := fmt.Sprintf(":%d</span>", rows[i].Entry.Line); !strings.Contains(shown[decide], at) {
						t.Fatalf("of %d entries, row %d is not %s", n, decide, at)
					}
					decide++
				}
			}
		}
		if decide == firstRows && len(shown) != firstRows || len(shown) > firstRows {
			t.Errorf("of %d entries, %d of which need a decision, the page has %d", n, decide, len(shown))
		}
	}
}

// A host that reads like another one is shown as xn--, whatever form lists it.
func TestAHomographIsShownAsItGoesOverTheWire(t *testing.T) {
	a := fixture.New()
	a.List(site+"/sitemap.xml", "urlset", "1 http://аррӏе.example/a")
	c := newColumns(io.Discard, a.Result(), &entryGroups{})
	c.put(0, 0, 0, &fixture.Rows(a.Result())[0][0])
	if got := c.text[2].String(); got != "http://xn--80ak6aa92e.example/a\n" {
		t.Errorf("the list shows %q", got)
	}
}

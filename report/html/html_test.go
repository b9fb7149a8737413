package html

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"

	"sitemend/crawler/audit"
	"sitemend/report/internal/fixture"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

func pageOf(t testing.TB, result *audit.Result, o Options) string {
	t.Helper()
	var b strings.Builder
	before, err := json.Marshal(result)
	if err == nil {
		err = writeTo(&b, result, o)
	}
	if err != nil {
		t.Fatal(err)
	}
	if after, err := json.Marshal(result); err != nil || string(after) != string(before) {
		t.Errorf("writing changed what was told (%v):\n%s\nto\n%s", err, before, after)
	}
	return b.String()
}

func writtenOf(result *audit.Result) func(int) string {
	return func(f int) string {
		if !result.Files[f].Changed {
			return ""
		}
		return "sitemaps/" + result.Files[f].Name
	}
}

func studyPage(t testing.TB, n int, lang string) string {
	s := fixture.NewStudy(n)
	return pageOf(t, s.Result, Options{Lang: lang, Written: writtenOf(s.Result)})
}

// The policy names the hash of exactly the style and the script in the page,
// as a browser computes them (CSP Level 3, section 6.7.2.2), and nothing else
// may load.
func TestPolicyNamesStyleAndScript(t *testing.T) {
	text := studyPage(t, 60, "en")
	doc := parse(t, text)
	var got string
	for n := range doc.Descendants() {
		if n.Data == "meta" && attr(n, "http-equiv") == "Content-Security-Policy" {
			got = attr(n, "content")
		}
	}
	if !strings.HasPrefix(got, "default-src 'none'; ") {
		t.Fatalf("policy %q allows by default", got)
	}
	seen := 0
	for n := range doc.Descendants() {
		if n.Type == xhtml.ElementNode && (n.Data == "style" || n.Data == "script" && attr(n, "type") == "") {
			sum := sha256.Sum256([]byte(n.FirstChild.Data))
			want := n.Data + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
			if !strings.Contains(got, want) {
				t.Errorf("policy %q does not hold %s", got, want)
			}
			seen++
		}
	}
	if seen != 2 {
		t.Errorf("%d styles and scripts that run, want one of each", seen)
	}
}

// Nothing that a site sends becomes markup: the elements and attributes of a
// page are the page's own, whatever the addresses hold.
func TestHostileAddressesStayText(t *testing.T) {
	for _, lang := range []string{"en", "ja"} {
		for n := range parse(t, studyPage(t, 60, lang)).Descendants() {
			if n.Type != xhtml.ElementNode {
				continue
			}
			if n.Data == "img" || n.Data == "iframe" || n.Data == "object" || n.Data == "base" || n.Data == "form" {
				t.Errorf("element %s", n.Data)
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" || a.Key == "srcset" {
					t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
				}
				if a.Key == "href" && !ownLink.MatchString(a.Val) {
					t.Errorf("<%s href=%q> is no link of the page's own", n.Data, a.Val)
				}
			}
		}
	}
}

// Every element of the page is closed where it was opened: a browser would
// mend it without a word, into another layout.
func TestElementsAreNested(t *testing.T) {
	void := map[string]bool{"meta": true, "col": true, "br": true, "wbr": true, "input": true}
	var open []string
	z := xhtml.NewTokenizer(strings.NewReader(studyPage(t, 200, "en")))
	for {
		switch z.Next() {
		case xhtml.ErrorToken:
			if len(open) > 0 || z.Err() != io.EOF {
				t.Errorf("left open: %v (%v)", open, z.Err())
			}
			return
		case xhtml.StartTagToken:
			if name, _ := z.TagName(); !void[string(name)] {
				open = append(open, string(name))
			}
		case xhtml.EndTagToken:
			name, _ := z.TagName()
			if n := len(open) - 1; n < 0 || open[n] != string(name) {
				t.Fatalf("</%s> closes %v", name, open)
			}
			open = open[:len(open)-1]
		}
	}
}

// ownLink is what the page links to: its own parts, icons, entries, the corrected files, and
// the two services where something is to be done.
var ownLink = regexp.MustCompile(`^(#[a-z0-9-]+|#entries(&(lane|cause|file)=[^&=<>"]+)*|sitemaps/[A-Za-z0-9._/%-]*|https://search\.google\.com/search-console/[a-z]+|https://dash\.cloudflare\.com/[?:/a-z=]*)$`)

func TestNoHiddenCharacterReachesThePage(t *testing.T) {
	text := studyPage(t, 60, "en")
	for _, r := range "\u202e\u2066\u200f\u0000\u2028\ufeff" {
		if strings.ContainsRune(text, r) {
			t.Errorf("the page holds %U", r)
		}
	}
	if !strings.Contains(text, `\u202Egnp.exe`) {
		t.Error(`the override is not shown as \u202E`)
	}
}

// Without its script the page still holds what matters.
func TestWithoutScript(t *testing.T) {
	s := fixture.NewStudy(5000)
	text := textOf(parse(t, pageOf(t, s.Result, Options{Written: writtenOf(s.Result)})))
	for _, want := range []string{
		"Fixed", "To decide", "Unknown", "--max-drop 100%", "Upload 5 files", "http:// -> https://", "Developer", "product-sitemap2.xml", "Invalid date", "product-sitemap.xml:812",
		"Redirect loop", "cdn.shop.example was left alone, for it refused, was overloaded or did not answer (status 403)", "This says nothing about Google.", "How this site spells its URLs",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("without script the page does not say %q", want)
		}
	}
}

// A report is read away from the project's docs: it says itself what each verdict means.
func TestVerdictsAreExplained(t *testing.T) {
	s := fixture.NewStudy(0)
	for _, lang := range messages.Langs() {
		_, section, _ := strings.Cut(pageOf(t, s.Result, Options{Lang: lang}), `id="verdicts"`)
		section, _, ended := strings.Cut(section, "</details>")
		text := textOf(parse(t, section))
		for _, v := range audit.Verdicts() {
			words := messages.Of(lang).Verdict(v)
			for _, want := range []string{string(v), words.Name, words.What, words.Why} {
				if !ended || !strings.Contains(text, want) {
					t.Errorf("the section of verdicts does not say %q", want)
				}
			}
		}
	}
}

// The columns hold every row, in order, with its numbers and texts.
func TestColumnsRoundTrip(t *testing.T) {
	t.Run("short", func(t *testing.T) { roundTrip(t, fixture.NewStudy(chunkRows+10), chunkRows+10) })
	t.Run("long", func(t *testing.T) { roundTrip(t, fixture.NewLongStudy(300), 300) })
}

func roundTrip(t *testing.T, s *fixture.Study, n int) {
	t.Helper()
	const most = chunkBytes + 1<<20 // with the row that makes it full
	text := pageOf(t, s.Result, Options{})
	var locs, finals, details []string
	var lines []uint32
	for _, m := range regexp.MustCompile(`class="(rows|texts|details)" data-rows="(\d+)">([^<]*)<`).FindAllStringSubmatch(text, -1) {
		data := unzip(t, m[3])
		if len(data) > most {
			t.Errorf("%s of %s rows are %d bytes", m[1], m[2], len(data))
		}
		switch m[1] {
		case "rows":
			decodeLines(t, data, m[2], &lines)
		case "texts":
			cols := decodeTexts(t, data, m[2])
			locs, finals = append(locs, cols["loc"]...), append(finals, cols["final"]...)
		case "details":
			details = append(details, split(data)...)
		}
	}
	i := 0
	for _, rows := range s.Rows {
		for k := range rows {
			r := &rows[k]
			if locs[i] != page.Visible(r.Entry.Loc) || lines[i] != uint32(r.Entry.Line) {
				t.Fatalf("row %d: %q line %d, want %q line %d", i, locs[i], lines[i], r.Entry.Loc, r.Entry.Line)
			}
			if want := sameAs(r.Final.String(), r.Address.String()); finals[i] != want {
				t.Fatalf("row %d: final %q, want %q", i, finals[i], want)
			}
			if simple(r) != (details[i] == "") || details[i] != "" && !json.Valid([]byte(details[i])) {
				t.Fatalf("row %d: detail %q", i, details[i])
			}
			i++
		}
	}
	if i != len(locs) || i != n+len(fixture.Hostile) {
		t.Errorf("%d rows written, %d read", i, len(locs))
	}
}

func decodeLines(t *testing.T, data []byte, rows string, all *[]uint32) {
	t.Helper()
	n, err := strconv.Atoi(rows)
	if err != nil || len(data) != n*(len(bytes1)+2*len(bytes2)+4*len(bytes4)) {
		t.Fatalf("%s rows in %d bytes", rows, len(data))
	}
	at := n*len(bytes1) + 2*n*len(bytes2) + 4*n // after "file"
	for i := range n {
		*all = append(*all, binary.LittleEndian.Uint32(data[at+4*i:]))
	}
}

func decodeTexts(t *testing.T, data []byte, rows string) map[string][]string {
	t.Helper()
	n, err := strconv.Atoi(rows)
	if err != nil {
		t.Fatal(err)
	}
	at, out := 0, map[string][]string{}
	for _, name := range texts {
		size := int(binary.LittleEndian.Uint32(data[at:]))
		out[name] = split(data[at+4 : at+4+size])
		at += 4 + size
		if len(out[name]) != n {
			t.Fatalf("column %s has %d lines, want %d", name, len(out[name]), n)
		}
	}
	if at != len(data) {
		t.Fatalf("%d bytes after the last column", len(data)-at)
	}
	return out
}

func split(data []byte) []string { return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") }

func unzip(t *testing.T, b64 string) []byte {
	t.Helper()
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(b64)))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Over a million entries a page holds those that are not fine, and says so.
func TestTooManyEntriesForAPage(t *testing.T) {
	s := fixture.NewStudy(300)
	fine := s.Result.Counts.Verdicts[audit.OK]
	all := s.Result.Counts.Entries
	s.Result.Counts.Entries = maxRows + 1
	text := pageOf(t, s.Result, Options{})
	var c struct{ Rows int }
	if err := json.Unmarshal([]byte(between(text, `id="config">`, "</script>")), &c); err != nil {
		t.Fatal(err)
	}
	if want := all - fine - s.Result.Counts.Verdicts[audit.Skipped]; c.Rows != want {
		t.Errorf("%d rows in the page, want the %d that were asked and are not fine", c.Rows, want)
	}
	if !strings.Contains(text, "More than 1,000,000 URLs") {
		t.Error("the page does not say that fine entries are left out")
	}
}

// Of more findings than a page shows the most urgent are there, and the page says
// how many are not.
func TestTooManyFindingsForAPage(t *testing.T) {
	c := audit.Counts{Entries: 3 * maxRows, Groups: map[audit.Group]map[string]int{audit.Corrected: {"moved": 2 * maxRows}, audit.NeedsDecision: {"loop": 7},
		audit.Fine: {"ok": maxRows - 10}, audit.NotChecked: {"unverified": 3}}}
	got := room(&c)
	for g, want := range map[audit.Group]int{audit.NeedsDecision: 7, audit.NotChecked: 3, audit.Corrected: maxRows - 10, audit.Fine: 0, audit.LeftOut: 0} {
		if got[g] != want {
			t.Errorf("%s has room for %d, want %d", g, got[g], want)
		}
	}
	s := fixture.NewStudy(30)
	s.Result.Counts = c
	if text := pageOf(t, s.Result, Options{}); !strings.Contains(text, "Of these, 1,000,010 are left out") {
		t.Error("the page does not say how many findings it leaves out")
	}
}

// The pieces of a step spell its address: what is not removed is the address.
func TestPiecesSpellTheAddress(t *testing.T) {
	s := fixture.NewStudy(500)
	for _, rows := range s.Rows {
		for i := range rows {
			d := page.DetailOf(&rows[i], nil)
			for k, step := range d.Steps {
				var b strings.Builder
				for _, p := range step.URL {
					if p.Mark != '-' {
						b.WriteString(p.Text)
					}
				}
				if want := rows[i].Trail.Steps[k].Hop.URL; b.String() != want {
					t.Fatalf("pieces %v spell %q, want %q", step.URL, b.String(), want)
				}
			}
		}
	}
}

func TestErrorOfRowsEndsThePage(t *testing.T) {
	broken := errors.New("spool is cut off")
	result := audit.MakeResult(audit.Result{Files: make([]audit.File, 1)}, func(int) iter.Seq2[audit.Row, error] {
		return func(yield func(audit.Row, error) bool) { yield(audit.Row{}, broken) }
	}, nil)
	if err := writeTo(io.Discard, result, Options{}); !errors.Is(err, broken) {
		t.Errorf("Write = %v, want %v", err, broken)
	}
}

// Memory does not grow with the rows: ten chunks take little more than one.
func TestMemoryIsFlat(t *testing.T) {
	s := fixture.NewStudy(2000)
	rows := s.Rows[1]
	peak := func(times int) uint64 {
		var most uint64
		result := audit.MakeResult(*s.Result, func(f int) iter.Seq2[audit.Row, error] {
			return func(yield func(audit.Row, error) bool) {
				for i := 0; f == 1 && i < times*chunkRows; i++ {
					if i%chunkRows == chunkRows-1 {
						most = max(most, heap())
					}
					if !yield(rows[i%len(rows)], nil) {
						return
					}
				}
			}
		}, nil)
		if err := writeTo(io.Discard, result, Options{}); err != nil {
			t.Fatal(err)
		}
		return most
	}
	peak(1)
	one, ten := peak(2), peak(12)
	if ten > one+16<<20 {
		t.Errorf("12 chunks hold %d bytes, 2 chunks %d", ten, one)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestDictEnds(t *testing.T) {
	d := newDict()
	for i := range 70000 {
		if got := d.index(strconv.Itoa(i)); got > 65535 {
			t.Fatalf("string %d has number %d", i, got)
		}
	}
	if got := d.index("69999"); got != 0 {
		t.Errorf("a string too many has number %d, want 0", got)
	}
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

// textOf is what a reader sees without script.
func textOf(doc *xhtml.Node) string {
	var b bytes.Buffer
	for n := range doc.Descendants() {
		if n.Type == xhtml.TextNode && n.Parent.Data != "script" && n.Parent.Data != "style" {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

func between(s, from, to string) string {
	_, s, _ = strings.Cut(s, from)
	s, _, _ = strings.Cut(s, to)
	return s
}

// An entry that is merged is not shown as if its address was written.
func TestMergeWritesNothing(t *testing.T) {
	merged := regexp.MustCompile(`<tr role="row" class="st">.*?</tr>`).FindAllString(studyPage(t, 3000, "en"), -1)
	if len(merged) == 0 {
		t.Fatal("no entry of the study is merged")
	}
	for _, edit := range merged {
		if !strings.Contains(edit, "listed already") || strings.Contains(edit, ">+<") {
			t.Errorf("a merge is shown as %s", edit)
		}
	}
}

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

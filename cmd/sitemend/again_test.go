package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// againSeeds is how many random sites are corrected and audited again, without
// SITEMEND_AGAIN_SEEDS; SITEMEND_AGAIN_FROM is the first.
const againSeeds = 12

// Corrected sitemaps need no correction: put in place and audited again, none is
// edited, and none has a fault that the original did not have.
func TestCorrectedOnceIsCorrected(t *testing.T) {
	from, n := 0, againSeeds
	if with := os.Getenv("SITEMEND_AGAIN_SEEDS"); with != "" {
		n, _ = strconv.Atoi(with)
		from, _ = strconv.Atoi(os.Getenv("SITEMEND_AGAIN_FROM"))
	}
	seen := map[string]int{} // what was done at first
	for seed := from; seed < from+n; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { correctTwice(t, uint64(seed), seen) })
	}
	for _, what := range []string{"replace", "merge", "drop", "moved", "not-page", "collapsed", "gate", "merge-would-lose", "target-noindex"} {
		if seen[what] == 0 && from == 0 && n >= againSeeds { // that some have it is known of the first
			t.Errorf("no audit of the first round had %s: %v", what, seen)
		}
	}
}

func correctTwice(t *testing.T, seed uint64, seen map[string]int) {
	s := drawSite(rand.New(rand.NewPCG(seed, 1)))
	dir := t.TempDir()
	first, began := s.audit(t, filepath.Join(dir, "first"))
	listed := s.listed()
	var moved []string
	for i := range first.Files {
		f := &first.Files[i]
		for _, counts := range []map[string]int{f.Counts.Actions, f.Counts.Notes} {
			for what, n := range counts {
				seen[what] += n
			}
		}
		if f.Written == "" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, "first", filepath.FromSlash(f.Written)))
		if err != nil {
			t.Fatal(err)
		}
		if f.BelongsAt != f.AnsweredAt { // the old one is left where it is, for six months
			seen["moved"]++
			countListed(listed, f.BelongsAt, s.files[f.AnsweredAt])
			moved = append(moved, f.AnsweredAt)
			s.robot = append(s.robot, f.BelongsAt)
		}
		s.put(f.BelongsAt, b)
	}
	// In the same folder, or as one that knows nothing of the first.
	second, said := s.audit(t, filepath.Join(dir, []string{"first", "second"}[seed%2]))
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf(format+"\nfirst\n%s\nsecond\n%s\n%s", append(args, began, said, s.describe())...)
	}
	edits := 0
	for _, f := range second.Files {
		if !slices.Contains(moved, f.AnsweredAt) { // that one was not corrected
			edits += f.Edits
		}
		// One that was left where it is has the links that it had.
		if f.Relinked+f.Unlinked > 0 && !slices.Contains(moved, f.AnsweredAt) {
			fail("links of %s are corrected again", f.URL)
		}
		before := first.faults(f.URL, f.AnsweredAt)
		if slices.Contains(moved, f.AnsweredAt) {
			before["Duplicate sitemap"]++
		}
		for name, n := range faultsOf(f) {
			if n > before[name] && !aboutTwins[name] && !aboutSets[name] {
				fail("%s has %d x %s, before %d", f.URL, n, name, before[name])
			}
		}
	}
	if edits > 0 {
		fail("%d edits in the second audit", edits)
	}
	for loc, n := range s.listed(moved...) {
		if n > max(1, listed[loc]) {
			fail("%s on that host was listed %d times and is %d times", loc, listed[loc], n)
		}
	}
}

// aboutTwins are what is said of addresses that are written all the same: the page has
// moved to https or to www (contract, Moves).
var aboutTwins = map[string]bool{"URL not allowed": true, "Path mismatch: Includes www": true, "Path mismatch: Missing www": true}

// aboutSets are what is said of alternates, which these webs choose by chance: of one that
// redirected or was gone that alone is said, and what it does not name back once another address
// took its place; and a page that was taken out may have agreed with one of the others (docs/also.md).
var aboutSets = map[string]bool{"No return tags": true, "Alternates without the page itself": true, "Alternates disagree": true}

type againSummary struct {
	Files []againFile
}

type againFile struct {
	URL        string
	AnsweredAt string `json:"answered_at"`
	BelongsAt  string `json:"belongs_at"`
	Written    string
	Edits      int
	Relinked   int
	Unlinked   int
	Counts     struct{ Actions, Notes map[string]int }
	Faults     []struct {
		Name  string
		Count int
	}
}

func faultsOf(f againFile) map[string]int {
	n := map[string]int{}
	for _, x := range f.Faults {
		n[x.Name] += max(1, x.Count)
	}
	return n
}

// faults are those of the file that was at an address, or that belongs there.
func (s *againSummary) faults(urls ...string) map[string]int {
	for _, f := range s.Files {
		if slices.Contains(urls, f.URL) || slices.Contains(urls, f.AnsweredAt) || slices.Contains(urls, f.BelongsAt) {
			return faultsOf(f)
		}
	}
	return nil
}

// drawnSite is a random site, as a web for the demo.
type drawnSite struct {
	web   strings.Builder   // all but the sitemaps
	files map[string][]byte // by URL
	robot []string          // sitemaps that robots.txt names
}

func (s *drawnSite) put(url string, b []byte) { s.files[url] = b }

func (s *drawnSite) describe() string {
	text := s.web.String() + "https://www.shop.example/robots.txt 200\n  Content-Type: text/plain\n"
	for _, url := range s.robot {
		text += "  | Sitemap: " + url + "\n"
	}
	for n, url := range slices.Sorted(keysOf(s.files)) {
		text += fmt.Sprintf("%s 200 file=%d\n", url, n)
	}
	for _, url := range slices.Sorted(keysOf(s.files)) {
		text += "# " + url + "\n"
		for line := range strings.Lines(string(s.files[url])) {
			text += "#   " + strings.TrimSpace(line) + "\n"
		}
	}
	return text
}

func keysOf[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func (s *drawnSite) audit(t *testing.T, dir string) (sum againSummary, said string) {
	t.Helper()
	files := fstest.MapFS{}
	for n, url := range slices.Sorted(keysOf(s.files)) {
		files[fmt.Sprint(n)] = &fstest.MapFile{Data: s.files[url]}
	}
	var out, errOut bytes.Buffer
	f := demoFlags(dir)
	f.Formats = []string{"jsonl"}
	if err := auditOn(context.Background(), stdio{strings.NewReader(""), &out, &errOut}, s.describe(), fs.FS(files), f, []string{"https://www.shop.example"}); err != nil && !strings.Contains(err.Error(), "could not be checked") {
		t.Fatalf("%v\n%s\n%s", err, errOut.String(), s.describe())
	}
	b, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err == nil {
		err = json.Unmarshal(b, &sum)
	}
	if err != nil {
		t.Fatal(err)
	}
	rows, err := os.ReadFile(filepath.Join(dir, "entries.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(rows) {
		row, err := shortRow(line)
		if err != nil {
			t.Fatal(err)
		}
		said += row + "\n"
	}
	return sum, said
}

// listed counts the addresses of the sitemaps of each host, but some sitemaps. What
// two hosts list is in two properties of Search Console.
func (s *drawnSite) listed(but ...string) map[string]int {
	n := map[string]int{}
	for url, b := range s.files {
		if !slices.Contains(but, url) {
			countListed(n, url, b)
		}
	}
	return n
}

// countListed counts the addresses of a sitemap.
func countListed(n map[string]int, url string, b []byte) {
	host, _, _ := strings.Cut(strings.TrimPrefix(url[strings.Index(url, "//")+2:], "www."), "/")
	for line := range strings.Lines(string(b)) {
		_, loc, xml := strings.Cut(line, "<url><loc>")
		loc, _, _ = strings.Cut(loc, "</loc>")
		if !xml && !strings.Contains(line, "<") {
			loc = strings.TrimSpace(line)
		}
		if loc != "" {
			n[host+" "+loc]++
		}
	}
}

// drawSite draws pages that answer in all ways of the contract, and sitemaps that list
// them, some twice.
func drawSite(r *rand.Rand) *drawnSite {
	s := &drawnSite{files: map[string][]byte{}}
	origins := []string{"https://www.shop.example", "https://www.shop.example", "https://www.shop.example", "http://www.shop.example", "https://shop.example", "http://blog.shop.example"}
	var pages []string
	for i := range 25 + r.IntN(30) {
		pages = append(pages, origins[r.IntN(len(origins))]+[]string{"/p/%d", "/blog/%d", "/en/%d", "/p/%d.html", "/%%e3%%81%d", "/q?id=%d", "/soft/%d", "/all/%d"}[r.IntN(8)])
		pages[i] = fmt.Sprintf(pages[i], i+10)
	}
	asked := map[string]bool{}
	for _, page := range pages {
		if !asked[page] {
			asked[page] = true
			s.web.WriteString(page + drawAnswer(r, page, pages))
		}
	}
	for _, o := range []string{"https://www.shop.example", "http://www.shop.example", "https://shop.example", "http://blog.shop.example"} {
		s.web.WriteString(o + "/ 200\n" + o + "/us/ 200\n" + o + "/index.html 200\n" + o + "/uploads/* 200\n  Content-Type: image/jpeg\n  | jpeg\n" + o + "/login* 200\n" + o + "/hub 200\n")
	}
	s.web.WriteString("https://www.shop.example/moved* 200\nhttps://else.example/* 200\n")
	for _, o := range origins[2:4] { // what answers 200 to anything, and what sends all to one page
		s.web.WriteString(o + "/soft/* 200\n  | <title>Policies</title><p>text\n" + o + "/all/* 301 /product\n" + o + "/product 200\n")
	}
	s.drawFiles(r, pages)
	return s
}

// drawAnswer draws what a page answers.
func drawAnswer(r *rand.Rand, page string, pages []string) string {
	origin := page[:strings.Index(page[8:], "/")+8]
	other := pages[r.IntN(len(pages))]
	if origin == "http://blog.shop.example" && r.IntN(5) > 0 { // which moved as a whole, or nearly
		return " 301 https://www.shop.example/moved" + page[len(origin):] + "\n"
	}
	switch r.IntN(26) {
	case 24:
		return " 301 " + origin + "/soft/" + strconv.Itoa(r.IntN(9)) + "\n"
	case 25:
		return " 301 " + origin + "/product\n"
	case 0:
		return " 404\n"
	case 1:
		return " 410\n"
	case 2:
		return " 302 " + other + "\n"
	case 3:
		return " 301 " + page + "\n"
	case 4, 5, 6, 7, 17, 18, 19:
		return " 301 " + other + "\n"
	case 8:
		return " 301 " + strings.Replace(strings.Replace(page, "http://", "https://", 1), "%e3", "%E3", 1) + "\n"
	case 9:
		return " 301 https://else.example/x\n"
	case 10:
		return " 301 " + origin + []string{"/", "/us/", "/index.html", "/hub", "/hub"}[r.IntN(5)] + "\n"
	case 11:
		return " 301 " + origin + "/uploads/" + strconv.Itoa(r.IntN(9)) + ".jpg\n"
	case 12:
		return " 301 " + origin + "/login?next=" + page + "\n"
	case 13:
		return " 200\n  X-Robots-Tag: noindex\n"
	case 14, 15:
		return " 200\n  | <link rel=canonical href=\"" + other + "\">\n"
	case 16:
		return []string{" 500\n", " 403\n", " 200 fault=reset\n"}[r.IntN(2)]
	}
	return " 200\n"
}

// drawFiles draws an index with sitemaps, and one beside it on another host.
func (s *drawnSite) drawFiles(r *rand.Rand, pages []string) {
	const shop = "https://www.shop.example"
	index := "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
	for n := range 1 + r.IntN(4) {
		url := fmt.Sprintf("%s/sitemap-%d.xml", shop, n)
		index += strings.Repeat("<sitemap><loc>"+url+"</loc></sitemap>\n", 1+n%2)
		s.put(url, drawFile(r, pages))
	}
	s.put(shop+"/index.xml", []byte(index+"</sitemapindex>\n"))
	s.robot = []string{shop + "/index.xml"}
	if r.IntN(4) > 0 {
		url := []string{"http://blog.shop.example/sitemap.xml", "http://www.shop.example/sitemap.xml", "https://shop.example/sitemap.xml"}[r.IntN(3)]
		s.put(url, drawFile(r, slices.DeleteFunc(slices.Clone(pages), func(p string) bool { return !strings.HasPrefix(p, url[:len(url)-len("sitemap.xml")]) })))
		s.robot = append(s.robot, url)
	}
}

func drawFile(r *rand.Rand, pages []string) []byte {
	pages = append(slices.Clone(pages), "https://www.shop.example/hub", "no URL")
	list := make([]string, 1+r.IntN(30))
	for i := range list {
		list[i] = pages[r.IntN(len(pages))]
	}
	if r.IntN(4) == 0 {
		return []byte(strings.Join(list, "\n") + "\n")
	}
	body := "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:xhtml=\"http://www.w3.org/1999/xhtml\" xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\">\n"
	for _, loc := range list {
		blocks := ""
		switch r.IntN(8) {
		case 0:
			blocks = "<image:image><image:loc>https://www.shop.example/uploads/" + strconv.Itoa(r.IntN(3)) + ".jpg</image:loc></image:image>"
		case 1:
			blocks = "<xhtml:link rel=\"alternate\" hreflang=\"en\" href=\"" + loc + "\"/><xhtml:link rel=\"alternate\" hreflang=\"ja\" href=\"" + pages[r.IntN(len(pages)-1)] + "\"/>"
		}
		body += "<url><loc>" + loc + "</loc>" + blocks + "</url>\n"
	}
	return []byte(body + "</urlset>\n")
}

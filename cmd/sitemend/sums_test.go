package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// What the outputs of an audit count is what entries.jsonl adds up to, whatever the
// site answers.
func TestOutputsAddUp(t *testing.T) {
	for seed := range uint64(4) {
		dir := filepath.Join(t.TempDir(), "out")
		var out, errOut bytes.Buffer
		text := randomWeb(rand.New(rand.NewPCG(seed, 0)))
		f := demoFlags(dir)
		f.Formats = []string{"jsonl", "csv", "xlsx", "junit", "sarif"}
		if err := demo(context.Background(), stdio{strings.NewReader(""), &out, &errOut}, text, f); err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, errOut.String(), text)
		}
		same := func(what string, got, want any) {
			t.Helper()
			if !reflect.DeepEqual(got, want) {
				t.Errorf("seed %d: %s:\n%v, entries.jsonl adds up to\n%v", seed, what, got, want)
			}
		}
		said, sum := summaryIn(t, dir), sumsIn(t, dir)
		same("summary.json", said.sums, sum[""].sums)
		for _, f := range said.Files {
			same("counts of "+f.URL, f.Counts, sum[f.URL].sums)
			if f.Kind != "index" {
				same("edits of "+f.URL, f.Edits, len(sum[f.URL].edits))
			}
			changes := slices.DeleteFunc(cellsIn(t, dir, "changes.csv", "sitemap", "line", "action", "listed", "verdict"), func(row string) bool { return !strings.HasPrefix(row, f.URL+" ") })
			if len(changes) != f.Edits || f.Kind != "index" && !slices.Equal(changes, sum[f.URL].edits) {
				t.Errorf("seed %d: changes.csv of %s, %d edits: %q, want %q", seed, f.URL, f.Edits, changes, sum[f.URL].edits)
			}
		}
		same("entries.csv", cellsIn(t, dir, "entries.csv", "sitemap", "line", "url", "verdict", "fix"), sum[""].rows)
		same("rows of entries.xlsx", sheetRows(t, dir), len(sum[""].rows))
		findings := maps.Clone(sum[""].Verdicts)
		delete(findings, "ok")
		delete(findings, "skipped")
		same("junit.xml", countsIn(t, dir, "junit.xml", `<testcase classname="sitemend\.([a-z0-9-]+)" name="[^"]* in `), findings)
		same("sarif.json", countsIn(t, dir, "sarif.json", `\{"ruleId":"([a-z0-9-]+)"`), findings)
		n := sum[""].Actions
		same("the numbers of summary.json", [3]int{said.Entries.All, said.Entries.Replaced, said.Entries.Removed}, [3]int{len(sum[""].rows), n["replace"], n["merge"] + n["drop"]})
	}
}

// randomWeb is a web with two sitemaps in an index and one besides, of entries that
// answer at random, some of them listed twice.
func randomWeb(r *rand.Rand) string {
	const shop = "https://www.shop.example"
	answers := []string{"200", "200", "200", "301 /p/1", "301 /p/2", "302 /p/3", "404", "410", "500", "403", "301 /p/%d", "301 /self", "301 https://else.example/", "301 /"}
	var pages []string
	web := "https://else.example/ 200\n" + shop + "/ 200\n" + shop + "/self 301 /self\n"
	for i := range 40 {
		answer := answers[r.IntN(len(answers))]
		if strings.Contains(answer, "%d") {
			answer = fmt.Sprintf(answer, r.IntN(40))
		}
		page := fmt.Sprintf("%s/p/%d", shop, i)
		web += page + " " + answer + "\n"
		if answer == "200" && r.IntN(3) == 0 {
			web += []string{"  X-Robots-Tag: noindex\n", fmt.Sprintf("  | <link rel=canonical href=/p/%d><p>x\n", r.IntN(40))}[r.IntN(2)]
		}
		pages = append(pages, page)
	}
	pages = append(pages, shop+"/internal/1", "no URL", shop+"/forbidden")
	list := func(n int) string {
		body := "  | <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
		for range n {
			body += "  | <url><loc>" + pages[r.IntN(len(pages))] + "</loc></url>\n"
		}
		return body + "  | </urlset>\n"
	}
	web += shop + "/robots.txt 200\n  | User-agent: *\n  | Disallow: /forbidden\n  | Sitemap: " + shop + "/index.xml\n"
	web += shop + "/index.xml 200\n  | <sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
	for _, child := range []string{"a", "old", "gone"} {
		web += "  | <sitemap><loc>" + shop + "/" + child + ".xml</loc></sitemap>\n"
	}
	web += "  | </sitemapindex>\n" + shop + "/old.xml 301 /b.xml\n"
	web += shop + "/a.xml 200\n" + list(40) + shop + "/b.xml 200\n" + list(25)
	return web + "http://wiki.example/sitemap.txt 200\n  | http://wiki.example/\n  | http://wiki.example/2\nhttp://wiki.example/ 200\nhttp://wiki.example/2 301 /\n"
}

// sums are the counts of summary.json that rows add up to.
type sums struct {
	Verdicts, Reasons, Notes, Actions map[string]int
}

func newSums() sums {
	return sums{map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}}
}

// known leaves out what does not occur.
func (s *sums) known() {
	for _, m := range []map[string]int{s.Verdicts, s.Actions} {
		for k, n := range m {
			if n == 0 {
				delete(m, k)
			}
		}
	}
}

type saidSums struct {
	sums
	Entries struct{ All, Replaced, Removed int }
	Files   []struct {
		URL, Kind string
		Edits     int
		Counts    sums
	}
}

func summaryIn(t *testing.T, dir string) saidSums {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	s := saidSums{sums: newSums()}
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	s.known()
	for i := range s.Files {
		s.Files[i].Counts.known()
	}
	return s
}

// rowSums are what the rows of a file, or of all, add up to.
type rowSums struct {
	sums
	rows, edits []string
}

// sumsIn adds up entries.jsonl by sitemap; all stand under "".
func sumsIn(t *testing.T, dir string) map[string]*rowSums {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "entries.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*rowSums{"": {sums: newSums()}, "https://www.shop.example/index.xml": {sums: newSums()}, "https://www.shop.example/gone.xml": {sums: newSums()}}
	for line := range bytes.Lines(b) {
		var r jsonRow
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if out[r.Sitemap] == nil {
			out[r.Sitemap] = &rowSums{sums: newSums()}
		}
		out[r.Sitemap].add(&r)
		out[""].add(&r)
	}
	return out
}

type jsonRow struct {
	Loc, Sitemap, Verdict string
	Line                  int
	Reasons, Notes        []string
	Fix                   struct{ Action, Why string }
}

func (s *rowSums) add(r *jsonRow) {
	s.Verdicts[r.Verdict]++
	s.Actions[r.Fix.Action]++
	for _, x := range r.Reasons {
		s.Reasons[x]++
	}
	for _, x := range r.Notes {
		s.Notes[x]++
	}
	s.rows = append(s.rows, fmt.Sprint(r.Sitemap, " ", r.Line, " ", r.Loc, " ", r.Verdict, " ", r.Fix.Action))
	if r.Fix.Action != "keep" {
		s.edits = append(s.edits, fmt.Sprint(r.Sitemap, " ", r.Line, " ", r.Fix.Action, " ", r.Loc, " ", r.Verdict))
	}
}

// cellsIn returns some columns of each row of a CSV file.
func cellsIn(t *testing.T, dir, name string, columns ...string) (rows []string) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.CopyN(io.Discard, f, 3); err != nil { // the byte order mark
		t.Fatal(err)
	}
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range all[1:] {
		var cells []string
		for _, c := range columns {
			cells = append(cells, line[slices.Index(all[0], c)])
		}
		rows = append(rows, strings.Join(cells, " "))
	}
	return rows
}

// countsIn counts what the first group of a pattern matches in a file.
func countsIn(t *testing.T, dir, name, pattern string) map[string]int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(b, -1) {
		counts[string(m[1])]++
	}
	return counts
}

func sheetRows(t *testing.T, dir string) int {
	t.Helper()
	f, err := excelize.OpenFile(filepath.Join(dir, "entries.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := f.GetRows("URLs")
	if err != nil {
		t.Fatal(err)
	}
	return len(rows) - 1
}

package audit_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
)

var update = flag.Bool("update", false, "write what is decided into the cases")

// steady is a web that answers everybody alike, and 404 to made-up names, but for the lines that say
// otherwise ("browser URL ...", "proof URL ...", a URL that ends with nowhere).
type steady struct{ *site }

func (s steady) Hop(r answers.Request) (answers.Hop, bool) {
	h, ok := s.web.Hop(r)
	if !ok {
		if h, ok = s.web.Hop(answers.Request{URL: r.URL}); !ok && strings.Contains(r.URL, "nowhere") {
			h, ok = answers.Hop{Status: 404}, true
		}
		h.Request = r
	}
	return h, ok
}

// TestDecide holds the cases of testdata/decide: a web and its sitemaps, and what becomes of each
// entry. The comment of a case says what it promises. "-- rules --" has lines "max-drop 50%",
// "fix temporary=replace", "lift collapsed"; other sections are sitemaps, each line an entry, with
// "images" behind it where it has blocks of images, and after "=>" what is decided.
func TestDecide(t *testing.T) {
	cases, err := filepath.Glob("testdata/decide/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal(err, "no cases")
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { decideCase(t, name) })
	}
}

func decideCase(t *testing.T, name string) {
	file, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	s, r := &site{web: web{}}, rules()
	r.MissingPath = "nowhere"
	sections := map[int]int{} // of file: by section
	for i, f := range file.Files {
		switch f.Name {
		case "web":
			s.web = parseWeb(t, string(f.Data))
		case "rules":
			readRules(t, r, string(f.Data))
		default:
			sections[i] = len(s.files)
			s.list(f.Name, entriesOf(f.Data)...)
		}
	}
	result, err := audit.Evaluate(t.Context(), steady{s}, audit.Info{Rules: *r}, nil, func(url string) string { return url }, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range sections {
		var got bytes.Buffer
		for j, row := range rowsOf(t, result, n) {
			fmt.Fprintf(&got, "%s => %s\n", entriesOf(file.Files[i].Data)[j], row)
		}
		if at := result.Files[n].BelongsAt; at != file.Files[i].Name {
			fmt.Fprintf(&got, "# belongs at %s\n", at)
		}
		if !bytes.Equal(got.Bytes(), file.Files[i].Data) && !*update {
			t.Errorf("%sgot\n%swant\n%s", file.Comment, got.Bytes(), file.Files[i].Data)
		}
		file.Files[i].Data = got.Bytes()
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(file), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func entriesOf(data []byte) (locs []string) {
	for line := range strings.Lines(string(data)) {
		loc, _, _ := strings.Cut(line, "=>")
		if loc = strings.TrimSpace(loc); loc != "" && loc[0] != '#' {
			locs = append(locs, loc)
		}
	}
	return locs
}

func readRules(t *testing.T, r *audit.Rules, text string) {
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch name {
		case "max-drop":
			percent, err := strconv.Atoi(strings.TrimSuffix(value, "%"))
			if err != nil {
				t.Fatal(err)
			}
			r.MaxDrop = float64(percent) / 100
		case "fix":
			v, a, _ := strings.Cut(value, "=")
			r.Fix = map[audit.Verdict]audit.Action{audit.Verdict(v): audit.Action(a)}
		case "lift":
			r.Lift = map[audit.Note]bool{audit.Note(value): true}
		default:
			t.Fatalf("unknown rule %q", line)
		}
	}
}

// TestPlanAsksOnce holds that what is asked before the edits are final comes to an end, that without
// the answers nothing is edited but what needs none, and that what was asked is said.
func TestPlanAsksOnce(t *testing.T) {
	s := &site{web: parseWeb(t, `
		http://a.example/ok 200
		http://a.example/p/old 301 /p/new
		http://a.example/p/new 200
		http://a.example/p/shop 301 /p/shop/%e3
		http://a.example/p/shop/%e3 200
		http://a.example/gone 404
		browser http://a.example/gone 404`)}
	s.list("http://a.example/map.xml", "http://a.example/ok", "http://a.example/p/old", "http://a.example/p/shop", "http://a.example/gone")
	r := rules()
	r.MissingPath = "nowhere"
	maps.Copy(s.web, parseWeb(t, "http://a.example/nowhere 404"))
	plan, err := audit.NewPlan(t.Context(), s, audit.Info{Rules: *r}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	for range 5 {
		needs, err := plan.Needs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range needs {
			asked = append(asked, fmt.Sprint(q.Purpose, " ", q.URL))
			if q.URL == "http://a.example/p/shop/%E3" {
				maps.Copy(s.web, parseWeb(t, q.URL+" 301 /p/shop/%e3"))
			} else if h, ok := (steady{s}).Hop(q); ok {
				s.web[q] = h
			} else {
				t.Errorf("nobody knows %v", q)
			}
		}
	}
	slices.Sort(asked)
	equal(t, asked, []string{"0 http://a.example/p/nowhere", "0 http://a.example/p/shop/%E3", "1 http://a.example/p/old",
		"1 http://a.example/p/shop", "2 http://a.example/ok", "2 http://a.example/p/old"})
	result, err := plan.Result(t.Context(), func(url string) string { return url }, nil)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, rowsOf(t, result, 0)[2:3], []string{"moved path | replace http://a.example/p/shop/%e3 | bounces"})
}

// TestDecisionsLaw draws sites and holds what every decision must hold: no URL is listed twice that
// was listed once, what leaves has its successor listed, no file is emptied, no more than the safety
// limit leaves; and a crawl that settled the rows decides as the memory does.
func TestDecisionsLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, r := drawnSite(t)
		info := audit.Info{Rules: *r}
		result, err := audit.Evaluate(t.Context(), steady{s}, info, nil, func(url string) string { return url }, nil)
		if err != nil {
			t.Fatal(err)
		}
		listed, left, from := map[string]int{}, map[string]int{}, map[string]int{}
		for _, e := range s.entries {
			listed[e.Loc]++
		}
		for i := range result.Files {
			out, dropped := 0, 0
			for row, err := range result.Rows(context.Background(), i) {
				if err != nil {
					t.Fatal(err)
				}
				switch uploaded := !result.Files[i].Sitemap.InPart(); {
				case row.Fix.Action == audit.Keep, !uploaded:
					left[row.Entry.Loc]++
				case row.Fix.Action == audit.Replace:
					left[row.Fix.Loc]++
					from[row.Fix.Loc] = max(from[row.Fix.Loc], listed[row.Entry.Loc]) // one file under two URLs
				case row.Fix.Action == audit.Drop:
					out, dropped = out+1, dropped+1
				case row.Fix.Action == audit.Merge:
					out++
				}
			}
			if n := result.Files[i].Sitemap.Entries; n > 0 && out == n {
				t.Errorf("file %d is emptied", i)
			} else if dropped > 10 && float64(dropped) > r.MaxDrop*float64(n) {
				t.Errorf("%d of %d are dropped from file %d", dropped, n, i)
			}
		}
		for loc, n := range left {
			if n > max(1, listed[loc], from[loc]) {
				t.Errorf("%s is listed %d times, %d times before", loc, n, listed[loc])
			}
		}
		for i := range result.Files {
			for row, err := range result.Rows(context.Background(), i) {
				if err == nil && row.Fix.Action == audit.Merge && !result.Files[i].Sitemap.InPart() && left[row.Fix.Loc] == 0 {
					t.Errorf("%s leaves for %s, which nobody lists", row.Entry.Loc, row.Fix.Loc)
				}
			}
		}
		crawled := audit.NewSettledRows(make([]byte, len(s.entries)*audit.SettledBytes), nil, nil)
		for i := len(s.entries) - 1; i >= 0; i-- {
			row := new(audit.Row).Judge(audit.NewAnswerCache(steady{s}, 1, true), s.entries[i], r, audit.Want{Recheck: true})
			crawled.Put(row, r)
		}
		plan, err := audit.NewPlan(t.Context(), steady{s}, info, crawled)
		if err != nil {
			t.Fatal(err)
		}
		again, err := plan.Result(t.Context(), func(url string) string { return url }, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range result.Files {
			if a, b := lines(t, result, i), lines(t, again, i); !slices.Equal(a, b) {
				t.Errorf("from memory\n%s\nfrom the crawl\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
			}
		}
	})
}

func lines(t *rapid.T, result *audit.Result, file int) (out []string) {
	for row, err := range result.Rows(context.Background(), file) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, say(row)+" "+string(row.Fix.Stop))
	}
	return out
}

// drawnSite draws up to three files whose entries stay, redirect to one another or to new pages, name
// canonicals, or are gone.
func drawnSite(t *rapid.T) (*site, *audit.Rules) {
	s, r := &site{web: web{}}, rules()
	r.MissingPath = "nowhere"
	pages := rapid.IntRange(1, 12).Draw(t, "pages")
	page := func(what string) string {
		return fmt.Sprintf("http://a.example/%s/p%d", rapid.SampledFrom([]string{"x", "y"}).Draw(t, what+" folder"), rapid.IntRange(0, pages).Draw(t, what))
	}
	answer := func(loc string) {
		if _, known := s.web[answers.Request{URL: loc}]; known {
			return
		}
		h := answers.Hop{Request: answers.Request{URL: loc}, Status: rapid.SampledFrom([]int{200, 200, 200, 301, 301, 302, 404, 500}).Draw(t, "status")}
		switch {
		case h.Status/100 == 3:
			h.Location = page("to")
		case h.Status == 200 && rapid.IntRange(0, 5).Draw(t, "canonical") == 0:
			h.Page.Canonical = page("canonical")
		case h.Status == 200 && rapid.IntRange(0, 5).Draw(t, "noindex") == 0:
			h.Page.Robots = "noindex"
		}
		s.web[h.Request] = h
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "files") {
		var locs []string
		for range rapid.IntRange(0, 30).Draw(t, "entries") {
			locs = append(locs, page("entry"))
		}
		s.list(fmt.Sprintf("http://a.example/%d.xml", i), locs...)
		if rapid.IntRange(0, 3).Draw(t, "cut off") == 0 {
			s.files[i].Faults = []audit.SitemapFault{{Key: "cut-off"}}
		}
	}
	for _, folder := range []string{"x", "y"} {
		for i := range pages + 1 {
			answer(fmt.Sprintf("http://a.example/%s/p%d", folder, i))
		}
	}
	return s, r
}

func equal(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

const map1 = "http://a.example/sitemap.xml"

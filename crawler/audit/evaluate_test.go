package audit_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

func equal(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

const map1 = "http://a.example/sitemap.xml"

func TestDuplicateAndMerge(t *testing.T) {
	s := &site{web: parseWeb(t, `
		http://a.example/old 301 /new
		http://a.example/older 301 /new
		http://a.example/new 200
		http://a.example/x 301 /y
		http://a.example/x2 301 /y
		http://a.example/y 200`)}
	s.list(map1, "http://a.example/old", "http://a.example/new", "http://a.example/older images", "http://a.example/new#again",
		"http://a.example/x", "http://a.example/x2")
	result := s.evaluate(t, rules())
	equal(t, rowsOf(t, result, 0), []string{
		"moved path | merge http://a.example/new",
		"ok | keep",
		"moved path | keep | merge-would-lose",
		"ok | keep | duplicate",
		"moved path | replace http://a.example/y",
		"moved path | merge http://a.example/y",
	})
	if f := result.Files[0].Sitemap.Faults; len(f) != 1 || f[0].Name != "Duplicate URL" || f[0].Line != 4 {
		t.Errorf("faults %+v", f)
	}
	if p := result.Proof; p.Entries != 4 || p.Direct != 3 || p.NeedDecision != 1 {
		t.Errorf("proof %+v", p)
	}
	c := result.Counts
	if c.Entries != 6 || c.Groups[audit.Corrected]["merged"] != 2 || c.Groups[audit.Corrected]["moved"] != 1 || c.Groups[audit.Fine]["ok"] != 2 {
		t.Errorf("counts %+v", c)
	}
}

// Escapes in lower case are the same address: it is not listed twice for them.
func TestMergeWithOtherHexCase(t *testing.T) {
	s := &site{web: parseWeb(t, `
		http://a.example/k%c3%a4se 200
		http://a.example/cheese 301 /k%C3%A4se
		http://a.example/k%C3%A4se 200
		http://a.example/tee 301 /t%c3%a9
		http://a.example/thee 301 /t%C3%A9
		http://a.example/t%c3%a9 200
		http://a.example/t%C3%A9 200`)}
	s.list(map1, "http://a.example/k%c3%a4se", "http://a.example/cheese", "http://a.example/tee", "http://a.example/thee")
	equal(t, rowsOf(t, s.evaluate(t, rules()), 0), []string{
		"ok | keep",
		"moved path | merge http://a.example/k%C3%A4se",
		"moved path | replace http://a.example/t%c3%a9",
		"moved path | merge http://a.example/t%C3%A9",
	})
}

// An entry that the sitemap of another host lists is merged with what the sitemaps of its own host
// list and write, in whatever order they are read; what it lists takes nothing from these.
func TestMergeOfAGuest(t *testing.T) {
	web := parseWeb(t, "http://a.example/old 301 /new\nhttp://a.example/new 200\nhttp://b.a.example/ok 200\nhttp://a.example/ok 200")
	for _, c := range []struct {
		home, guest []string
		want        string
	}{
		{[]string{"http://a.example/old", "http://a.example/ok"}, []string{"http://a.example/old"}, "merge http://a.example/new"},
		{[]string{"http://a.example/new", "http://a.example/ok"}, []string{"http://a.example/old"}, "merge http://a.example/new"},
		{[]string{"http://a.example/ok"}, []string{"http://a.example/old"}, "replace http://a.example/new"},
	} {
		for _, first := range []bool{true, false} {
			s := &site{web: web}
			guests := 0
			if first {
				s.list("http://b.a.example/map.xml", append(c.guest, "http://b.a.example/ok")...)
			}
			s.list("http://a.example/map.xml", c.home...)
			if !first {
				guests = 1
				s.list("http://b.a.example/map.xml", append(c.guest, "http://b.a.example/ok")...)
			}
			result := s.evaluate(t, rules())
			if got := rowsOf(t, result, guests)[0]; !strings.Contains(got, c.want) {
				t.Errorf("%v beside %v: %s", c.guest, c.home, got)
			}
			if got := rowsOf(t, result, 1-guests)[0]; strings.Contains(got, "merge") {
				t.Errorf("%v beside the guest: %s", c.home, got)
			}
		}
	}
	s := &site{web: web} // what stays as a guest takes nothing from a sitemap of its host
	s.list("http://b.a.example/map.xml", "http://a.example/new", "http://b.a.example/ok")
	s.list("http://a.example/map.xml", "http://a.example/old", "http://a.example/ok")
	if got := rowsOf(t, s.evaluate(t, rules()), 1)[0]; got != "moved path | replace http://a.example/new" {
		t.Error(got)
	}
}

func TestCollapsed(t *testing.T) {
	s := &site{web: parseWeb(t, "http://a.example/all 200")}
	locs := many(10, "http://a.example/p%d")
	for _, l := range locs {
		maps.Copy(s.web, parseWeb(t, l+" 301 /all"))
	}
	s.list(map1, locs...)
	for _, row := range rowsOf(t, s.evaluate(t, rules()), 0) {
		if row != "moved path | keep | collapsed" {
			t.Errorf("ten entries on one page: %s", row)
		}
	}
	s.files, s.entries = nil, nil
	s.list(map1, append(locs[:9:9], locs[0])...) // the tenth repeats the first
	for i, row := range rowsOf(t, s.evaluate(t, rules()), 0) {
		if strings.Contains(row, "collapsed") {
			t.Errorf("nine distinct entries on one page: row %d: %s", i, row)
		}
	}
	r := rules()
	r.Lift = map[audit.Note]bool{audit.Collapsed: true}
	s.files, s.entries = nil, nil
	s.list(map1, locs...)
	if row := rowsOf(t, s.evaluate(t, r), 0)[0]; row != "moved path | replace http://a.example/all" {
		t.Errorf("--fix collapsed=replace: %s", row)
	}
}

// Where most of a sitemap leads to a few pages, several entries to each, nothing but these would be
// left. What keeps its name, or is one of two, has a successor.
func TestGathered(t *testing.T) {
	for name, c := range map[string]struct {
		n, of    int // entries that redirect, and how many are listed in all
		from, to string
		ends     int
		sitemaps int
		rules    func(*audit.Rules)
		named    bool // as canonical
		held     bool
	}{
		"products to categories":  {n: 180, of: 200, from: "/p/x%d", to: "/c/%d", ends: 20, held: true},
		"of a small part":         {n: 180, of: 2000, from: "/p/x%d", to: "/c/%d", ends: 20},
		"a few":                   {n: 10, of: 20, from: "/p/x%d", to: "/c/%d", ends: 2},
		"two each":                {n: 180, of: 200, from: "/p/x%d", to: "/c/%d", ends: 90},
		"each its own":            {n: 180, of: 200, from: "/p/x%d", to: "/c/%d", ends: 180},
		"three old ones of each":  {n: 180, of: 200, from: "/old%d/%m.html", to: "/%d/", ends: 60},
		"small sitemaps":          {n: 180, of: 200, from: "/p/x%d", to: "/c/%d", ends: 20, sitemaps: 20, held: true},
		"with --max-drop":         {n: 180, of: 200, from: "/p/x%d", to: "/c/%d", ends: 20, rules: func(r *audit.Rules) { r.MaxDrop = 1 }},
		"with collapsed=replace":  {n: 180, of: 200, from: "/p/x%d", to: "/c/%d", ends: 20, rules: func(r *audit.Rules) { r.Lift = map[audit.Note]bool{audit.Collapsed: true} }},
		"by their canonical":      {n: 180, of: 200, from: "/p/x%d", to: "/c/%d", ends: 20, named: true, held: true},
		"variants of a page":      {n: 180, of: 200, from: "/%m?color=%d", to: "/%d", ends: 20, named: true},
		"a word more":             {n: 180, of: 200, from: "/p/x%m-%d", to: "/p/x%d", ends: 20},
		"a part of a word":        {n: 180, of: 200, from: "/p/x%mb%d", to: "/p/x%d", ends: 20, held: true},
		"variants below it":       {n: 180, of: 200, from: "/p/x%m/v%v", to: "/p/x%d", ends: 20, named: true},
		"products below":          {n: 180, of: 200, from: "/c/%m/p%d", to: "/c/%d", ends: 20, held: true},
		"of another spelling too": {n: 180, of: 200, from: "/p/x%d", to: "/c/%d?a=%%28", ends: 20, held: true},
	} {
		s, locs := &site{web: web{}}, []string{}
		for i := range c.of {
			filled := strings.NewReplacer("%%", "%", "%d", strconv.Itoa(i), "%m", strconv.Itoa(i%max(1, c.ends)), "%v", strconv.Itoa(i/max(1, c.ends)))
			if i >= c.n {
				filled = strings.NewReplacer("%%", "%", "%d", strconv.Itoa(i-c.n))
				loc := "http://a.example" + filled.Replace(c.to)
				maps.Copy(s.web, parseWeb(t, loc+" 200"))
				locs = append(locs, loc)
				continue
			}
			end := "http://a.example" + strings.NewReplacer("%%", "%", "%d", strconv.Itoa(i%c.ends)).Replace(c.to)
			loc := "http://a.example" + filled.Replace(c.from)
			leads := " 301 "
			if c.named {
				leads = " 200 canonical="
			}
			maps.Copy(s.web, parseWeb(t, loc+leads+end+"\n"+end+" 200"))
			locs = append(locs, loc)
		}
		for i, some := range slices.Collect(slices.Chunk(locs, len(locs)/max(1, c.sitemaps))) {
			s.list("http://a.example/"+strconv.Itoa(i)+".xml", some...)
		}
		r := rules()
		if c.rules != nil {
			c.rules(r)
		}
		result := s.evaluate(t, r)
		if got := result.Counts.Notes[audit.Collapsed]; (got == c.n) != c.held || !c.held && got > 0 {
			t.Errorf("%s: %d of %d are held back: %v", name, got, c.n, result.Counts.Actions)
		}
	}
}

// Pages that answer 200 and name one as their canonical that has another name and another title are more likely
// a fault of a template than the same page, however few name each.
func TestCanonicalsOfOtherPages(t *testing.T) {
	for name, c := range map[string]struct {
		n           int
		from, title string
		to, titled  string
		held        bool
	}{
		"products to categories":    {60, "/cup-%d", "Cup_%d_|_Shop", "/tableware-%d", "Tableware_%d_|_Shop", true},
		"a few":                     {10, "/cup-%d", "Cup_%d", "/tableware-%d", "Tableware_%d", false},
		"numbers with names":        {60, "/node/%d", "Cup_%d", "/tableware-%d", "Cup_%d", false},
		"numbers with like names":   {60, "/node/%d", "Blue_cup_%d", "/p/%d", "Red_cups_%d", false},
		"the title of the site":     {60, "/node/%d", "Shop", "/p/%d", "Cup_%d_|_Shop", false},
		"without a title":           {60, "/node/%d", "", "/p/%d", "Cup_%d", false},
		"with one word of the name": {60, "/blue-cup-%d", "Sky_%d", "/cup-red-%d", "Cherry_%d", false},
		"a part of the title":       {60, "/p/%d", "Cup_%d_|_Shop", "/c/%d", "Cups", false},
	} {
		s, locs := &site{web: web{}}, many(100, "http://a.example/other%d")
		for i := range c.n {
			fill := func(text string) string { return strings.ReplaceAll(text, "%d", strconv.Itoa(i)) }
			from, to := fill("http://a.example"+c.from), fill("http://a.example"+c.to)
			for req, hop := range parseWeb(t, fill(from+" 200 canonical="+to+" title="+c.title+"\n"+to+" 200 title="+c.titled)) {
				hop.Page.Title = strings.ReplaceAll(hop.Page.Title, "_", " ")
				s.web[req] = hop
			}
			locs = append(locs, from)
		}
		s.list("http://a.example/s.xml", locs...)
		if got := s.evaluate(t, rules()).Counts; got.Notes[audit.Collapsed] > 0 != c.held || !c.held && got.Actions[audit.Replace] != c.n {
			t.Errorf("%s: %v, %v", name, got.Notes, got.Actions)
		}
	}
}

// A page that gives everybody a query of their own is one page, by its title or its heading.
func TestCollapsedWithAQuery(t *testing.T) {
	for name, c := range map[string]struct {
		from, to, page string
		held           bool
	}{
		"a waiting room":      {"/p%d", "/queue?id=100%d", "title=Line", true},
		"an error":            {"/p%d", "/oops?t=%d", "title=Oops%d heading=Wrong", true},
		"products":            {"/p%d", "/product.php?id=%d", "title=Cup%d", false},
		"no title":            {"/p%d", "/product.php?id=%d", "", false},
		"a query that stays":  {"/old.php?id=%d", "/new.php?id=%d", "title=Shop", false},
		"pages without query": {"/p%d", "/product/%d", "title=Shop", false},
	} {
		for _, n := range []int{9, 10} {
			s := &site{web: web{}}
			locs := many(n, "http://a.example"+c.from)
			for i, l := range locs {
				numbered := func(s string) string { return strings.ReplaceAll(s, "%d", string(rune('0'+i))) }
				to := "http://a.example" + numbered(c.to)
				maps.Copy(s.web, parseWeb(t, l+" 301 "+to+"\n"+to+" 200 "+numbered(c.page)))
			}
			s.list(map1, locs...)
			for _, row := range rowsOf(t, s.evaluate(t, rules()), 0) {
				if strings.Contains(row, "keep | collapsed") != (c.held && n == 10) {
					t.Errorf("%s, %d: %s", name, n, row)
				}
			}
		}
	}
}

// A deploy that answers 404 for a third of the entries must not empty a sitemap.
func TestBrake(t *testing.T) {
	cases := []struct {
		gone, all int
		maxDrop   float64
		braked    bool
	}{
		{10, 30, 0.1, false}, // up to ten are always dropped
		{10, 11, 0.1, false},
		{11, 30, 0.1, true},
		{11, 110, 0.1, false},
		{12, 110, 0.1, true},
		{12, 110, 1, false},
		{3, 3, 0.1, true}, // all of them, however few
		{3, 3, 1, true},
	}
	for _, c := range cases {
		s := &site{web: web{}}
		locs := many(c.all, "http://a.example/p%d")
		for i, l := range locs {
			text := l + " 200"
			if i < c.gone {
				text = l + " 404\nbrowser " + l + " 404"
			}
			maps.Copy(s.web, parseWeb(t, text))
		}
		s.list(map1, locs...)
		r := rules()
		r.MaxDrop = c.maxDrop
		result := s.evaluate(t, r)
		want := "not-found | drop"
		if c.braked {
			want = "not-found | keep | braked"
		}
		if got := rowsOf(t, result, 0)[0]; got != want {
			t.Errorf("%+v: got %s", c, got)
		}
		if got := result.Files[0].Braked[audit.NotFound]; c.braked && got != c.gone || !c.braked && got != 0 {
			t.Errorf("%+v: braked %d", c, got)
		}
	}
}

// A site of small sitemaps must not lose most of its entries, either.
func TestBrakeOfAllFiles(t *testing.T) {
	for _, c := range []struct {
		files   int
		maxDrop float64
		braked  bool
	}{
		{5, 0.1, false}, {6, 0.1, true}, {6, 0.5, true}, {6, 0.7, false}, {6, 1, false},
	} {
		s := &site{web: web{}}
		for i := range c.files { // 2 of 3 of each
			var locs []string
			for k, answers := range []string{"404", "404", "200"} {
				l := fmt.Sprintf("http://a.example/%d/%d", i, k)
				locs = append(locs, l)
				maps.Copy(s.web, parseWeb(t, l+" "+answers+"\nbrowser "+l+" "+answers))
			}
			s.list(fmt.Sprintf("http://a.example/%d.xml", i), locs...)
		}
		r := rules()
		r.MaxDrop = c.maxDrop
		result, want := s.evaluate(t, r), "not-found | drop"
		if c.braked {
			want = "not-found | keep | braked"
		}
		for i := range c.files {
			if got := rowsOf(t, result, i)[0]; got != want || c.braked != (result.Files[i].Braked[audit.NotFound] == 2) {
				t.Errorf("%+v: file %d: %s, braked %v", c, i, got, result.Files[i].Braked)
			}
		}
	}
}

func TestMoves(t *testing.T) {
	var text strings.Builder
	for _, p := range []string{"a", "b"} {
		text.WriteString(fmt.Sprintf("http://www.a.example/%s 301 https://shop.a.example/%s\nhttps://shop.a.example/%s 200\n", p, p, p))
		text.WriteString(fmt.Sprintf("http://www.a.example/s%s 301 https://a.example/s%s\nhttps://a.example/s%s 200\n", p, p, p))
	}
	text.WriteString("http://www.a.example/old 301 /new\nhttp://www.a.example/new 200\nhttp://cdn.a.example/d 200\n")
	text.WriteString("http://www.a.example/ok 200\nhttp://www.a.example/loop 301 /loop\nhttp://www.a.example/hidden 403\n")
	text.WriteString("http://www.a.example/country 302 /eu/country\nhttp://www.a.example/eu/country 200\nhttp://www.a.example/soon 302 https://shop.a.example/b\n")
	text.WriteString("http://www.a.example/gone 301 /\nhttp://www.a.example/ 200\nhttp://www.a.example/off 301 http://b.example/x\nhttp://b.example/x 200")
	www := "http://www.a.example/"
	cases := []struct {
		name    string
		file    string
		locs    []string
		want    string // of the first row
		belongs string
	}{
		{"whole", www + "sm/map.xml?x=1", []string{www + "a", www + "b"}, "moved host scheme | replace https://shop.a.example/a", "https://shop.a.example/sm/map.xml?x=1"},
		{"unverified ones do not hinder", www + "map.xml", []string{www + "a", www + "b", www + "hidden"}, "moved host scheme | replace https://shop.a.example/a", "https://shop.a.example/map.xml"},
		{"nor do loops", www + "map.xml", []string{www + "a", www + "b", www + "loop"}, "moved host scheme | replace https://shop.a.example/a", "https://shop.a.example/map.xml"},
		{"nor do home pages", www + "map.xml", []string{www + "a", www + "b", www + "gone"}, "moved host scheme | replace https://shop.a.example/a", "https://shop.a.example/map.xml"},
		{"nor what leaves the site", www + "map.xml", []string{www + "a", www + "b", www + "off"}, "moved host scheme | replace https://shop.a.example/a", "https://shop.a.example/map.xml"},
		{"nor what goes there for now", www + "map.xml", []string{www + "a", www + "b", www + "soon"}, "moved host scheme | replace https://shop.a.example/a", "https://shop.a.example/map.xml"},
		{"one of those that are no pages", www + "map.xml", []string{www + "a", www + "hidden", www + "loop"}, "moved host scheme | keep | other-host", www + "map.xml"},
		{"a half", www + "map.xml", []string{www + "a", www + "b", www + "loop", www + "hidden"}, "moved host scheme | keep | other-host", www + "map.xml"},
		{"a page behind a redirect for now", www + "map.xml", []string{www + "a", www + "b", www + "country"}, "moved host scheme | keep | other-host", www + "map.xml"},
		{"partial", www + "map.xml", []string{www + "a", www + "ok"}, "moved host scheme | keep | other-host", www + "map.xml"},
		{"two ways", www + "map.xml", []string{www + "a", www + "sa"}, "moved host scheme | keep | other-host", www + "map.xml"},
		{"twin, partial", www + "map.xml", []string{www + "sa", www + "ok"}, "moved scheme www | replace https://a.example/sa", www + "map.xml"},
		{"twin, whole", www + "map.xml", []string{www + "sa", www + "sb"}, "moved scheme www | replace https://a.example/sa", "https://a.example/map.xml"},
		{"listed by a file on another host", "http://cdn.a.example/map.xml", []string{www + "old", www + "ok"}, "moved path | replace http://www.a.example/new", "http://cdn.a.example/map.xml"},
		{"listed by a file on another host, https now", "http://cdn.a.example/map.xml", []string{www + "sa", www + "sb"}, "moved scheme www | replace https://a.example/sa", "http://cdn.a.example/map.xml"},
		{"listed by a file on another host, beside its own", "http://cdn.a.example/map.xml", []string{www + "old", "http://cdn.a.example/d"}, "moved path | replace http://www.a.example/new", "http://cdn.a.example/map.xml"},
		{"listed by a file on another host, and moved", "http://cdn.a.example/map.xml", []string{www + "a", www + "b"}, "moved host scheme | replace https://shop.a.example/a", "https://shop.a.example/map.xml"},
		{"from the host of the file to that of the others", "http://www.a.example/map.xml", []string{www + "a", "https://shop.a.example/b"}, "moved host scheme | replace https://shop.a.example/a", "https://shop.a.example/map.xml"},
		{"listed on the twin from the start", "http://a.example/map.xml", []string{www + "old", www + "ok"}, "moved path | replace http://www.a.example/new", "http://a.example/map.xml"},
		{"local file", "map.xml", []string{www + "a", www + "b"}, "moved host scheme | replace https://shop.a.example/a", ""},
		{"local file, partial", "map.xml", []string{www + "a", www + "ok"}, "moved host scheme | keep | other-host", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := &site{web: parseWeb(t, text.String())}
			s.list(c.file, c.locs...)
			result := s.evaluate(t, rules())
			if got := rowsOf(t, result, 0)[0]; got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if f := result.Files[0]; f.BelongsAt != c.belongs {
				t.Errorf("belongs at %q, want %q", f.BelongsAt, c.belongs)
			}
		})
	}
}

// What was not crawled, or is kept by the brake, holds a file where it is.
func TestWhatHoldsAFile(t *testing.T) {
	var text strings.Builder
	text.WriteString("http://www.a.example/a 301 http://shop.a.example/a\nhttp://shop.a.example/a 200\n")
	www := "http://www.a.example/"
	hidden := many(12, www+"n%d")
	for _, l := range hidden {
		text.WriteString(l + " 200 robots=noindex\n")
	}
	s := &site{web: parseWeb(t, text.String())}
	s.list(www+"map.xml", append([]string{www + "a"}, hidden...)...)
	if got := rowsOf(t, s.evaluate(t, rules()), 0); got[0] != "moved host | keep | other-host" || got[1] != "noindex | keep | braked" {
		t.Errorf("braked: %q", got[:2])
	}
	s = &site{web: parseWeb(t, text.String())}
	s.list(www+"map.xml", www+"a", www+"other")
	s.entries[1].Skip = audit.SkipFilter
	if got := rowsOf(t, s.evaluate(t, rules()), 0)[0]; got != "moved host | keep | other-host" {
		t.Errorf("skipped: %s", got)
	}
	s = &site{web: parseWeb(t, "http://a.example/old 301 /new\nhttp://a.example/new 200")}
	s.list(map1, "http://a.example/old", "http://a.example/new")
	s.entries[1].Skip = audit.SkipFilter
	if got := rowsOf(t, s.evaluate(t, rules()), 0)[0]; got != "moved path | merge http://a.example/new" {
		t.Errorf("merged with what was not crawled: %s", got)
	}
	r := rules()
	r.Fix = map[audit.Verdict]audit.Action{audit.Offsite: audit.Replace}
	r.Lift = map[audit.Note]bool{audit.TargetOffsite: true}
	s = &site{web: parseWeb(t, "http://a.example/x 301 http://b.example/x\nhttp://b.example/x 200")}
	s.list(map1, "http://a.example/x")
	result := s.evaluate(t, r)
	if got := rowsOf(t, result, 0)[0]; got != "offsite host | keep | other-host" || result.Files[0].Moved {
		t.Errorf("another registrable domain: %s, moved %v", got, result.Files[0].Moved)
	}
}

// A file of which only a part came is not edited.
func TestCutFile(t *testing.T) {
	s := &site{web: parseWeb(t, "http://a.example/old 301 /new\nhttp://a.example/new 200")}
	s.list(map1, "http://a.example/old", "nonsense")
	s.files[0].Cut = true
	result := s.evaluate(t, rules())
	equal(t, rowsOf(t, result, 0), []string{"moved path | keep", "invalid | keep"})
	if result.Files[0].Changed {
		t.Error("the file is told as changed")
	}
	// So there is nothing that a brake could hold back, or a whole move could take along.
	s = &site{web: parseWeb(t, "http://www.a.example/1 301 http://shop.a.example/1\nhttp://shop.a.example/1 200")}
	s.list("http://www.a.example/map.xml", "nonsense", "nonsense")
	s.list("http://www.a.example/map2.xml", "http://www.a.example/1")
	s.files[0].Cut, s.files[1].Cut = true, true
	result = s.evaluate(t, rules())
	if f := result.Files[0]; f.Braked != nil || f.AllBraked {
		t.Errorf("the brake held back %v", f.Braked)
	}
	if f := result.Files[1]; f.Moved || f.BelongsAt != f.Sitemap.AnsweredAt {
		t.Errorf("the file belongs at %s", f.BelongsAt)
	}
}

// What an earlier audit took out is in no file: nothing of it is held back.
func TestBrakeOfEarlier(t *testing.T) {
	s := &site{web: parseWeb(t, "http://a.example/back 200")}
	hidden := many(12, "http://a.example/h%d")
	for _, l := range hidden {
		maps.Copy(s.web, parseWeb(t, l+" 200 robots=noindex"))
	}
	s.list(map1, "http://a.example/back")
	s.list("earlier", append(hidden, "http://a.example/back")...)
	s.files[1].Kind = audit.KindEarlier
	for i := range s.entries[1:] {
		s.entries[1+i].Earlier = true
	}
	result := s.evaluate(t, rules())
	want := audit.CameBackList{Unlisted: 1, Addresses: []audit.CameBackAt{{Loc: "http://a.example/back", Sitemap: "earlier", Line: 13}}}
	if len(result.Files) != 1 || result.Counts.Entries != 1 || !reflect.DeepEqual(result.Back, want) {
		t.Errorf("%d files, %d entries, %+v", len(result.Files), result.Counts.Entries, result.Back)
	}
	for row, err := range result.StillUnlisted(t.Context()) {
		if err != nil || row.Fix.Action != audit.Drop && !row.Has(audit.CameBack) || row.Has(audit.Braked) {
			t.Errorf("%s is held back: %+v %v", row.Address, row.Fix, err)
		}
	}
}

// Ten pages that name one page as their canonical are no copies of it.
func TestCollapsedCanonicals(t *testing.T) {
	s := &site{web: parseWeb(t, "http://a.example/start 200")}
	locs := many(10, "http://a.example/p%d")
	for _, l := range locs {
		maps.Copy(s.web, parseWeb(t, l+" 200 canonical=/start"))
	}
	s.list(map1, append(locs, "http://a.example/start")...)
	if got := rowsOf(t, s.evaluate(t, rules()), 0)[0]; got != "noncanonical path | keep | collapsed" {
		t.Errorf("got %s", got)
	}
}

// Each case is the links of one element whose entry is "own", and what becomes of them: "-"
// stays, "x" is taken out, anything else is the address that is written. "b:" marks a link that
// cannot be taken out, "m:" one for a kind of device.
func TestLinksFollowTheirEntries(t *testing.T) {
	const own = "http://a.example/own"
	s := &site{web: parseWeb(t, own+` 200
		http://a.example/old 301 /new
		http://a.example/new 200
		http://a.example/twin 301 /x
		http://a.example/x 200
		http://a.example/gone 404
		browser http://a.example/gone 404
		http://a.example/gone2 410
		browser http://a.example/gone2 404
		http://a.example/hidden 200 robots=noindex`)}
	s.list(map1, own, "http://a.example/old", "http://a.example/twin", "http://a.example/x", "http://a.example/gone", "http://a.example/gone2", "http://a.example/hidden")
	s.files[0].Links = true
	r := rules()
	r.MaxDrop = 1
	result := s.evaluate(t, r)
	for _, c := range []struct{ links, want, gone string }{
		{"own", "-", ""},
		{"own old x", "- http://a.example/new -", ""},
		{"twin", "http://a.example/x", ""},
		{"own m:twin", "- -", ""}, // another entry is no page for a device
		{"own m:old", "- http://a.example/new", ""},
		{"own gone x", "- x -", ""},
		{"own gone", "- -", "alone"},
		{"gone", "-", "alone"},
		{"gone gone2 own own", "- - - -", "alone"},
		{"gone gone2 x", "x x -", ""},
		{"own gone elsewhere", "- x -", ""},
		{"own gone old", "- x http://a.example/new", ""},
		{"own b:gone x", "- - -", "bound"},
		{"own b:gone", "- -", "bound"},
		{"own b:gone gone2", "- - -", "alone"},
		{"own hidden", "- -", ""},
	} {
		var links []audit.Link
		for l := range strings.FieldsSeq(c.links) {
			name, bound := strings.CutPrefix(l, "b:")
			name, device := strings.CutPrefix(name, "m:")
			link := audit.Link{Href: "HTTP://A.example/" + name + "#top", Lang: "x-default", Bound: bound}
			if device {
				link.Lang = ""
			}
			links = append(links, link)
		}
		fixes, gone, err := result.Links(t.Context(), []audit.Own{{Loc: own}}, links)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range fixes {
			switch f.Action {
			case audit.Keep:
				got = append(got, "-")
			case audit.Unlink:
				got = append(got, "x")
			default:
				got = append(got, f.Loc)
			}
		}
		if strings.Join(got, " ") != c.want || string(gone) != c.gone {
			t.Errorf("%s: got %q %q, want %q %q", c.links, got, gone, c.want, c.gone)
		}
	}
}

// A file that is withheld keeps all its entries, and what it would have said decides
// nothing elsewhere.
func TestWithhold(t *testing.T) {
	s := &site{web: parseWeb(t, "http://a.example/old 301 /new\nhttp://a.example/new 200\nhttp://a.example/x 200")}
	s.list(map1, "http://a.example/old", "http://a.example/x")
	s.list("http://a.example/2.xml", "http://a.example/x")
	s.files[1].Links = true
	result := s.evaluate(t, rules())
	without, err := result.Withhold(t.Context(), map[int]audit.Unwritten{0: audit.UnwrittenFault})
	if err != nil {
		t.Fatal(err)
	}
	if got := rowsOf(t, without, 0)[0]; got != "moved path | keep" {
		t.Errorf("got %s", got)
	}
	f := &without.Files[0]
	if f.Changed || f.Unwritten != audit.UnwrittenFault || len(f.Sitemap.Faults) != 1 || without.Counts.Actions[audit.Replace] != 0 || !result.Files[0].Changed {
		t.Errorf("got %+v", f)
	}
	if fixes, _, err := without.Links(t.Context(), nil, []audit.Link{{Href: "http://a.example/old"}}); err != nil || fixes[0].Action != audit.Keep {
		t.Errorf("a link to an entry of a file that is withheld: %+v, %v", fixes, err)
	}
}

// What answered 200 in an audit stays proved where the host refuses the second look.
func TestProofThatIsRefused(t *testing.T) {
	s := &site{web: web{}}
	var locs []string
	for i := range 30 {
		l := fmt.Sprintf("http://a.example/o%d", i)
		maps.Copy(s.web, parseWeb(t, fmt.Sprintf("%s 301 /n%d\nhttp://a.example/n%d 200", l, i, i)))
		locs = append(locs, l)
	}
	s.list(map1, locs...)
	result := s.evaluate(t, rules())
	for i, r := range proofRequests(t, result) {
		answer := " 403"
		if i < 5 {
			answer = " 200"
		}
		maps.Copy(s.web, parseWeb(t, "proof "+r.URL+answer))
	}
	if rs := proofRequests(t, result); len(rs) != 0 {
		t.Errorf("%d more are asked", len(rs))
	}
	if p := result.Proof; !p.Clean() || result.Failed() || p.Direct != 30 || p.NotChecked != 0 || p.Asked != 20 || p.SeenOnce != 15 {
		t.Errorf("proof %+v", p)
	}
}

// A written address that no longer answers 200 is not clean, and all written
// addresses of its host are asked again. Told again, its entry is kept, and those of
// its host are still all asked.
func TestProof(t *testing.T) {
	s := &site{web: web{}}
	var locs []string
	for i := range 30 {
		l := fmt.Sprintf("http://a.example/o%d", i)
		maps.Copy(s.web, parseWeb(t, fmt.Sprintf("%s 301 /n%d\nhttp://a.example/n%d 200", l, i, i)))
		locs = append(locs, l)
	}
	s.list(map1, locs...)
	result := s.evaluate(t, rules())
	if rs := proofRequests(t, result); len(rs) != 20 {
		t.Fatalf("%d written addresses are asked again, want 20", len(rs))
	}
	for i, r := range proofRequests(t, result) {
		answer := " 200"
		if i == 3 {
			answer = " 301 /elsewhere"
		}
		maps.Copy(s.web, parseWeb(t, "proof "+r.URL+answer))
	}
	if rs := proofRequests(t, result); len(rs) != 10 {
		t.Errorf("then %d more are asked, want the 10 others of the host", len(rs))
	}
	if result.Proof.Clean() || !slices.Equal(result.Proof.Unclean, []string{"http://a.example/n3"}) || result.Proof.Direct != 29 || !result.Failed() {
		t.Errorf("proof %+v", result.Proof)
	}
	result = s.evaluate(t, rules())
	if rs := proofRequests(t, result); len(rs) != 10 {
		t.Errorf("told again, %d more are asked, want the 10 others of the host", len(rs))
	}
	if p := result.Proof; !p.Clean() || result.Failed() || p.Direct != 29 || p.NeedDecision != 1 {
		t.Errorf("told again, proof %+v", p)
	}
	if got := rowsOf(t, result, 0)[3]; got != "moved path | keep | target-not-200" {
		t.Errorf("what did not pass: %s", got)
	}
}

// proofRequests proves and returns what is still to be asked.
func proofRequests(t *testing.T, result *audit.Result) []audit.Request {
	t.Helper()
	if err := result.Prove(t.Context()); err != nil {
		t.Fatal(err)
	}
	rs, err := result.ProofRequests()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(rs, func(r audit.Request) bool { return r.Purpose.Base() != audit.AsProof })
}

func TestSampler(t *testing.T) {
	r := rules()
	r.Sample = 2
	s := audit.NewSampler(r)
	memory := web{}
	var locs []string
	for i := range 6 {
		l := fmt.Sprintf("http://a.example/%d%%28", i)
		locs = append(locs, l)
		maps.Copy(memory, parseWeb(t, l+" 200"))
	}
	round := func() (asked []string) {
		s.Restart()
		for i, l := range locs {
			row := audit.Judge(memory, audit.Entry{N: i, Loc: l}, r, audit.Want{AltSpelling: true, Sampler: s})
			s.See(&row)
			for _, n := range row.Needs {
				asked = append(asked, n.URL)
			}
		}
		return asked
	}
	equal(t, round(), []string{"http://a.example/0(", "http://a.example/1("})
	maps.Copy(memory, parseWeb(t, "http://a.example/0( 200\nhttp://a.example/1( 200"))
	equal(t, round(), nil)
	maps.Copy(memory, parseWeb(t, "http://a.example/1( 301 /1%28"))
	round()
	if s.Settled() {
		t.Error("a bounce was seen, and the sampler is settled")
	}
	equal(t, round(), []string{"http://a.example/2(", "http://a.example/3(", "http://a.example/4(", "http://a.example/5("})
}

func TestCauses(t *testing.T) {
	s := &site{web: web{}}
	var locs []string
	add := func(loc, text string) {
		locs = append(locs, loc)
		maps.Copy(s.web, parseWeb(t, text))
	}
	for i := range 5 {
		l := fmt.Sprintf("http://a.example/%d", i)
		add(l, l+" 301 https://a.example/"+fmt.Sprint(i)+"\nhttps://a.example/"+fmt.Sprint(i)+" 200")
	}
	add("http://a.example/l", "http://a.example/l 301 /l")
	add("http://a.example/ok", "http://a.example/ok 200")
	s.list(map1, locs...)
	causes := s.evaluate(t, rules()).Causes
	var got []string
	for _, c := range causes {
		got = append(got, fmt.Sprintf("%s %d %s %s", c.Verdict, c.Count, c.Rule, c.Who))
	}
	equal(t, got, []string{"moved 5 http:// -> https:// generator", "loop 1  server"})
}

// Of entries that are merged with another page, later audits look at so many; of those that are
// merged with another spelling of themselves at none.
func TestTakenOutByMerges(t *testing.T) {
	s := &site{web: web{}}
	var locs []string
	for i := range 1001 {
		a := "http://a.example/p" + strconv.Itoa(i)
		maps.Copy(s.web, parseWeb(t, a+"/old 301 "+a+"\n"+a+"/ 301 "+a+"\n"+a+" 200"))
		locs = append(locs, a, a+"/", a+"/old")
	}
	s.list(map1, locs...)
	n := 0
	for e, err := range s.evaluate(t, rules()).TakenOut(t.Context()) {
		if n++; err != nil || !strings.HasSuffix(e.Loc, "/old") {
			t.Error(e.Loc, err)
		}
	}
	if n != 1000 {
		t.Errorf("%d are looked at again", n)
	}
}

// Where filters leave entries out, three that lead to one page may be ten of all.
func TestGatheredBehindAFilter(t *testing.T) {
	s := &site{web: parseWeb(t, "http://a.example/sale 200")}
	s.list(map1, many(20, "http://a.example/p%d")...)
	for i := range s.entries {
		if maps.Copy(s.web, parseWeb(t, s.entries[i].Loc+" 301 /sale")); i > 3 {
			s.entries[i].Skip = audit.SkipFilter
		}
	}
	info := audit.Info{Rules: *rules(), Part: "--include /p"}
	result, err := audit.Evaluate(t.Context(), s, info, func(url string) string { return url })
	if err != nil || result.Counts.Notes[audit.Collapsed] != 4 {
		t.Errorf("%d are held back, %v; want all 4 that were crawled", result.Counts.Notes[audit.Collapsed], err)
	}
}

// An entry of a sitemap that lasts is not merged with what a feed or a sitemap of news lists for some
// days; that of a feed is merged with either.
func TestFeedsForget(t *testing.T) {
	for name, forgets := range map[string]func(*audit.Sitemap){
		"a feed":            func(s *audit.Sitemap) { s.Kind = "rss" },
		"a sitemap of news": func(s *audit.Sitemap) { s.News = true },
	} {
		s := &site{web: parseWeb(t, "http://a.example/old 301 /story\nhttp://a.example/story 200\nhttp://a.example/gone 301 /page\nhttp://a.example/page 200\nhttp://a.example/ 200")}
		s.list("http://a.example/news.xml", "http://a.example/story", "http://a.example/gone")
		s.list(map1, "http://a.example/old", "http://a.example/page")
		s.list("http://a.example/more.xml", "http://a.example/old", "http://a.example/")
		forgets(&s.files[0])
		result := s.evaluate(t, rules())
		if got := rowsOf(t, result, 0)[1]; got != "moved path | merge http://a.example/page" {
			t.Errorf("%s: %s", name, got)
		}
		if got := rowsOf(t, result, 1)[0]; got != "moved path | replace http://a.example/story" {
			t.Errorf("beside %s: %s", name, got)
		}
		if got := rowsOf(t, result, 2)[0]; got != "moved path | merge http://a.example/story | duplicate" {
			t.Errorf("beside %s, again: %s", name, got)
		}
	}
}

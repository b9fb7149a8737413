package audit_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
)

// redirected is the row of an entry that redirects permanently.
func redirected(t testing.TB, from, to string) audit.Row {
	t.Helper()
	a, b := parsed(t, from), parsed(t, to)
	return audit.Row{Entry: audit.Entry{Loc: from}, Address: a, Final: b, Verdict: audit.Moved, Reasons: address.Compare(a, b), Status: 200,
		Fix: audit.Fix{Action: audit.Replace, Loc: b.String()}}
}

// answered is the row of an entry that leads nowhere else.
func answered(t testing.TB, loc string, v audit.Verdict, status int) audit.Row {
	t.Helper()
	a := parsed(t, loc)
	return audit.Row{Entry: audit.Entry{Loc: loc}, Address: a, Final: a, Verdict: v, Status: status, Fix: audit.Fix{Action: audit.Keep}}
}

func parsed(t testing.TB, loc string) address.Address {
	t.Helper()
	a, err := address.Parse(loc)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func causesOf(rows []audit.Row) *audit.Causes {
	c := audit.NewCauses(len(rows))
	for i := range rows {
		rows[i].Entry.N = i
		c.Add(&rows[i])
	}
	return c
}

// rulesOf says each cause with its count.
func rulesOf(rows []audit.Row) []string {
	var out []string
	for _, c := range causesOf(rows).List() {
		s := fmt.Sprint(c.Count, " ", c.Rule)
		if c.Rule == "" {
			s = fmt.Sprint(c.Count, " ", c.Verdict)
		}
		out = append(out, s)
	}
	return out
}

// pairs makes rows of a pattern "FROM TO": %d is a number, %s a word of its own, %w a
// word again and again.
func pairs(t testing.TB, n int, pattern string) []audit.Row {
	from, to, _ := strings.Cut(pattern, " ")
	var rows []audit.Row
	for i := range n {
		fill := strings.NewReplacer("%d", fmt.Sprint(i), "%s", slug(i), "%w", []string{"red", "blue", "green"}[i%3], "%S", strings.ToUpper(slug(i)), "%X", fmt.Sprint(i*7919%99991))
		rows = append(rows, redirected(t, fill.Replace(from), fill.Replace(to)))
	}
	return rows
}

func slug(i int) string {
	words := []string{"lens", "tripod", "rice", "table", "helmet", "cable", "case", "bike"}
	return words[i%8] + "-" + words[i/8%8] + "-" + fmt.Sprint("n", i)
}

func TestRules(t *testing.T) {
	a, b := "http://a.example", "https://a.example"
	for pattern, want := range map[string]string{
		a + "/%s " + b + "/%s":                                 "http:// -> https://",
		b + "/%s/ " + b + "/%s":                                "slash removed at the end",
		"http://a.example:8080/%s https://a.example/%s":        "http:// -> https://, :8080 -> :443",
		b + "/blog/%s " + b + "/articles/%s":                   "/blog/* -> /articles/*",
		a + "/blog/%s " + "https://www.a.example/articles/%s/": "http:// -> https://, a.example -> www.a.example, /blog/* -> /articles/*, slash added at the end",
		b + "/%w/%s/feed " + b + "/%w/%s/rss":                  "/*/*/feed -> /*/*/rss",
		b + "/c%d/%s " + b + "/products/%s":                    "/{any}/* -> /products/*",
		b + "/p/%s-%d.html " + b + "/p/%s.html":                "/p/*-{digits}* -> /p/*",
		b + "/%s.html " + b + "/%s":                            ".html removed",
		b + "/old/%s.html " + b + "/new/%s/":                   "/old/* -> /new/*, .html removed, slash added at the end",
		b + "/%s/index.html " + b + "/%s/":                     "index.html removed",
		b + "/%S " + b + "/%s":                                 "lower case",
		b + "/product.php?id=%d " + b + "/products/%d/":        "/product.php?id=* -> /products/*, slash added at the end",
		b + "/show?lang=%w&slug=%s " + b + "/show/%s?lang=%w":  "parameter slug moved into the path",
		b + "/p?id=%d&ref=%w " + b + "/p?id=%d":                "parameter ref removed",
		b + "/p/%s " + b + "/p/%s?v=2":                         "v=2 added to the query",
		b + "/%%E3%%82%%AB/%s " + b + "/%%e3%%82%%ab/%s":       "%E3 -> %e3",
		b + "/%s%%28%d%%29 " + b + "/%s(%d)":                   "%28 %29 -> ( )",
		b + "/q?s=%w+%d " + b + "/q?s=%w%%20%d":                "+ -> %20",
		b + "/%%7Eme/%s " + b + "/~me/%s":                      "%7E -> ~",
		"http://wiki.example/?%%A4%%C7Wiki%%A4%%F2%%B9%%E2%%C2%%AE%%B2%%BD%d http://wiki.example/?%%E3%%81%%A7Wiki%%E3%%82%%92%%E9%%AB%%98%%E9%%80%%9F%%E5%%8C%%96%d": "euc-jp -> UTF-8",
		b + "/%s/%%E3%%81%%8B%%E3%%82%%99 " + b + "/%s/%%E3%%81%%8C": "letters with their marks composed (NFC)",
		b + "/%s%%2528%d " + b + "/%s%%28%d":                         "%25XX -> %XX",
		b + "/old/%s " + b + "/gone":                                 "/old/* -> https://a.example/gone",
		"http://a.example/Blog/%%e3%%82%%ab-%s.html?utm_source=x https://www.a.example/articles/%%E3%%82%%AB-%s/": "http:// -> https://, a.example -> www.a.example, /Blog/* -> /articles/*, .html removed, slash added at the end, %e3 -> %E3, query removed",
	} {
		rows := pairs(t, 40, strings.ReplaceAll(pattern, "%%", "%"))
		if got := rulesOf(rows); !slices.Equal(got, []string{"40 " + want}) {
			t.Errorf("%s:\n got %q\nwant %q", pattern, got, "40 "+want)
		}
	}
}

// What is told holds for each row: a rule reproduces where it leads, every finding
// has the cause that CauseOf names, counts are whole, and neither the order of rows nor
// their number changes what is found.
func TestCausesLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var rows []audit.Row
		for line, pattern := range rapid.SliceOfN(rapid.Custom(drawPattern), 1, 6).Draw(rt, "patterns") {
			for _, r := range pairs(t, rapid.IntRange(1, 30).Draw(rt, "n"), pattern) {
				r.Entry.Line = line
				rows = append(rows, r)
			}
		}
		rows = slices.DeleteFunc(rows, func(r audit.Row) bool { return r.Address == r.Final })
		alike := rapid.Bool().Draw(rt, "one verdict")
		for i := range rows {
			rows[i].Entry.Sitemap = rapid.IntRange(0, 3).Draw(rt, "sitemap")
			if alike {
				continue
			}
			switch rapid.IntRange(0, 9).Draw(rt, "verdict") {
			case 0:
				rows[i].Verdict, rows[i].Fix = audit.Temporary, audit.Fix{Action: audit.Keep}
			case 1:
				rows[i].Fix.Action = audit.Merge
			case 2:
				rows[i].Trail.Steps = steps(3, rows[i].Final)
			}
		}
		causes := causesOf(rows)
		list := causes.List()
		counts := make([]int, len(list))
		rules := 0
		for i := range rows {
			n := causes.Of(&rows[i])
			if n < 0 {
				rt.Fatalf("no cause for %s", rows[i].Entry.Loc)
			}
			counts[n]++
			c := &list[n]
			if _, head, tail := c.From.Parts(); !strings.HasPrefix(rows[i].Address.Target(), head) || !strings.HasSuffix(rows[i].Address.Target(), tail) {
				rt.Fatalf("%s is no %s*%s", rows[i].Address, head, tail)
			}
			if c.Merged != (rows[i].Fix.Action == audit.Merge) {
				rt.Fatalf("%s is not of %+v", rows[i].Address, c)
			}
		}
		for i := range list {
			c := &list[i]
			if c.Count != counts[i] || pattern.Redirects(c.Terms) && c.Count < 2 || c.Rule == "" && pattern.Redirects(c.Terms) {
				rt.Fatalf("%+v has %d rows", c, counts[i])
			}
			if pattern.Redirects(c.Terms) {
				rules++
			}
		}
		if rules > 50 {
			rt.Fatalf("%d rules", rules)
		}
		before := rulesOf(rows)
		for i := len(rows) - 1; i > 0; i-- {
			j := rapid.IntRange(0, i).Draw(rt, "swap")
			rows[i], rows[j] = rows[j], rows[i]
		}
		if after := rulesOf(rows); !slices.Equal(before, after) {
			rt.Fatalf("in another order: %q, not %q", after, before)
		}
	})
}

// steps are so many permanent redirects, to the address at the end.
func steps(n int, to address.Address) (out []answers.Step) {
	for range n {
		out = append(out, answers.Step{Next: to, Kind: answers.ByHTTP, Permanent: true, Hop: answers.Hop{Status: 301}})
	}
	return append(out, answers.Step{Hop: answers.Hop{Status: 200}})
}

// drawPattern makes a pair of patterns that differ in some things.
func drawPattern(t *rapid.T) string {
	piece := func(name string, list ...string) [2]string {
		x := rapid.SampledFrom(list).Draw(t, name)
		if from, to, two := strings.Cut(x, ">"); two {
			return [2]string{from, to}
		}
		return [2]string{x, x}
	}
	var from, to string
	for _, p := range [][2]string{
		piece("scheme", "https://", "http://>https://", "http://"), piece("host", "a.example", "a.example>www.a.example", "old.example>a.example"),
		piece("dir", "/", "/blog/>/articles/", "/%w/x/>/%w/y/", "/2020/%d/>/", "/%w/>/", "/a/a/>/a/", "/c%d/>/p/"),
		piece("slug", "%s", "b%d>g%d", "item.php", "p%d>x", "%S>%s", "%s>%w", "item-%d>%d", "%28%s%29>(%s)", "%e3%82%ab%s>%E3%82%AB%s", "%2528%s>%28%s", "%s>x", "%s-%d>%s", "(%s)>%28%s%29", "%d>%s"),
		piece("end", "", "/", ">/", "/>", ".html>", ".php>.html", "/index.html>/", ">.html"),
		piece("query", "", "?a=%d", "?a=%d>", "?a=%d&b=%w>?a=%d", "?id=%d>/%d", "?id=%d>/p%d/", "?id=%d>", "?id=%d&x=%w>/v-%d/?x=%w", "?a=%w+%d>?a=%w%20%d", ">?x=1", "?%d>", "?s=%28>?s=("),
	} {
		from, to = from+p[0], to+p[1]
	}
	return from + " " + to
}

// What rows are put together by: so many of each pair of patterns; of a page that leads nowhere there
// is one pattern, and it is not found.
func TestCausesOfRows(t *testing.T) {
	for _, c := range []struct{ rows, want string }{
		{`4 http://a.example/blog/%s http://a.example/articles/%s; 5 https://a.example/%s https://www.a.example/%s; 2 http://a.example/%s https://a.example/%s;
			2 http://a.example/d/%s http://a.example/d/%s/; 2 http://www.a.example/%s http://a.example/%s; 2 http://a.example/u/%S http://a.example/u/%s;
			2 http://a.example/p/%s%28%d%29 http://a.example/p/%s(%d); 1 http://a.example/alone http://a.example/alone.html`,
			"5 moved; 5 a.example -> www.a.example; 2 http:// -> https://; 2 slash added at the end; 2 %28 %29 -> ( ); 2 lower case; 2 www.a.example -> a.example"},
		{"4 http://a.example/blog/%s http://a.example/articles/%s; 40 https://a.example/x%d/a https://a.example/%s/b", "44 moved"},
		{`20 https://a.example/product.php?id=%d https://a.example/products/p%d/; 17 https://a.example/blog/2019/b%d/ https://a.example/guide/g%d/;
			14 https://a.example/category.php?cat=%d https://a.example/c/p%d/; 11 https://a.example/ja/old/%d https://a.example/ja/new/x%d; 9 https://a.example/n1/%d; 8 https://a.example/n2/%d`,
			"20 /product.php?id=* -> /products/*; 17 /blog/* -> /guide/*; 14 /category.php?cat=* -> /c/*; 11 /ja/old/* -> /ja/new/*; 9 /n1/*; 8 /n2/*"},
		{`8 https://a.example/products/a-%s/ https://a.example/c/c1/; 8 https://a.example/products/b-%s/ https://a.example/c/c2/; 7 https://a.example/products/c-%s/ https://a.example/c/c3/;
			7 https://a.example/products/d-%s/ https://a.example/c/c4/; 5 https://a.example/products/e-%s/ https://a.example/c/c5/; 3 https://a.example/products/f-%s/ https://a.example/c/c6/;
			9 https://a.example/blog/%s https://a.example/news`, "38 /products/* -> /c/*; 9 /blog/* -> https://a.example/news"},
		// addresses far beyond what a sitemap allows are counted, and nothing is made of them
		{"6 https://a.example/" + strings.Repeat("1", 3000) + "-%d https://a.example/y-%d; 5 https://a.example/" + strings.Repeat("1", 3000) + "/%d", "6 moved; 5 not-found"},
	} {
		var rows []audit.Row
		for line := range strings.SplitSeq(c.rows, ";") {
			n, pattern, _ := strings.Cut(strings.TrimSpace(line), " ")
			many, _ := strconv.Atoi(n)
			from, to, leads := strings.Cut(pattern, " ")
			if !leads {
				to = from
			}
			for _, r := range pairs(t, many, from+" "+to) {
				if !leads {
					r = answered(t, r.Entry.Loc, audit.NotFound, 404)
				}
				rows = append(rows, r)
			}
		}
		if got := strings.Join(rulesOf(rows), "; "); got != c.want {
			t.Errorf("%.300s:\n got %s\nwant %s", c.rows, got, c.want)
		}
	}
}

// More rows than wait for others are counted all the same, each under the cause that its number
// names; a rule that comes late is found.
func TestMoreRowsThanWait(t *testing.T) {
	var rows []audit.Row
	for i := range 20_000 {
		rows = append(rows, redirected(t, fmt.Sprintf("https://a.example/x%d/a", i), fmt.Sprintf("https://a.example/%s/b", slug(i))))
	}
	rows = append(rows, pairs(t, 300, "https://a.example/blog/%s https://a.example/articles/%s")...)
	causes := causesOf(rows)
	list := causes.List()
	counts := make([]int, len(list))
	for i := range rows {
		counts[causes.Of(&rows[i])]++
	}
	var got []string
	for i, c := range list {
		if counts[i] != c.Count {
			t.Errorf("%s has %d rows, not %d", c.Rule, counts[i], c.Count)
		}
		got = append(got, fmt.Sprint(c.Count, " ", c.Rule))
	}
	equal(t, got, []string{"20000 ", "300 /blog/* -> /articles/*"})
}

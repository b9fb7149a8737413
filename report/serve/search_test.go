package serve

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// An address is found as listed, in wire form and as people read it.
func TestSearchFinds(t *testing.T) {
	s := newSite(t, shops())
	const category = "https://shop.example/カテゴリ?a=(1)"
	const euc = "http://wiki.example/?高速化(4)"
	heading := regexp.MustCompile(`<h2 class="addr"[^>]*><bdi[^>]*>([^<]*)</bdi>( <span class="sm">)?`)
	for query, want := range map[string][]string{
		"https://shop.example/gone": {"https://shop.example/gone !"},
		"HTTPS://Shop.Example/GONE": {"https://shop.example/gone"},
		"/gone":                     {"https://shop.example/gone"},
		" gone ":                    {"https://shop.example/gone"},
		"カテゴリ":                      {category},
		"%e3%82%ab":                 {category},
		"%E3%82%AB":                 {category},
		"https://shop.example/%E3%82%AB%E3%83%86%E3%82%B4%E3%83%AA?a=(1)": {category + " !"},
		"https://shop.example/%e3%82%ab%e3%83%86%e3%82%b4%e3%83%aa?a=%28": {category},
		"高速化":    {euc},
		"%b9%E2": {euc},
		"http://wiki.example/?%B9%E2%C2%AE%B2%BD%284%29": {euc + " !"},
		`\u202E`:                   nil,
		"nowhere":                  nil,
		"https://shop.example/new": {"https://shop.example/new !"},
	} {
		body := unbroken(ask(s, "GET", "search?q="+escapedQuery(query)))
		var got []string
		for _, m := range heading.FindAllStringSubmatch(body, -1) {
			text := m[1]
			if m[2] != "" {
				text += " !"
			}
			got = append(got, text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: found %q, want %q", query, got, want)
		}
	}
}

func escapedQuery(q string) string {
	return strings.NewReplacer("%", "%25", " ", "+", "&", "%26", "#", "%23", `\`, "%5C").Replace(q)
}

// The search tells what each audit saw and what changed in between.
func TestSearchShowsChanges(t *testing.T) {
	s := newSite(t, shops())
	cells := regexp.MustCompile(`<[^>]*>|\s+`)
	rows := regexp.MustCompile(`(?s)<tr>.*?</tr>`)
	for query, want := range map[string][]string{
		// newest first: the stopped audit, the second, the first
		"https://shop.example/gone": {"2026-11-20 Clean was: Not found", "2026-11-15 Not found was: Clean", "2026-11-01 Clean"},
		// the second audit's sitemap does not list the root
		"https://shop.example/":    {"2026-11-20 Clean listed again", "2026-11-15 not listed no longer listed", "2026-11-01 Clean"},
		"https://shop.example/old": {"2026-11-20 Permanent redirect", "2026-11-15 Permanent redirect", "2026-11-01 Permanent redirect"},
	} {
		body := ask(s, "GET", "search?q="+query).Body.String()
		body, _, _ = strings.Cut(body[strings.Index(body, "<tbody"):], "</tbody>")
		got := rows.FindAllString(body, -1)
		if len(got) != len(want) {
			t.Fatalf("%s: %d rows, want %d", query, len(got), len(want))
		}
		for i, row := range got {
			text := cells.ReplaceAllString(row, " ")
			for _, part := range strings.Fields(want[i]) {
				if !strings.Contains(text, part) {
					t.Errorf("%s, row %d: %q is missing in %s", query, i, part, text)
				}
			}
			if !strings.Contains(want[i], "was:") && strings.Contains(text, "was:") {
				t.Errorf("%s, row %d tells a change: %s", query, i, text)
			}
		}
	}
}

// What an audit did not read is not said to be gone, and an export of Search Console
// lists nothing.
func TestSearchClaimsWhatWasRead(t *testing.T) {
	for name, c := range map[string]struct {
		change func(l *library)
		gone   bool
	}{
		"read":      {func(*library) {}, true},
		"cut off":   {func(l *library) { l.kept[2].file.Cut = true }, false},
		"not read":  {func(l *library) { l.kept[2].file.Kind, l.kept[2].file.Status = "", 503 }, false},
		"not there": {func(l *library) { l.kept[2].file.Kind, l.kept[2].file.Status = "", 404 }, true},
		"from an export": {func(l *library) {
			l.kept[0].file.Kind, l.kept[3].file.Kind = audit.KindSearchConsole, audit.KindSearchConsole
		}, false},
	} {
		l := shops()
		c.change(l)
		body := ask(newSite(t, l), "GET", "search?q=https://shop.example/").Body.String()
		_, body, _ = strings.Cut(body, "<tbody")
		body, _, _ = strings.Cut(body, "</tbody>")
		for _, claim := range []string{"not listed", "no longer listed", "listed again"} {
			if strings.Contains(body, claim) != c.gone {
				t.Errorf("%s: says %q: %v, want %v", name, claim, !c.gone, c.gone)
			}
		}
	}
}

// Every part of an address, in any letter case, finds it; so does the whole in
// wire form.
func TestMatcherLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.StringMatching(`[a-zA-Z0-9/%&=?\x{e9}\x{30ab} ()-]{1,30}`).Draw(t, "path")
		loc := "https://shop.example/" + path
		from := rapid.IntRange(0, len(loc)-1).Draw(t, "from")
		to := rapid.IntRange(from+1, len(loc)).Draw(t, "to")
		part := loc[from:to]
		var buf []byte
		if !strings.ContainsAny(loc, "%") && !newMatcher(strings.ToUpper(part)).match(loc, &buf) && isASCII(part) {
			t.Errorf("%q is not found in %q", strings.ToUpper(part), loc)
		}
		if a, err := address.Parse(loc); err == nil {
			if m := newMatcher(a.String()); !m.match(loc, &buf) || !m.whole(a.String()) {
				t.Errorf("the wire form %q does not find %q", a.String(), loc)
			}
		}
	})
}

// An address stands in a file, at a line: what sitemaps name beside what they list where it is
// named first, and what stands in no file of the site in its list.
func TestPlacesAreReadable(t *testing.T) {
	lists := []audit.Sitemap{{URL: "https://shop.example/sitemap.xml"}, {URL: "alternates", Kind: "alternates"}, {URL: "Pages.csv", Kind: audit.KindSearchConsole}}
	named := &audit.Also{List: audit.AlsoAlternates, By: []audit.Naming{{Sitemap: 0, Line: 35}}}
	for _, c := range []struct {
		list  int
		entry audit.Entry
		want  string
	}{
		{0, audit.Entry{Line: 12}, "https://shop.example/sitemap.xml:12"},
		{1, audit.Entry{Also: named}, "https://shop.example/sitemap.xml:35"},
		{2, audit.Entry{Line: 4}, "Pages.csv:4"},
		{2, audit.Entry{}, "Pages.csv"},
	} {
		if got := placeOf(lists, c.list, &c.entry); got != c.want {
			t.Errorf("%+v stands at %q, want %q", c.entry, got, c.want)
		}
	}
}

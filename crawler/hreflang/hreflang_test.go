package hreflang_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/hreflang"
)

// A site is a list of sitemaps, each of lines "PAGE CODE=PAGE CODE=PAGE", where a page is a path of
// https://shop.example or a host with a path. "!VERDICT" behind the page is its verdict,
// "!VERDICT-ACTION" also what becomes of its entry. Line n is on line n+1 of the file.
type site [][]string

func url(page string) string {
	if strings.HasPrefix(page, "/") {
		return "https://shop.example" + page
	}
	return "https://" + page
}

func (s site) file(n int) string {
	var b strings.Builder
	b.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">` + "\n")
	for _, line := range s[n] {
		words := strings.Fields(line)
		page, _, _ := strings.Cut(words[0], "!")
		fmt.Fprintf(&b, "<url><loc>%s</loc>", url(page))
		for _, w := range words[1:] {
			code, to, _ := strings.Cut(w, "=")
			kind := `hreflang="` + code + `"`
			if code == "handheld" {
				kind = `media="handheld"`
			}
			fmt.Fprintf(&b, `<xhtml:link rel="alternate" %s href="%s"/>`, kind, url(to))
		}
		b.WriteString("</url>\n")
	}
	return b.String() + "</urlset>\n"
}

func (s site) rows(_ context.Context, n int) iter.Seq2[*audit.Row, error] {
	return func(yield func(*audit.Row, error) bool) {
		for i, line := range s[n] {
			page, crawled, _ := strings.Cut(strings.Fields(line)[0], "!")
			verdict, action, _ := strings.Cut(crawled, "-then-")
			loc := url(page)
			row := audit.Row{Entry: audit.Entry{Loc: loc, Line: i + 2}, Address: address.Wire(loc), Verdict: audit.OK, Fix: audit.Fix{Action: audit.Keep}}
			if crawled != "" {
				row.Verdict = audit.Verdict(verdict)
			}
			if action != "" {
				row.Fix.Action = audit.Action(action)
				row.Fix.Loc = map[bool]string{true: loc + "/new"}[row.Fix.Action != audit.Drop]
			}
			if !yield(&row, nil) {
				return
			}
		}
	}
}

// result returns the site as an audit.
func (s site) result() *audit.Result {
	t := audit.Result{Edits: s.rows, Becomes: s.becomes}
	for i := range s {
		t.Files = append(t.Files, audit.File{Sitemap: audit.Sitemap{N: i, URL: fmt.Sprintf("%d.xml", i), Kind: "urlset",
			Links: true, Spool: "x", Entries: len(s[i])}})
	}
	return &t
}

// becomes is what becomes of the entry with a URL.
func (s site) becomes(url string) audit.Edited {
	for n := range s {
		for row := range s.rows(context.Background(), n) {
			if row.Entry.Loc == url {
				return row.Edited()
			}
		}
	}
	return audit.Edited{}
}

// faults returns the faults as "FILE:LINE KEY ARGS"; "+N" behind a name counts the rest.
func (s site) faults(t testing.TB, result *audit.Result) (out []string) {
	t.Helper()
	open := func(_ context.Context, n int) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(s.file(n))), nil
	}
	if err := hreflang.AddFaults(t.Context(), result, open, &memory{}); err != nil {
		t.Fatal(err)
	}
	for n := range result.Files {
		for _, f := range result.Files[n].Sitemap.Faults {
			said := fmt.Sprintf("%d:%d %s", n, f.Line, f.Name)
			if f.Count > 0 {
				said = fmt.Sprintf("%d %s +%d", n, f.Name, f.Count)
			} else {
				said += " " + strings.ReplaceAll(strings.Join(f.Args, " "), "https://shop.example", "")
			}
			if f.Mended > 0 {
				said += fmt.Sprintf(" (mended %d)", f.Mended)
			}
			out = append(out, strings.TrimSpace(said))
		}
	}
	return out
}

// memory is a Sorter in memory.
type memory struct{ records [][2]string }

func (m *memory) Add(key, value string) error {
	m.records = append(m.records, [2]string{key, value})
	return nil
}

func (m *memory) Sorted() iter.Seq2[[2]string, error] {
	slices.SortFunc(m.records, func(a, b [2]string) int {
		return cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1]))
	})
	return func(yield func([2]string, error) bool) {
		for _, r := range m.records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

var cases = []struct {
	name string
	in   site
	want []string
}{
	{"whole sets", site{{"/en en=/en de=/de", "/de en=/en de=/de", "/alone"}}, nil},
	{"sets across files and hosts", site{{"/en en=/en de=shop.de/"}, {"shop.de/ de=shop.de/ en=/en"}}, nil},
	{"codes in capitals, and a page with two", site{{"/en en-GB=/en en=/en x-default=/en de=/de", "/de de=/de EN-gb=/en en=/en x-default=/en"}}, nil},
	{"no return link", site{{"/en en=/en de=/de", "/de de=/de"}},
		[]string{"0:2 No return tags /en /de"}},
	{"no links at all", site{{"/en en=/en de=/de", "/de"}},
		[]string{"0:2 No return tags /en /de"}},
	{"not listed here", site{{"/en en=/en de=/de"}}, nil},
	{"on a host that is not audited", site{{"/en en=/en de=other.example/de"}}, nil},
	{"without itself", site{{"/en de=/de", "/de de=/de en=/en"}},
		[]string{"0:2 Alternates without the page itself /en /de"}},
	{"two addresses for one code", site{{"/en en=/en de=/de DE=/de2", "/de en=/en de=/de de=/de2", "/de2 en=/en de=/de de=/de2"}},
		[]string{"0:2 Two alternates for one language /en /de2 DE", "0:3 Two alternates for one language /de /de2 de", "0:4 Two alternates for one language /de2 /de2 de"}},
	{"codes", site{{"/en en=/en en-UK=/en zh-Hant-TW=/en x-default=/en es-419=/en en_US=/en"}},
		[]string{`0:2 Unknown language code /en /en "en-UK"`, `0:2 Unknown language code /en /en "en_US"`}},
	{"no address", site{{"/en en=/en de=:80", "/fr fr=/fr"}},
		[]string{"0:2 Invalid alternate URL /en https://:80"}},
	{"redirected, and corrected", site{{"/fr fr=/fr en=/en", "/en!moved-then-replace en=/en fr=/fr"}},
		[]string{"0:2 Alternate redirects /fr /en (mended 1)"}},
	{"for everybody else, redirected to a page in a language", site{{"/fr fr=/fr x-default=/en", "/en!moved-then-replace x-default=/en fr=/fr"}},
		[]string{"0:2 Alternate redirects /fr /en (mended 1)"}},
	{"for everybody else, redirected for now: by language", site{{"/fr fr=/fr x-default=/", "/!temporary x-default=/ fr=/fr"}}, nil},
	{"for everybody else and for a language, redirected for now", site{{"/fr fr=/fr en=/ x-default=/", "/!temporary x-default=/ en=/ fr=/fr"}},
		[]string{"0:2 Alternate redirects /fr /"}},
	{"redirected for now", site{{"/en en=/en de=/de", "/de!temporary de=/de en=/en"}},
		[]string{"0:2 Alternate redirects /en /de"}},
	{"gone, and taken out", site{{"/en en=/en de=/de fr=/fr", "/de!not-found-then-drop de=/de en=/en fr=/fr", "/fr en=/en de=/de fr=/fr"}},
		[]string{"0:2 Alternate not found /en /de (mended 1)", "0:4 Alternate not found /fr /de (mended 1)"}},
	{"gone, and kept", site{{"/en en=/en de=/de", "/de!not-found de=/de en=/en"}},
		[]string{"0:2 Alternate not found /en /de"}},
	{"forbidden", site{{"/en en=/en de=/de", "/de!disallowed de=/de en=/en"}},
		[]string{"0:2 Alternate blocked by robots.txt /en /de"}},
	{"noindex", site{{"/en en=/en de=/de", "/de!noindex de=/de en=/en"}},
		[]string{"0:2 Alternate noindex /en /de"}},
	{"another canonical", site{{"/en en=/en de=/de", "/de!noncanonical de=/de en=/en"}},
		[]string{"0:2 Alternate has another canonical /en /de"}},
	{"for a device", site{{"/en handheld=/m", "/m"}}, nil},
	{"for a device, redirected for now", site{{"/en handheld=/m", "/m!temporary"}},
		[]string{"0:2 Alternate redirects /en /m"}},
	{"for a device, with the page for all as its canonical", site{{"/en handheld=/m", "/m!noncanonical"}}, nil},
	{"for everybody else, and no return link", site{{"/en en=/en", "/es es=/es x-default=/en"}},
		[]string{"0:3 No return tags /es /en"}},
	{"a set that lacks a page", site{{"/en en=/en de=/de fr=b.example/", "/de en=/en de=/de fr=b.example/", "/it en=/en de=/de it=/it fr=b.example/", "/fr en=/en"}, {"/en2 en=/en2"}},
		[]string{"0:4 No return tags /it /en", "0:4 No return tags /it /de", "0:5 No return tags /fr /en", "0:5 Alternates without the page itself /fr /en"}},
	{"more places than are listed", site{{"/a fr=/b it=/c es=/d nl=/e pl=/f pt=/g en=/a", "/b", "/c", "/d", "/e", "/f", "/g"}},
		[]string{"0:2 No return tags /a /b", "0:2 No return tags /a /c", "0:2 No return tags /a /d", "0:2 No return tags /a /e", "0:2 No return tags /a /f", "0 No return tags +1"}},
}

func TestFaults(t *testing.T) {
	for _, c := range cases {
		if got := c.in.faults(t, c.in.result()); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n  %s\nwant\n  %s", c.name, strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
		}
	}
}

// No fault is marked as mended where no corrected copy is written.
func TestNothingIsMendedWithoutACopy(t *testing.T) {
	in := site{{"/fr fr=/fr en=/en", "/en!moved-then-replace en=/en fr=/fr"}}
	want := []string{"0:2 Alternate redirects /fr /en"}
	for name, change := range map[string]func(*audit.Result){
		"a sample":          func(t *audit.Result) { t.Info.Partial = true },
		"a file of a fault": func(t *audit.Result) { t.Files[0].Outdated = true },
	} {
		result := in.result()
		change(result)
		if got := in.faults(t, result); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

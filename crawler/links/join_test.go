package links_test

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/ground"
	"sitemend/crawler/links"
)

// A site is what its sitemap lists, one entry a line: "/a", "/old moved /new" (replaced), "/old
// moved-kept /new", "/gone not-found"; its pages with their bodies; and other crawled addresses,
// "/x 301 /y" or "/x 200".
type site struct {
	entries string
	pages   map[string]string
	crawled string
}

const shop = "https://shop.example"

// rows are the rows of the entries.
func (s *site) rows(context.Context, int) iter.Seq2[*audit.Row, error] {
	return func(yield func(*audit.Row, error) bool) {
		for n, line := range strings.Split(s.entries, "\n") {
			words := strings.Fields(line)
			if len(words) == 0 {
				continue
			}
			r := audit.Row{Entry: audit.Entry{N: n, Loc: shop + words[0], Line: n + 1}, Address: address.Wire(shop + words[0]), Verdict: audit.OK,
				Fix: audit.Fix{Action: audit.Keep}}
			if len(words) > 1 {
				verdict, kept := strings.CutSuffix(words[1], "-kept")
				r.Verdict = audit.Verdict(verdict)
				if len(words) > 2 {
					r.Final = address.Wire(shop + words[2])
					r.Trail.Steps = make([]answers.Step, 2)
					r.Trail.Steps[0].Next = r.Final
					if !kept {
						r.Fix = audit.Fix{Action: audit.Replace, Loc: shop + words[2]}
					}
				}
			}
			if !yield(&r, nil) {
				return
			}
		}
	}
}

func (s *site) result() *audit.Result {
	return &audit.Result{Info: audit.Info{Rules: audit.Rules{MaxHops: 10}}, Edits: s.rows,
		Files: []audit.File{{Sitemap: audit.Sitemap{URL: shop + "/sitemap.xml", Kind: "urlset"}}}}
}

// Hop implements answers.Memory.
func (s *site) Hop(r answers.Request) (answers.Hop, bool) {
	for line := range strings.Lines(s.crawled) {
		words := strings.Fields(line)
		if shop+words[0] != r.URL || r.Purpose != answers.AsRobot {
			continue
		}
		h := answers.Hop{Request: r, Status: 200, Tries: 1, Page: answers.Page{ContentType: "text/html", Title: words[0]}}
		if words[1] != "200" {
			fmt.Sscan(words[1], &h.Status)
			if len(words) > 2 {
				h.Location = words[2]
			}
		}
		return h, true
	}
	return answers.Hop{}, false
}

// Err implements answers.Memory.
func (s *site) Err() error { return nil }

// read yields the links of the pages.
func (s *site) read(t testing.TB) func(context.Context) iter.Seq2[answers.Hop, error] {
	return func(context.Context) iter.Seq2[answers.Hop, error] {
		return func(yield func(answers.Hop, error) bool) {
			var r links.Reader
			for path, body := range s.pages {
				packed := read(t, &r, shop+path, body)
				if !yield(answers.Hop{Request: answers.Request{URL: shop + path}, Links: packed}, nil) {
					return
				}
			}
		}
	}
}

// memory is a Sorter in memory.
type memory struct{ records [][2]string }

func (m *memory) Add(key, value string) error {
	m.records = append(m.records, [2]string{key, value})
	return nil
}

func (m *memory) Sorted() iter.Seq2[[2]string, error] {
	slices.SortStableFunc(m.records, func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return func(yield func([2]string, error) bool) {
		for _, r := range m.records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func (s *site) join(t testing.TB) *audit.Linked {
	t.Helper()
	l, err := links.Join(t.Context(), s.result(), links.Source{Answers: s, Pages: s.read(t), Sorter: func() ground.Sorter { return new(memory) }})
	must(t, err)
	return l
}

// said returns the rows as text, without the origin of the shop.
func said(t testing.TB, l *audit.Linked) (out []string) {
	t.Helper()
	for r, err := range l.Rows(t.Context()) {
		must(t, err)
		text := fmt.Sprintf("%s %s %s", []string{"old", "unlisted", "unlinked"}[r.Kind], r.Target, r.Verdict)
		if r.RedirectsTo != "" {
			text += " -> " + r.RedirectsTo
		}
		if r.LinkTo != "" {
			text += " link " + r.LinkTo
		}
		if r.Listed == audit.OtherSpellingInSitemap {
			text += " (other spelling)"
		}
		text += fmt.Sprintf(" %d+%d template %d", r.Pages, r.Nofollow, r.Template)
		out = append(out, strings.Join(strings.Fields(strings.ReplaceAll(text, shop, "")), " "))
	}
	return out
}

func TestJoin(t *testing.T) {
	footer := `<footer><a href=/imprint>Imprint</a></footer>`
	template := map[string]string{"/": "<a href=/odd>"}
	for n := range 6 {
		template[fmt.Sprintf("/shoes/%d", n)] = footer
	}
	for _, c := range []struct {
		name string
		site site
		want []string
	}{
		{"what moved, and where to link to", site{"/\n/old moved /new", map[string]string{"/": "<a href=/old>", "/new": "<a href=/>"}, ""},
			[]string{"old /old moved -> /new link /new 1+0 template 0"}},
		{"what is not written has no address to link to", site{"/\n/old moved-kept /new", map[string]string{"/": "<a href=/old>", "/new": "<a href=/>"}, ""},
			[]string{"old /old moved -> /new 1+0 template 0"}},
		{"what is gone", site{"/\n/gone not-found", map[string]string{"/": "<nav><a href=/gone rel=nofollow>", "/b": "<a href=/>"}, ""},
			[]string{"old /gone not-found 0+1 template 0"}},
		{"what will be written is listed", site{"/\n/old moved /new", map[string]string{"/": "<a href=/new>", "/new": "<a href=/>"}, ""}, nil},
		{"the canonical that will be written is listed", site{"/\n/a noncanonical /b", map[string]string{"/": "<a href=/a><a href=/b>", "/a": "<a href=/>"}, "/b 200"}, nil},
		{"what no sitemap lists", site{"/", map[string]string{"/a": "<a href=/><a href=/b><a href=https://other.example/><a href=/x.jpg>"}, "/b 200"},
			[]string{"unlisted /b ok 1+0 template 0"}},
		{"what is not to be followed is not offered", site{"/", map[string]string{"/a": "<a href=/><a rel=nofollow href=/cart>"}, ""}, nil},
		{"a form is no page to list, and may lead to what moved", site{"/\n/f moved /g", map[string]string{"/a": "<a href=/><form action=/search></form><form action=/f>"}, ""},
			[]string{"old /f moved -> /g link /g 1+0 template 0"}},
		{"www and https are the same site", site{"/", map[string]string{"/a": "<a href=/><a href=http://www.shop.example/b>"}, ""},
			[]string{"unlisted http://www.shop.example/b 1+0 template 0"}},
		{"another spelling of an entry", site{"/\n/~me", map[string]string{"/": "<a href=/%7eme>", "/~me": "<a href=/>"}, ""},
			[]string{"unlisted /%7eme (other spelling) 1+0 template 0"}},
		{"entries that no page links to", site{"/\n/a\n/b\n/c noindex", map[string]string{"/": "<a href=/a>", "/a": "<a href=/a>", "/b": "<a href=/b>"}, ""},
			[]string{"unlinked / ok 0+0 template 0", "unlinked /b ok 0+0 template 0"}},
		{"links of two kinds", site{"/\n/gone not-found", map[string]string{"/": "<nav><a href=/gone rel=nofollow>", "/b": "<footer><a href=/gone><a href=/>"}, ""},
			[]string{"old /gone not-found 1+1 template 0"}},
		{"an entry that is linked with nofollow alone", site{"/", map[string]string{"/a": "<nav><a rel=nofollow href=/>"}, ""},
			[]string{"unlinked / ok 0+1 template 0"}},
		{"no page was read", site{"/", nil, ""}, nil},
		{"a template", site{"/\n/shoes/0\n/imprint moved /legal", template, ""},
			[]string{"old /imprint moved -> /legal link /legal 6+0 template 6", "unlisted /odd 1+0 template 0",
				"unlinked / ok 0+0 template 0", "unlinked /shoes/0 ok 0+0 template 0"}},
	} {
		l := c.site.join(t)
		if got := said(t, l); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n  %s\nwant\n  %s", c.name, strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
		}
		if again := said(t, l); !slices.Equal(again, said(t, c.site.join(t))) {
			t.Errorf("%s: it says another thing each time", c.name)
		}
	}
}

// A page that was read twice, with and without the user's secrets, counts once.
func TestAPageCountsOnce(t *testing.T) {
	var r links.Reader
	first := read(t, &r, shop+"/a", "<a href=/x>")
	plain := read(t, &r, shop+"/a", "<a href=/plain>")
	all := []answers.Hop{
		{Request: answers.Request{URL: shop + "/a", Purpose: answers.WithoutSecrets}, Links: plain},
		{Request: answers.Request{URL: shop + "/a"}, Links: first},
		{Request: answers.Request{URL: shop + "/b", Purpose: answers.AsBrowser}, Links: plain},
	}
	s := site{entries: "/"}
	l, err := links.Join(t.Context(), s.result(), links.Source{Answers: &s, Sorter: func() ground.Sorter { return new(memory) },
		Pages: func(context.Context) iter.Seq2[answers.Hop, error] {
			return func(yield func(answers.Hop, error) bool) {
				for _, p := range all {
					if !yield(p, nil) {
						return
					}
				}
			}
		}})
	must(t, err)
	if got, want := said(t, l), []string{"unlisted /x 1+0 template 0", "unlinked / ok 0+0 template 0"}; !slices.Equal(got, want) || l.Pages != 1 {
		t.Errorf("%q, %d pages", got, l.Pages)
	}
}

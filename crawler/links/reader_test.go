package links_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"sitemend/crawler/address"
	"sitemend/crawler/links"
)

const at = "https://shop.example/shoes/1?x=y"

// read reads the tags of a page, as crawler/fetch passes them.
func read(t testing.TB, r *links.Reader, at, body string) string {
	t.Helper()
	r.Begin(links.Context{At: address.Wire(at)})
	z := html.NewTokenizer(strings.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return r.Pack(links.Page{})
		case html.StartTagToken, html.SelfClosingTagToken:
			r.Tag(z.Raw())
		}
	}
}

// found returns the links of a page as "TARGET flags", without the origin of the page.
func found(t testing.TB, packed, at string) (out []string) {
	t.Helper()
	_, err := links.Unpack(packed, func(_ *links.Page, l links.Link) error {
		said := strings.TrimPrefix(l.Target, address.Wire(at).Origin())
		if l.Nofollow {
			said += " nofollow"
		}
		if l.Form {
			said += " form"
		}
		out = append(out, said)
		return nil
	})
	must(t, err)
	return out
}

// The links of a page.
func TestReader(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"an anchor", `<a href="/a">`, "/a"},
		{"against the page", `<a href=2><a href=./3><a href=../b><a href=?q=1>`, "/shoes/2, /shoes/3, /b, /shoes/1?q=1"},
		{"against a base", `<base href=/blog/ target=x><base href=/no/><a href=1><a href=/2>`, "/blog/1, /2"},
		{"a base without an address", `<base target=x><base href=/blog/><a href=1>`, "/blog/1"},
		{"a base of no page", `<a href=1?q><base href=javascript:1><base href=/no/><a href=2>`, "/shoes/1?q, /shoes/2"},
		{"a base of data", `<base href="data:text/html,x"><a href=1>`, "/shoes/1"},
		{"a base that is no address", `<base href="https://a b/"><a href=2><form action=3>`, "/shoes/2, /shoes/3 form"},
		{"an empty base", `<base href=""><base href=/no/><a href=2>`, "/shoes/2"},
		{"without its fragment", `<a href=/a#top><a href="/a">`, "/a"},
		{"itself", `<a href=#top><a href="">text</a><a href=1?x=y><a href="/shoes/1?x=y#z">`, ""},
		{"no page", `<a href=mailto:a@b.example><a href=javascript:void(0)><a href="tel:1"><a href="http://">`, ""},
		{"userinfo", `<a href="https://me:secret@shop.example/a">`, "/a"},
		{"another site", `<a href=//b.example/><a href=http://shop.example/>`, "https://b.example/, http://shop.example/"},
		{"octets", "<a href='/%7e%3F(あ)[1]|2'>", "/%7e%3F(%E3%81%82)[1]%7C2"},
		{"character references", `<a href="/a?b=1&amp;c=2&copy=3&#x26;d">`, "/a?b=1&c=2&copy=3&d"},
		{"no value", `<a href><a><a name=x><a href=>`, ""},
		{"the first of a name", `<a href=/a href=/b>`, "/a"},
		{"odd tags", "<A\nHREF = '/a' / class=x><a/href=/b><a href=/c/><a title='>' href=\"/d\"\t>", "/a, /b, /c/, /d"},
		{"white space", "<a href=\" /a\n/b\t\">", "/a/b"},

		{"an area", `<map><area href=/a></map>`, "/a"},
		{"link elements", `<link rel="canonical" href=/a><link rel=stylesheet href=/b><link rel="Next prefetch" href=/c><link rel=alternate type=application/rss+xml href=/d><link rel=alternate hreflang=de href=/e>`,
			"/a, /c, /e"},
		{"forms", `<form action=/a?b=1><form method=GET action="/c"><form method=" post " action=/d><form method=dialog action=/e><form>`, "/a form, /c form"},
		{"a form and a link", `<form action=/a></form><a href=/a>`, "/a"},

		{"nofollow", `<a rel="noopener NOFOLLOW" href=/a><a rel=ugc href=/b><a rel=sponsored href=/c><a rel=nofollowed href=/d>`, "/a nofollow, /b nofollow, /c nofollow, /d"},
		{"nofollow and not", `<a rel=nofollow href=/a><a href=/a>`, "/a"},
	} {
		if got := strings.Join(found(t, read(t, new(links.Reader), at, c.body), at), ", "); got != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.name, c.body, got, c.want)
		}
	}
}

// A Reader that has read other pages reads a page as a new one does.
func TestReaderRemembersNoPage(t *testing.T) {
	pages := []struct{ at, body string }{
		{"https://shop.example/a/", `<nav><a href=/x><a href=y><a rel=nofollow href=/z>`},
		{"https://shop.example/b/", `<base href=/c/><a href=/x><a href=y><a href=/z>`},
		{"http://shop.example/a/", `<a href=/x><a href=y><a href=//shop.example/z>`},
		{"https://shop.example/x", `<a href=/x><a href=y><a href=/a/>`},
		{"https://shop.example/a/", `<main><a href=/x><a href=y><a href=/z>`},
		{"https://shop.example/a/", `<main><a href=/x><a href=y></main><base href=//b.example/c/><a href=y>`},
		{"https://shop.example/a/", `<main><a href=/x><a href=y></main><base href=mailto:x><a href=y><svg>`},
		{"https://shop.example/a/", `<base href=/d/><a href=y>`},
	}
	var r links.Reader
	for range 2 {
		for _, p := range pages {
			got, want := read(t, &r, p.at, p.body), read(t, new(links.Reader), p.at, p.body)
			if got != want {
				t.Errorf("%s %s: %q, alone %q", p.at, p.body, found(t, got, p.at), found(t, want, p.at))
			}
		}
	}
}

// A page with more links than are kept is marked as cut, and the number of links kept is bounded.
func TestReaderIsBounded(t *testing.T) {
	for name, body := range map[string]string{
		"many links":     strings.Repeat("<a href=x>", 100) + manyLinks(30_000, ""),
		"long addresses": manyLinks(3_000, strings.Repeat("y", 1500)),
	} {
		packed := read(t, new(links.Reader), at, body+"<a href=/short><a href=/short>")
		seen := map[string]bool{}
		page, err := links.Unpack(packed, func(_ *links.Page, l links.Link) error {
			if seen[l.Target] {
				t.Errorf("%s: %.100s is there twice", name, l.Target)
			}
			seen[l.Target] = true
			return nil
		})
		if err != nil || !page.Cut || len(packed) > 2<<20 {
			t.Errorf("%s: %d bytes, %+v, %v", name, len(packed), page, err)
		}
	}
	if got := found(t, read(t, new(links.Reader), at, `<a href="/`+strings.Repeat("a", 5000)+`"><a href=/b>`), at); !slices.Equal(got, []string{"/b"}) {
		t.Errorf("an address that is too long: %.100q", got)
	}
}

func manyLinks(n int, path string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("<a href=/" + path + strings.Repeat("z", i%7) + string(rune('a'+i%26)) + strings.Repeat("0", i/200%30) + strconv.Itoa(i) + ">")
	}
	return b.String()
}

// The links of any page are those that another parser of its attributes finds.
func FuzzReader(f *testing.F) {
	for _, s := range []string{`<a href=/a>`, `<A HREF = "b&amp;c" href=d>`, `<area/href='/e'>`, `<a href="x"y=z>`, "<a\x00href=1>", `<a ="'>`, `<nav><div role=main></nav>`, `<base href=/x/><a href=y>`,
		`<link rel=next href=a>`, `<form action=b?c>`, `<a href='&quot;"'>`, "<a href=\xff\xfe?\xfd>", `<a href=x rel=nofollow>`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		got := map[string]bool{}
		_, err := links.Unpack(read(t, new(links.Reader), at, body), func(_ *links.Page, l links.Link) error {
			got[l.Target] = true
			return nil
		})
		must(t, err)
		if strings.Contains(body, "\x00") || strings.Contains(strings.ToLower(body), "<base") { // the parser writes U+FFFD for NUL
			return
		}
		for to := range anchors(body) {
			if !got[to] {
				t.Fatalf("%q: %s is missing in %v", body, to, got)
			}
		}
	})
}

// anchors returns the targets of a and area elements, as another parser reads their attributes.
func anchors(body string) map[string]bool {
	out := map[string]bool{}
	z := html.NewTokenizer(strings.NewReader(body))
	for z.Next() != html.ErrorToken {
		token := z.Token()
		if token.Type != html.StartTagToken && token.Type != html.SelfClosingTagToken || token.Data != "a" && token.Data != "area" {
			continue
		}
		for _, a := range token.Attr {
			to, err := address.Resolve(address.Wire(at), a.Val)
			if a.Key == "href" && err == nil && to.String() != at && len(to.String()) <= 2048 && len(a.Val) <= 2048 {
				out[to.String()] = true
			}
		}
	}
	return out
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

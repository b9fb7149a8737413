package robots_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/robots"
)

func TestCheckNamesTheDecidingLine(t *testing.T) {
	const shop = `# shop
User-agent: *
Disallow: /cart   # nobody
Allow: /cart/help
Crawl-delay: 5

User-agent: Googlebot
User-agent: bingbot
Disallow: /private/
Allow: /private/press/
Disallow: /*.pdf$
Disallow: /x(1)
Disallow: /日本
Allow: /dir/index.html
Disallow: /dir/
Disallow:

Sitemap: https://shop.example/sitemap.xml
`
	tests := []struct {
		token, path string
		want        string // "" = allowed by no line; else "yes N LINE" or "no N LINE"
	}{
		{"Googlebot", "/", ""},
		{"Googlebot", "/private/a", "no 9 Disallow: /private/"},
		{"Googlebot", "/private/press/a", "yes 10 Allow: /private/press/"},
		{"Googlebot", "/a/b.pdf", "no 11 Disallow: /*.pdf$"},
		{"Googlebot", "/a/b.pdf?x", ""},
		{"Googlebot", "/x(1)", "no 12 Disallow: /x(1)"},
		{"Googlebot", "/x%281%29", ""}, // nothing is decoded
		{"Googlebot", "/%E6%97%A5%E6%9C%AC/", "no 13 Disallow: /日本"},
		{"Googlebot", "/%e6%97%a5%e6%9c%ac/", "no 13 Disallow: /日本"},
		{"Googlebot", "/dir/", "yes 14 Allow: /dir/index.html"},
		{"Googlebot", "/dir/a", "no 15 Disallow: /dir/"},
		{"Googlebot", "/cart", ""}, // with a group of its own, * does not apply
		{"bingbot", "/private/", "no 9 Disallow: /private/"},
		{"Googlebot-Image", "/private/", "no 9 Disallow: /private/"},
		{"other", "/cart", "no 3 Disallow: /cart"},
		{"other", "/cart/help?a", "yes 4 Allow: /cart/help"},
	}
	for _, ends := range []string{"\n", "\r\n", "\r"} {
		f := robots.Parse([]byte("\xEF\xBB\xBF" + strings.ReplaceAll(shop, "\n", ends)))
		for _, tt := range tests {
			if got := verdict(f, tt.token, "https://shop.example"+tt.path); got != tt.want {
				t.Errorf("line ends %q: %s on %s: got %q, want %q", ends, tt.token, tt.path, got, tt.want)
			}
		}
		if s := f.Sitemaps; len(s) != 1 || s[0] != (robots.Sitemap{"https://shop.example/sitemap.xml", 18}) {
			t.Errorf("line ends %q: sitemaps %v", ends, s)
		}
	}
}

func verdict(f *robots.File, token, url string) string {
	allowed, line, n := f.Check(token, url)
	switch {
	case n == 0 && line == "" && allowed:
		return ""
	case allowed:
		return fmt.Sprintf("yes %d %s", n, line)
	}
	return fmt.Sprintf("no %d %s", n, line)
}

func TestOnlyTheFirst500KiBCount(t *testing.T) {
	head := "User-agent: *\nDisallow: /a\n"
	pad := strings.Repeat("#\n", (robots.MaxBytes-len(head))/2)
	f := robots.Parse([]byte(head + pad + "Disallow: /b\n"))
	if ok, _, _ := f.Check("Googlebot", "http://a.example/a"); ok {
		t.Error("a rule in the first 500 KiB was not read")
	}
	if ok, line, n := f.Check("Googlebot", "http://a.example/b"); !ok {
		t.Errorf("a rule after 500 KiB was read: %q, line %d", line, n)
	}
}

// Lines that are easily read differently from Google: each was wrong once.
func TestReadsAsGoogle(t *testing.T) {
	for _, tt := range []struct {
		name, lines, path string
		want              bool
	}{
		{"digits in escapes", "Disallow: /%e3%83%96/", "/%E3%83%96/x", false},
		{"digits beside raw octets", "Disallow: /é%41/", "/%C3%A9%41/", false},
		{"lower case in the address", "Disallow: /%E3%83%96/", "/%e3%83%96/x", false},
		{"U+3000 belongs to the path", "Disallow: /\u3000", "/", true},
		{"U+3000 in the address", "Disallow: /\u3000", "/%E3%80%80", false},
		{"NBSP behind the path", "Disallow: /x\u00a0", "/x", true},
		{"NEL before the path", "Disallow: \u0085/x", "/x", true},
		{"NBSP before the key", "\u00a0Disallow: /", "/", true},
		{"a NUL ends the line", "Disallow: /x\x00/y", "/x/z", false},
		{"a NUL before all", "\x00Disallow: /", "/", true},
		{"vertical tabs are white space", "Disallow:\x0b/x\x0c", "/x", false},
		{"a third word without a colon", "Disallow \x0b /", "/", true},
	} {
		f := robots.Parse([]byte("User-agent: *\n" + tt.lines))
		if got, line, _ := f.Check("Googlebot", "http://a.example"+tt.path); got != tt.want {
			t.Errorf("%s: %q on %s: got %v by %q", tt.name, tt.lines, tt.path, got, line)
		}
	}
	if ok, line, _ := robots.Parse([]byte("User-agent: *\u00a0\nDisallow: /\n")).Check("Googlebot", "http://a.example/"); !ok {
		t.Errorf("* and NBSP is nobody, but %q decided", line)
	}
}

// Sitemap lines are returned byte for byte, empty ones left out.
func TestSitemaps(t *testing.T) {
	text := "\xEF\xBB\xBFUser-agent: *\r\nSITEMAP:https://a.example/s.xml\r\n\r\nDisallow: /\rsitemap : /relative.xml # here\n# Sitemap: no\nSitemap:\n" +
		"  Site-map: http://b.example/x y.xml\nSitemap: https://c.example/\xe3\x81\x82%e3\x82\nSitemap: # none\nSitemap: \x00/x\nSitemap http://d.example/\u3000"
	got := robots.Parse([]byte(text)).Sitemaps
	want := []robots.Sitemap{{"https://a.example/s.xml", 2}, {"/relative.xml", 5}, {"http://b.example/x y.xml", 8}, {"https://c.example/あ%e3\x82", 9}, {"//d.example/\u3000", 12}}
	if !slices.Equal(got, want) {
		t.Errorf("sitemaps are %v, want %v", got, want)
	}
	if got := robots.Parse(append(make([]byte, robots.MaxBytes), "\nSitemap: /late.xml"...)).Sitemaps; got != nil {
		t.Errorf("past 500 KiB, %v was read", got)
	}
}

// FuzzParse: no input panics, a line that decides is a line of the file, and a stored file decides as
// before.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "disallow: /%e3%83\u3000", "disallow \v /", "sitemap:\xa0\x00x", "user-agent: *\r\ndisallow: /", "\xEF\xBBuser-agent: a\rallow:/\n\n", "useragent *\x00\ndisallow /%e3*$", "<html>"} {
		f.Add([]byte(seed), "/a%e3")
	}
	f.Fuzz(func(t *testing.T, body []byte, path string) {
		body = append([]byte("user-agent: *\n"), body...)
		a, err := address.Resolve(address.Wire("http://foo.example/"), path)
		if err != nil {
			return
		}
		answer := robots.Answer{Status: 200}
		answer.Read(body)
		stored, err := robots.DecodeAnswer(answer.Encode())
		if err != nil {
			t.Fatal(err)
		}
		was, is := verdict(answer.File, "FooBot", a.String()), verdict(stored.File, "FooBot", a.String())
		if was != is || strings.HasPrefix(was, "no 0") || strings.HasSuffix(was, " ") {
			t.Fatalf("%q: %s is %q, stored %q", body, a, was, is)
		}
	})
}

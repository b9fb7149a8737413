package robots_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/audit"
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
		{"other", "/cart", "no 3 Disallow: /cart   # nobody"},
		{"other", "/cart/help?a", "yes 4 Allow: /cart/help"},
	}
	for _, ends := range []string{"\n", "\r\n", "\r"} {
		f := robots.Parse([]byte("\xEF\xBB\xBF" + strings.ReplaceAll(shop, "\n", ends)))
		for _, tt := range tests {
			if got := verdict(f, tt.token, "https://shop.example"+tt.path); got != tt.want {
				t.Errorf("line ends %q: %s on %s: got %q, want %q", ends, tt.token, tt.path, got, tt.want)
			}
		}
		if s := f.Sitemaps(); len(s) != 1 || s[0] != (robots.Sitemap{"https://shop.example/sitemap.xml", 18}) {
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

func TestFromStatus(t *testing.T) {
	tests := map[int]robots.Reading{
		0: robots.Stop, 100: robots.Stop, 200: robots.Rules, 204: robots.Rules, 206: robots.Rules, 301: robots.AllowAll, 304: robots.AllowAll, 401: robots.AllowAll, 403: robots.AllowAll,
		404: robots.AllowAll, 410: robots.AllowAll, 429: robots.Stop, 499: robots.AllowAll, 500: robots.Stop, 503: robots.Stop, 599: robots.Stop, 999: robots.Stop,
	}
	for status, want := range tests {
		if got := robots.FromStatus(status); got != want {
			t.Errorf("status %d: got %v, want %v", status, got, want)
		}
	}
}

// check compares a file with the slow matcher.
func check(t interface {
	Helper()
	Fatalf(string, ...any)
}, body []byte, path string) {
	t.Helper()
	f, slow := robots.Parse(body), readTruth(body)
	if got, want := f.Sitemaps(), slow.sitemaps; !slices.Equal(got, want) {
		t.Fatalf("%q: sitemaps %v, want %v", body, got, want)
	}
	for _, token := range []string{"FooBot", "Googlebot", "Googlebot-Image"} {
		got, text, n := f.Check(token, "http://foo.example"+path)
		want, by := slow.allowed(token, path)
		if got != want {
			t.Fatalf("%q: %s on %s: got %v by line %d, want %v by lines %d", body, token, path, got, n, want, by)
		}
		if len(by) == 0 != (n == 0) || n > 0 && !slices.Contains(by, n) {
			t.Fatalf("%q: %s on %s: decided by line %d %q, want one of %d", body, token, path, n, text, by)
		}
		if (n == 0) != (text == "") {
			t.Fatalf("%q: line %d is told as %q", body, n, text)
		}
	}
}

// Lines that the parser alone reads differently from Google: each was wrong once.
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
	got := robots.Parse([]byte(text)).Sitemaps()
	want := []robots.Sitemap{{"https://a.example/s.xml", 2}, {"/relative.xml", 5}, {"http://b.example/x y.xml", 8}, {"https://c.example/あ%e3\x82", 9}, {"//d.example/\u3000", 12}}
	if !slices.Equal(got, want) {
		t.Errorf("sitemaps are %v, want %v", got, want)
	}
	if got := robots.Parse(append(make([]byte, robots.MaxBytes), "\nSitemap: /late.xml"...)).Sitemaps(); got != nil {
		t.Errorf("past 500 KiB, %v was read", got)
	}
}

// FuzzParse: no input panics, every file decides as the slow matcher does, and the deciding line
// exists.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "disallow: /%e3%83\u3000", "disallow \v /", "sitemap:\xa0\x00x", "user-agent: *\r\ndisallow: /", "\xEF\xBBuser-agent: a\rallow:/\n\n", "a \x85", "useragent *\x00\ndisallow /%e3*$", "<html>"} {
		f.Add([]byte(seed), "/a%e3")
	}
	f.Fuzz(func(t *testing.T, body []byte, path string) {
		if len(body) > 64<<10 || len(path) > 1000 || strings.ContainsAny(path, "#") {
			return // the slow matcher is slow, and a path has no fragment
		}
		path = wire(path)
		check(t, body, "/"+path)
		check(t, append([]byte("user-agent: *\n"), body...), "/"+path)
	})
}

// wire escapes bytes beyond ASCII, as Check expects.
func wire(path string) string {
	var b strings.Builder
	for i := range len(path) {
		if path[i] < 0x80 {
			b.WriteByte(path[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", path[i])
		}
	}
	return b.String()
}

// Down holds only where robots.txt answers with a server error: other failures may occur for this
// machine only.
func TestWhatStopsGoogleToo(t *testing.T) {
	for _, c := range []struct {
		answer robots.Answer
		down   bool
	}{
		{robots.Answer{Status: 500}, true}, {robots.Answer{Status: 503}, true}, {robots.Answer{Status: 503, Challenge: "Cloudflare"}, false}, {robots.Answer{Status: 429}, false},
		{robots.Answer{Fault: audit.FaultDNS}, false}, {robots.Answer{Fault: audit.FaultRefused}, false}, {robots.Answer{Fault: audit.FaultUnreachable}, false}, {robots.Answer{Fault: audit.FaultTimeout}, false},
	} {
		if got := c.answer.Down(); got != c.down {
			t.Errorf("%+v: %v", c.answer, got)
		}
	}
}

package robots

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jimsmart/grobotstxt"
	"pgregory.net/rapid"
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
		{"Googlebot", "/cart", ""}, // the own group shuts out *
		{"bingbot", "/private/", "no 9 Disallow: /private/"},
		{"Googlebot-Image", "/private/", "no 9 Disallow: /private/"},
		{"other", "/cart", "no 3 Disallow: /cart   # nobody"},
		{"other", "/cart/help?a", "yes 4 Allow: /cart/help"},
	}
	for _, ends := range []string{"\n", "\r\n", "\r"} {
		f := Parse([]byte("\xEF\xBB\xBF" + strings.ReplaceAll(shop, "\n", ends)))
		for _, tt := range tests {
			if got := verdict(f, tt.token, "https://shop.example"+tt.path); got != tt.want {
				t.Errorf("line ends %q: %s on %s: got %q, want %q", ends, tt.token, tt.path, got, tt.want)
			}
		}
		if s := f.Sitemaps(); len(s) != 1 || s[0] != (Sitemap{"https://shop.example/sitemap.xml", 18}) {
			t.Errorf("line ends %q: sitemaps %v", ends, s)
		}
		if line, n := f.CrawlDelay("other"); line != "Crawl-delay: 5" || n != 5 {
			t.Errorf("crawl-delay for *: %q line %d", line, n)
		}
		if line, n := f.CrawlDelay("Googlebot"); line != "" || n != 0 {
			t.Errorf("crawl-delay for Googlebot: %q line %d", line, n)
		}
	}
}

func verdict(f *File, token, url string) string {
	allowed, line, n := f.Check(token, url)
	switch {
	case n == 0 && line == "" && allowed:
		return ""
	case allowed:
		return fmt.Sprintf("yes %d %s", n, line)
	}
	return fmt.Sprintf("no %d %s", n, line)
}

func TestImageObeysItsOwnGroupFirst(t *testing.T) {
	f := Parse([]byte("User-agent: Googlebot\nDisallow: /\nUser-agent: Googlebot-Image\nAllow: /\n"))
	if ok, _, _ := f.Check("Googlebot-Image", "http://a.example/x"); !ok {
		t.Error("Googlebot-Image obeyed the group of Googlebot though it has its own")
	}
	if ok, _, _ := f.Check("Googlebot", "http://a.example/x"); ok {
		t.Error("Googlebot is allowed by the group of Googlebot-Image")
	}
}

func TestOnlyTheFirst500KiBCount(t *testing.T) {
	head := "User-agent: *\nDisallow: /a\n"
	pad := strings.Repeat("#\n", (MaxBytes-len(head))/2)
	f := Parse([]byte(head + pad + "Disallow: /b\n"))
	if ok, _, _ := f.Check("Googlebot", "http://a.example/a"); ok {
		t.Error("a rule in the first 500 KiB was not read")
	}
	if ok, line, n := f.Check("Googlebot", "http://a.example/b"); !ok {
		t.Errorf("a rule after 500 KiB was read: %q, line %d", line, n)
	}
}

func TestFromStatus(t *testing.T) {
	tests := map[int]Reading{
		0: Stop, 100: Stop, 200: Rules, 204: Rules, 206: Rules, 301: AllowAll, 304: AllowAll, 401: AllowAll, 403: AllowAll,
		404: AllowAll, 410: AllowAll, 429: Stop, 499: AllowAll, 500: Stop, 503: Stop, 599: Stop, 999: Stop,
	}
	for status, want := range tests {
		if got := FromStatus(status); got != want {
			t.Errorf("status %d: got %v, want %v", status, got, want)
		}
	}
}

// The compiled matcher and the port's Matches agree on every pattern and path.
func TestMatchesAsThePort(t *testing.T) {
	word := rapid.StringOfN(rapid.SampledFrom([]rune("/ab*$%.?")), 0, 12, -1)
	rapid.Check(t, func(t *rapid.T) {
		pattern, path := word.Draw(t, "pattern"), "/"+word.Draw(t, "path")
		c := compileRule(rule{pattern: pattern})
		if got, want := c.matches(path), grobotstxt.Matches(path, pattern); got != want {
			t.Fatalf("pattern %q on %q: got %v, want %v", pattern, path, got, want)
		}
	})
}

// A whole file decides as the port's matcher decides, and names its line.
func TestDecidesAsThePort(t *testing.T) {
	line := rapid.OneOf(
		rapid.SampledFrom([]string{"User-agent: *", "user-agent: FooBot", "User-agent: BarBot", "", "# x", "Sitemap: /s", "foo: bar"}),
		rapid.Map(rapid.StringOfN(rapid.SampledFrom([]rune("/ab*$.?é")), 0, 6, -1), func(s string) string { return "Disallow: " + s }),
		rapid.Map(rapid.StringOfN(rapid.SampledFrom([]rune("/ab*$.?é")), 0, 6, -1), func(s string) string { return "allow: " + s }),
		rapid.SampledFrom([]string{"Allow: /a/index.html", "Allow: /index.htm", "Disallow: /", "disalow: /a"}),
	)
	ends := rapid.SampledFrom([]string{"\n", "\r\n", "\r"})
	path := rapid.StringOfN(rapid.SampledFrom([]rune("/ab.?")), 0, 8, -1)
	rapid.Check(t, func(t *rapid.T) {
		body := strings.Join(rapid.SliceOfN(line, 0, 60).Draw(t, "lines"), ends.Draw(t, "ends"))
		url := "http://foo.example/" + path.Draw(t, "path")
		m := grobotstxt.NewRobotsMatcher()
		want := m.AgentAllowed(body, "FooBot", url)
		got, text, n := Parse([]byte(body)).Check("FooBot", url)
		if got != want {
			t.Fatalf("%q on %s: got %v by line %d, want %v by line %d", body, url, got, n, want, m.MatchingLine())
		}
		if lines := splitLines(body); n > 0 && strings.TrimSpace(lines[n-1]) != text {
			t.Fatalf("line %d is %q, told as %q", n, lines[n-1], text)
		}
		if !want && n != m.MatchingLine() {
			t.Fatalf("%q on %s: line %d, the port says %d", body, url, n, m.MatchingLine())
		}
	})
}

// FuzzParse: no input panics, a line that decides exists, and the number of
// lines is the parser's.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "user-agent: *\r\ndisallow: /", "\xEF\xBBuser-agent: a\rallow:/\n\n", "a \x85", "useragent *\x00\ndisallow /%e3*$", "<html>"} {
		f.Add([]byte(seed), "/a%e3")
	}
	f.Fuzz(func(t *testing.T, body []byte, path string) {
		file := Parse(body)
		allowed, line, n := file.Check("Googlebot", "http://a.example/"+path)
		if (n == 0) != (line == "") || n == 0 && !allowed {
			t.Fatalf("allowed %v by line %d %q", allowed, n, line)
		}
		if n > len(splitLines(string(body))) {
			t.Fatalf("line %d of %d", n, len(splitLines(string(body))))
		}
		_, _ = file.CrawlDelay("Googlebot")
	})
}

func BenchmarkCheck(b *testing.B) {
	for _, rules := range []int{10, 1000} {
		f := Parse([]byte(manyRulesFile(rules)))
		b.Run(fmt.Sprintf("rules=%d", rules), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f.Check("Googlebot", "https://shop.example/category/page-1234567?color=red")
			}
		})
	}
}

func BenchmarkPort(b *testing.B) {
	body := manyRulesFile(10)
	b.ReportAllocs()
	for b.Loop() {
		grobotstxt.AgentAllowed(body, "Googlebot", "https://shop.example/category/page-1234567?color=red")
	}
}

func manyRulesFile(n int) string {
	var s strings.Builder
	s.WriteString("User-agent: *\n")
	for i := range n {
		fmt.Fprintf(&s, "Disallow: /%c%d/\nDisallow: /*sort=%d\n", 'a'+i%26, i, i)
	}
	return s.String()
}

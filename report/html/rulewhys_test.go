package html

import (
	"strings"
	"testing"

	"sitemend/crawler/rules"
	"sitemend/report/messages"
)

// What a reader of a host's rule file says of a line that the host ignores has words in every
// language, with the number or the word of the line in it.
func TestWhyARuleIsIgnored(t *testing.T) {
	long := strings.Repeat("x", 3000)
	var static strings.Builder
	for i := range 2101 {
		static.WriteString("/s" + strings.Repeat("a", i) + " /t\n")
	}
	headers := strings.Repeat("/p\n  X-A: 1\n", 101)
	for format, texts := range map[rules.Format][]string{
		rules.Netlify:         {"/a /b 301 Country\n", "/a\n", "a b\n", "/" + strings.Repeat("x", 9000) + " /b\n"},
		rules.NetlifyTOML:     {"[[redirects]\n", "[[redirects]]\nto = \"/b\"\n", "[[redirects]]\nfrom = \"/b\"\n", "[[redirects]]\nfrom = \"/b\"\nto = \"b\"\n"},
		rules.CloudflarePages: {"/a /b 418\n", "/a\n", "https://a.example/x /b\n", "/a b\n", "/a /b\n/a /c\n", "/" + long + " /b\n", "/a/:x/:x /b\n", "/a https://b.example/ 200\n", "/* /index.html\n", static.String()},
		rules.GitLabPages:     {"a\n", "/a /b x\n", "/a /b 301 c\n", "/a /b 301!\n", "/a /b 404\n", "a /b\n", "/a b\n", strings.Repeat("/a /b\n", 1001), strings.Repeat("#", 70000)},
		rules.Vercel: {`[1]`, `{"redirects":[1]}`, `{"redirects":[{"source":"/a","destination":"/b","permanent":true,"statusCode":301}]}`, `{"redirects":[{"source":"/a","destination":"/b","statusCode":200}]}`,
			`{"redirects":[{"source":"/a"}]}`, `{"redirects":[{"source":"/a","destination":"/b/:x"}]}`, `{"redirects":[{"source":"/a(","destination":"/b"}]}`, `{"redirects":[{"source":"/:","destination":"/b"}]}`,
			`{"redirects":[{"source":"/a{b","destination":"/b"}]}`, `{"redirects":[{"source":"/a(?x)","destination":"/b"}]}`, `{"redirects":[{"source":"/a((x))","destination":"/b"}]}`,
			`{"redirects":[{"source":"/` + strings.Repeat("x", 5000) + `","destination":"/b"}]}`, `{"redirects":{}}`, `{"redirects":[{"source":"/a)","destination":"/b"}]}`},
	} {
		for _, text := range texts {
			faults := rules.Read(format, "file", []byte(text)).Faults
			if len(faults) == 0 {
				t.Errorf("%s: nothing is wrong with %.60q", format, text)
			}
			for _, f := range faults {
				hasWords(t, string(format), f.Why)
			}
		}
	}
	for _, text := range []string{headers, "  X-A: 1\n", "a\n", "/" + long + long + "\n"} {
		for _, f := range rules.ReadHeaders(rules.CloudflarePages, "_headers", []byte(text)).Faults {
			hasWords(t, "_headers", f.Why)
		}
	}
	hasWords(t, "a host", "this host reads no such file")
	if got, want := messages.Of("ja").RuleWhy("longer than 65536 bytes: the file is ignored"), "65536バイトを超えています: ファイルは無視されます"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// hasWords looks at each part of a sentence but the error of a parser.
func hasWords(t *testing.T, of, english string) {
	t.Helper()
	for _, lang := range messages.Langs() {
		parts := []string{english}
		if messages.Of(lang).RuleWhy(english) == english || lang == "en" {
			parts = strings.Split(english, ": ")
		}
		for _, part := range parts {
			if got := messages.Of(lang).RuleWhy(part); (got == part) != (lang == "en") {
				t.Errorf("%s: %s says %q of %q", of, lang, got, part)
			}
			if part == "no JSON" || part == "no TOML" {
				break
			}
		}
	}
}

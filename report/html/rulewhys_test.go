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
		rules.Netlify:           {"/a /b 301 Country\n", "/a\n", "a b\n", "/a /b x\n", "/" + strings.Repeat("x", 9000) + " /b\n"},
		rules.NetlifyTOML:       {"[[redirects]]\nto = \"/b\"\n", "[[redirects]]\nfrom = \"/b\"\n", "[[redirects]]\nfrom = \"/b\"\nto = \"b\"\n"},
		rules.CloudflarePages:   {"/a /b 418\n", "/a\n", "https://a.example/x /b\n", "/a b\n", "/a /b\n/a /c\n", "/" + long + " /b\n", "/a/:x/:x /b\n", "/a https://b.example/ 200\n", "/* /index.html\n", static.String()},
		rules.CloudflareHeaders: {headers, "  X-A: 1\n", "/a\na\n", "/" + long + long + "\n"},
		rules.GitLabPages:       {"a\n", "/a /b x\n", "/a /b 301 c\n", "/a /b 301!\n", "/a /b 404\n", "a /b\n", "/a b\n", strings.Repeat("/a /b\n", 1001), strings.Repeat("#", 70000)},
		rules.Vercel:            {`{"headers":[{"source":"/a","has":[{}]}]}`},
		rules.VercelBulk:        {"source,destination,statusCode\n/a,,\n", "source,destination\na,/b\n", "source,destination\n/a?b,/b\n", "source,destination,statusCode\n/a,/b,200\n"},
	} {
		for _, text := range texts {
			s := rules.New(format)
			if err := s.Read(format, "file", text); err != nil || len(s.Faults) == 0 {
				t.Errorf("%s: nothing is wrong with %.60q, %v", format, text, err)
			}
			for _, f := range s.Faults {
				hasWords(t, string(format), f.Why)
			}
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
			if part == "no JSON" {
				break
			}
		}
	}
}

package messages_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// saidFaults finds the sentences that the program says of sitemaps, where it
// says them: {"key", "English"}, {English, "key", or Key: "key".
func saidFaults(t *testing.T) (keys, names []string) {
	t.Helper()
	forms := []*regexp.Regexp{
		regexp.MustCompile(`sentence\{"([a-z0-9-]+)", ["` + "`" + `]`),
		regexp.MustCompile(`"([a-z0-9-]+)", \[\]string\{`),
		regexp.MustCompile(`[kK]ey: +"([a-z0-9-]+)"`),
		regexp.MustCompile(`fault\(f\.\w+, "[^"]*", "([a-z0-9-]+)"`),
	}
	name := regexp.MustCompile(`(?m)^\t\w+: +"([A-Z][^"]*)",$|^const \w+ = "([A-Z][^"]*)"|fault\(f\.\w+, "([^"]*)"|fault\(.*, "([A-Za-z][^"]* [^"]*)", "(?:error|warning)"\)|failed\(.*?, "([A-Z][^"]*)"|Name: "([A-Z][^"]*)"`)
	for _, dir := range []string{"../../crawler", "../../report"} { // and all packages below them
		err := filepath.WalkDir(dir, func(f string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(f, ".go") || strings.HasSuffix(f, "_test.go") {
				return err
			}
			b, err := os.ReadFile(f)
			if err != nil || !strings.Contains(string(b), "sentence{") && !strings.Contains(string(b), "SitemapFault") {
				return err
			}
			for _, re := range forms {
				for _, m := range re.FindAllStringSubmatch(string(b), -1) {
					keys = append(keys, m[1])
				}
			}
			for _, m := range name.FindAllStringSubmatch(string(b), -1) {
				names = append(names, strings.Join(m[1:], ""))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys), names
}

// faultTexts are the names and the sentences of faults in a language.
func faultTexts(t *testing.T, lang string) (names, texts map[string]string) {
	t.Helper()
	names, texts = map[string]string{}, map[string]string{}
	for key, text := range textsOf(t, lang) {
		if name, ok := strings.CutPrefix(key, "sitemap-faults/names/"); ok {
			names[name] = text
		}
		if name, ok := strings.CutPrefix(key, "sitemap-faults/texts/"); ok {
			texts[name] = text
		}
	}
	return names, texts
}

// Every sentence of a fault is in every other language, and no other is kept.
func TestEveryFaultIsTranslated(t *testing.T) {
	keys, said := saidFaults(t)
	if len(keys) < 60 {
		t.Fatalf("only %d sentences were found: %q", len(keys), keys)
	}
	for _, lang := range messages.Langs()[1:] {
		names, texts := faultTexts(t, lang)
		wantWords(t, lang, texts, keys)
		for n := range names {
			if !slices.Contains(said, n) {
				t.Errorf("%s: the name %q is translated but never said", lang, n)
			}
		}
	}
}

func TestSitemapFault(t *testing.T) {
	f := audit.SitemapFault{Name: "HTTP error", Text: "no answer in time (x) (https://a.example/robots.txt line 3 names it)", Key: "no-answer-detail",
		Args: []string{string(audit.FaultTimeout), "{1}"}, NamedIn: "https://a.example/robots.txt", NamedAt: 3}
	name, text := messages.Of("en").SitemapFault(f)
	if name != f.Name || text != f.Text {
		t.Errorf("English is %q %q", name, text)
	}
	name, text = messages.Of("ja").SitemapFault(f)
	if name != "HTTP エラー" || !strings.HasPrefix(text, "取得できませんでした: ") || !strings.Contains(text, "({1})") ||
		!strings.HasSuffix(text, "(https://a.example/robots.txt の "+strconv.Itoa(3)+" 行目に記載)") || strings.Contains(text, "timeout") {
		t.Errorf("Japanese is %q %q", name, text)
	}
	old := audit.SitemapFault{Name: "Invalid date", Text: "as an older version said it"}
	if name, text = messages.Of("ja").SitemapFault(old); name != "無効な日付" || text != old.Text {
		t.Errorf("a fault without a key is %q %q", name, text)
	}
}

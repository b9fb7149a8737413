package messages_test

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// faultFile tells the files that say something of sitemaps.
var faultFile = regexp.MustCompile(`(?m)^package (sitemap|discover)$|SitemapFault( struct \{|\{)`)

// saidFaults finds the keys and the names of the faults that the program says of sitemaps,
// where it says them: say("key"), severe, "key", mild, "key", why = "key", Key: "key", and those of the table
// of crawler/sitemap.
func saidFaults(t *testing.T) (keys, names []string) {
	t.Helper()
	forms := []*regexp.Regexp{
		regexp.MustCompile(`\bsay\("([a-z0-9-]+)"`),
		regexp.MustCompile(`\b(?:severe|mild|severity), "([a-z0-9-]+)"`),
		regexp.MustCompile(`\b(?:why|p, s) :?= (?:\w+, )?"([a-z0-9-]+)"`),
		regexp.MustCompile(`Key: +"([a-z0-9-]+)"`),
		regexp.MustCompile(`fault\(f\.\w+, "[^"]*", "([a-z0-9-]+)"`),
		regexp.MustCompile(`(?:FaultAsSaid) = "([a-z0-9-]+)"`),
	}
	name := regexp.MustCompile(`(?m)^\t\w+:? += ?"([A-Z][^"]*)"$|^\t\w+: +"([A-Z][^"]*)",$|^const \w+ = "([A-Z][^"]*|robots\.txt [^"]*)"|fault\(f\.\w+, "([^"]*)"|fault\(.*, "([A-Za-z][^"]* [^"]*)", "(?:error|warning)"\)|failed\(.*?, "([A-Z][^"]*)"|Name: "([A-Z][^"]*)"`)
	rule, joint := regexp.MustCompile(`(?m)^\t\{(?:"([^"]+)"|\w+), (?:severe|mild), "([^}]*)"\},$`), regexp.MustCompile(`"\s*\+\s*"`) // the table of crawler/sitemap
	for _, dir := range []string{"../../crawler", "../../report"} {                                                                   // and all packages below them
		err := filepath.WalkDir(dir, func(f string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && d.Name() == "fixture" { // made-up audits say nothing of their own
				return fs.SkipDir
			}
			if err != nil || !strings.HasSuffix(f, ".go") || strings.HasSuffix(f, "_test.go") {
				return err
			}
			b, err := os.ReadFile(f)
			if err != nil || !faultFile.Match(b) {
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
			for _, m := range rule.FindAllStringSubmatch(string(b), -1) {
				names = append(names, m[1])
				for _, word := range strings.Fields(joint.ReplaceAllString(m[2], "")) {
					id, key, _ := strings.Cut(word, "=")
					keys = append(keys, cmp.Or(key, id))
				}
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

// Every sentence of a fault is in every language, and no other is kept.
func TestEveryFaultIsTranslated(t *testing.T) {
	keys, said := saidFaults(t)
	if len(keys) < 40 {
		t.Fatalf("only %d sentences were found: %q", len(keys), keys)
	}
	for _, lang := range messages.Langs() {
		c := messages.Of(lang)
		for _, key := range keys {
			if _, text := messages.Of(lang).SitemapFault(audit.SitemapFault{Key: key, Args: []string{"2", "2", "2"}}); text == key || strings.Contains(text, "{") {
				t.Errorf("%s: %s is said as %q", lang, key, text)
			}
		}
		for key := range c.SitemapFaults.Texts {
			if !slices.Contains(keys, key) {
				t.Errorf("%s: %q is never said", lang, key)
			}
		}
		for n := range c.SitemapFaults.Names {
			if !slices.Contains(said, n) {
				t.Errorf("%s: the name %q is translated but never said", lang, n)
			}
		}
	}
}

func TestSitemapFault(t *testing.T) {
	at := audit.SitemapFault{Name: "HTTP error", Key: "no-answer-detail", Args: []string{string(answers.FaultTimeout), "{1}"},
		NamedIn: "https://a.example/robots.txt", NamedAt: 3}
	if text := messages.StableFault(at); text != "no answer in time ({1}) (https://a.example/robots.txt line 3 names it)" {
		t.Errorf("scripts read %q", text)
	}
	for _, c := range []struct {
		lang       string
		f          audit.SitemapFault
		name, text string
	}{
		{"en", at, "HTTP error", "no whole answer in time ({1}) (https://a.example/robots.txt line 3 names it)"},
		{"ja", at, "HTTP エラー", "時間内に完全な応答なし({1})(https://a.example/robots.txt の3行目に記載)"},
		{"en", audit.SitemapFault{Name: "Invalid URL", Key: "more-places", Args: []string{"1"}}, "Invalid URL", "1 more place like these"},
		{"en", audit.SitemapFault{Name: "Invalid URL", Key: "more-places", Args: []string{"1,200"}}, "Invalid URL", "1,200 more places like these"},
		{"ja", audit.SitemapFault{Name: "Invalid date", Key: audit.FaultAsSaid, Args: []string{"as an older version said it"}}, "無効な日付", "as an older version said it"},
		{"ja", audit.SitemapFault{Name: "New", Key: "of-a-newer-version"}, "New", "of-a-newer-version"},
	} {
		name, text := messages.Of(c.lang).SitemapFault(c.f)
		if name != c.name || text != c.text {
			t.Errorf("%s, %+v: %q %q", c.lang, c.f, name, text)
		}
	}
}

package house_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// A language of the user is a file of report/messages and nothing else: no code names one but
// English, which stands in for what another lacks. What crawler/ says of languages is of sites.
func TestALanguageIsAFile(t *testing.T) {
	var others []string
	walk(t, "report/messages", func(name string, _ []byte) {
		if lang, ok := strings.CutSuffix(filepath.Base(name), ".json"); ok && lang != "en" {
			others = append(others, lang)
		}
	})
	if len(others) == 0 {
		t.Fatal("there is no language but English")
	}
	for _, top := range []string{"cmd", "report", "storage"} {
		walk(t, top, func(name string, text []byte) {
			if ext := filepath.Ext(name); ext != ".go" && ext != ".js" || strings.HasSuffix(name, "_test.go") {
				return
			}
			for line := range strings.Lines(string(text)) {
				for _, lang := range others {
					if !strings.HasPrefix(line, "//") && (strings.Contains(line, `"`+lang+`"`) || strings.Contains(line, "'"+lang+"'")) {
						t.Errorf("%s names the language %s: %s", name, lang, line)
					}
				}
			}
		})
	}
}

package messages_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sitemend/report/messages"
)

// pageHoles are the placeholders of a text of a page.
var pageHoles = regexp.MustCompile(`\{(\w+)(:[^|}]*\|[^}]*)?\}`)

// said finds where a page says a key: say("key"), {{pick "key"}}, data-t="key".
var said = regexp.MustCompile(`(?:\b(?:say|pick)[( ] ?|data-t=)["']([a-z][a-z0-9.-]*[a-z0-9])["'][ ,)}>]`)

// madeUp are the beginnings of keys that are put together with a word of the audit.
var madeUp = []string{"format-", "file-", "chip-", "agrees-"}

// Every text that a page says is there, and none is there for nothing. No key has two meanings.
func TestPageTexts(t *testing.T) {
	page, all := messages.Page()["en"], messages.Serve()["en"]
	serve := maps.Clone(all)
	for key, text := range page {
		if all[key] != text {
			t.Errorf("%q is one thing in the report, another on the pages of serve", key)
		}
		delete(serve, key)
	}
	for name, p := range map[string]struct {
		own    map[string]string
		source string
	}{
		"html": {page, pageSource(t, "html", "internal/page") + pageSource(t, "serve")}, "serve": {serve, pageSource(t, "serve")},
	} {
		if len(p.own) == 0 {
			t.Fatalf("%s: no texts", name)
		}
		for key := range p.own {
			for _, lang := range messages.Langs() {
				if text := messages.Serve()[lang][key]; strings.Count(text, "`")%2 != 0 {
					t.Errorf("%s: odd backtick in %s in %s: %q", name, key, lang, text)
				}
			}
			used := strings.Contains(p.source, `"`+key+`"`) || strings.Contains(p.source, "'"+key+"'")
			if shared := messages.Of("en").Texts[key] != ""; !used && !shared && !slices.ContainsFunc(madeUp, func(begin string) bool { return strings.HasPrefix(key, begin) }) {
				t.Errorf("%s: nothing says %q", name, key)
			}
		}
	}
	for name, all := range map[string]map[string]string{"html": page, "serve": all} {
		found := said.FindAllStringSubmatch(pageSource(t, name, "internal/page"), -1)
		for _, m := range found {
			if _, ok := all[m[1]]; !ok {
				t.Errorf("%s: %q is said, and there is no such text", name, m[1])
			}
		}
		if len(found) < 20 {
			t.Errorf("%s: only %d texts are found to be said", name, len(found))
		}
	}
}

// pageSource is all that packages of pages are made of, but for their tests.
func pageSource(t *testing.T, dirs ...string) string {
	t.Helper()
	var b strings.Builder
	for _, dir := range dirs {
		for _, glob := range []string{"*.go", "*.tmpl", "*.js", "page/*.tmpl", "page/*.js"} {
			files, err := filepath.Glob(filepath.Join("..", dir, glob))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if strings.HasSuffix(f, "_test.go") {
					continue
				}
				text, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				b.Write(text)
			}
		}
	}
	return b.String()
}

// holesOf is the set of placeholders of a text but for plural forms: Japanese has none.
func holesOf(text string) string {
	seen := map[string]bool{}
	for _, m := range pageHoles.FindAllStringSubmatch(text, -1) {
		if m[2] == "" {
			seen[m[1]] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(seen)), " ")
}

// No file of words says what users are not to read.
func TestWordsForPeople(t *testing.T) {
	files, err := filepath.Glob("*.json")
	if err != nil || len(files) < 2 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(text) {
			t.Errorf("%s is no JSON", f)
		}
		for _, word := range []string{"octet", "転送", "オクテット"} {
			if strings.Contains(strings.ToLower(string(text)), word) {
				t.Errorf("%s: %q stands in what users read", f, word)
			}
		}
	}
}

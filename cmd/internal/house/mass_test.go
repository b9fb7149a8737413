package house_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// masses are what is to be read besides the code: each has the number that it may have today, which
// is lowered when it shrinks by a tenth and is never raised, and the goal.
var masses = []struct {
	name      string
	now, goal int
	count     func(*testing.T) int
}{
	{"lines of tests and their scripts", 28763, 30000, testLines},
	{"messages in English", 575, 600, func(t *testing.T) int { return len(english(t)) }},
	{"words of these messages", 3476, 8000, messageWords},
	{"words of docs/", 18521, 20000, docWords},
	{"lines of README.md", 140, 150, func(t *testing.T) int { return linesOf(t, "README.md") }},
	{"lines of CONTRIBUTING.md", 76, 110, func(t *testing.T) int { return linesOf(t, "CONTRIBUTING.md") }},
}

// TestMass holds tests, words and documents to their size. It prints all of them with -v.
func TestMass(t *testing.T) {
	for _, m := range masses {
		n := m.count(t)
		t.Logf("%-36s %6d, at most %6d, goal %6d", m.name, n, m.now, m.goal)
		switch {
		case n > m.now:
			t.Errorf("%s: %d, more than %d", m.name, n, m.now)
		case n < m.now-m.now/10:
			t.Errorf("%s: %d; lower the number, which is %d", m.name, n, m.now)
		}
	}
}

// walk calls visit with each file of the tree below top, relative to the root.
func walk(t *testing.T, top string, visit func(name string, text []byte)) {
	t.Helper()
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		visit(filepath.ToSlash(name), text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func linesOf(t *testing.T, name string) (n int) {
	walk(t, name, func(_ string, text []byte) { n = strings.Count(string(text), "\n") })
	return n
}

// testLines counts the lines of Go tests and of the scripts that they run.
func testLines(t *testing.T) (n int) {
	for _, top := range []string{"cmd", "crawler", "report", "storage"} {
		walk(t, top, func(name string, text []byte) {
			if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".txtar") {
				n += strings.Count(string(text), "\n")
			}
		})
	}
	return n
}

func docWords(t *testing.T) (n int) {
	walk(t, "docs", func(name string, text []byte) {
		if strings.HasSuffix(name, ".md") {
			n += len(strings.Fields(string(text)))
		}
	})
	return n
}

func messageWords(t *testing.T) (n int) {
	for _, text := range english(t) {
		n += len(strings.Fields(text))
	}
	return n
}

// english returns the texts of report/messages/en.json; a plural form is a text of its own.
func english(t *testing.T) (texts []string) {
	walk(t, "report/messages/en.json", func(_ string, text []byte) {
		var all any
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatal(err)
		}
		texts = leaves(all)
	})
	return texts
}

func leaves(v any) (texts []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case map[string]any:
		for _, v := range v {
			texts = slices.Concat(texts, leaves(v))
		}
	case []any:
		for _, v := range v {
			texts = slices.Concat(texts, leaves(v))
		}
	}
	return texts
}

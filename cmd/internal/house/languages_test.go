package house_test

import (
	"go/ast"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A language of the user is a file of report/messages and nothing else: no code names one but
// English, which stands in for what another lacks. What crawler/ says of languages is of sites.
func TestALanguageIsAFile(t *testing.T) {
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(root, "report", "messages", "*.json"))
	if err != nil || len(names) < 2 {
		t.Fatalf("%d languages, %v", len(names), err)
	}
	another := map[string]bool{}
	for _, name := range names {
		lang := strings.TrimSuffix(filepath.Base(name), ".json")
		another[lang] = lang != "en"
	}
	for _, f := range files(t) {
		if f.test || strings.HasPrefix(f.path, "crawler/") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if l, is := n.(*ast.BasicLit); is {
				if text, err := strconv.Unquote(l.Value); err == nil && another[text] {
					t.Errorf("%s names the language %s", f.at(l.Pos()), text)
				}
			}
			return true
		})
	}
	err = filepath.WalkDir(filepath.Join(root, "report"), func(name string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".js" {
			return err
		}
		text, err := os.ReadFile(name)
		for _, quoted := range strings.Split(string(text), "'") {
			if another[quoted] {
				t.Errorf("%s names the language %s", name, quoted)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

package house_test

import (
	"go/ast"
	"regexp"
	"testing"
)

// The tests that documents name are there.
func TestPromisedTestsAreThere(t *testing.T) {
	there := map[string]bool{}
	for _, f := range files(t) {
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && f.test {
				there[fn.Name.Name] = true
			}
		}
	}
	walk(t, "docs", func(name string, text []byte) {
		for _, m := range regexp.MustCompile("`(Test[A-Z]\\w+)`").FindAllSubmatch(text, -1) {
			if !there[string(m[1])] {
				t.Errorf("%s names %s, which is not there", name, m[1])
			}
		}
	})
}

package house_test

import (
	"go/ast"
	"go/doc"
	"testing"
)

// maxLines is the longest that a function may be, from its first line to its last.
const maxLines = 60

func TestFunctionsAreShort(t *testing.T) {
	for _, f := range files(t) {
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && !f.test {
				if lines := f.fset.Position(fn.End()).Line - f.fset.Position(fn.Pos()).Line + 1; lines > maxLines {
					t.Errorf("%s: %s has %d lines, more than %d", f.at(fn.Pos()), fn.Name.Name, lines, maxLines)
				}
			}
		}
	}
}

// Every package and every exported name says what it is for. A comment above a group of constants or
// variables counts for all of them.
func TestEverythingIsExplained(t *testing.T) {
	explained := map[string]bool{}
	for _, f := range files(t) {
		if f.test {
			continue
		}
		explained[f.dir()] = explained[f.dir()] || f.ast.Doc != nil
		p, err := doc.NewFromFiles(f.fset, []*ast.File{f.ast}, f.dir())
		if err != nil {
			t.Fatal(err)
		}
		lacks := func(name, text string) {
			if text == "" {
				t.Errorf("%s: %s has no comment", f.path, name)
			}
		}
		values, funcs := append(p.Consts, p.Vars...), p.Funcs
		for _, x := range p.Types {
			lacks(x.Name, x.Doc)
			values, funcs = append(append(values, x.Consts...), x.Vars...), append(append(funcs, x.Funcs...), x.Methods...)
		}
		for _, x := range funcs {
			lacks(x.Name, x.Doc)
		}
		for _, x := range values {
			for _, s := range x.Decl.Specs {
				if v := s.(*ast.ValueSpec); v.Names[0].IsExported() {
					lacks(v.Names[0].Name, x.Doc+v.Doc.Text()+v.Comment.Text())
				}
			}
		}
	}
	for dir, ok := range explained {
		if !ok {
			t.Errorf("%s: no comment says what the package is for", dir)
		}
	}
}

package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// maxLines is the longest that a function may be, from its first line to its
// last.
const maxLines = 60

func TestFunctionsAreShort(t *testing.T) {
	for _, f := range files(t) {
		if f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			lines := f.fset.Position(fn.End()).Line - f.fset.Position(fn.Pos()).Line + 1
			if lines > maxLines {
				t.Errorf("%s: %s has %d lines, more than %d", f.at(fn.Pos()), fn.Name.Name, lines, maxLines)
			}
		}
	}
}

func TestPackagesAreExplained(t *testing.T) {
	explained := map[string]bool{}
	for _, f := range files(t) {
		if !f.test {
			explained[f.dir()] = explained[f.dir()] || f.ast.Doc != nil
		}
	}
	for dir, ok := range explained {
		if !ok {
			t.Errorf("%s: no comment says what the package is for", dir)
		}
	}
}

func TestExportedNamesAreExplained(t *testing.T) {
	for _, f := range files(t) {
		if f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			for _, name := range unexplained(d) {
				t.Errorf("%s: %s has no comment", f.at(name.Pos()), name.Name)
			}
		}
	}
}

// unexplained returns the exported names of a declaration that no comment
// belongs to. One above a group of constants or variables counts for all of
// them.
func unexplained(d ast.Decl) []*ast.Ident {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && (d.Recv == nil || exportedReceiver(d.Recv)) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		if d.Doc != nil && (d.Tok != token.TYPE || !d.Lparen.IsValid()) {
			return nil
		}
		var names []*ast.Ident
		for _, s := range d.Specs {
			names = append(names, unexplainedSpec(s)...)
		}
		return names
	}
	return nil
}

func unexplainedSpec(s ast.Spec) []*ast.Ident {
	var names []*ast.Ident
	switch s := s.(type) {
	case *ast.TypeSpec:
		if s.Doc == nil && s.Comment == nil {
			names = append(names, s.Name)
		}
	case *ast.ValueSpec:
		if s.Doc == nil && s.Comment == nil {
			names = append(names, s.Names...)
		}
	}
	var exported []*ast.Ident
	for _, n := range names {
		if n.IsExported() {
			exported = append(exported, n)
		}
	}
	return exported
}

// exportedReceiver reports whether a method belongs to an exported type.
func exportedReceiver(recv *ast.FieldList) bool {
	expr := recv.List[0].Type
	for {
		switch x := expr.(type) {
		case *ast.StarExpr:
			expr = x.X
		case *ast.IndexExpr:
			expr = x.X
		case *ast.IndexListExpr:
			expr = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

// The rule itself: which names of a file it asks a comment for.
func TestUnexplained(t *testing.T) {
	const source = `package p
type A struct{}
func (A) B() {}
func (a *A) c() {}
func (d) E() {}
func (*F[T]) G() {}
// H is explained.
func H() {}
const I, j = 1, 2
// All of these are explained.
const (
	K = 1
)
var (
	L = 1 // explained
	M = 2
)
// A comment above a group says nothing of each type.
type (
	N int
	// O is explained.
	O int
)
`
	parsed, err := parser.ParseFile(token.NewFileSet(), "p.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range parsed.Decls {
		for _, name := range unexplained(d) {
			got = append(got, name.Name)
		}
	}
	if want := []string{"A", "B", "G", "I", "M", "N"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

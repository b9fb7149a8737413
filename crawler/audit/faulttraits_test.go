package audit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

// Whoever adds a fault says what follows from it.
func TestEveryFaultHasTraits(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "hop.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "Fault" {
			value, _ := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if _, ok := faultTraits[Fault(value)]; !ok {
				t.Errorf("%s (%q) has none", spec.Names[0].Name, value)
			}
			found++
		}
		return true
	})
	if found == 0 || found != len(faultTraits) {
		t.Errorf("%d faults, %d with traits", found, len(faultTraits))
	}
}

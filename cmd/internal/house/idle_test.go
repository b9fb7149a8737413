package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// idle rooms do nothing in a process that does not call them: an audit without --via has no part
// of the fleet, not even one that only waits.
var idle = []string{"crawler/fleet"}

// harmless is what a variable of an idle room may be made with: it takes no time, starts
// nothing, and what it is given runs when it is called.
var harmless = []string{"errors.New", "sync.OnceFunc", "sync.OnceValue", "sync.OnceValues"}

func TestIdleRooms(t *testing.T) {
	for _, f := range files(t) {
		if f.test || !slices.Contains(idle, room(f.dir())) {
			continue
		}
		for _, at := range atStart(f.ast) {
			t.Errorf("%s runs when the program starts: %s does nothing before it is called",
				f.at(at), room(f.dir()))
		}
	}
}

// atStart returns where a file has something that runs when a program starts: functions
// called init, and calls in the values of variables, but for harmless ones.
func atStart(f *ast.File) (places []token.Pos) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				places = append(places, d.Pos())
			}
		case *ast.GenDecl:
			if d.Tok != token.VAR {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncLit:
					return false
				case *ast.CallExpr:
					if _, literal := n.Fun.(*ast.FuncLit); literal || !slices.Contains(harmless, called(n)) {
						places = append(places, n.Pos())
					}
				case *ast.UnaryExpr:
					if n.Op == token.ARROW {
						places = append(places, n.Pos())
					}
				}
				return true
			})
		}
	}
	return places
}

// called returns the name of the function of another package that is called, "" for any other.
func called(c *ast.CallExpr) string {
	if s, ok := c.Fun.(*ast.SelectorExpr); ok {
		if pkg, ok := s.X.(*ast.Ident); ok {
			return pkg.Name + "." + s.Sel.Name
		}
	}
	return ""
}

// The rule itself: what runs at the start of a program.
func TestAtStart(t *testing.T) {
	const source = `package p
var a, b = errors.New("a"), 1
var c = sync.OnceValue(func() int { return compute() })
func init() {}
var d = compute()
var (
	e = func() int { return 1 }()
	g = []error{errors.New("g"), fmt.Errorf("g")}
	h = <-i
)
const j = len("j")
func (k) init() { compute() }
`
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, at := range atStart(parsed) {
		got = append(got, fset.Position(at).Line)
	}
	if want := []int{4, 5, 7, 8, 9}; !slices.Equal(got, want) {
		t.Errorf("lines %d, want %d", got, want)
	}
}

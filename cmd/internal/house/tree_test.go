package house_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// file is one file of Go code.
type file struct {
	path string // from the root of the project, with slashes
	ast  *ast.File
	fset *token.FileSet
	test bool // it is no part of the product
}

func (f *file) dir() string { return path.Dir(f.path) }

// imports returns what f imports.
func (f *file) imports() (names []string) {
	for _, spec := range f.ast.Imports {
		names = append(names, strings.Trim(spec.Path.Value, `"`))
	}
	return names
}

// at is the place of pos, as editors open it.
func (f *file) at(pos token.Pos) string {
	return f.path + ":" + strconv.Itoa(f.fset.Position(pos).Line)
}

var tree = sync.OnceValues(func() (all []*file, err error) {
	root, err := findRoot()
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		rel, err := filepath.Rel(root, name)
		f := &file{path: filepath.ToSlash(rel), fset: token.NewFileSet(), test: strings.HasSuffix(name, "_test.go")}
		if err == nil {
			f.ast, err = parser.ParseFile(f.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		}
		all = append(all, f)
		return err
	})
	return all, err
})

// files returns all files of the project.
func files(t *testing.T) []*file {
	t.Helper()
	all, err := tree()
	if err != nil || len(all) < 10 {
		t.Fatalf("found %d files of Go code, %v", len(all), err)
	}
	return all
}

// findRoot walks up to go.mod.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("no go.mod above this test")
		}
		dir = filepath.Dir(dir)
	}
}

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"sitemend/crawler/rules/write"
)

// writePages writes a page for each rule into a build. An existing file is kept, unless it is a page
// of an earlier run.
func writePages(dir string, p *write.Plan) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	kept := p.Pairs[:0]
	for _, x := range p.Pairs {
		other, err := writePage(root, x)
		switch {
		case err != nil:
			return err
		case other != "":
			p.Left = append(p.Left, write.Left{Pair: x, Note: write.Shadowed, Other: other})
		default:
			kept = append(kept, x)
		}
	}
	p.Pairs = kept
	slices.SortStableFunc(p.Left, func(a, b write.Left) int { return strings.Compare(a.Source, b.Source) })
	return nil
}

// writePage writes the page of a rule; other is what exists in its place and is kept, "" where the
// page was written: a file, or a link to a folder, in which the page would redirect another address
// as well.
func writePage(root *os.Root, x write.Pair) (other string, err error) {
	name, text := write.Page(x)
	at := filepath.FromSlash(name)
	folder := filepath.Join(root.Name(), filepath.Dir(at))
	err = root.MkdirAll(filepath.Dir(at), 0o755)
	if real, _ := filepath.EvalSymlinks(folder); errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.ENOTDIR) || err == nil && real != folder {
		return filepath.ToSlash(filepath.Dir(at)), nil
	}
	if err != nil {
		return "", err
	}
	before, err := root.ReadFile(at)
	if !errors.Is(err, fs.ErrNotExist) && (err != nil || !write.IsPage(x.Source, string(before))) {
		return name, nil
	}
	return "", root.WriteFile(at, []byte(text), 0o644)
}

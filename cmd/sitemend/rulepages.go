package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sitemend/crawler/rules/write"
)

// writePages writes a page for each rule into a build. An existing file is kept, unless it is a page
// of an earlier run; nothing is written outside the build.
func writePages(dir string, p *write.Plan) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	kept := p.Pairs[:0]
	for _, x := range p.Pairs {
		name, text := write.Page(x)
		at := filepath.FromSlash(name)
		before, err := root.ReadFile(at)
		if !errors.Is(err, fs.ErrNotExist) && (err != nil || !write.IsPage(x.Source, string(before))) {
			p.Left = append(p.Left, write.Left{Pair: x, Note: write.Shadowed, Other: name})
			continue
		}
		if err := errors.Join(root.MkdirAll(filepath.Dir(at), 0o755), root.WriteFile(at, []byte(text), 0o644)); err != nil {
			return err
		}
		kept = append(kept, x)
	}
	p.Pairs = kept
	slices.SortStableFunc(p.Left, func(a, b write.Left) int { return strings.Compare(a.Source, b.Source) })
	return nil
}

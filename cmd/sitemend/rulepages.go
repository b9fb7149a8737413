package main

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sitemend/crawler/rules/write"
)

// writePages writes a page for each rule into a build, or none where one of them cannot be written.
// An existing file is kept, unless it is a page of an earlier run.
func writePages(dir string, p *write.Plan) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	w := pageWriter{root: root}
	kept := p.Pairs[:0]
	for _, x := range p.Pairs {
		other, err := w.page(x)
		if err != nil {
			return errors.Join(err, w.undo())
		}
		if other != "" {
			p.Left = append(p.Left, write.Left{Pair: x, Note: write.Shadowed, Other: other})
			continue
		}
		kept = append(kept, x)
	}
	p.Pairs = kept
	slices.SortStableFunc(p.Left, func(a, b write.Left) int { return strings.Compare(a.Source, b.Source) })
	return nil
}

// A pageWriter writes pages below a folder, and can undo that.
type pageWriter struct {
	root    *os.Root
	made    []string          // new files and folders, each folder before its content
	changed map[string]string // the texts of pages of an earlier run
}

// page writes the page of a rule; other is the existing file that is kept in its place, "" where
// the page was written.
func (w *pageWriter) page(x write.Pair) (other string, err error) {
	name, text := write.Page(x)
	at := filepath.FromSlash(name)
	if other := inTheWay(w.root, name); other != "" {
		return other, nil
	}
	if err := w.folders(path.Dir(name)); err != nil {
		return "", err
	}
	file, err := w.root.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		before, own := w.own(at, x)
		switch {
		case !own:
			return name, nil
		case before == text:
			return "", nil
		}
		if w.changed == nil {
			w.changed = map[string]string{}
		}
		w.changed[at] = before
		file, err = w.root.OpenFile(at, os.O_TRUNC|os.O_WRONLY, 0o644)
	} else if err == nil {
		w.made = append(w.made, at)
	}
	if err != nil {
		return "", err
	}
	_, err = io.WriteString(file, text)
	return "", errors.Join(err, file.Close())
}

// folders makes a folder and its missing parents.
func (w *pageWriter) folders(name string) error {
	if name == "." {
		return nil
	}
	if err := w.folders(path.Dir(name)); err != nil {
		return err
	}
	at := filepath.FromSlash(name)
	err := w.root.Mkdir(at, 0o755)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		w.made = append(w.made, at)
	}
	return err
}

// own returns the text of an existing file, and whether it is a page of a rule with the same
// source, which may have another target.
func (w *pageWriter) own(at string, x write.Pair) (text string, own bool) {
	info, err := w.root.Lstat(at)
	if err != nil || !info.Mode().IsRegular() || info.Size() > longestPage {
		return "", false
	}
	b, err := w.root.ReadFile(at)
	return string(b), err == nil && write.IsPage(x.Source, string(b))
}

// longestPage is an upper bound of the length of a page: the target occurs in it four times,
// escaped.
const longestPage = 1 << 20

// undo reverts what was written.
func (w *pageWriter) undo() (err error) {
	for at, text := range w.changed {
		err = cmp.Or(err, w.root.WriteFile(at, []byte(text), 0o644))
	}
	for _, at := range slices.Backward(w.made) {
		err = cmp.Or(err, w.root.Remove(at))
	}
	return err
}

// inTheWay returns what exists in place of the folder of a page: a file, or a link to a folder, in
// which the page would redirect another address as well; "" for nothing.
func inTheWay(root *os.Root, name string) string {
	for at := range len(name) {
		if name[at] != '/' {
			continue
		}
		info, err := root.Lstat(filepath.FromSlash(name[:at]))
		if err != nil { // it is made later, and an error is reported then
			return ""
		}
		if !info.IsDir() {
			return name[:at]
		}
	}
	return ""
}

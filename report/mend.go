package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// Open returns the sitemap Files[file] of an audit as it was fetched, byte for
// byte (packed, if it was), to be read until ctx ends. The caller closes it. It may be called
// again.
type Open func(ctx context.Context, file int) (io.ReadCloser, error)

// mend stages, in s, a corrected copy of each sitemap that the audit changes, the same files as
// fetched, and changes.csv. A file without an edit of an entry is written where a link in it is
// edited.
//
// Each copy is read again before it takes its name: where its entries are not those that were
// decided, in their order, that is a fault of sitemend, and an error (ground.ErrOurs). The Result that
// is returned is result, and has marked which files are changed, and how many links; result is not
// changed.
func mend(ctx context.Context, result *audit.Result, open Open, lang string, s *staging) (*audit.Result, error) {
	marked := *result
	marked.Files = slices.Clone(result.Files)
	err := s.write(ctx, changesName, func(w io.Writer) error {
		change, err := openLines(w, changesHead, lang, changeCells)
		if err != nil {
			return err
		}
		for _, i := range order(&marked) {
			m := newMending(&marked, i, open, change.Add)
			if !m.candidate() {
				continue
			}
			if err := m.write(ctx, s); err != nil {
				return fmt.Errorf("correct %s: %w", visible(m.f.Sitemap.URL), err)
			}
		}
		return change.Close()
	})
	return &marked, err
}

// order is the order in which files are written: those that list others after these.
func order(result *audit.Result) []int {
	var files, indexes []int
	for i := range result.Files {
		if (result.Info.Rules.Lastmod || result.Info.Rules.Split) && result.Files[i].Sitemap.Kind == string(sitemap.Index) {
			indexes = append([]int{i}, indexes...)
		} else {
			files = append(files, i)
		}
	}
	return append(files, indexes...)
}

// mending is the correction of one file.
type mending struct {
	result   *audit.Result
	file     int
	f        *audit.File // Files[file]
	open     Open
	change   sink
	index    bool
	date     string              // to be written as lastmod; "" for none
	children map[int]*audit.File // of an index, those that are written anew, by their place in it
	edits    int                 // lines of changes.csv so far
	own      []sitemap.Own       // the entries of the open element
	latest   *audit.Row          // what is decided of the latest entry
	decided  sequence            // what the copy must have
}

// newMending begins the correction of Files[file], after the files that it lists were written.
func newMending(result *audit.Result, file int, open Open, change sink) *mending {
	f := &result.Files[file]
	m := &mending{result: result, file: file, f: f, open: open, change: change, index: f.Sitemap.Kind == string(sitemap.Index), children: map[int]*audit.File{}}
	if result.Info.Rules.Lastmod {
		m.date = result.Info.Started.UTC().Format("2006-01-02")
	}
	for i := range result.Files {
		c := &result.Files[i]
		if m.index && i != file && c.Sitemap.Parent == f.Sitemap.N && c.Changed && (m.date != "" && !c.Moved() || len(c.Parts) > 1) {
			m.children[c.Sitemap.Place] = c
		}
	}
	return m
}

// candidate reports whether the file may have to be changed.
func (m *mending) candidate() bool {
	other := m.result.Becomes != nil && m.f.Sitemap.Links || len(m.children) > 0 || m.splits()
	return m.f.Changed || other && m.f.Sitemap.Spool != "" && m.result.MayChange(m.f)
}

// write stages the corrected file and its original; neither, where it turns out
// that nothing changes.
func (m *mending) write(ctx context.Context, s *staging) error {
	f := m.f
	if m.open == nil {
		return errors.New("no way to open the file as fetched")
	}
	if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
		return fmt.Errorf("%q is no name for a file", f.Name)
	}
	corrected := sitemapsDir + "/" + f.Name
	err := s.write(ctx, corrected, func(w io.Writer) error { return m.rewrite(ctx, w) })
	if f.Changed = m.edits > 0; err == nil && (f.Changed || m.splits()) {
		err = s.read(corrected, func(r io.Reader) error { return m.prove(sitemap.Stoppable(ctx, r)) })
	}
	if err == nil && m.splits() {
		err = m.split(ctx, s, corrected)
	}
	if ctx.Err() != nil || err != nil {
		return cmp.Or(ctx.Err(), err)
	}
	if f.Changed = f.Changed || f.Parts != nil; !f.Changed {
		s.forget(corrected)
		return nil
	}
	return s.write(ctx, originalsDir+"/"+f.Name, func(w io.Writer) error {
		from, err := m.open(ctx, m.file)
		if err != nil {
			return err
		}
		defer from.Close()
		_, err = io.Copy(w, from)
		return err
	})
}

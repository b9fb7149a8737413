package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
	"sitemend/report/messages"
)

// Open returns the sitemap Files[file] of an audit as it was fetched, byte for
// byte (packed, if it was), to be read until ctx ends. The caller closes it. It may be called
// again.
type Open func(ctx context.Context, file int) (io.ReadCloser, error)

// Mended says what WriteAll wrote of corrected sitemaps.
type Mended struct {
	Names   []string // of the corrected sitemaps, under sitemaps/ and originals/
	Entries int      // edits of entries: replaced, dropped and merged
	Links   int      // edits of xhtml:links: those that follow their entry, and those taken out
}

// mend stages, in s, a corrected copy of each sitemap that the audit changes, the same files as
// fetched, and changes.csv. A file without an edit of an entry is written where a link in it is
// edited.
//
// Each copy is read again before it takes its name: where its entries are not those that were
// decided, in their order, that is a fault of sitemend, and an error (audit.ErrOurs). The Result that
// is returned is result, and has marked which files are changed, and how many links; result is not
// changed.
func mend(ctx context.Context, result *audit.Result, open Open, lang string, s *staging) (*audit.Result, Mended, error) {
	marked := *result
	marked.Files = slices.Clone(result.Files)
	var done Mended
	err := s.write(ctx, changesName, func(w io.Writer) error {
		change, err := openLines(w, changeColumns, messages.Of(lang))
		if err != nil {
			return err
		}
		for _, i := range order(&marked) {
			f := &marked.Files[i]
			m := mending{result: &marked, file: i, open: open, change: change.Add, dating: newDating(&marked, i)}
			if !m.candidate() {
				continue
			}
			if err := m.write(ctx, s); err != nil {
				return fmt.Errorf("correct %s: %w", visible(f.Sitemap.URL), err)
			}
			if f.Changed {
				done.Names = append(done.Names, f.Name)
			}
			done.Entries += m.entries
			done.Links += f.Relinked + f.Unlinked
		}
		return change.Close()
	})
	return &marked, done, err
}

// candidate reports whether the file may have to be changed.
func (m *mending) candidate() bool {
	f := &m.result.Files[m.file]
	other := m.result.EditsBeside(f) || len(m.children)+len(m.added) > 0 || m.splits()
	return f.Changed || other && f.Sitemap.Spool != "" && m.result.MayChange(f)
}

// write stages the corrected file and its original; neither, where it turns out
// that nothing changes.
func (m *mending) write(ctx context.Context, s *staging) error {
	if m.open == nil {
		return errors.New("no way to open the file as fetched")
	}
	f := &m.result.Files[m.file]
	if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
		return fmt.Errorf("%q is no name for a file", f.Name)
	}
	corrected := sitemapsDir + "/" + f.Name
	if err := s.write(ctx, corrected, func(w io.Writer) error { return m.rewrite(ctx, w) }); err != nil {
		return err
	}
	if f.Changed = m.entries+f.Relinked+f.Unlinked+len(m.dated)+len(m.added) > 0; !f.Changed && !m.splits() {
		s.forget(corrected)
		return nil
	}
	err := s.read(corrected, func(r io.Reader) error { return m.prove(sitemap.Stoppable(ctx, r)) })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && m.splits() {
		err = m.split(ctx, s, corrected)
	}
	if err != nil {
		return err
	}
	if f.Changed = f.Changed || f.Parts != nil; !f.Changed {
		s.forget(corrected)
		return nil
	}
	return s.write(ctx, originalsDir+"/"+f.Name, func(w io.Writer) error { return m.copy(ctx, w) })
}

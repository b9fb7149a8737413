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
	// Faults says, for each file of UnwrittenFault, what was wrong with its copy.
	Faults []error
}

// mend stages, in s, a corrected copy of each sitemap that the audit changes, the same files as
// fetched, and changes.csv. A file without an edit of an entry is written where a link in it is
// edited.
//
// Each copy is read again before it takes its name: where its entries are not those that were
// decided, in their order, no copy of that file is written (a fault of sitemend,
// audit.UnwrittenFault); nor is one of a file in a charset that cannot be edited
// (audit.UnwrittenCharset). The Result that is returned is result, or what it says without such
// files, and has marked which files are changed, and how many links; result is not changed. What a file
// that is withheld would have said decides about others (a merge, a link), so it begins again
// without it.
func mend(ctx context.Context, result *audit.Result, open Open, lang string, s *staging) (*audit.Result, Mended, error) {
	var faults []error
	for {
		marked := *result
		marked.Files = slices.Clone(result.Files)
		done, withheld, err := mendFiles(ctx, &marked, open, lang, s)
		if err != nil {
			return nil, Mended{}, err
		}
		faults = append(faults, done.Faults...)
		if len(withheld) == 0 {
			done.Faults = faults
			return &marked, done, nil
		}
		s.ready = nil
		if result, err = result.Withhold(ctx, withheld); err != nil {
			return nil, Mended{}, err
		}
	}
}

// mendFiles is mend as long as no file is withheld; it returns those that are to be.
func mendFiles(ctx context.Context, result *audit.Result, open Open, lang string, s *staging) (done Mended, withheld map[int]audit.Unwritten, err error) {
	withheld = map[int]audit.Unwritten{}
	err = s.write(ctx, changesName, func(w io.Writer) error {
		change, err := openLines(w, changeColumns, messages.Of(lang))
		if err != nil {
			return err
		}
		for _, i := range order(result) {
			f := &result.Files[i]
			m := mending{result: result, file: i, open: open, change: change.Add, dating: newDating(result, i)}
			if !m.candidate() {
				continue
			}
			err := m.write(ctx, s)
			if why := withholds(err); why != "" {
				withheld[f.Sitemap.N] = why
				if why == audit.UnwrittenFault {
					done.Faults = append(done.Faults, fmt.Errorf("correct %s: %w", visible(f.Sitemap.URL), err))
				}
				continue
			}
			if err != nil {
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
	return done, withheld, err
}

// candidate reports whether the file may have to be changed.
func (m *mending) candidate() bool {
	f := &m.result.Files[m.file]
	other := m.result.EditsBeside(f) || len(m.children)+len(m.added) > 0 || m.splits()
	return f.Changed || other && f.Sitemap.Spool != "" && m.result.MayChange(f)
}

// withholds returns why an error of write keeps one file from being written, and no
// other; "" for one that concerns all.
func withholds(err error) audit.Unwritten {
	switch {
	case errors.Is(err, sitemap.ErrCharset):
		return audit.UnwrittenCharset
	case errors.Is(err, errUnproved), errors.Is(err, sitemap.ErrEdits), errors.Is(err, audit.ErrOurs):
		return audit.UnwrittenFault
	}
	return ""
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

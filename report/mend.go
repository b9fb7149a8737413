package report

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"path/filepath"
	"slices"

	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// Open returns the sitemap Files[file] of an audit as it was fetched, byte for
// byte (packed, if it was). The caller closes it. It may be called again.
type Open func(file int) (io.ReadCloser, error)

// Mended says what Mend wrote.
type Mended struct {
	Names   []string // of the corrected sitemaps, under sitemaps/ and originals/
	Entries int      // edits of entries: replaced, dropped and merged
	Links   int      // xhtml:link hrefs that followed a replaced address
}

// Mend writes, under dir, a corrected copy of each sitemap that the audit
// changes to sitemaps/, the same files as fetched to originals/, and
// changes.csv. What earlier audits left under sitemaps/ and originals/ is
// removed; a file that somebody else put there is not. A file without an edit
// of an entry is written, and told's File marked as changed, where a link in it
// follows an address that another file replaced.
//
// Either all files are written whole or, with an error, none is touched: where
// a sitemap cannot be read, or does not have exactly the entries of its rows. A
// file in a charset that cannot be edited (ISO-2022-JP) is no error: it is left
// out, marked as not changed, and has a fault that says so.
func Mend(told *audit.Told, open Open, dir string) (Mended, error) {
	s, err := stage(dir)
	if err != nil {
		return Mended{}, err
	}
	defer s.close()
	done, err := mend(told, open, s)
	if err != nil {
		return Mended{}, err
	}
	return done, s.replace(done.Names)
}

// replace removes the sitemaps of earlier audits and puts what is staged in
// place; kept are the names of the sitemaps that are staged.
func (s *staging) replace(kept []string) error {
	keep := map[string]bool{}
	for _, name := range kept {
		keep[name] = true
	}
	if err := removeStale(s.dir, keep); err != nil {
		return err
	}
	return s.commit()
}

// mend stages the corrected sitemaps, their originals and changes.csv.
func mend(told *audit.Told, open Open, s *staging) (done Mended, err error) {
	err = s.write("changes.csv", func(w io.Writer) error {
		change, err := changeRows.open(w, told, env{})
		if err != nil {
			return err
		}
		for i := range told.Files {
			m := mending{told: told, file: i, open: open, change: change.take}
			if !m.candidate() {
				continue
			}
			if err := m.write(s); err != nil {
				return fmt.Errorf("correct %s: %w", visible(told.Files[i].Sitemap.URL), err)
			}
			if m.entries+m.links > 0 {
				done.Names = append(done.Names, told.Files[i].Name)
			}
			done.Entries += m.entries
			done.Links += m.links
		}
		return nil
	})
	return done, err
}

// mending is the correction of one file.
type mending struct {
	told    *audit.Told
	file    int
	open    Open
	change  sink
	pending audit.Row // an edit that is not in changes.csv yet, where waiting
	waiting bool
	entries int // edits of entries so far
	links   int // edits of links
}

// candidate tells whether the file may have to be changed.
func (m *mending) candidate() bool {
	f := &m.told.Files[m.file]
	info := &m.told.Info
	return f.Changed || f.Sitemap.Links && !f.Sitemap.Cut && f.Sitemap.Spool != "" && !info.Partial && !info.NoFetch
}

// write stages the corrected file and its original; neither, where it turns out
// that nothing changes.
func (m *mending) write(s *staging) error {
	if m.open == nil {
		return errors.New("no way to open the file as fetched")
	}
	f := &m.told.Files[m.file]
	if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
		return fmt.Errorf("%q is no name for a file", f.Name)
	}
	corrected, original := path.Join(sitemapsDir, f.Name), path.Join(originalsDir, f.Name)
	err := s.write(corrected, m.rewrite)
	if errors.Is(err, sitemap.ErrCharset) && m.entries == 0 {
		f.Changed = false
		f.Sitemap.Faults = withFault(f.Sitemap, err)
		return nil
	}
	if err != nil {
		return err
	}
	f.Changed = m.entries+m.links > 0
	if !f.Changed {
		s.forget(corrected)
		return nil
	}
	return s.write(original, m.copy)
}

// withFault returns the faults of a sitemap with one more: that it could not be
// edited. It is added once.
func withFault(s audit.Sitemap, err error) []audit.SitemapFault {
	fault := audit.SitemapFault{Sitemap: s.URL, Name: "Unsupported format", Severity: "error", Text: "No corrected copy was written: " + err.Error() + ".",
		Key: "no-copy", Args: []string{err.Error()}}
	if slices.ContainsFunc(s.Faults, func(f audit.SitemapFault) bool { return f.Text == fault.Text }) {
		return s.Faults
	}
	return append(slices.Clip(s.Faults), fault)
}

func (m *mending) copy(w io.Writer) error {
	from, err := m.open(m.file)
	if err != nil {
		return err
	}
	defer from.Close()
	_, err = io.Copy(w, from)
	return err
}

// rewrite writes the corrected file. The edits come from the rows, which must
// be exactly the entries that the file turns out to have.
func (m *mending) rewrite(w io.Writer) error {
	from, err := m.open(m.file)
	if err != nil {
		return err
	}
	defer from.Close()
	if m.told.Files[m.file].Sitemap.Kind == string(sitemap.Index) {
		return m.index(from, w)
	}
	next, stop := iter.Pull2(m.told.Edits(m.file))
	defer stop()
	edit := func(n int) (sitemap.Edit, error) {
		row, err, ok := next()
		switch {
		case err != nil:
			return sitemap.Edit{}, err
		case !ok:
			return sitemap.Edit{}, fmt.Errorf("the file has more entries than the %d that were audited", n)
		}
		return m.edit(&row)
	}
	result, err := sitemap.Rewrite(from, w, edit, m.link)
	if err != nil {
		return err
	}
	switch _, err, more := next(); {
	case err != nil:
		return err
	case more:
		return fmt.Errorf("the file has %d entries, fewer than were audited", result.Entries)
	}
	m.links = result.Links
	return m.last(result)
}

// index writes a corrected sitemap index.
func (m *mending) index(from io.Reader, w io.Writer) error {
	result, err := sitemap.Rewrite(from, w, func(n int) (sitemap.Edit, error) {
		row, edited := m.told.Child(m.file, n)
		if !edited {
			return sitemap.Edit{Action: sitemap.Keep}, m.record()
		}
		return m.edit(&row)
	}, nil)
	if err != nil {
		return err
	}
	return m.last(result)
}

// edit turns the fix of a row into an edit of the file.
func (m *mending) edit(r *audit.Row) (sitemap.Edit, error) {
	e := sitemap.Edit{Action: sitemap.Keep}
	switch r.Fix.Action {
	case audit.Replace:
		e = sitemap.Edit{Action: sitemap.Replace, Loc: r.Fix.Loc}
	case audit.Drop, audit.Merge:
		e = sitemap.Edit{Action: sitemap.Drop}
	default:
		return e, m.record()
	}
	err := m.record()
	m.pending, m.waiting = *r, true
	return e, err
}

// record writes the pending edit to changes.csv.
func (m *mending) record() error {
	if !m.waiting {
		return nil
	}
	m.waiting = false
	m.entries++
	return m.change(&m.told.Files[m.file], &m.pending)
}

// last records the last edit, save for a drop that could not be made because
// the file is cut off in the middle of that entry's element.
func (m *mending) last(result sitemap.Result) error {
	if result.Kept > 0 && m.pending.Fix.Action != audit.Replace {
		m.waiting = false
	}
	return m.record()
}

func (m *mending) link(href string) (string, bool) {
	to, ok := m.told.Link(href)
	return to, ok && to != href
}

package report

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// mending is the correction of one file.
type mending struct {
	result  *audit.Result
	file    int
	open    Open
	change  sink
	entries int         // edits of entries so far
	own     []audit.Own // the entries of the open element
	latest  *audit.Row  // what is decided of the latest entry
	decided sequence    // what the copy must have
	dating
}

func (m *mending) copy(ctx context.Context, w io.Writer) error {
	from, err := m.open(ctx, m.file)
	if err != nil {
		return err
	}
	defer from.Close()
	_, err = io.Copy(w, from)
	return err
}

// rows yields what is decided of each entry of the file, in its order: of a
// sitemap index, of each address for as long as it is asked. A row is the caller's until the next.
func (m *mending) rows(ctx context.Context) iter.Seq2[*audit.Row, error] {
	if m.result.Files[m.file].Sitemap.Kind != string(sitemap.Index) {
		return m.result.Edits(ctx, m.file)
	}
	return func(yield func(*audit.Row, error) bool) {
		for n := 0; ; n++ {
			row, edited := m.result.Child(m.file, n)
			if !edited {
				row.Fix.Action = audit.Keep
			}
			if !yield(&row, nil) {
				return
			}
		}
	}
}

// rewrite writes the corrected file. What a damaged file gives before its end, where the
// checksum stands, need not fit what was audited: then the damage is the error.
func (m *mending) rewrite(ctx context.Context, w io.Writer) error {
	from, err := m.open(ctx, m.file)
	if err != nil {
		return err
	}
	defer from.Close()
	if err = m.correct(ctx, from, w); err != nil {
		if _, damage := io.Copy(io.Discard, from); damage != nil {
			return damage
		}
	}
	return err
}

// charset is sitemap.Options.Charset of the file and its corrected copy.
func (m *mending) charset() string { return m.result.Files[m.file].Sitemap.Charset }

// correct copies the file with its edits. They come from the rows, which must
// be exactly the entries that the file turns out to have.
func (m *mending) correct(ctx context.Context, from io.Reader, w io.Writer) error {
	f := &m.result.Files[m.file]
	index := f.Sitemap.Kind == string(sitemap.Index)
	next, stop := iter.Pull2(m.rows(ctx))
	defer stop()
	m.decided = sequence{}
	edits := sitemap.Edits{Charset: m.charset(), Element: func() { m.own = m.own[:0] }, Links: func(links []sitemap.Link) ([]sitemap.Edit, error) { return m.links(ctx, links) }, Entry: func(n int, loc []byte) (sitemap.Edit, error) {
		row, err, ok := next()
		switch {
		case err != nil:
			return sitemap.Edit{}, err
		case !ok:
			return sitemap.Edit{}, fmt.Errorf("the file has more URLs than the %d that were audited", n)
		}
		listed := string(loc)
		if !index && address.Masked(listed) != row.Entry.Loc {
			return sitemap.Edit{}, fmt.Errorf("URL %d of the file as fetched is %s, where %s was audited", n+1, quote(listed), quote(row.Entry.Loc))
		}
		if index {
			childAs(row, address.Masked(listed))
		}
		m.latest = row
		e, err := m.edit(row, listed)
		for _, part := range m.added[n] {
			m.decided.add(part, 0)
		}
		e.Lastmod, e.More = m.dateFor(n, row), m.added[n]
		return e, err
	}}
	edits.Dated = m.sayDated
	if index {
		edits.Links = nil
	}
	result, err := sitemap.Rewrite(from, w, edits)
	switch {
	case err != nil:
		return err
	case result.Kept > 0:
		return fmt.Errorf("%w: URLs that could not be taken out: %d", errUnproved, result.Kept)
	}
	f.Relinked, f.Unlinked = result.Relinked, result.Unlinked
	if index {
		return m.sayIndex(result.Added)
	}
	switch _, err, more := next(); {
	case err != nil:
		return err
	case more:
		return fmt.Errorf("the file has %d URLs, fewer than were audited", result.Entries)
	}
	return nil
}

// childAs makes the row of an address of an index that of what is listed there.
func childAs(r *audit.Row, listed string) {
	r.Entry.Loc = listed
	if r.Fix.Action == audit.Merge {
		r.Fix.Loc = cmp.Or(r.Fix.Loc, listed)
	}
}

// edit turns the fix of a row into an edit of the file, which lists the address as listed.
func (m *mending) edit(r *audit.Row, listed string) (sitemap.Edit, error) {
	m.own = append(m.own, r.Own())
	e := sitemap.Edit{Action: sitemap.Keep}
	switch r.Fix.Action {
	case audit.Replace:
		e = sitemap.Edit{Action: sitemap.Replace, Loc: r.Fix.Loc}
		m.decided.add(r.Fix.Loc, r.Entry.Ext)
	case audit.Drop, audit.Merge:
		e = sitemap.Edit{Action: sitemap.Drop}
	default:
		m.decided.add(listed, r.Entry.Ext)
		return e, nil
	}
	m.entries++
	return e, m.change(&m.result.Files[m.file], r)
}

package report

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"slices"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/ground"
	"sitemend/crawler/sitemap"
)

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

// correct copies the file with its edits. They come from the rows, which must
// be exactly the entries that the file turns out to have.
func (m *mending) correct(ctx context.Context, from io.Reader, w io.Writer) error {
	next, stop := iter.Pull2(m.result.Edits(ctx, m.file))
	defer stop()
	m.decided = sequence{}
	parts := 0 // that the index is to list
	edits := sitemap.Edits{Cut: m.f.Sitemap.InPart(), Element: func() { m.own = m.own[:0] }, Dated: m.sayDated}
	edits.Entry = func(n int, loc []byte) (sitemap.Edit, error) {
		listed := string(loc)
		row, err := m.decision(n, address.Masked(listed), next)
		if err != nil {
			return sitemap.Edit{}, err
		}
		m.latest = row
		e, err := m.edit(row, listed)
		child := m.children[n]
		if !m.index && row.Fix.Action == audit.Replace || child != nil && !child.Moved() {
			e.Lastmod = m.date
		}
		if child != nil && len(child.Parts) > 1 {
			for _, p := range child.Parts[1:] {
				parts++
				m.decided.add(p.BelongsAt, 0)
				e.More = append(e.More, p.BelongsAt)
				added := child.Sitemap.RowOf(audit.Fix{Action: audit.AddPart, Loc: p.BelongsAt, Why: audit.Why{Key: audit.WhyPart}})
				err = cmp.Or(err, m.say(&added))
			}
		}
		return e, err
	}
	if !m.index {
		edits.Links = m.links
	}
	result, err := sitemap.Rewrite(from, w, edits)
	switch {
	case err != nil:
		return err
	case result.Kept > 0 || result.Added != parts:
		return fmt.Errorf("%w: URLs that could not be taken out: %d, parts that could not be listed: %d", errUnproved, result.Kept, parts-result.Added)
	}
	if m.f.Relinked, m.f.Unlinked = result.Relinked, result.Unlinked; m.index {
		return nil
	}
	switch _, err, more := next(); {
	case err != nil:
		return err
	case more:
		return fmt.Errorf("the file has %d URLs, fewer than were audited", result.Entries)
	}
	return nil
}

// decision is what is decided of the n-th entry of the file, which lists the address as listed: of a sitemap
// the next of its rows.
func (m *mending) decision(n int, listed string, next func() (*audit.Row, error, bool)) (*audit.Row, error) {
	if m.index {
		row, edited := m.result.Child(m.file, n)
		if row.Entry.Loc = listed; !edited {
			row.Fix.Action = audit.Keep
		} else if row.Fix.Action == audit.Merge {
			row.Fix.Loc = cmp.Or(row.Fix.Loc, listed)
		}
		return &row, nil
	}
	row, err, ok := next()
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, fmt.Errorf("the file has more URLs than the %d that were audited", n)
	case listed != row.Entry.Loc:
		return nil, fmt.Errorf("URL %d of the file as fetched is %s, where %s was audited", n+1, quote(listed), quote(row.Entry.Loc))
	}
	return row, nil
}

// say writes a line of changes.csv.
func (m *mending) say(r *audit.Row) error {
	m.edits++
	return m.change(m.f, r)
}

// sayDated says that the lastmod of the latest entry was written, the n-th of the file.
func (m *mending) sayDated(n int) error {
	row := audit.Row{Entry: m.latest.Entry, Fix: audit.Fix{Action: audit.Redate, Loc: m.date, Why: audit.Why{Key: audit.WhyRedated}}} // a date in place of a URL
	if m.index {
		row = m.children[n].Sitemap.RowOf(row.Fix)
	}
	return m.say(&row)
}

// edit turns the fix of a row into an edit of the file, which lists the address as listed.
func (m *mending) edit(r *audit.Row, listed string) (e sitemap.Edit, err error) {
	m.own = append(m.own, sitemap.Own{URL: r.Address.String(), Edited: r.Edited()})
	switch r.Fix.Action {
	case audit.Replace:
		e = sitemap.Edit{Action: sitemap.Replace, Loc: r.Fix.Loc}
		m.decided.add(r.Fix.Loc, r.Entry.Ext)
	case audit.Drop, audit.Merge:
		e.Action = sitemap.Drop
	default:
		m.decided.add(listed, r.Entry.Ext)
		return e, nil
	}
	return e, m.say(r)
}

// links decides on the xhtml:links of one element.
func (m *mending) links(links []sitemap.Link) (edits []sitemap.Edit, err error) {
	edits = make([]sitemap.Edit, len(links))
	for i, fix := range sitemap.Fixes(m.result.Becomes, m.own, links) {
		if edits[i] = fix.Edit(&links[i]); edits[i].Action != sitemap.Keep {
			err = cmp.Or(err, m.say(&audit.Row{Entry: audit.Entry{Loc: address.Masked(links[i].Href), Line: links[i].Line}, Verdict: fix.Verdict, Fix: fix.Fix}))
		}
	}
	return edits, err
}

// errUnproved says that a corrected copy is not what was decided, so that it is not
// written. It is a fault of sitemend.
var errUnproved = fmt.Errorf("the corrected copy is not what was decided; %w", ground.ErrOurs)

// A sequence stands for the addresses of some entries, in their order, and for their
// images, videos and other blocks: two that differ are the same with a chance of 1 in 2^32 at most.
type sequence struct {
	entries      int
	locs, blocks uint64
}

var sequenceSeed = maphash.MakeSeed()

func (s *sequence) add(loc string, ext uint32) {
	const odd = 0x9e3779b97f4a7c15
	s.entries++
	s.locs = s.locs*odd + maphash.String(sequenceSeed, loc)
	s.blocks = s.blocks*odd + maphash.Comparable(sequenceSeed, ext)
}

// read adds what a sitemap has, and returns the digest of its text, and its faults.
func (s *sequence) read(r io.Reader, o sitemap.Options) (digest string, faults []audit.SitemapFault, err error) {
	text := sha256.New()
	o.Text = text
	info, err := sitemap.Read(r, o, func(e sitemap.Entry) error {
		s.add(e.Loc, e.Ext)
		return nil
	})
	return hex.EncodeToString(text.Sum(nil)), info.Faults, err
}

// prove reads a corrected copy: it must have the entries that were decided when it was written, in
// their order, each with the images, videos and other blocks that it had. It notes the digest of the
// copy, and which faults it has no more.
func (m *mending) prove(r io.Reader) error {
	var has sequence
	s := &m.f.Sitemap
	digest, left, err := has.read(r, sitemap.Options{URL: m.f.BelongsAt, NamedBy: s.NamedBy, Now: m.result.Info.Started, Cut: s.InPart()})
	if m.f.TextSHA256 = digest; !s.InPart() {
		s.Faults = mended(s.Faults, left)
	}
	if m.f.Relinked+m.f.Unlinked > 0 || m.index {
		has.blocks = m.decided.blocks // they hold links that are edited, and an index has none
	}
	if err != nil || has != m.decided {
		return fmt.Errorf("%w: it has %d URLs, where %d were decided (%v)", errUnproved, has.entries, m.decided.entries, err)
	}
	return nil
}

// mended are faults with those marked that are not left in a copy. Those of columns are the ones that it
// was read for.
func mended(faults, left []audit.SitemapFault) []audit.SitemapFault {
	kind := func(x *audit.SitemapFault) [2]string { return [2]string{x.Name, x.Severity} }
	placed := func(x *audit.SitemapFault) bool { return x.Column > 0 || x.Count > 0 } // not of the file as a whole
	gone := map[[2]string]int{}
	out := slices.Clone(faults)
	for i := range out {
		if x := &out[i]; x.Column > 0 || placed(x) && gone[kind(x)] > 0 {
			gone[kind(x)] += x.Places()
		}
	}
	for i := range left {
		if x := &left[i]; placed(x) {
			gone[kind(x)] -= x.Places()
		}
	}
	for _, alike := range []bool{false, true} { // what is said of none that is left goes first
		for i := range out {
			x := &out[i]
			stays := slices.ContainsFunc(left, func(y audit.SitemapFault) bool { return x.Column > 0 && x.Key == y.Key && slices.Equal(x.Args, y.Args) })
			if n := min(gone[kind(x)], x.Places()-x.Mended); n > 0 && placed(x) && stays == alike {
				x.Mended, gone[kind(x)] = x.Mended+n, gone[kind(x)]-n
			}
		}
	}
	return out
}

// quote is an address for an error, without its password.
func quote(loc string) string { return visible(fmt.Sprintf("%.200q", address.Masked(loc))) }

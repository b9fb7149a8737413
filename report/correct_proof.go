package report

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"iter"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// errUnproved says that a corrected copy is not what was decided, so that it is not
// written. It is a fault of sitemend.
var errUnproved = errors.New("the corrected copy is not what was decided")

// A sequence stands for the addresses of some entries, in their order, and for their
// images, videos and other blocks: two that differ are the same with a chance of 1 in 2^32 at most.
type sequence struct {
	entries      int
	locs, blocks uint64
}

var sequenceSeed = maphash.MakeSeed()

func (s *sequence) add(loc string, ext uint64) {
	const odd = 0x9e3779b97f4a7c15
	s.entries++
	s.locs = s.locs*odd + maphash.String(sequenceSeed, loc)
	s.blocks = s.blocks*odd + maphash.Comparable(sequenceSeed, blocksOf(ext))
}

// blocksOf returns the part of Entry.Ext that does not depend on the entry's address,
// which may be another in a corrected copy.
func blocksOf(ext uint64) uint64 { return ext >> 32 }

// proved reports whether a corrected copy, read again, has the entries that were
// decided when it was written, in their order, each with the images, videos and other
// blocks that it had. Where it is false prove says how the copy differs. It notes the
// digest of the copy.
func (m *mending) proved(r io.Reader) bool {
	var has sequence
	text := sha256.New()
	_, err := sitemap.Read(r, sitemap.Options{Charset: m.charset(), Text: text}, func(e sitemap.Entry) error {
		has.add(e.Loc, e.Ext)
		return nil
	})
	f := &m.result.Files[m.file]
	f.TextSHA256 = hex.EncodeToString(text.Sum(nil))
	if f.Relinked+f.Unlinked > 0 {
		has.blocks = m.decided.blocks // they hold links that are edited
	}
	return err == nil && has == m.decided
}

// prove reads a corrected copy beside the file as it was fetched: the copy must have the
// entries that were decided, in their order, each with the images, videos and other blocks
// that it had.
func (m *mending) prove(ctx context.Context, r io.Reader) error {
	f := &m.result.Files[m.file]
	from, err := m.open(ctx, m.file)
	if err != nil {
		return err
	}
	defer from.Close()
	due, stop := iter.Pull2(m.due(ctx, from))
	defer stop()
	blocks := f.Relinked+f.Unlinked == 0 // else they hold links that are edited
	_, err = sitemap.Read(r, sitemap.Options{Charset: m.charset(), Lastmods: m.date != ""}, func(e sitemap.Entry) error {
		want, err, ok := due()
		switch {
		case err != nil:
			return err
		case !ok:
			return fmt.Errorf("%w: it goes on with %s", errUnproved, quote(e.Loc))
		case e.Loc != want.Loc:
			return fmt.Errorf("%w: line %d has %s where %s is due", errUnproved, e.Line, quote(e.Loc), quote(want.Loc))
		case blocks && blocksOf(e.Ext) != blocksOf(want.Ext):
			return fmt.Errorf("%w: the URL on line %d has other blocks", errUnproved, e.Line)
		case e.Lastmod != want.Lastmod:
			return fmt.Errorf("%w: line %d has the lastmod %s where %s is due", errUnproved, e.Line, quote(e.Lastmod), quote(want.Lastmod))
		}
		return nil
	})
	var format *sitemap.FormatError
	if errors.As(err, &format) {
		return fmt.Errorf("%w: %v", errUnproved, err)
	}
	if err != nil {
		return err
	}
	if want, err, more := due(); more {
		return errors.Join(err, fmt.Errorf("%w: it ends before %s", errUnproved, quote(want.Loc)))
	}
	return nil
}

// due yields the entries that a corrected copy must have: those of the file as it was
// fetched, with what is decided of each.
func (m *mending) due(ctx context.Context, from io.Reader) iter.Seq2[sitemap.Entry, error] {
	return func(yield func(sitemap.Entry, error) bool) {
		next, stop := iter.Pull2(m.rows(ctx))
		defer stop()
		index := m.result.Files[m.file].Sitemap.Kind == string(sitemap.Index)
		enough, n := errors.New("enough"), -1
		_, err := sitemap.Read(from, sitemap.Options{Charset: m.charset(), Lastmods: m.date != ""}, func(e sitemap.Entry) error {
			row, err, ok := next()
			n++
			switch {
			case err != nil:
				return err
			case !ok:
				return fmt.Errorf("%w: nothing is decided of %s", errUnproved, quote(e.Loc))
			case !index && address.Masked(e.Loc) != row.Entry.Loc:
				return fmt.Errorf("line %d of the file as fetched lists %s, where %s was audited", e.Line, quote(e.Loc), quote(row.Entry.Loc))
			case row.Fix.Action == audit.Drop || row.Fix.Action == audit.Merge:
				return nil
			case row.Fix.Action == audit.Replace:
				e.Loc = row.Fix.Loc
			}
			date, dated := m.dateFor(n, row), e.Lastmod != ""
			if date != "" && e.Sole {
				e.Lastmod = date
			}
			if !yield(e, nil) {
				return enough
			}
			for _, part := range m.added[n] {
				if e.Loc = part; !dated { // a copy has a lastmod where the element has one
					e.Lastmod = ""
				}
				if !yield(e, nil) {
					return enough
				}
			}
			return nil
		})
		if err != nil && err != enough {
			yield(sitemap.Entry{}, err)
		}
	}
}

// quote is an address for an error, without its password.
func quote(loc string) string { return visible(fmt.Sprintf("%.200q", address.Masked(loc))) }

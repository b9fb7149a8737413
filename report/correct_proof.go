package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"io"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// errUnproved says that a corrected copy is not what was decided, so that it is not
// written. It is a fault of sitemend.
var errUnproved = fmt.Errorf("the corrected copy is not what was decided; %w", audit.ErrOurs)

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
	s.blocks = s.blocks*odd + maphash.Comparable(sequenceSeed, ext>>32) // the rest depends on the address
}

// prove reads a corrected copy: it must have the entries that were decided when it was written, in
// their order, each with the images, videos and other blocks that it had. It notes the digest of the
// copy.
func (m *mending) prove(r io.Reader) error {
	var has sequence
	digest, err := has.read(r, m.charset())
	f := &m.result.Files[m.file]
	f.TextSHA256 = digest
	if f.Relinked+f.Unlinked > 0 || f.Sitemap.Kind == string(sitemap.Index) {
		has.blocks = m.decided.blocks // they hold links that are edited, and an index has none
	}
	if err != nil || has != m.decided {
		return fmt.Errorf("%w: it has %d URLs, where %d were decided (%v)", errUnproved, has.entries, m.decided.entries, err)
	}
	return nil
}

// read adds what a sitemap has, and returns the digest of its text.
func (s *sequence) read(r io.Reader, charset string) (digest string, err error) {
	text := sha256.New()
	_, err = sitemap.Read(r, sitemap.Options{Charset: charset, Text: text}, func(e sitemap.Entry) error {
		s.add(e.Loc, e.Ext)
		return nil
	})
	return hex.EncodeToString(text.Sum(nil)), err
}

// quote is an address for an error, without its password.
func quote(loc string) string { return visible(fmt.Sprintf("%.200q", address.Masked(loc))) }

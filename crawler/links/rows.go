package links

import (
	"cmp"
	"context"
	"encoding/binary"
	"iter"
	"path"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// maxSpellings is how many spellings of an address are held at once; there are no findings for the
// others.
const maxSpellings = 4096

// spellings are all spellings of one address while its records are read: kind by kind, each in the
// order of their hashes.
type spellings struct {
	entries map[uint64]entryRecord
	written map[uint64]bool
	texts   map[uint64]string
	tallies map[uint64]*tally
	// behind is the hash from which on spellings are dropped because there are too many; 0 where
	// all are held.
	behind uint64
	linked bool // some spelling has a link that may be followed
}

func newSpellings() *spellings {
	return &spellings{entries: map[uint64]entryRecord{}, written: map[uint64]bool{}, texts: map[uint64]string{},
		tallies: map[uint64]*tally{}}
}

func (s *spellings) clear() {
	clear(s.entries)
	clear(s.written)
	clear(s.texts)
	clear(s.tallies)
	s.behind, s.linked = 0, false
}

// passes reports whether the spelling of the next record is dropped. held is the number of
// spellings held of its kind, and known reports whether this one is among them.
func (s *spellings) passes(wire uint64, held int, known bool) bool {
	if !known && held == maxSpellings && (s.behind == 0 || wire < s.behind) {
		s.behind = wire
	}
	return s.behind > 0 && wire >= s.behind
}

// take adds the next record.
func (s *spellings) take(record string) error {
	if len(record) < headSize {
		return errRecord
	}
	r := scanner{rest: record[1:headSize]}
	wire, rest := r.number(), record[headSize:]
	switch record[0] {
	case ofEntry:
		e, err := scanEntry(rest)
		had, listed := s.entries[wire]
		if !s.passes(wire, len(s.entries), listed) && (!listed || e.before(&had)) {
			s.entries[wire] = e
		}
		return err
	case ofWritten:
		if !s.passes(wire, len(s.written), s.written[wire]) {
			s.written[wire] = true
		}
	case ofText:
		if _, known := s.texts[wire]; !s.passes(wire, len(s.texts), known) {
			s.texts[wire] = rest
		}
	case ofTally:
		t, err := scanTally(rest)
		s.linked = s.linked || t.followed() > 0
		if had := s.tallies[wire]; had != nil {
			had.merge(&t)
		} else if _, known := s.texts[wire]; known {
			s.tallies[wire] = &t
		}
		return err
	}
	return nil
}

// before reports whether e is listed before another entry of the same address.
func (e *entryRecord) before(o *entryRecord) bool {
	return cmp.Or(cmp.Compare(e.file, o.file), cmp.Compare(e.line, o.line)) < 0
}

// join evaluates all addresses.
func (j *joining) join(ctx context.Context) error {
	j.asked = j.of.Shelf()
	s, last := newSpellings(), ""
	for r, err := range audit.Until(ctx, j.all.Sorted()) {
		if err != nil {
			return err
		}
		if r[0] != last {
			if err := j.end(s); err != nil {
				return err
			}
			s.clear()
			last = r[0]
		}
		if err := s.take(r[1]); err != nil {
			return err
		}
	}
	return j.end(s)
}

// end makes the findings for an address in all its spellings. Their order is that of the output:
// put sorts.
func (j *joining) end(s *spellings) error {
	listed := s.listed()
	for wire, t := range s.tallies {
		row, say, err := j.linked(s, wire, t, listed)
		if err != nil {
			return err
		}
		if !say {
			continue
		}
		if err := j.add(&row, t); err != nil {
			return err
		}
	}
	return j.unlinked(s)
}

// listed returns how sitemaps list an address that none of them lists in the spelling of the link.
func (s *spellings) listed() audit.LinkListing {
	for _, e := range s.entries {
		if !isOld(e.verdict) {
			return audit.OtherSpellingInSitemap
		}
	}
	return audit.NotInSitemap
}

// linked returns the row of an address that pages link to; false where there is nothing to say.
// listed is what s.listed returns.
func (j *joining) linked(s *spellings, wire uint64, t *tally, listed audit.LinkListing) (row audit.LinkRow, say bool, err error) {
	row = audit.LinkRow{Target: s.texts[wire], Listed: listed, Pages: int(t.followed()), Nofollow: int(t.nofollow)}
	if e, is := s.entries[wire]; is {
		row.Listed, row.Verdict, row.RedirectsTo, row.LinkTo = audit.InSitemap, e.verdict, e.leadsTo, e.linkTo
		if !isOld(e.verdict) {
			j.out.Listed++
			return row, false, nil
		}
		return row, true, nil
	}
	if s.written[wire] {
		j.out.Listed++
		return row, false, nil
	}
	j.judge(&row)
	if isOld(row.Verdict) {
		return row, true, nil
	}
	row.Kind = audit.LinkedUnlisted
	if t.pages == 0 || !mayBeListed(row.Verdict) || isFile(row.Target) {
		return row, false, nil
	}
	line, err := "", error(nil)
	if row.Verdict == "" {
		line, err = j.result.Forbidden(audit.AsRobot, row.Target)
	}
	return row, line == "", err
}

// judge sets the verdict on an address that no sitemap lists; it does nothing where the redirect
// chain is not known to its end.
func (j *joining) judge(row *audit.LinkRow) {
	e := audit.Entry{Loc: row.Target, Line: 1}
	j.row.Judge(j.of.Answers, e, &j.result.Info.Rules, audit.Want{})
	if len(j.row.Needs) > 0 || j.row.Verdict == audit.Skipped {
		return
	}
	if row.Verdict = j.row.Verdict; isOld(row.Verdict) {
		row.RedirectsTo, row.LinkTo = leadsTo(&j.row), linkTo(&j.row)
	}
}

// mayBeListed reports whether an address of a verdict may belong in a sitemap: it was not crawled,
// or is a page that may be indexed. An address that was crawled without a usable answer is not
// recommended.
func mayBeListed(v audit.Verdict) bool {
	return v == "" || v.Facts().Indexable == "yes"
}

// isFile reports whether an address names an image, a style or the like, which no sitemap lists
// as a page.
func isFile(wire string) bool {
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(address.Wire(wire).Path()), "."))
	return slices.Contains(fileTypes, ext)
}

var fileTypes = strings.Fields("jpg jpeg jpe png gif webp avif svg ico bmp tif tiff heic jxl apng mp4 m4v mov webm avi mkv mpg mpeg " +
	"wmv flv ogv 3gp m3u8 mp3 m4a wav ogg oga opus flac aac woff woff2 ttf otf eot css js mjs map wasm zip gz tgz tar bz2 xz 7z " +
	"rar zst xml json rss atom txt ics")

// unlinked adds the entries that no page links to, in any spelling, by a link that may be followed.
func (j *joining) unlinked(s *spellings) error {
	nofollow := &tally{}
	for _, t := range s.tallies {
		nofollow.merge(t)
	}
	for _, e := range s.entries {
		if !e.fine {
			continue
		}
		j.out.Fine++
		if s.linked || j.out.Pages == 0 {
			continue
		}
		row := audit.LinkRow{Kind: audit.Unlinked, Target: e.loc, Verdict: e.verdict, Listed: audit.InSitemap, Nofollow: int(nofollow.nofollow),
			Sitemap: j.result.Files[e.file].Sitemap.URL, Line: e.line}
		if err := j.add(&row, nofollow); err != nil {
			return err
		}
	}
	return nil
}

// add counts a row and puts it on the shelf; t is the tally of its links.
func (j *joining) add(row *audit.LinkRow, t *tally) error {
	row.Template = t.template(j.sizes, j.out.Pages)
	places := &t.places
	if row.Pages == 0 {
		places = &t.apart
	}
	for i, n := range places {
		row.Places[i] = int(n)
	}
	total := row.Pages + row.Nofollow
	j.out.Kinds[row.Kind].Targets++
	j.out.Kinds[row.Kind].Links += total
	if row.Kind == audit.LinkedOld {
		c := j.out.Old[row.Verdict]
		c.Targets++
		c.Links += total
		j.out.Old[row.Verdict] = c
	}
	key := string(binary.BigEndian.AppendUint32([]byte{byte(row.Kind)}, ^uint32(total))) + row.Target
	if err := j.rows.Add(key, string(appendRow([]byte{rowRecord}, row))); err != nil {
		return err
	}
	for _, hash := range t.sample {
		if hash == 0 || hash&aside != 0 && row.Pages > 0 {
			break
		}
		hash &^= aside
		if err := j.asked.Add(string(number(nil, hash)), key); err != nil {
			return err
		}
	}
	return nil
}

// Kinds of records under the key of a row.
const (
	rowRecord     byte = iota // the row
	exampleRecord             // a page that is one of its examples
)

// examples puts the example pages of each row next to it on the shelf.
func (j *joining) examples(ctx context.Context) error {
	next, stop := iter.Pull2(j.pages.Sorted())
	defer stop()
	page, err, more := next()
	for r, e := range audit.Until(ctx, j.asked.Sorted()) {
		if e != nil {
			return e
		}
		for more && err == nil && page[0] < r[0] {
			page, err, more = next()
		}
		if err != nil {
			return err
		}
		if !more || page[0] != r[0] {
			return errRecord
		}
		p, err := scanPage(page[1])
		if err == nil {
			err = j.rows.Add(r[1], string(append([]byte{exampleRecord}, p.url...)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// each yields the rows.
func (j *joining) each(ctx context.Context) iter.Seq2[audit.LinkRow, error] {
	return func(yield func(audit.LinkRow, error) bool) {
		var row *audit.LinkRow
		for r, err := range audit.Until(ctx, j.rows.Sorted()) {
			if err == nil && (len(r[1]) == 0 || row == nil && r[1][0] != rowRecord) {
				err = errRecord
			}
			if err != nil {
				yield(audit.LinkRow{}, err)
				return
			}
			if r[1][0] == exampleRecord {
				row.Examples = append(row.Examples, r[1][1:])
				continue
			}
			if row != nil && !yield(*row, nil) {
				return
			}
			row = new(audit.LinkRow)
			if err := scanRow(r[0], r[1][1:], row); err != nil {
				yield(audit.LinkRow{}, err)
				return
			}
		}
		if row != nil {
			yield(*row, nil)
		}
	}
}

func appendRow(b []byte, r *audit.LinkRow) []byte {
	for _, n := range append([]int{int(r.Listed), r.Pages, r.Nofollow, r.Template, r.Line}, r.Places[:]...) {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, s := range []string{string(r.Verdict), r.RedirectsTo, r.LinkTo, r.Sitemap} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return b
}

// scanRow decodes a row and its key.
func scanRow(key, value string, r *audit.LinkRow) error {
	const fixed = 1 + 4
	if len(key) < fixed {
		return errRecord
	}
	r.Kind, r.Target = audit.LinkKind(key[0]), key[fixed:]
	s := scanner{rest: value}
	r.Listed = audit.LinkListing(s.uint())
	for _, n := range []*int{&r.Pages, &r.Nofollow, &r.Template, &r.Line} {
		*n = s.uint()
	}
	for i := range r.Places {
		r.Places[i] = s.uint()
	}
	r.Verdict = audit.Verdict(s.text())
	r.RedirectsTo, r.LinkTo, r.Sitemap = s.text(), s.text(), s.text()
	return s.err
}

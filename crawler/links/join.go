package links

import (
	"context"
	"iter"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/internal/sketch"
)

// Source is the input of Join besides the result of an audit.
type Source struct {
	// Answers has the recorded answers: they say where addresses lead that pages link to and that
	// no sitemap lists.
	Answers audit.Answers
	// Pages yields the links of the pages that were read. It may be ranged over more than once.
	Pages func(ctx context.Context) iter.Seq2[audit.PageLinks, error]
	// Shelf returns a new, empty shelf. The shelf of the rows is read as long as the result is
	// used.
	Shelf func() audit.Shelf
}

// Join evaluates the links of all pages of an audit. It reads the pages twice and the entries once.
// It holds some 30 MB at most; its shelves hold some 100 bytes for each entry, page and linked
// address, and where there are more than 65,536 of these, some 40 bytes for each link. An error is
// one of result, of of, or of ctx.
func Join(ctx context.Context, result *audit.Result, of Source) (*audit.Linked, error) {
	j := &joining{result: result, of: of, out: &audit.Linked{Old: map[audit.Verdict]audit.LinkCount{}},
		hosts: map[string]bool{}, sections: map[string]uint16{}, sizes: []uint32{0},
		all: of.Shelf(), pages: of.Shelf(), rows: of.Shelf()}
	for _, step := range []func(context.Context) error{j.entries, j.listPages, j.readPages, j.join, j.examples} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	j.out.Rows = j.each
	for r, err := range j.each(ctx) {
		if err != nil {
			return nil, err
		}
		if first := &j.out.First[r.Kind]; len(*first) < audit.MostLinkRows {
			*first = append(*first, r)
		}
	}
	return j.out, nil
}

// joining is the state of Join.
type joining struct {
	result *audit.Result
	of     Source
	out    *audit.Linked

	hosts    map[string]bool   // hosts of entries, as site returns them
	sections map[string]uint16 // sections of entries: indexes into sizes, from 1
	sizes    []uint32          // number of pages read by section; index 0 counts pages of no known section
	passed   sketch.Set        // pages that are skipped because another reading of them counts

	all   audit.Shelf // the records of each address, under its spellingKey
	pages audit.Shelf // the pages that were read, under their hashes
	rows  audit.Shelf // rows and their examples, in the order of the output
	asked audit.Shelf // the rows that have a page as an example, under the hash of the page

	row          audit.Row // room
	record, wire []byte    // room
}

// Limits of what is held: no findings are made for hosts and sections beyond them.
const (
	maxHosts    = 10_000
	maxSections = 1000
)

// site returns the site of an address: its host without www., and its port unless that is the
// default one. It is the same for http and https.
func site(a address.Address) string {
	host := a.Host()
	if len(host) > 4 && host[:4] == "www." {
		host = host[4:]
	}
	if port := a.Port(); port != "" {
		return host + ":" + port
	}
	return host
}

// section is the origin of an address and the first segment of its path, where that is a folder.
func section(a address.Address) string {
	path := a.Path()
	for i := 1; i < len(path); i++ {
		if path[i] == '/' {
			return a.Origin() + path[:i]
		}
	}
	return a.Origin()
}

// entries puts the record of each entry on the shelf.
func (j *joining) entries(ctx context.Context) error {
	for i := range j.result.Files {
		if !j.result.Files[i].Sitemap.Listed() {
			continue
		}
		for row, err := range j.result.Edits(ctx, i) {
			if err != nil {
				return err
			}
			if row.Address.IsZero() {
				continue
			}
			if err := j.entry(i, row); err != nil {
				return err
			}
		}
	}
	return nil
}

func (j *joining) entry(file int, row *audit.Row) error {
	if len(j.hosts) < maxHosts {
		j.hosts[site(row.Address)] = true
	}
	if in := section(row.Address); j.sections[in] == 0 && len(j.sections) < maxSections {
		j.sections[in] = uint16(len(j.sizes))
		j.sizes = append(j.sizes, 0)
	}
	e := entryRecord{verdict: row.Verdict, file: file, line: row.Entry.Line, loc: row.Entry.Loc}
	e.fine = row.Verdict == audit.OK && row.Fix.Action == audit.Keep
	written := linkTo(row)
	if isOld(row.Verdict) {
		e.leadsTo, e.linkTo = leadsTo(row), written
	}
	wire := row.Address.String()
	if err := j.put(wire, e.append(j.begin(ofEntry, wire))); err != nil || written == "" {
		return err
	}
	return j.put(written, j.begin(ofWritten, written))
}

// leadsTo returns the address that a row's redirects end at; "" where it does not redirect.
func leadsTo(row *audit.Row) string {
	if row.Trail.Redirects() == 0 {
		return ""
	}
	return row.Final.String()
}

// linkTo returns the verified replacement of a row's address; "" where there is none.
func linkTo(row *audit.Row) string {
	if row.Fix.Action == audit.Replace || row.Fix.Action == audit.Merge {
		return row.Fix.Loc
	}
	return ""
}

// isOld reports whether pages should no longer link to an address of verdict v: it redirects, or
// nothing is found there.
func isOld(v audit.Verdict) bool {
	switch v.Facts().Leads {
	case audit.LeadAway, audit.LeadRound, audit.LeadNowhere:
		return true
	}
	return false
}

// listPages puts the pages on their shelf, and finds those that were read more than once, with and
// without the user's secrets. One reading of each counts: the one with the secrets, then the last.
func (j *joining) listPages(ctx context.Context) error {
	n := 0
	for p, err := range j.of.Pages(ctx) {
		if err != nil {
			return err
		}
		if p.Request.Purpose.Base() == audit.AsRobot && p.Links != "" {
			rank := pageRecord{n: n, plain: p.Request.Purpose != audit.AsRobot, url: p.Request.URL}
			if err := j.pages.Add(pageKey(p.Request.URL), string(rank.append(j.record[:0]))); err != nil {
				return err
			}
		} else {
			j.passed.Add(n)
		}
		n++
	}
	before, best := "", pageRecord{}
	for r, err := range audit.Until(ctx, j.pages.Sorted()) {
		if err != nil {
			return err
		}
		p, err := scanPage(r[1])
		switch {
		case err != nil:
			return err
		case r[0] != before || p.url != best.url:
			before, best = r[0], p
		case p.counts(&best):
			j.passed.Add(best.n)
			best = p
		default:
			j.passed.Add(p.n)
		}
	}
	return nil
}

// pageKey returns the key of a page. It is the same in every process, because the examples are
// chosen by it.
func pageKey(url string) string { return string(number(nil, pageHash(url))) }

// pageHash returns the hash of a page, with the bit of aside cleared.
func pageHash(url string) uint64 { return xxhash.Sum64String(url) &^ aside }

// readPages adds up the links of the pages.
func (j *joining) readPages(ctx context.Context) error {
	n, own := -1, map[string]bool{}
	t := newTable(tableSets, j.spill)
	for p, err := range j.of.Pages(ctx) {
		if err != nil {
			return err
		}
		if n++; j.passed.Has(n) {
			continue
		}
		at := address.Wire(p.Request.URL)
		page, all, err := unpack(p.Links)
		if err != nil {
			return err
		}
		j.count(page)
		in := j.sections[section(at)]
		j.sizes[in]++
		reader := read{hash: pageHash(p.Request.URL), n: uint32(n), section: in, nofollow: page.Nofollow}
		if err := j.readPage(t, &reader, at, &all, own); err != nil {
			return err
		}
	}
	return t.flush()
}

// readPage adds up the links of a page. own is the cache of isOwn.
func (j *joining) readPage(t *table, p *read, url address.Address, all *packedTargets, own map[string]bool) error {
	origin := url.Origin()
	ours := j.isOwn(own, url)
	for to, ok := all.next(); ok; to, ok = all.next() {
		j.wire = j.wire[:0]
		if !to.whole() {
			j.wire = append(j.wire, origin...)
		}
		j.wire = append(j.wire, to.text...)
		if to.whole() && !j.isOwn(own, address.Wire(to.text)) || !to.whole() && !ours {
			continue
		}
		l := to.link()
		if at := t.find(sketch.HashBytes(j.wire)); at >= 0 {
			if err := t.count(at, p, &l); err != nil {
				return err
			}
			continue
		}
		l.Target = string(j.wire)
		_, err := t.add(p, &l)
		if err == nil {
			err = j.put(l.Target, append(j.begin(ofText, l.Target), l.Target...))
		}
		if err != nil {
			return err
		}
	}
	return all.err
}

// count counts a page.
func (j *joining) count(p Page) {
	for n, is := range map[*int]bool{&j.out.Pages: true, &j.out.Nofollow: p.Nofollow, &j.out.Shells: p.Shell, &j.out.Cut: p.Cut} {
		if is {
			*n++
		}
	}
}

// isOwn reports whether an address belongs to a site that has entries. own caches the results by
// origin.
func (j *joining) isOwn(own map[string]bool, a address.Address) bool {
	is, known := own[a.Origin()]
	if !known {
		if len(own) > maxHosts { // spam pages link to many hosts
			clear(own)
		}
		is = j.hosts[site(a)]
		own[a.Origin()] = is
	}
	return is
}

// spill puts a tally on the shelf, as far as it was counted.
func (j *joining) spill(t *tally) error {
	return j.all.Add(string(number(nil, t.spelling)), string(t.append(j.record[:0])))
}

// begin returns the beginning of a record about an address.
func (j *joining) begin(kind byte, wire string) []byte {
	return number(append(j.record[:0], kind), sketch.Hash(wire))
}

// put puts a record about an address on the shelf.
func (j *joining) put(wire string, record []byte) error {
	j.record = record
	return j.all.Add(string(number(nil, spellingKey(wire))), string(record))
}

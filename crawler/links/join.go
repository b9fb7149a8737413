package links

import (
	"context"
	"iter"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/internal/sketch"
)

// Source is what Join reads besides the result of an audit.
type Source struct {
	// Answers is what the audit remembers: it says what becomes of addresses that pages link to
	// and that no sitemap lists.
	Answers audit.Answers
	// Pages yields the links of the pages that were read, and may be ranged over again.
	Pages func(ctx context.Context) iter.Seq2[audit.PageLinks, error]
	// Shelf returns an empty shelf that is nobody else's. That of the rows is read as long as
	// the result is used.
	Shelf func() audit.Shelf
}

// Join says what the links of the pages of an audit say together. It reads the pages twice and
// the entries once. What it holds is bounded, some 30 MB at most; on its shelves lie some 100 bytes
// for each entry, page and address that pages link to, and where there are more than 65,536 of
// these some 40 for each link. An error is result's, of's or ctx's.
func Join(ctx context.Context, result *audit.Result, of Source) (*audit.Linked, error) {
	j := &joining{result: result, of: of, out: &audit.Linked{Old: map[audit.Verdict]audit.LinkCount{}},
		hosts: map[string]bool{}, sections: map[string]uint16{}, sizes: []uint32{0},
		all: of.Shelf(), pages: of.Shelf(), rows: of.Shelf()}
	for _, step := range []func(context.Context) error{j.entries, j.listPages, j.readPages, j.join, j.examples} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	j.out.Rows, j.out.Sight, j.out.Read = j.each, j.sight, j.read
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

	hosts    map[string]bool   // of entries, as site returns them
	sections map[string]uint16 // of entries: places in sizes, from 1
	sizes    []uint32          // how many pages of a section were read; those of 0 are of no section that is known
	passed   sketch.Set        // pages of which another reading counts

	all   audit.Shelf // what is known of each address, under its spellingKey
	pages audit.Shelf // the pages that were read, under their hashes
	rows  audit.Shelf // rows and their examples, in the order of the output
	asked audit.Shelf // which rows want a page as an example, under its hash

	row          audit.Row // room
	record, wire []byte    // room
}

// Bounds of what is held: of more hosts and sections nothing is said.
const (
	maxHosts    = 10_000
	maxSections = 1000
)

// site names the site of an address: its host without www., and its port where that is not the
// default one, for http and https alike.
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

// entries puts what is known of each entry on the shelf.
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

// leadsTo is where a row's address leads at last; "" where it does not lead on.
func leadsTo(row *audit.Row) string {
	if row.Trail.Redirects() == 0 {
		return ""
	}
	return row.Final.String()
}

// linkTo is the address that was found right in the place of a row's; "" for none.
func linkTo(row *audit.Row) string {
	if row.Fix.Action == audit.Replace || row.Fix.Action == audit.Merge {
		return row.Fix.Loc
	}
	return ""
}

// isOld reports whether an address of a verdict is one that no page is to link to: it leads
// elsewhere, or there is nothing.
func isOld(v audit.Verdict) bool {
	switch v.Facts().Leads {
	case audit.LeadAway, audit.LeadRound, audit.LeadNowhere:
		return true
	}
	return false
}

// listPages puts the pages on their shelf, and finds those that were read more than once: with
// the user's secrets and without them, or by an earlier audit, too. What was read last, by this
// audit and with the secrets counts.
func (j *joining) listPages(ctx context.Context) error {
	n := 0
	for p, err := range j.of.Pages(ctx) {
		if err != nil {
			return err
		}
		if p.Request.Purpose.Base() == audit.AsRobot && p.Links != "" {
			rank := pageRecord{n: n, earlier: p.Links[0]&isEarlier != 0, plain: p.Request.Purpose != audit.AsRobot, url: p.Request.URL}
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

// pageKey is the key of a page: it is the same in every process, for it chooses the examples.
func pageKey(url string) string { return string(number(nil, pageHash(url))) }

// pageHash is the hash of a page; the bit of aside is not set in it.
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

// readPage adds up the links of a page. own is that of isOwn.
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
	for n, is := range map[*int]bool{&j.out.Pages: true, &j.out.Nofollow: p.Nofollow, &j.out.Shells: p.Shell, &j.out.Cut: p.Cut, &j.out.Earlier: p.Earlier} {
		if is {
			*n++
		}
	}
}

// isOwn reports whether an address is of a site that has entries. own remembers it, by origin.
func (j *joining) isOwn(own map[string]bool, a address.Address) bool {
	is, known := own[a.Origin()]
	if !known {
		if len(own) > maxHosts { // pages of spam link to many
			clear(own)
		}
		is = j.hosts[site(a)]
		own[a.Origin()] = is
	}
	return is
}

// spill puts what is known of the links to an address on the shelf: as far as it was added up.
func (j *joining) spill(t *tally) error {
	return j.all.Add(string(number(nil, t.spelling)), string(t.append(j.record[:0])))
}

// begin begins a record about an address.
func (j *joining) begin(kind byte, wire string) []byte {
	return number(append(j.record[:0], kind), sketch.Hash(wire))
}

// read yields the pages with the addresses that they link to.
func (j *joining) read(ctx context.Context) iter.Seq2[audit.LinkedPage, error] {
	return func(yield func(audit.LinkedPage, error) bool) {
		for p, err := range j.of.Pages(ctx) {
			if err == nil && (p.Request.Purpose.Base() != audit.AsRobot || p.Links == "") {
				continue
			}
			out := audit.LinkedPage{URL: p.Request.URL}
			if err == nil {
				var page Page
				var all iter.Seq[Link]
				page, all, err = Unpack(p.Links, address.Wire(p.Request.URL).Origin())
				out.Whole, out.Targets = !page.Cut, targets(all)
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}

func targets(all iter.Seq[Link]) iter.Seq[string] {
	return func(yield func(string) bool) {
		for l := range all {
			if !yield(l.Target) {
				return
			}
		}
	}
}

// put puts a record about an address on the shelf.
func (j *joining) put(wire string, record []byte) error {
	j.record = record
	return j.all.Add(string(number(nil, spellingKey(wire))), string(record))
}

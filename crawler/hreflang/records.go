package hreflang

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/internal/sketch"
	"sitemend/crawler/sitemap"
)

// All records of an address lie in the sorter under its hash, and so come together, in this order.
const (
	isWrong  byte = iota // what was answered there is no page to show
	isListed             // it will be listed
	isPassed             // the links of one of its own elements are not known
	isNamed              // a link names it
	isPair               // another page: named by it, then naming it
)

// The bits of a record.
const (
	byLanguage byte = 1 << iota // isWrong: it redirects by language
	forAnyone                   // isNamed: the link is x-default's
	forDevice                   // isNamed: the link has no language
	mended                      // isNamed: the corrected copy does not have the link so
)

// The two records of a pair.
const (
	ours byte = iota
	theirs
)

// errRecord says that a record in the sorter is damaged.
var errRecord = errors.New("hreflang: a record on disk is damaged")

// key returns the key of an address, given in wire form.
func key(wire string) string {
	return string(binary.BigEndian.AppendUint64(nil, sketch.Hash(wire)))
}

// put puts a record into the sorter. It reuses the record's buffer for the next one.
func (j *joining) put(key string, record []byte) error {
	j.buf = record
	return j.sorter.Add(key, string(record))
}

func (p place) append(b []byte) []byte {
	for _, n := range []int{p.file, p.element, p.link} {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	return b
}

func placeOf(b string) (p place, err error) {
	if len(b) != 12 {
		return p, errRecord
	}
	for i, n := range []*int{&p.file, &p.element, &p.link} {
		*n = int(binary.BigEndian.Uint32([]byte(b[4*i : 4*i+4])))
	}
	return p, nil
}

// entry puts the records of an entry into the sorter.
func (j *joining) entry(file int, row *audit.Row) (entry, error) {
	e := entry{own: sitemap.Own{URL: row.Address.String(), Edited: row.Edited()}}
	if row.Address.IsZero() {
		return e, nil
	}
	e.wire = row.Address.String()
	e.at = e.wire
	if err := j.wrong(row); err != nil {
		return e, err
	}
	if j.written(file) {
		switch row.Fix.Action {
		case audit.Replace:
			e.at = row.Fix.Loc
		case audit.Drop, audit.Merge:
			e.at, e.leaves = "", true
			return e, nil
		}
	}
	return e, j.put(key(e.at), append(j.buf[:0], isListed))
}

// wrong puts into the sorter what is wrong with the address of a row. An x-default may redirect its
// readers to the page in their language: to itself in another language, or only for now.
func (j *joining) wrong(row *audit.Row) error {
	k := wrongOf(row)
	if k == kinds {
		return nil
	}
	var bits byte
	if k == redirects && (row.Verdict == audit.Temporary || slices.Contains(row.Notes, audit.Locale)) {
		bits = byLanguage
	}
	return j.put(key(row.Address.String()), append(j.buf[:0], isWrong, byte(k), bits))
}

// aside puts into the sorter what is wrong with alternates that no sitemap lists.
func (j *joining) aside(ctx context.Context) error {
	for i := range j.result.Also {
		if j.result.Also[i].List != audit.AlsoAlternates {
			continue
		}
		for row, err := range j.result.Also[i].Rows(ctx) {
			if err != nil {
				return err
			}
			if err := j.wrong(&row); err != nil {
				return err
			}
		}
	}
	return nil
}

// written reports whether the corrected copy of a file may have other links than the file.
func (j *joining) written(file int) bool {
	return j.result.MayChange(&j.result.Files[file])
}

// Fewer pairs of a language and a region are in use than maxLinks, and each entry of an element
// names every address that the element names: of an element with more the links are not checked.
const (
	maxLinks = 1_000
	maxPairs = 10_000
)

// element puts the links of an element into the sorter, and finds its faults by itself.
func (j *joining) element(at place, own []entry, links []sitemap.Link) error {
	fixes := j.fixes(at, own, links)
	leaves := len(own) > 0 && !slices.ContainsFunc(own, func(e entry) bool { return !e.leaves })
	if len(links) > maxLinks || len(links)*len(own) > maxPairs {
		for _, e := range own {
			if err := j.put(key(e.at), append(j.buf[:0], isPassed)); err != nil {
				return err
			}
		}
		return nil
	}
	var set []target
	first := map[string]string{} // the first address for each code
	for i, l := range links {
		at.link = i
		to, err := j.link(at, own, &l, &fixes[i], leaves)
		if err != nil {
			return err
		}
		switch {
		case j.codes[l.Lang]:
		case l.Lang == "" || sitemap.ValidLang(l.Lang):
			if len(j.codes) < maxLinks { // their letters may be of any case
				j.codes[l.Lang] = true
			}
		default:
			j.find(unknownCode, finding{place: at, said: []string{strconv.Quote(l.Lang)}, mended: leaves})
		}
		code := strings.ToLower(l.Lang)
		if code == "" || to == "" {
			continue
		}
		if other, known := first[code]; !known {
			first[code] = to
		} else if other != to {
			j.find(twoAddresses, finding{place: at, said: []string{l.Lang}, mended: leaves})
		}
		set = append(set, target{to, i})
	}
	if len(set) == 0 {
		return nil
	}
	return j.pages(at, own, set)
}

// A target is where a link with a language will lead.
type target struct {
	wire string
	link int
}

// fixes returns what becomes of each link.
func (j *joining) fixes(at place, own []entry, links []sitemap.Link) []sitemap.LinkFix {
	if j.result.Becomes == nil || !j.written(at.file) || len(links) > maxLinks {
		return make([]sitemap.LinkFix, len(links))
	}
	var entries []sitemap.Own
	for _, e := range own {
		entries = append(entries, e.own)
	}
	return sitemap.Fixes(j.result.Becomes, entries, links)
}

// link puts into the sorter that a link names another page, and returns where the link will lead; ""
// for nowhere.
func (j *joining) link(at place, own []entry, l *sitemap.Link, f *sitemap.LinkFix, leaves bool) (to string, err error) {
	a, err := address.Parse(l.Href)
	if err != nil {
		j.find(noAddress, finding{place: at, mended: leaves})
		return "", nil
	}
	var bits byte
	switch {
	case l.Lang == "":
		bits = forDevice
	case strings.EqualFold(l.Lang, "x-default"):
		bits = forAnyone
	}
	to = a.String()
	switch {
	case f.Action == audit.Relink:
		to, bits = f.Loc, bits|mended
	case f.Action == audit.Unlink:
		to, bits = "", bits|mended
	case leaves:
		bits |= mended
	}
	if slices.ContainsFunc(own, func(e entry) bool { return e.wire == a.String() }) {
		return to, nil // the verdict of the entry says it
	}
	return to, j.put(key(a.String()), at.append(append(j.buf[:0], isNamed, bits)))
}

// pages puts into the sorter which pages the pages of an element name.
func (j *joining) pages(at place, own []entry, set []target) error {
	for _, e := range own {
		if e.at == "" {
			continue
		}
		self := key(e.at)
		if !slices.ContainsFunc(set, func(t target) bool { return t.wire == e.at }) {
			at.link = set[0].link
			j.find(noSelf, finding{place: at})
		}
		for _, t := range set {
			if t.wire == e.at {
				continue
			}
			other := key(t.wire)
			if err := j.put(self, append(append(append(j.buf[:0], isPair), other...), ours)); err != nil {
				return err
			}
			at.link = t.link
			if err := j.put(other, at.append(append(append(append(j.buf[:0], isPair), self...), theirs))); err != nil {
				return err
			}
		}
	}
	return nil
}

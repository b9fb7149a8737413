package links

import (
	"math/bits"

	"sitemend/crawler/audit"
	"sitemend/crawler/internal/sketch"
)

// A read is a page whose links are being counted.
type read struct {
	hash     uint64
	n        uint32 // its index among the pages
	section  uint16
	nofollow bool
}

// A tally counts the links to one address.
type tally struct {
	spelling, wire uint64 // hashes: one common to all its spellings, and one of its wire form
	last           uint32 // index of the last page that linked to it
	pages          uint32 // pages with a link that may be followed and is not a form
	forms          uint32 // pages whose followed links are all forms
	nofollow       uint32
	// places and sections count links that may be followed.
	places   [len(audit.LinkPlaceNames)]uint32
	apart    [len(audit.LinkPlaceNames)]uint32 // places of nofollow links
	sample   [audit.MostLinkExamples]uint64    // the smallest hashes of pages, ascending; 0 for none; with aside where all links are nofollow
	sections []sectionCount
}

// aside is set in a sample for a page whose links to the address are all nofollow: it sorts after
// all others, and is an example only where there are no others. No hash of a page has this bit.
const aside = 1 << 63

type sectionCount struct {
	section uint16
	n       uint32
}

// followed returns how many pages have a link to the address that may be followed.
func (t *tally) followed() uint32 { return t.pages + t.forms }

// count counts a link of a page.
func (t *tally) count(p *read, l *Link) {
	if l.Nofollow || p.nofollow {
		t.nofollow++
		t.take(p.hash | aside)
		countIn(&t.apart, l)
		return
	}
	if l.Form {
		t.forms++
	} else {
		t.pages++
	}
	countIn(&t.places, l)
	t.take(p.hash)
	t.in(p.section, 1)
}

// countIn adds the places of a link to places.
func countIn(places *[len(audit.LinkPlaceNames)]uint32, l *Link) {
	for set := l.Places; set != 0; set &= set - 1 {
		if at := bits.TrailingZeros8(uint8(set)); at < len(places) {
			places[at]++
		}
	}
}

// take inserts a page into the sample if its hash is small enough.
func (t *tally) take(hash uint64) {
	for i, has := range t.sample {
		if has == hash {
			return
		}
		if has == 0 || hash < has {
			t.sample[i], hash = hash, has
			if has == 0 {
				return
			}
		}
	}
}

// in adds n pages of a section.
func (t *tally) in(section uint16, n uint32) {
	if i := t.at(section); i >= 0 {
		t.sections[i].n += n
		return
	}
	t.sections = append(t.sections, sectionCount{section, n})
}

// at returns the index of a section in t.sections, -1 where it is not there. Most pages are in the
// same section as the page before.
func (t *tally) at(section uint16) int {
	for i := len(t.sections) - 1; i >= 0; i-- {
		if t.sections[i].section == section {
			return i
		}
	}
	return -1
}

// merge adds the counts of another tally of the same address.
func (t *tally) merge(o *tally) {
	t.pages, t.forms, t.nofollow = t.pages+o.pages, t.forms+o.forms, t.nofollow+o.nofollow
	for i, n := range o.places {
		t.places[i] += n
		t.apart[i] += o.apart[i]
	}
	for _, hash := range o.sample {
		if hash != 0 {
			t.take(hash)
		}
	}
	for _, s := range o.sections {
		t.in(s.section, s.n)
	}
}

// leastPages is the smallest number of pages of a section, or of the site, from which a template
// can be inferred.
const leastPages = 5

// template returns how many pages link to the address as a part of their template: at least half of
// the pages read of their section, or of the site, have such a link. sizes has the number of pages
// of each section, index 0 those of no section.
func (t *tally) template(sizes []uint32, pages int) (n int) {
	if pages >= leastPages && 2*int(t.followed()) >= pages {
		return int(t.followed())
	}
	for _, s := range t.sections {
		if size := sizes[s.section]; s.section > 0 && size >= leastPages && 2*s.n >= size {
			n += int(s.n)
		}
	}
	return n
}

// Size of the table: it has as many sets of ways as all addresses of most sites need.
const (
	tableSets = 1 << 14
	ways      = 4
	firstSets = 1 << 6
)

// Limits of the sections of all tallies in a table: once there are mostSections, a tally with
// leastSections is handed on before it gets another one.
const (
	leastSections = 8
	mostSections  = tableSets * ways * leastSections
)

// A table counts the links of many pages. When it is full it hands the least recently used tally on
// to spill, and begins another one when that address comes up again.
type table struct {
	tallies []tally  // in sets of ways
	wires   []uint64 // wire hashes of the tallies, 0 for none: compact, so that a search is fast
	most    int      // sets
	filled  int
	in      int // sections of all tallies
	spill   func(*tally) error
}

// newTable returns a table of at most the given number of sets, a power of two.
func newTable(most int, spill func(*tally) error) *table {
	t := &table{most: most, spill: spill}
	t.make(min(most, firstSets))
	return t
}

// make gives t the given number of sets, all empty.
func (t *table) make(sets int) {
	t.tallies, t.wires = make([]tally, sets*ways), make([]uint64, sets*ways)
	t.filled, t.in = 0, 0
}

// add counts a link of a page in the tally of its address. isNew reports whether a tally was begun
// for the address.
func (t *table) add(p *read, l *Link) (isNew bool, err error) {
	wire := sketch.Hash(l.Target)
	if at := t.find(wire); at >= 0 {
		return false, t.count(at, p, l)
	}
	if sets := len(t.wires) / ways; t.filled > 2*sets && sets < t.most {
		if err := t.grow(); err != nil {
			return false, err
		}
	}
	set := t.set(wire)
	oldest := set
	for at := set; at < set+ways; at++ {
		if t.wires[oldest] != 0 && (t.wires[at] == 0 || t.tallies[at].last < t.tallies[oldest].last) {
			oldest = at
		}
	}
	if err := t.put(oldest, &tally{spelling: spellingKey(l.Target), wire: wire}); err != nil {
		return false, err
	}
	return true, t.count(oldest, p, l)
}

// set returns the index at which the set for a hash begins.
func (t *table) set(wire uint64) int { return int(wire&uint64(len(t.wires)/ways-1)) * ways }

// find returns the index of the tally for a hash; -1 where there is none.
func (t *table) find(wire uint64) int {
	set := t.set(wire)
	for i, x := range t.wires[set : set+ways] {
		if x == wire {
			return set + i
		}
	}
	return -1
}

// count counts a link of a page in the tally at a place; l need not name the address.
func (t *table) count(at int, p *read, l *Link) error {
	x := &t.tallies[at]
	if t.in >= mostSections && len(x.sections) >= leastSections && x.at(p.section) < 0 {
		if err := t.put(at, &tally{spelling: x.spelling, wire: x.wire}); err != nil {
			return err
		}
	}
	had := len(x.sections)
	x.last = p.n
	x.count(p, l)
	t.in += len(x.sections) - had
	return nil
}

// put stores a tally at an index, and hands on the tally that was there.
func (t *table) put(at int, x *tally) error {
	had := &t.tallies[at]
	if t.wires[at] == 0 {
		t.filled++
	} else if err := t.spill(had); err != nil {
		return err
	}
	t.in += len(x.sections) - len(had.sections)
	*had, t.wires[at] = *x, x.wire
	return nil
}

// grow doubles the room for tallies.
func (t *table) grow() error {
	old := t.tallies
	t.make(2 * len(old) / ways)
	for i := range old {
		if old[i].wire == 0 {
			continue
		}
		at := t.set(old[i].wire)
		for last := at + ways - 1; at < last && t.wires[at] != 0; {
			at++
		}
		if err := t.put(at, &old[i]); err != nil {
			return err
		}
	}
	return nil
}

// flush hands on all tallies.
func (t *table) flush() error {
	for at, wire := range t.wires {
		if wire == 0 {
			continue
		}
		if err := t.spill(&t.tallies[at]); err != nil {
			return err
		}
	}
	t.tallies, t.wires = nil, nil
	return nil
}

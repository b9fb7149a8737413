package links

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/fxamacker/cbor/v2"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/ground"
	"sitemend/crawler/internal/sketch"
)

// A read is a page whose links are being counted.
type read struct {
	url     string
	hash    uint64
	section uint16
}

// A tally counts the links to one address.
type tally struct {
	_        struct{} `cbor:",toarray"`
	Target   string
	Pages    int // pages with a link that may be followed and is not a form
	Forms    int // pages whose followed links are all forms
	Nofollow int
	Sample   []sampled      // the pages with the smallest hashes, ascending
	Sections []sectionCount // of links that may be followed
}

type sectionCount struct {
	_       struct{} `cbor:",toarray"`
	Section uint16
	N       int
}

// A sampled is a page that links to an address. One whose links to it are all nofollow comes after
// all others, and is an example only where there are no others.
type sampled struct {
	_     struct{} `cbor:",toarray"`
	Apart bool
	Hash  uint64 // the same in every process
	URL   string
}

func (s sampled) compare(o sampled) int {
	if s.Apart != o.Apart {
		return int(flag(1, s.Apart)) - int(flag(1, o.Apart))
	}
	return cmp.Compare(s.Hash, o.Hash)
}

// followed returns how many pages have a link to the address that may be followed.
func (t *tally) followed() int { return t.Pages + t.Forms }

// count counts a link of a page.
func (t *tally) count(p *read, l *Link, nofollow bool) {
	switch {
	case nofollow:
		t.Nofollow++
	case l.Form:
		t.Forms++
	default:
		t.Pages++
	}
	if !nofollow {
		t.in(p.section, 1)
	}
	t.take(sampled{Apart: nofollow, Hash: p.hash, URL: p.url})
}

// take inserts a page into the sample if it comes early enough.
func (t *tally) take(s sampled) {
	if n := len(t.Sample); n == audit.MostLinkExamples && s.compare(t.Sample[n-1]) >= 0 {
		return
	}
	at, is := slices.BinarySearchFunc(t.Sample, s, sampled.compare)
	if is {
		return
	}
	t.Sample = slices.Insert(t.Sample, at, s)
	t.Sample = t.Sample[:min(len(t.Sample), audit.MostLinkExamples)]
}

// merge adds the counts of another tally.
func (t *tally) merge(o *tally) {
	t.Pages, t.Forms, t.Nofollow = t.Pages+o.Pages, t.Forms+o.Forms, t.Nofollow+o.Nofollow
	for _, s := range o.Sample {
		t.take(s)
	}
	for _, s := range o.Sections {
		t.in(s.Section, s.N)
	}
}

// in adds n pages of a section. Most pages are in the same section as the page before.
func (t *tally) in(section uint16, n int) {
	for i := range slices.Backward(t.Sections) {
		if t.Sections[i].Section == section {
			t.Sections[i].N += n
			return
		}
	}
	t.Sections = append(t.Sections, sectionCount{Section: section, N: n})
}

// leastPages is the smallest number of pages of a section, or of the site, from which a template
// can be inferred.
const leastPages = 5

// template returns how many pages link to the address as a part of their template: at least half of
// the pages read of their section, or of the site, have such a link. sizes has the number of pages
// of each section, index 0 those of no section.
func (t *tally) template(sizes []int, pages int) (n int) {
	if pages >= leastPages && 2*t.followed() >= pages {
		return t.followed()
	}
	for _, s := range t.Sections {
		if size := sizes[s.Section]; s.Section > 0 && size >= leastPages && 2*s.N >= size {
			n += s.N
		}
	}
	return n
}

// maxTallies bounds what a counter holds.
const maxTallies = 32_768

// A counter counts the links of many pages. When it is full it hands its tallies on to the sorter,
// and begins anew.
type counter struct {
	sorter  ground.Sorter
	most    int
	tallies map[uint64]*tally // by the hash of the address
	held    int               // addresses; four sections of one weigh as much
}

// add counts a link of a page.
func (c *counter) add(p *read, l *Link, nofollow bool) error {
	hash := sketch.Hash(l.Target)
	t := c.tallies[hash]
	if t == nil {
		if c.held >= c.most {
			if err := c.flush(); err != nil {
				return err
			}
		}
		t = &tally{Target: strings.Clone(l.Target)} // the page is not held
		c.tallies[hash] = t
		c.held++
	}
	had := len(t.Sections) / 4
	t.count(p, l, nofollow)
	c.held += len(t.Sections)/4 - had
	return nil
}

// flush hands on all tallies.
func (c *counter) flush() error {
	for _, t := range c.tallies {
		if err := put(c.sorter, t.Target, ofTally, t); err != nil {
			return err
		}
	}
	c.tallies, c.held = map[uint64]*tally{}, 0
	return nil
}

// The records of an address lie in one sorter under a key of all its spellings (put), so that these
// come together; each record begins with its kind.
const (
	ofEntry   byte = iota // a sitemap lists it; holds what was crawled
	ofWritten             // it is written as the replacement of an entry
	ofTally               // counts of the links to it
)

// decode reads values whose texts may be no UTF-8, as those of sitemaps.
var decode = func() cbor.DecMode {
	mode, err := cbor.DecOptions{UTF8: cbor.UTF8DecodeInvalid}.DecMode()
	if err != nil {
		panic(err) // the options are constant
	}
	return mode
}()

// put puts a record about an address into a sorter, under a key that is the same for all spellings of
// the address: escapes are resolved.
func put(sorter ground.Sorter, wire string, kind byte, value any) error {
	b, err := cbor.Marshal(value)
	if err != nil {
		return err
	}
	return sorter.Add(numberKey(sketch.Hash(address.DecodeValue(wire))), string(kind)+string(b))
}

// pageHash is the same in every process, because examples are chosen by it.
func pageHash(url string) uint64 { return xxhash.Sum64String(url) }

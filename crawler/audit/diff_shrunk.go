package audit

import (
	"slices"

	"sitemend/crawler/internal/sketch"
)

// A Shrunk is a sitemap that a large part of what it listed left: more than 10 % of the addresses
// that were fine, and more than 3, beyond those that joined it. Nobody corrects a sitemap so: it was
// broken off, or an old one was uploaded.
type Shrunk struct {
	URL      string
	Left, Of int // addresses that were fine: those that left, and all
}

// The least that has to leave a sitemap for it to be Shrunk, beyond which it has to be a tenth.
const leastShrunk = 4

// fine reports whether an address was seen to be a page as it is listed.
func (s *Observation) fine() bool {
	return s.Verdict == OK || s.Verdict == SpellingBounce || s.Verdict == SpellingConflict
}

// leftFine reports whether a change is that an address which was fine left the sitemaps.
func (c *Change) leftFine() bool {
	return c.New == nil && c.Effect == Otherwise && c.Kind() == NoLongerListed && c.Old.fine()
}

// flows counts the addresses that are fine by the number of the first sitemap that lists them.
type flows struct {
	of, left, joined map[int]int
	// gone are those that left, with the number of their sitemap and one; writes are the addresses that
	// the corrections of the newer audit write. What is written again has not left.
	gone, writes sketch.Numbers
	again        int // how many these are
}

func newFlows() flows {
	return flows{of: map[int]int{}, left: map[int]int{}, joined: map[int]int{}}
}

func (f *flows) add(c *Change) {
	if c.Old != nil && c.Old.fine() {
		f.of[c.Old.Sitemap]++
	}
	switch {
	case c.leftFine():
		hash := sketch.Hash(c.Address)
		if _, written := f.writes.Get(hash); written {
			f.again++
			return
		}
		f.left[c.Old.Sitemap]++
		at, _ := f.gone.At(hash)
		*at = uint32(c.Old.Sitemap + 1)
	case c.New != nil && c.New.Fix == Replace:
		f.write(sketch.Hash(c.New.Written))
	case c.Old == nil && c.Effect == Otherwise && c.New.fine():
		f.joined[c.New.Sitemap]++
	}
}

// write takes note of an address that a correction writes.
func (f *flows) write(hash uint64) {
	if n, _ := f.gone.Get(hash); n > 0 {
		at, _ := f.gone.At(hash)
		f.left[int(n)-1]--
		*at = 0
		f.again++
	}
	f.writes.At(hash)
}

// shrink returns the sitemaps of the older audit that are Shrunk, and their numbers there. Those that
// are not there any more are one with those that were not there yet: the pages of a news site may be
// in a sitemap of each day.
func (d *Diff) shrink(f *flows) (list []Shrunk, numbers map[int]bool) {
	numbers = map[int]bool{}
	if d.Differ.As || d.Differ.Targets {
		return nil, numbers
	}
	now, then := map[string]int{}, map[string]bool{}
	for i := range d.new.Tallies {
		now[d.new.Tallies[i].Sitemap.URL] = i
	}
	for i := range d.old.Tallies {
		then[d.old.Tallies[i].Sitemap.URL] = true
	}
	var gone []int
	left, of := 0, 0
	for i, n := range f.left {
		if at, is := now[d.old.Tallies[i].Sitemap.URL]; is {
			numbers[i] = shrunk(n-f.joined[at], f.of[i])
			continue
		}
		gone, left, of = append(gone, i), left+n, of+f.of[i]
	}
	for i, n := range f.joined {
		if !then[d.new.Tallies[i].Sitemap.URL] {
			left -= n
		}
	}
	for _, i := range gone {
		numbers[i] = shrunk(left, of)
	}
	for i := range d.old.Tallies {
		if numbers[i] {
			list = append(list, Shrunk{d.old.Tallies[i].Sitemap.URL, f.left[i], f.of[i]})
		}
	}
	return list, numbers
}

func shrunk(left, of int) bool { return left >= leastShrunk && left*10 > of }

// fellOut takes back what was said of a problem that is in no sitemap any more where much else left
// the one that listed it: that is no repair.
func (c *Change) fellOut() {
	if c.Effect == Better || c.Effect == Applied && c.Old.Fix == Drop {
		c.Effect, c.Kinds = Otherwise, []ChangeKind{NoLongerListed}
	}
}

// fellOutBefore reports whether a change is that of fellOut.
func (c *Change) fellOutBefore() bool {
	return c.New == nil && c.Effect == Otherwise && slices.Equal(c.Kinds, []ChangeKind{NoLongerListed}) && c.Old.Verdict.Problem()
}

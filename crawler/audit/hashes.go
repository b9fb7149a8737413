package audit

import (
	"hash/maphash"
	"iter"
	"math/bits"
	"slices"
)

// seed makes hashes others in each process, so that no site can list addresses
// that meet in one.
var seed = maphash.MakeSeed()

// hash stands for an address where millions are counted; it is never 0. Of 25
// million addresses any two share one with a chance of 1 in 60,000.
func hash(a string) uint64 { return max(1, maphash.String(seed, a)) }

// A set is a set of numbers from 0 on, in a bit each.
type set []uint64

// newSet has room for the numbers below n.
func newSet(n int) set { return make(set, n/64+1) }

func (s *set) add(n int) {
	for len(*s) <= n/64 {
		*s = append(*s, 0)
	}
	(*s)[n/64] |= 1 << (n % 64)
}

func (s set) has(n int) bool { return n/64 < len(s) && s[n/64]&(1<<(n%64)) != 0 }

// hasAny tells whether one of the numbers from <= n < to is in the set.
func (s set) hasAny(from, to int) bool {
	for range s.stretches(from, to) {
		return true
	}
	return false
}

// stretches yields the numbers from <= n < to that are in the set, as stretches
// without a gap.
func (s set) stretches(from, to int) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for n := from; n < to; n++ {
			start := n
			for n < to && s.has(n) {
				n++
			}
			if n > start && !yield(start, n) {
				return
			}
		}
	}
}

// slotOf spreads hashes over n slots.
func slotOf(hash uint64, n int) int {
	slot, _ := bits.Mul64(hash, uint64(n))
	return int(slot)
}

// A bloom sees hashes and then says of most that they came only once: two bits
// for each of its slots, eight slots for each hash that it is made for.
type bloom struct {
	once, again set
	slots       int
}

func newBloom(n int) bloom {
	slots := 8 * max(n, 8)
	return bloom{newSet(slots), newSet(slots), slots}
}

func (s *bloom) add(hash uint64) {
	at := slotOf(hash, s.slots)
	if s.once.has(at) {
		s.again.add(at)
	}
	s.once.add(at)
}

// has tells whether a hash may have come.
func (s *bloom) has(hash uint64) bool { return s.slots > 0 && s.once.has(slotOf(hash, s.slots)) }

// maybe tells whether a hash may have come more than once.
func (s *bloom) maybe(hash uint64) bool { return s.again.has(slotOf(hash, s.slots)) }

// A countMin counts hashes up to a limit, and may count some too often: a byte for
// each hash that it is made for.
type countMin struct {
	counts []uint8
	limit  uint8
	full   bool // a slot has reached the limit
}

func (c *countMin) add(hash uint64, room int) {
	if c.counts == nil {
		c.counts = make([]uint8, max(room, 8))
	}
	at := &c.counts[slotOf(hash, len(c.counts))]
	if *at < c.limit {
		*at++
		c.full = c.full || *at == c.limit
	}
}

// maybe tells whether a hash may have come as often as the limit.
func (c *countMin) maybe(hash uint64) bool {
	return c.full && c.counts[slotOf(hash, len(c.counts))] == c.limit
}

// A numbered gives each of its hashes a number, in 16 to 24 bytes. The zero
// numbered is ready.
type numbered struct {
	keys    []uint64
	numbers []uint32
	used    int
}

// at returns the number of a hash, to be read or changed before the next call;
// 0 for a new one. is tells whether it was there.
func (t *numbered) at(hash uint64) (number *uint32, is bool) {
	if 4*t.used >= 3*len(t.keys) {
		t.grow()
	}
	i := t.find(hash)
	is = t.keys[i] == hash
	if !is {
		t.keys[i] = hash
		t.used++
	}
	return &t.numbers[i], is
}

// get returns the number of a hash; ok is false where it is not there.
func (t *numbered) get(hash uint64) (number uint32, ok bool) {
	if t.used == 0 {
		return 0, false
	}
	i := t.find(hash)
	return t.numbers[i], t.keys[i] == hash
}

// any tells whether a hash has a number for which is holds.
func (t *numbered) any(is func(number uint32) bool) bool {
	return slices.ContainsFunc(t.numbers, is)
}

// find returns where a hash is, or where there is room for it.
func (t *numbered) find(hash uint64) int {
	i := slotOf(hash, len(t.keys))
	for t.keys[i] != 0 && t.keys[i] != hash {
		if i++; i == len(t.keys) {
			i = 0
		}
	}
	return i
}

func (t *numbered) grow() {
	old := *t
	size := max(16, len(old.keys)+len(old.keys)/2)
	t.keys, t.numbers = make([]uint64, size), make([]uint32, size)
	for i, hash := range old.keys {
		if hash != 0 {
			at := t.find(hash)
			t.keys[at], t.numbers[at] = hash, old.numbers[i]
		}
	}
}

// forget takes out the hashes with the smallest numbers, those with 1 at least,
// until there are at most most; all of a number go together. It tells whether
// there were more.
func (t *numbered) forget(most int) bool {
	if t.used <= most {
		return false
	}
	for least := uint32(1); t.used > most; least++ {
		old := *t
		*t = numbered{keys: make([]uint64, len(old.keys)), numbers: make([]uint32, len(old.numbers))}
		for i, hash := range old.keys {
			if hash != 0 && old.numbers[i] > least {
				number, _ := t.at(hash)
				*number = old.numbers[i]
			}
		}
	}
	return true
}

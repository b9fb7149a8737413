// Package sketch counts hashes of addresses, and numbers, in a few bits each, where
// an audit of millions has no room for the addresses. What it says of a hash holds for
// all that share it.
package sketch

import (
	"encoding/binary"
	"hash/maphash"
	"iter"
	"math/bits"
	"slices"
)

// seed makes hashes others in each process, so that no site can list addresses
// that meet in one.
var seed = maphash.MakeSeed()

// Hash stands for an address where millions are counted; it is never 0. Of 25
// million addresses any two share one with a chance of 1 in 60,000.
func Hash(a string) uint64 { return max(1, maphash.String(seed, a)) }

// HashBytes is Hash of an address that is in bytes.
func HashBytes(a []byte) uint64 { return max(1, maphash.Bytes(seed, a)) }

// A Set is a set of numbers from 0 on, in a bit each.
type Set []uint64

// NewSet returns a Set with room for the numbers below n.
func NewSet(n int) Set { return make(Set, n/64+1) }

// Add puts n into the set; it grows as needed.
func (s *Set) Add(n int) {
	for len(*s) <= n/64 {
		*s = append(*s, 0)
	}
	(*s)[n/64] |= 1 << (n % 64)
}

// Has reports whether n is in the set.
func (s Set) Has(n int) bool { return n/64 < len(s) && s[n/64]&(1<<(n%64)) != 0 }

// Len returns how many numbers are in the set.
func (s Set) Len() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// Stretches yields the numbers from <= n < to that are in the set, as stretches
// without a gap.
func (s Set) Stretches(from, to int) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for n := from; n < to; n++ {
			start := n
			for n < to && s.Has(n) {
				n++
			}
			if n > start && !yield(start, n) {
				return
			}
		}
	}
}

// Clusters yields the stretches from <= n < to as one where fewer than gap numbers lie between
// them: all numbers of the set, and some that are not in it.
func (s Set) Clusters(from, to, gap int) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		start, end := 0, 0
		for at, past := range s.Stretches(from, to) {
			if end > 0 && at-end < gap {
				end = past
				continue
			}
			if end > 0 && !yield(start, end) {
				return
			}
			start, end = at, past
		}
		if end > 0 {
			yield(start, end)
		}
	}
}

// slotOf spreads hashes over n slots.
func slotOf(hash uint64, n int) int {
	slot, _ := bits.Mul64(hash, uint64(n))
	return int(slot)
}

// A Bloom sees hashes and then says of most that they came only once: two bits
// for each of its slots, eight slots for each hash that it is made for.
type Bloom struct {
	once, again Set
	slots       int
}

// NewBloom returns a Bloom for about n hashes.
func NewBloom(n int) Bloom {
	slots := 8 * max(n, 8)
	return Bloom{NewSet(slots), NewSet(slots), slots}
}

// IsZero reports whether s is the zero Bloom, which was made for no hash and has none.
func (s *Bloom) IsZero() bool { return s.slots == 0 }

// Add takes note of a hash.
func (s *Bloom) Add(hash uint64) {
	at := slotOf(hash, s.slots)
	if s.once.Has(at) {
		s.again.Add(at)
	}
	s.once.Add(at)
}

// Has reports whether a hash may have come.
func (s *Bloom) Has(hash uint64) bool { return s.slots > 0 && s.once.Has(slotOf(hash, s.slots)) }

// Maybe reports whether a hash may have come more than once.
func (s *Bloom) Maybe(hash uint64) bool { return s.again.Has(slotOf(hash, s.slots)) }

// OnlyMaybe lets go of half of its memory: from here only Maybe is to be called.
func (s *Bloom) OnlyMaybe() { s.once = nil }

// A CountMin counts hashes up to a limit, and may count some too often: a byte for
// each hash that it is made for.
type CountMin struct {
	counts []uint8
	Limit  uint8 // what it counts to; set before the first Add
	full   bool  // a slot has reached the limit
}

// Add counts a hash. room is how many there may be; it counts in the first call.
func (c *CountMin) Add(hash uint64, room int) {
	if c.counts == nil {
		c.counts = make([]uint8, max(room, 8))
	}
	at := &c.counts[slotOf(hash, len(c.counts))]
	if *at < c.Limit {
		*at++
		c.full = c.full || *at == c.Limit
	}
}

// Full reports whether a hash may have come as often as the limit.
func (c *CountMin) Full() bool { return c.full }

// Maybe reports whether a hash may have come as often as the limit.
func (c *CountMin) Maybe(hash uint64) bool {
	return c.full && c.counts[slotOf(hash, len(c.counts))] == c.Limit
}

// Members is a set of hashes of which it is known how many there will be at most, in 7.5
// bytes each. Of 25 million hashes that are not in a set of as many, one is taken for a member with
// a chance of about 1 in 1,000,000.
type Members struct{ slots [][6]byte }

// NewMembers returns a set with room for n hashes: more must not be added.
func NewMembers(n int) Members { return Members{make([][6]byte, n+n/4+1)} }

// Add puts a hash into the set.
func (s *Members) Add(hash uint64) {
	at, mark := s.find(hash)
	s.slots[at] = mark
}

// Has reports whether a hash is in the set.
func (s *Members) Has(hash uint64) bool {
	at, mark := s.find(hash)
	return s.slots[at] == mark
}

// find returns where the mark of a hash is, or where there is room for it.
func (s *Members) find(hash uint64) (at int, mark [6]byte) {
	var low [8]byte
	binary.LittleEndian.PutUint64(low[:], hash)
	mark = [6]byte(low[:6])
	if mark == ([6]byte{}) { // which stands for none
		mark[0] = 1
	}
	at = slotOf(hash, len(s.slots)) // by what is high in the hash
	for s.slots[at] != mark && s.slots[at] != ([6]byte{}) {
		if at++; at == len(s.slots) {
			at = 0
		}
	}
	return at, mark
}

// Numbers gives each of its hashes a number, in 16 to 24 bytes. The zero
// Numbers is ready.
type Numbers struct {
	keys    []uint64
	numbers []uint32
	used    int
}

// At returns the number of a hash, to be read or changed before the next call;
// 0 for a new one. is reports whether it was there.
func (t *Numbers) At(hash uint64) (number *uint32, is bool) {
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

// Len returns how many hashes have a number.
func (t *Numbers) Len() int { return t.used }

// Get returns the number of a hash; ok is false where it is not there.
func (t *Numbers) Get(hash uint64) (number uint32, ok bool) {
	if t.used == 0 {
		return 0, false
	}
	i := t.find(hash)
	return t.numbers[i], t.keys[i] == hash
}

// Any reports whether a hash has a number for which is holds.
func (t *Numbers) Any(is func(number uint32) bool) bool {
	return slices.ContainsFunc(t.numbers, is)
}

// find returns where a hash is, or where there is room for it.
func (t *Numbers) find(hash uint64) int {
	i := slotOf(hash, len(t.keys))
	for t.keys[i] != 0 && t.keys[i] != hash {
		if i++; i == len(t.keys) {
			i = 0
		}
	}
	return i
}

func (t *Numbers) grow() {
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

// Forget takes out the hashes with the smallest numbers, those with 1 at least,
// until there are at most most; all of a number go together. It reports whether
// there were more.
func (t *Numbers) Forget(most int) bool {
	if t.used <= most {
		return false
	}
	for least := uint32(1); t.used > most; least++ {
		old := *t
		*t = Numbers{keys: make([]uint64, len(old.keys)), numbers: make([]uint32, len(old.numbers))}
		for i, hash := range old.keys {
			if hash != 0 && old.numbers[i] > least {
				number, _ := t.At(hash)
				*number = old.numbers[i]
			}
		}
	}
	return true
}

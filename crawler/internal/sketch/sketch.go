// Package sketch stores hashes of addresses, and numbers, in a few bits each, where an audit of
// millions has no room for the addresses. Its answers about a hash hold for all addresses that
// share it.
package sketch

import (
	"hash/maphash"
	"iter"
	"math/bits"
)

// seed makes hashes differ between processes, so that no site can list addresses whose hashes
// collide.
var seed = maphash.MakeSeed()

// Hash returns a hash that stands for an address where millions are counted; it is never 0. Among
// 25 million addresses the chance that any two share a hash is 1 in 60,000.
func Hash(a string) uint64 { return max(1, maphash.String(seed, a)) }

// A Set is a set of non-negative integers, with a bit for each.
type Set []uint64

// NewSet returns a Set with room for the numbers below n.
func NewSet(n int) Set { return make(Set, n/64+1) }

// Add adds n to the set, which grows as needed.
func (s *Set) Add(n int) {
	for len(*s) <= n/64 {
		*s = append(*s, 0)
	}
	(*s)[n/64] |= 1 << (n % 64)
}

// Has reports whether n is in the set.
func (s Set) Has(n int) bool { return n/64 < len(s) && s[n/64]&(1<<(n%64)) != 0 }

// All yields the numbers of a set, in order.
func (s Set) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(64*i + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// Clusters yields the runs of consecutive numbers from <= n < to in the set, each as its first
// number and the one after its last, and joins those with fewer than gap numbers between them: all
// numbers of the set, and some that are not in it.
func (s Set) Clusters(from, to, gap int) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		start, end := 0, 0
		for n := from; n < to; n++ {
			if !s.Has(n) {
				continue
			}
			if end == 0 || n-end >= gap {
				if end > 0 && !yield(start, end) {
					return
				}
				start = n
			}
			end = n + 1
		}
		if end > 0 {
			yield(start, end)
		}
	}
}

// slotOf maps a hash to one of n slots.
func slotOf(hash uint64, n int) int {
	slot, _ := bits.Mul64(hash, uint64(n))
	return int(slot)
}

// A Bloom records hashes and then tells for most of them that they came only once: two bits for
// each of its slots, eight slots for each hash that it is made for.
type Bloom struct{ once, again Set }

// NewBloom returns a Bloom for about n hashes.
func NewBloom(n int) Bloom {
	return Bloom{NewSet(8 * n), NewSet(8 * n)}
}

func (s *Bloom) slot(hash uint64) int { return slotOf(hash, 64*len(s.again)) }

// Add records a hash.
func (s *Bloom) Add(hash uint64) {
	at := s.slot(hash)
	if s.once.Has(at) {
		s.again.Add(at)
	}
	s.once.Add(at)
}

// Maybe reports whether a hash may have been added more than once.
func (s *Bloom) Maybe(hash uint64) bool { return s.again.Has(s.slot(hash)) }

// OnlyMaybe frees half of the memory: afterwards only Maybe may be called.
func (s *Bloom) OnlyMaybe() { s.once = nil }

// Numbers maps hashes to numbers, in 16 to 24 bytes each. The zero Numbers is ready to use.
type Numbers struct {
	keys    []uint64
	numbers []uint32
	used    int
}

// NewNumbers returns Numbers with room for n hashes.
func NewNumbers(n int) Numbers {
	size := 4*n/3 + 16
	return Numbers{keys: make([]uint64, size), numbers: make([]uint32, size)}
}

// At returns a pointer to the number of a hash, 0 for a new hash. It may be read or changed until
// the next call. is reports whether the hash was there.
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

// Get returns the number of a hash; ok is false where it is not there.
func (t *Numbers) Get(hash uint64) (number uint32, ok bool) {
	if t.used == 0 {
		return 0, false
	}
	i := t.find(hash)
	return t.numbers[i], t.keys[i] == hash
}

// find returns the index of a hash, or of a free slot for it.
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
	*t = NewNumbers(max(1, len(old.keys)))
	t.used = old.used
	for i, hash := range old.keys {
		if hash != 0 {
			at := t.find(hash)
			t.keys[at], t.numbers[at] = hash, old.numbers[i]
		}
	}
}

package crawler

import (
	"iter"
	"math/bits"
)

// numbers is a set of entry numbers, one bit each.
type numbers []uint64

// allNumbers returns the set of the numbers below n.
func allNumbers(n int) numbers {
	s := make(numbers, (n+63)/64)
	for i := range s {
		s[i] = ^uint64(0)
	}
	if n%64 > 0 {
		s[len(s)-1] = 1<<(n%64) - 1
	}
	return s
}

// noNumbers returns an empty set with room for the numbers below n.
func noNumbers(n int) numbers { return make(numbers, (n+63)/64) }

func (s numbers) has(n int) bool { return s[n/64]&(1<<(n%64)) != 0 }
func (s numbers) add(n int)      { s[n/64] |= 1 << (n % 64) }
func (s numbers) remove(n int)   { s[n/64] &^= 1 << (n % 64) }

// next returns the least number of the set that is at least n; -1 for none.
func (s numbers) next(n int) int {
	for i := n / 64; i < len(s); i++ {
		w := s[i]
		if i == n/64 {
			w &= ^uint64(0) << (n % 64)
		}
		if w != 0 {
			return i*64 + bits.TrailingZeros64(w)
		}
	}
	return -1
}

// readOn is how many entries are read and ignored rather than skipped by another seek.
const readOn = 16

// stretches yields the runs of entries to read for the numbers of the set, in order. A run includes
// other entries where reading these costs less than seeking. Numbers may be removed from the set
// during the iteration.
func (s numbers) stretches() iter.Seq[run] {
	return func(yield func(run) bool) {
		for from := s.next(0); from >= 0; {
			to, next := from+1, s.next(from+1)
			for next >= 0 && next-to <= readOn {
				to, next = next+1, s.next(next+1)
			}
			if !yield(run{from, to}) {
				return
			}
			from = next
		}
	}
}

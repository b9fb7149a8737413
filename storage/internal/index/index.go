// Package index finds the latest answer to a request by a hash, in 10 to 15 bytes a request.
package index

import (
	"errors"
	"hash/maphash"
	"math"

	"sitemend/crawler/audit"
)

// A Table finds the number of a request's latest hop. It keeps no address: a slot has 32 bits of
// the request's hash and the hop's number, and the caller compares the record. It takes 10 to 15
// bytes a request.
//
// The hash is seeded anew for each table, so that a site cannot list addresses that all collide in
// one slot. A Table is not safe for concurrent writing.
type Table struct {
	seed   maphash.Seed
	shards [shards]shard
	// aside has a bit for each hash of an answer for a purpose other than AsRobot: few of these are
	// kept, but many are looked up.
	aside [asideBits / 64]uint64
	// Sent counts the requests for all hops, Second those of them for second spellings.
	Sent, Second int
}

// Shards grow one by one, so that there are never two whole tables in memory.
const shards = 256

// asideBits is a power of two. With a tenth as many answers aside, nine of ten look-ups of missing
// ones end at its bit.
const asideBits = 1 << 16

// A shard is an open-addressed table with linear probing; the place of a slot follows from its tag,
// so that the shard can grow without the addresses.
type shard struct {
	slots []slot
	used  int
}

type slot struct {
	tag    uint32
	number uint32 // of the hop, plus one; 0 is an empty slot
}

// MaxHops is the largest number of hops of an audit.
const MaxHops = math.MaxUint32 - 1

// ErrFull is the error where an audit has MaxHops answers.
var ErrFull = errors.New("an audit holds at most 4,294,967,294 answers")

// New returns an empty Table.
func New() *Table { return &Table{seed: maphash.MakeSeed()} }

// Hash returns the hash of r under the table's seed.
func (t *Table) Hash(r audit.Request) uint64 {
	// The multiplier is odd and mixes all bits, so that purposes get different hashes.
	return maphash.String(t.seed, r.URL) ^ uint64(r.Purpose)*0x9e3779b97f4a7c15
}

// HashBytes is Hash for a request with the address url.
func (t *Table) HashBytes(url []byte, as audit.Purpose) uint64 {
	return maphash.Bytes(t.seed, url) ^ uint64(as)*0x9e3779b97f4a7c15
}

// MayHave reports whether an answer to r, with this hash, may be in the table. It is faster than
// Find, and always true for requests as the audit's own crawler.
func (t *Table) MayHave(r audit.Request, hash uint64) bool {
	return r.Purpose == audit.AsRobot || t.aside[hash%asideBits/64]&(1<<(hash%64)) != 0
}

// Find returns the number of the hop with this hash for which same returns true.
func (t *Table) Find(hash uint64, same func(number uint32) bool) (uint32, bool) {
	s := &t.shards[hash>>56]
	if i, ok := s.find(uint32(hash), same); ok {
		return s.slots[i].number - 1, true
	}
	return 0, false
}

// Set sets the hop of this hash to number. It replaces the hop for which same returns true, if
// there is one.
func (t *Table) Set(hash uint64, number uint32, same func(number uint32) bool) {
	s := &t.shards[hash>>56]
	if i, ok := s.find(uint32(hash), same); ok {
		s.slots[i].number = number + 1
		return
	}
	t.Add(hash, number)
}

// Add sets the hop of this hash to number, where Find finds none.
func (t *Table) Add(hash uint64, number uint32) {
	s := &t.shards[hash>>56]
	if s.used*8 >= len(s.slots)*7 {
		s.grow()
	}
	s.insert(slot{uint32(hash), number + 1})
	s.used++
}

func (s *shard) find(tag uint32, same func(uint32) bool) (int, bool) {
	if len(s.slots) == 0 {
		return 0, false
	}
	for i := s.home(tag); s.slots[i].number != 0; i = s.next(i) {
		if s.slots[i].tag == tag && same(s.slots[i].number-1) {
			return i, true
		}
	}
	return 0, false
}

func (s *shard) insert(new slot) {
	i := s.home(new.tag)
	for s.slots[i].number != 0 {
		i = s.next(i)
	}
	s.slots[i] = new
}

// home distributes the tags evenly over the slots, whatever their number.
func (s *shard) home(tag uint32) int { return int(uint64(tag) * uint64(len(s.slots)) >> 32) }

func (s *shard) next(i int) int {
	if i++; i < len(s.slots) {
		return i
	}
	return 0
}

// grow makes the shard half as large again. With at most 7/8 of the slots used it takes 9.1 to 13.7
// bytes a request.
func (s *shard) grow() {
	old := s.slots
	s.slots = make([]slot, max(8, len(old)+len(old)/2))
	for _, o := range old {
		if o.number != 0 {
			s.insert(o)
		}
	}
}

// Count adds the requests of an answer with this hash, and sets its bit for MayHave.
func (t *Table) Count(h *audit.Hop, hash uint64) {
	if h.Purpose != audit.AsRobot {
		t.aside[hash%asideBits/64] |= 1 << (hash % 64)
	}
	sent := h.Sent()
	if t.Sent += sent; h.AltSpelling {
		t.Second += sent
	}
}

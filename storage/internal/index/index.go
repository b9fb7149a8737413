// Package index finds the latest answer to a request by a hash, in 10 to 15 bytes a request.
package index

import (
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
	shards [256]shard // they grow one by one, so that there are never two whole tables in memory
	Sent   int        // counts the requests for all hops
}

// A shard is an open-addressed table with linear probing; the place of a slot follows from its tag,
// so that the shard can grow without the addresses. A slot is a tag above a number plus one, and 0
// where it is empty.
type shard struct {
	slots []uint64
	used  int
}

// MaxHops is the largest number of hops of an audit.
const MaxHops = math.MaxUint32 - 1

// New returns an empty Table.
func New() *Table { return &Table{seed: maphash.MakeSeed()} }

// Hash returns the hash of a request under the table's seed.
func (t *Table) Hash(url string, as audit.Purpose) uint64 {
	return mix(maphash.String(t.seed, url), as)
}

// HashBytes is Hash for an address as bytes.
func (t *Table) HashBytes(url []byte, as audit.Purpose) uint64 {
	return mix(maphash.Bytes(t.seed, url), as)
}

// mix gives purposes different hashes: the multiplier is odd and mixes all bits.
func mix(hash uint64, as audit.Purpose) uint64 { return hash ^ uint64(as)*0x9e3779b97f4a7c15 }

// Find reports whether there is a hop with this hash for which same returns true.
func (t *Table) Find(hash uint64, same func(number uint32) bool) bool {
	s := &t.shards[hash>>56]
	return len(s.slots) > 0 && *s.find(uint32(hash), same) != 0
}

// Set sets the hop of this hash to number. It replaces the hop for which same returns true, if
// there is one.
func (t *Table) Set(hash uint64, number uint32, same func(number uint32) bool) {
	s := &t.shards[hash>>56]
	if s.used*8 >= len(s.slots)*7 {
		s.grow()
	}
	at := s.find(uint32(hash), same)
	if *at == 0 {
		s.used++
	}
	*at = uint64(uint32(hash))<<32 | uint64(number+1)
}

// find returns the slot of a tag for whose number same returns true, or else the empty one for it.
func (s *shard) find(tag uint32, same func(uint32) bool) *uint64 {
	i := int(uint64(tag) * uint64(len(s.slots)) >> 32) // even, whatever their number
	for {
		at := &s.slots[i]
		if *at == 0 || uint32(*at>>32) == tag && same(uint32(*at)-1) {
			return at
		}
		if i++; i == len(s.slots) {
			i = 0
		}
	}
}

// grow makes the shard half as large again. With at most 7/8 of the slots used it takes 9.1 to 13.7
// bytes a request.
func (s *shard) grow() {
	old := s.slots
	s.slots = make([]uint64, max(8, len(old)+len(old)/2))
	for _, slot := range old {
		if slot != 0 {
			*s.find(uint32(slot>>32), func(uint32) bool { return false }) = slot
		}
	}
}

package audit

import (
	"cmp"
	"iter"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// Of each kind of edit, those of one verdict on one pair of hosts, the first varyFirst are asked for
// other readers, and varySpread from anywhere among the others: those whose addresses have the
// smallest hashes, so that an audit that is continued asks for the same ones. What varies may be a
// part of a site alone, and the part that a sitemap lists first may be another. Of a pair of hosts
// where one of these varies all are asked.
const (
	varyFirst  = 3
	varySpread = 7
)

// A reading is what is asked for other readers of what an entry is edited for.
type reading struct {
	requests []Request
	entry    Entry
	action   Action
	at       string // Row.readAt
}

// A readKind is a kind of edit.
type readKind struct {
	at      string // Row.readAt
	verdict Verdict
}

// readings are those that are asked for. Adding one again changes nothing.
type readings struct {
	samples map[readKind]*readSample
	order   []*readSample // in the order in which their kinds came
	certain []reading     // not of a sample
	seen    map[Request]bool
}

func newReadings() readings {
	return readings{samples: map[readKind]*readSample{}, seen: map[Request]bool{}}
}

// add takes a reading of a kind: into its sample, unless it is to be asked for in any case.
func (rs *readings) add(x reading, kind readKind, certain bool) {
	if certain {
		if first := x.requests[0]; !rs.seen[first] {
			rs.seen[first] = true
			rs.certain = append(rs.certain, x)
		}
		return
	}
	s := rs.samples[kind]
	if s == nil {
		s = new(readSample)
		rs.samples[kind] = s
		rs.order = append(rs.order, s)
	}
	s.add(x)
}

// all yields all readings; one may come twice.
func (rs *readings) all() iter.Seq[reading] {
	return func(yield func(reading) bool) {
		for _, s := range rs.order {
			for _, x := range s.first {
				if !yield(x) {
					return
				}
			}
			for _, x := range s.spread {
				if !yield(x.reading) {
					return
				}
			}
		}
		for _, x := range rs.certain {
			if !yield(x) {
				return
			}
		}
	}
}

// A readSample is the readings of a kind that are asked for.
type readSample struct {
	first  []reading
	spread []hashed // by hash
}

type hashed struct {
	hash uint64
	reading
}

func (s *readSample) add(x reading) {
	at := x.requests[0]
	if slices.ContainsFunc(s.first, func(y reading) bool { return y.requests[0] == at }) {
		return
	}
	if len(s.first) < varyFirst {
		s.first = append(s.first, x)
		return
	}
	hash := xxhash.Sum64String(at.URL)
	i, again := slices.BinarySearchFunc(s.spread, hash, func(y hashed, h uint64) int { return cmp.Compare(y.hash, h) })
	if again || i == varySpread {
		return
	}
	if len(s.spread) == varySpread {
		s.spread = s.spread[:varySpread-1]
	}
	s.spread = slices.Insert(s.spread, i, hashed{hash, x})
}

package audit

import (
	"cmp"
	"iter"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// A sampled is what is to be asked for: of each kind the first ones, and some from anywhere among
// the others, those whose addresses have the smallest hashes, so that an audit that is continued
// asks for the same ones; and whatever is to be asked for in any case. What is wrong may be so in a
// part of a site alone, and the part that a sitemap lists first may be another. Adding one again
// changes nothing.
type sampled[K comparable, T any] struct {
	first, spread int // how many of each kind
	kinds         map[K]*kindSample[T]
	order         []*kindSample[T] // in the order in which their kinds came
	certain       []T              // what is asked for in any case
	seen          map[Request]bool
}

func newSampled[K comparable, T any](first, spread int) sampled[K, T] {
	return sampled[K, T]{first: first, spread: spread, kinds: map[K]*kindSample[T]{}, seen: map[Request]bool{}}
}

// add takes x, which at stands for: into the sample of its kind, unless it is certain.
func (s *sampled[K, T]) add(kind K, at Request, x T, certain bool) {
	if certain {
		if !s.seen[at] {
			s.seen[at] = true
			s.certain = append(s.certain, x)
		}
		return
	}
	of := s.kinds[kind]
	if of == nil {
		of = new(kindSample[T])
		s.kinds[kind] = of
		s.order = append(s.order, of)
	}
	of.add(picked[T]{at, xxhash.Sum64String(at.URL), x}, s.first, s.spread)
}

// all yields all, each once.
func (s *sampled[K, T]) all() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, of := range s.order {
			for _, from := range [][]picked[T]{of.first, of.others} {
				for _, p := range from {
					if !s.seen[p.at] && !yield(p.x) {
						return
					}
				}
			}
		}
		for _, x := range s.certain {
			if !yield(x) {
				return
			}
		}
	}
}

// A kindSample is what is to be asked for of one kind.
type kindSample[T any] struct {
	first, others []picked[T] // others are in the order of their hashes
}

type picked[T any] struct {
	at   Request
	hash uint64 // of at
	x    T
}

func (s *kindSample[T]) add(p picked[T], first, spread int) {
	if slices.ContainsFunc(s.first, func(q picked[T]) bool { return q.at == p.at }) {
		return
	}
	if len(s.first) < first {
		s.first = append(s.first, p)
		return
	}
	i, again := slices.BinarySearchFunc(s.others, p.hash, func(q picked[T], h uint64) int { return cmp.Compare(q.hash, h) })
	if again || i == spread {
		return
	}
	s.others = slices.Insert(s.others[:min(len(s.others), spread-1)], i, p)
}

package expect

import (
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// Patterns are the pairs of a map with * at the end of the old address. The zero Patterns are
// empty. Their memory grows with the number of pairs.
type Patterns struct {
	pairs   []Pair
	at      map[string]int // the index of the first pair with a beginning
	lengths []int          // lengths of beginnings, sorted
}

// Add appends a pair with Wild. Of two with the same beginning the first one counts.
func (p *Patterns) Add(x Pair) {
	if p.at == nil {
		p.at = map[string]int{}
	}
	old := x.Old.String()
	if _, known := p.at[old]; known {
		return
	}
	p.at[old] = len(p.pairs)
	p.pairs = append(p.pairs, x)
	if at, known := slices.BinarySearch(p.lengths, len(old)); !known {
		p.lengths = slices.Insert(p.lengths, at, len(old))
	}
}

// Match returns the first pair that applies to an address, as a pair of that address, and its
// index; ok is false where there is none. A pair does not apply to an address that it may itself
// lead to: one that matches both its old and its new address.
func (p *Patterns) Match(a address.Address) (x Pair, at int, ok bool) {
	wire, best := a.String(), -1
	for _, n := range p.lengths {
		if n > len(wire) {
			break
		}
		if i, known := p.at[wire[:n]]; known && (best < 0 || i < best) && !p.pairs[i].leadsTo(wire) {
			best = i
		}
	}
	if best < 0 {
		return x, 0, false
	}
	x = p.pairs[best].of(wire)
	return x, best, !x.To.IsZero() || p.pairs[best].To.IsZero()
}

// leadsTo reports whether an address looks like one that the pair leads to.
func (x *Pair) leadsTo(wire string) bool {
	before, after, has := strings.Cut(x.To.String(), splat)
	if !has {
		return before == wire
	}
	return strings.HasPrefix(before, x.Old.String()) && len(before)+len(after) <= len(wire) &&
		strings.HasPrefix(wire, before) && strings.HasSuffix(wire, after)
}

// of returns the pair for one address: the splat is the text after the beginning.
func (x *Pair) of(wire string) Pair {
	rest := wire[len(x.Old.String()):]
	out := Pair{Line: x.Line, Old: address.Wire(wire)}
	if !x.To.IsZero() {
		// Where this does not parse, the map names no valid address, and To is zero.
		out.To, _ = address.Parse(strings.ReplaceAll(x.To.String(), splat, rest))
	}
	return out
}

package expect

import (
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// Patterns are the pairs of a map with * at the end of the old address. The zero Patterns
// have none. What they hold grows with them.
type Patterns struct {
	pairs   []Pair
	at      map[string]int // the first pair by its beginning
	lengths []int          // of beginnings, sorted
}

// Add adds a pair with Wild, which stands behind those before it. Of two that begin alike
// the first counts.
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

// Len returns how many there are.
func (p *Patterns) Len() int { return len(p.pairs) }

// Match returns the first pair that an address falls under, with where it must lead, and
// its place among them; ok is false where there is none. What a pair itself leads to, an
// address with its own beginning that its new address has, too, does not fall under it.
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

// of is the pair of one address: the splat is what follows the beginning, its query aside
// where the beginning has none.
func (x *Pair) of(wire string) Pair {
	rest := wire[len(x.Old.String()):]
	if _, query := x.Old.Query(); !query {
		rest, _, _ = strings.Cut(rest, "?")
	}
	out := Pair{Line: x.Line, Old: address.Wire(wire)}
	if !x.To.IsZero() {
		// What does not parse is no address of the map's.
		out.To, _ = address.Parse(strings.ReplaceAll(x.To.String(), splat, rest))
	}
	return out
}

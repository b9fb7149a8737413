package write

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// A Pair is a rule to write: Source redirects to Target, on the host of the plan.
type Pair struct {
	Source string // path and query in wire form, as /a%28b?c=d
	Target string // the same, possibly with a fragment; or an absolute address
	N      int    // the caller's number; of equal pairs the first counts
}

// A Note is the reason why a pair is left out.
type Note string

// The notes.
const (
	Spelling      Note = "spelling"       // the format does not compare byte for byte
	SourceQuery   Note = "source-query"   // it cannot express the query of the source
	SourceLiteral Note = "source-literal" // it cannot express the source
	TargetLiteral Note = "target-literal" // it cannot express the target
	Limit         Note = "limit"          // it accepts no more rules, or none that long
	Shadowed      Note = "shadowed"       // the host answers before its rules apply
	Loops         Note = "loops"          // it would lead to itself, maybe through other rules
	Conflict      Note = "conflict"       // the source has two final targets
)

// A Left is a pair that is left out. Other is the address that its rule would match as well, or
// lead back to; "" for none.
type Left struct {
	Pair
	Note  Note
	Other string
}

// Options are what a plan depends on besides its pairs.
type Options struct {
	Host   string // the host of the rules; with a port where it is not the default one
	Status int    // 301 or 308
	// Keep yields the targets (path and query) that no rule of another source may match: those that
	// are listed and fine, and those that redirect and are to have no rule. Nil for none.
	Keep iter.Seq[string]
}

// A Plan is the rules to write, sorted by source, and the pairs that are left out.
type Plan struct {
	Format *Format
	Host   string
	Status int
	Pairs  []Pair
	Left   []Left

	lines []int32 // the line on which each rule begins in the written file

	// exact are the pairs whose source nginx would confuse with another address when it ignores
	// case; nil where no key ignores case.
	exact map[int]string
	seen  map[string]int // lighttpd: how many expressions are equal when case is ignored
}

// Plan makes rules from pairs. It collapses chains: in the result no target is a source, compared
// as the format compares. It takes over the slice.
func (f *Format) Plan(pairs []Pair, o Options) *Plan {
	p := &Plan{Format: f, Host: o.Host, Status: o.Status, Pairs: pairs}
	p.unite()
	p.collapse()
	p.leave(func(i int) (Note, string) { return f.refuses(p, &p.Pairs[i]), "" })
	if f.key != nil {
		others := p.confused(f.key, o.Keep, true)
		p.leave(func(i int) (Note, string) {
			switch other := others[i]; {
			case other == "":
				return "", ""
			case octetPath(other) == octetPath(p.Pairs[i].Source):
				return SourceQuery, other
			default:
				return Spelling, other
			}
		})
	}
	rules, size := 0, 0
	p.leave(func(i int) (Note, string) {
		if f.Size > 0 {
			size += len(p.row(i)) + len("\n")
		}
		if rules++; f.Limit > 0 && rules > f.Limit || size > f.Size {
			return Limit, ""
		}
		return "", ""
	})
	if f.Name == "nginx" && len(p.Pairs) > nginxExact {
		p.exact = p.confused(strings.ToLower, o.Keep, false)
	}
	slices.SortStableFunc(p.Left, func(a, b Left) int { return strings.Compare(a.Source, b.Source) })
	return p
}

// leave leaves out the pairs for which note returns a reason.
func (p *Plan) leave(note func(i int) (Note, string)) {
	i := -1
	p.Pairs = slices.DeleteFunc(p.Pairs, func(x Pair) bool {
		i++
		n, other := note(i)
		if n != "" {
			p.Left = append(p.Left, Left{x, n, other})
		}
		return n != ""
	})
}

// unite sorts the pairs and merges equal ones, of which one with an absolute target counts. It leaves
// out a source with two final targets.
func (p *Plan) unite() {
	path := func(x Pair) int { return strings.Count(x.Target[:min(1, len(x.Target))], "/") } // 0 for an absolute one
	slices.SortFunc(p.Pairs, func(a, b Pair) int {
		return cmp.Or(strings.Compare(a.Source, b.Source), path(a)-path(b), cmp.Compare(a.N, b.N))
	})
	out := p.Pairs[:0]
	for i, j := 0, 0; i < len(p.Pairs); i = j {
		first, same := p.Pairs[i], true
		for j = i + 1; j < len(p.Pairs) && p.Pairs[j].Source == first.Source; j++ {
			same = same && p.SameEnd(p.Pairs[j].Target, first.Target)
		}
		if same {
			out = append(out, first)
			continue
		}
		for _, x := range p.Pairs[i:j] {
			p.Left = append(p.Left, Left{x, Conflict, ""})
		}
	}
	clear(p.Pairs[len(out):])
	p.Pairs = out
}

// SameEnd reports whether two targets are the same: byte for byte, except that one may name the
// host of the rules and the other not.
func (p *Plan) SameEnd(a, b string) bool {
	x, own := p.Own(a)
	y, also := p.Own(b)
	_, f, _ := strings.Cut(a, "#")
	_, g, _ := strings.Cut(b, "#")
	return a == b || own && also && x == y && f == g
}

// Own returns the path and query of a target that is on the host of the rules, without a fragment;
// false where it is on another host.
func (p *Plan) Own(target string) (string, bool) {
	target, _, _ = strings.Cut(target, "#")
	if strings.HasPrefix(target, "/") {
		return target, !strings.HasPrefix(target, "//")
	}
	_, rest, _ := strings.Cut(target, "://")
	if p.Host == "" || !strings.HasPrefix(rest, p.Host) {
		return "", false
	}
	rest = rest[len(p.Host):]
	switch {
	case rest == "":
		return "/", true
	case rest[0] == '?':
		return "/" + rest, true
	}
	return rest, rest[0] == '/'
}

// The states of a pair while chains are followed.
const (
	unseen = iota
	onWay
	settled
	looping
)

// collapse leads each source to the end of its chain. It leaves out pairs that lead back to
// themselves, or to such a pair.
func (p *Plan) collapse() {
	state := make([]uint8, len(p.Pairs))
	var way []int
	for i := range p.Pairs {
		way = way[:0]
		at := i
		for at >= 0 && state[at] == unseen {
			state[at] = onWay
			way = append(way, at)
			own, ok := p.Own(p.Pairs[at].Target)
			next, known := slices.BinarySearchFunc(p.Pairs, own, func(x Pair, source string) int { return strings.Compare(x.Source, source) })
			if at = -1; ok && known {
				at = next
			}
		}
		end := uint8(settled)
		if at >= 0 && state[at] != settled {
			end = looping
		}
		for _, n := range slices.Backward(way) {
			state[n] = end
			if end == settled && at >= 0 {
				p.Pairs[n].Target = p.Pairs[at].Target
			}
			at = n
		}
	}
	p.leave(func(i int) (Note, string) {
		if state[i] == looping {
			return Loops, ""
		}
		return "", ""
	})
}

// confused returns the pairs whose source a key does not distinguish from another address: another
// source, a target, or an address to keep. A source that is left out counts, too: another rule must
// not answer it with its own target. With alike, sources that all have one target stand for one
// another.
func (p *Plan) confused(key func(string) string, keep iter.Seq[string], alike bool) map[int]string {
	known := func(n int) *Pair {
		if i := n - len(p.Pairs); i >= 0 {
			return &p.Left[i].Pair
		}
		return &p.Pairs[n]
	}
	keyed := map[string][]int{}
	for n := range len(p.Pairs) + len(p.Left) {
		k := key(known(n).Source)
		keyed[k] = append(keyed[k], n)
	}
	found := map[int]string{}
	mark := func(n int, other string) {
		if n < len(p.Pairs) && found[n] == "" {
			found[n] = other
		}
	}
	for _, same := range keyed {
		first, others := same[0], same[1:]
		if alike && !slices.ContainsFunc(others, func(n int) bool { return known(n).Target != known(first).Target }) {
			continue
		}
		for _, n := range others {
			mark(first, known(n).Source)
			mark(n, known(first).Source)
		}
	}
	look := func(target string) {
		for _, n := range keyed[key(target)] {
			if known(n).Source != target {
				mark(n, target)
			}
		}
	}
	for i := range p.Pairs {
		if own, ok := p.Own(p.Pairs[i].Target); ok {
			look(own)
		}
	}
	if keep != nil {
		for target := range keep {
			look(target)
		}
	}
	return found
}

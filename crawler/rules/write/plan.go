package write

import (
	"cmp"
	"iter"
	"slices"
	"sort"
	"strings"

	"github.com/cespare/xxhash/v2"
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

	// taken are the sorted hashes of all that may be requested from nginx, ignoring case: sources,
	// those left out as well, targets and what is kept.
	taken []uint64
	// mixed are the sorted hashes of the caselessForm of sources that have several final targets.
	mixed []uint64
}

// Plan makes rules from pairs. It collapses chains: in the result no target is a source, compared
// as the format compares. It takes over the slice.
func (f *Format) Plan(pairs []Pair, o Options) *Plan {
	p := &Plan{Format: f, Host: o.Host, Status: o.Status, Pairs: pairs}
	p.unite()
	p.collapse()
	p.filter(func(x *Pair) (Note, string) { return f.refuses(p, x), "" })
	p.compare(o.Keep)
	if f.Limit > 0 && len(p.Pairs) > f.Limit {
		for _, x := range p.Pairs[f.Limit:] {
			p.Left = append(p.Left, Left{x, Limit, ""})
		}
		p.Pairs = p.Pairs[:f.Limit]
	}
	if f.size != nil {
		p.fit()
	}
	if f.Name == "nginx" && len(p.Pairs) > nginxExact {
		p.mix()
		p.take(o.Keep)
	}
	slices.SortStableFunc(
		p.Left,
		func(a, b Left) int { return strings.Compare(a.Source, b.Source) },
	)
	return p
}

// filter leaves out the pairs for which note returns a reason.
func (p *Plan) filter(note func(*Pair) (Note, string)) {
	p.Pairs = slices.DeleteFunc(p.Pairs, func(x Pair) bool {
		n, other := note(&x)
		if n != "" {
			p.Left = append(p.Left, Left{x, n, other})
		}
		return n != ""
	})
}

// unite sorts the pairs and merges equal ones. It leaves out a source with two final targets.
func (p *Plan) unite() {
	slices.SortStableFunc(p.Pairs, func(a, b Pair) int {
		return cmp.Or(strings.Compare(a.Source, b.Source), cmp.Compare(a.N, b.N))
	})
	out := p.Pairs[:0]
	for i := 0; i < len(p.Pairs); {
		j := i + 1
		same := true
		for ; j < len(p.Pairs) && p.Pairs[j].Source == p.Pairs[i].Source; j++ {
			same = same && p.SameEnd(p.Pairs[j].Target, p.Pairs[i].Target)
		}
		if same {
			out = append(out, absolute(p.Pairs[i:j]))
		} else {
			for _, x := range p.Pairs[i:j] {
				p.Left = append(p.Left, Left{x, Conflict, ""})
			}
		}
		i = j
	}
	clear(p.Pairs[len(out):])
	p.Pairs = out
}

// absolute returns the first of equal pairs; one whose target has a scheme takes precedence.
func absolute(same []Pair) Pair {
	best := same[0]
	for _, x := range same[1:] {
		if strings.HasPrefix(best.Target, "/") && !strings.HasPrefix(x.Target, "/") {
			best.Target = x.Target
		}
	}
	return best
}

// SameEnd reports whether two targets are the same: byte for byte, except that one may name the
// host of the rules and the other not.
func (p *Plan) SameEnd(a, b string) bool {
	if a == b {
		return true
	}
	x, xOwn := p.Own(a)
	y, yOwn := p.Own(b)
	if !xOwn || !yOwn || x != y {
		return false
	}
	_, f, _ := strings.Cut(a, "#")
	_, g, _ := strings.Cut(b, "#")
	return f == g
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

// find returns the index of the pair with a source; -1 for none.
func (p *Plan) find(source string) int {
	i, ok := sort.Find(
		len(p.Pairs),
		func(i int) int { return strings.Compare(source, p.Pairs[i].Source) },
	)
	if !ok {
		return -1
	}
	return i
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
			if !ok {
				at = -1
				break
			}
			at = p.find(own)
		}
		end := uint8(settled)
		if at >= 0 && state[at] != settled {
			end = looping
		}
		for k := len(way) - 1; k >= 0; k-- {
			n := way[k]
			state[n] = end
			if end == settled && at >= 0 {
				p.Pairs[n].Target = p.Pairs[at].Target
			}
			at = n
		}
	}
	i := -1
	p.filter(func(*Pair) (Note, string) {
		if i++; state[i] == looping {
			return Loops, ""
		}
		return "", ""
	})
}

// keyed is the key of a source, as the format compares.
type keyed struct {
	hash uint64
	n    int32
}

// compare leaves out sources that the format cannot distinguish from another address: their own
// target, another source, a target, or an address to keep. A source that is left out counts, too:
// another rule must not answer it with its own target.
func (p *Plan) compare(keep iter.Seq[string]) {
	if p.Format.key == nil {
		return
	}
	keys := make([]keyed, 0, len(p.Pairs)+len(p.Left))
	bad := map[int32]Left{}
	leave := func(n int32, other string) {
		if _, ok := bad[n]; !ok && int(n) < len(p.Pairs) {
			bad[n] = Left{p.Pairs[n], noteFor(p.Pairs[n].Source, other), other}
		}
	}
	for n := range int32(len(p.Pairs) + len(p.Left)) {
		keys = append(keys, keyed{xxhash.Sum64String(p.Format.key(p.known(n).Source)), n})
	}
	slices.SortFunc(
		keys,
		func(a, b keyed) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.n, b.n)) },
	)
	for i := 0; i < len(keys); {
		j := i + 1
		for j < len(keys) && keys[j].hash == keys[i].hash {
			j++
		}
		p.twins(keys[i:j], leave)
		i = j
	}
	look := func(target string) {
		hash := xxhash.Sum64String(p.Format.key(target))
		i, _ := slices.BinarySearchFunc(
			keys,
			hash,
			func(k keyed, h uint64) int { return cmp.Compare(k.hash, h) },
		)
		for ; i < len(keys) && keys[i].hash == hash; i++ {
			if source := p.known(keys[i].n).Source; source != target && p.Format.canAnswer(source, target) {
				leave(keys[i].n, target)
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
	i := int32(-1)
	p.filter(func(*Pair) (Note, string) {
		i++
		left := bad[i]
		return left.Note, left.Other
	})
}

// known returns the pair n: one of Pairs, or from there on of Left.
func (p *Plan) known(n int32) *Pair {
	if i := int(n) - len(p.Pairs); i >= 0 {
		return &p.Left[i].Pair
	}
	return &p.Pairs[n]
}

// twins handles sources that the format cannot distinguish. Where all have the same target the
// first one stands for all; else none can be written.
func (p *Plan) twins(same []keyed, leave func(n int32, other string)) {
	if p.Format.answers != nil && len(same) <= fewTwins {
		p.few(same, leave)
		return
	}
	for _, k := range same[1:] {
		if p.known(k.n).Target != p.known(same[0].n).Target {
			for _, x := range same {
				other := same[0].n
				if x.n == other {
					other = same[1].n
				}
				leave(x.n, p.known(other).Source)
			}
			return
		}
	}
}

// fewTwins is how many sources with the same key are compared with one another.
const fewTwins = 64

// few is twins for a format that may distinguish sources with the same key by something else.
func (p *Plan) few(same []keyed, leave func(n int32, other string)) {
	for _, k := range same {
		if int(k.n) >= len(p.Pairs) { // it has no rule
			continue
		}
		x := p.known(k.n)
		for _, other := range same {
			y := p.known(other.n)
			if x.Target != y.Target && p.Format.answers(x.Source, y.Source) {
				leave(k.n, y.Source)
				leave(other.n, x.Source)
			}
		}
	}
}

// canAnswer reports whether the rule of a source may answer a target with the same key.
func (f *Format) canAnswer(source, target string) bool {
	return f.answers == nil || f.answers(source, target)
}

// noteFor returns the note for the difference between a source and the address that the format
// confuses it with.
func noteFor(source, other string) Note {
	a, _, _ := strings.Cut(source, "?")
	b, _, _ := strings.Cut(other, "?")
	if a == b {
		return SourceQuery
	}
	return Spelling
}

// fit leaves out the rules that exceed Size.
func (p *Plan) fit() {
	left := p.Format.Size
	p.filter(func(x *Pair) (Note, string) {
		if left -= p.Format.size(x); left < 0 {
			return Limit, ""
		}
		return "", ""
	})
}

// take records what a key of nginx that ignores case could match.
func (p *Plan) take(keep iter.Seq[string]) {
	add := func(target string) { p.taken = append(p.taken, xxhash.Sum64String(strings.ToLower(target))) }
	for i := range p.Pairs {
		add(p.Pairs[i].Source)
		if own, ok := p.Own(p.Pairs[i].Target); ok {
			add(own)
		}
	}
	for i := range p.Left {
		add(p.Left[i].Source)
	}
	if keep != nil {
		for target := range keep {
			add(target)
		}
	}
	slices.Sort(p.taken)
}

// mix records which sources are spellings of one address with different final targets. A key that
// ignores case would match more of those spellings than its own.
func (p *Plan) mix() {
	all := make([]uint64, 0, 2*len(p.Pairs))
	for i := range p.Pairs {
		all = append(all, xxhash.Sum64String(caselessForm(p.Pairs[i].Source)))
	}
	slices.Sort(all)
	ends := map[uint64]string{} // the target of the first of several
	for i := 1; i < len(all); i++ {
		if all[i] == all[i-1] {
			ends[all[i]] = ""
		}
	}
	p.taken = all[:0] // it has the capacity that take needs
	if len(ends) == 0 {
		return
	}
	for i := range p.Pairs {
		hash := xxhash.Sum64String(caselessForm(p.Pairs[i].Source))
		end, several := ends[hash]
		switch target := p.Pairs[i].Target; {
		case !several:
		case end == "":
			ends[hash] = target
		case end != target:
			p.mixed = append(p.mixed, hash)
		}
	}
	slices.Sort(p.mixed)
	p.mixed = slices.Compact(p.mixed)
}

// alone reports whether only the source itself equals it when case is ignored, and no other
// spelling of it has a rule with another target.
func (p *Plan) alone(source string) bool {
	if len(p.mixed) > 0 {
		if _, mixed := slices.BinarySearch(p.mixed, xxhash.Sum64String(caselessForm(source))); mixed {
			return false
		}
	}
	hash := xxhash.Sum64String(strings.ToLower(source))
	i, _ := slices.BinarySearch(p.taken, hash)
	return i+1 >= len(p.taken) || p.taken[i+1] != hash
}

package pattern

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// Limits of the places that are examined.
const (
	maxTotals = 1 << 17 // places whose entries are counted
	maxPlaced = 1 << 16 // places of Fs
	maxPlaces = 5       // places reported for one kind of F
)

// A Place is a set of addresses by their form: "/tag/*", "*.pdf", "*/feed", "?sort=" or
// "shop.example", for example. The cause of findings that are no redirects is a place, where most
// addresses in it have the finding, or many more than elsewhere.
type Place string

// maxPlaceText is how many bytes the name of a place may have: maxPlaced longer names would fill
// the memory, and nobody reads them.
const maxPlaceText = 256

// placesOf calls all with each place that contains a, until all returns false.
func placesOf(a address.Address, all func(kind byte, text string) bool) {
	yield := func(kind byte, text string) bool {
		return len(text) > maxPlaceText || all(kind, text)
	}
	if !yield('h', a.Host()) {
		return
	}
	path := a.Path()
	for i, depth := 1, 0; i < len(path) && depth < 2; i++ {
		if path[i] == '/' {
			if depth++; !yield('d', path[:i+1]) {
				return
			}
		}
	}
	last := strings.TrimSuffix(path, "/")
	last = last[strings.LastIndexByte(last, '/')+1:]
	if ext := extension(last); ext != "" && !yield('e', ext) {
		return
	}
	if len(last) > 0 && len(last) <= 12 && strings.Count(path, "/") > 1 &&
		!strings.ContainsAny(last, "0123456789") && !yield('l', last) {
		return
	}
	q, has := a.Query()
	if !has {
		return
	}
	n := 0
	for field := range strings.SplitSeq(q, "&") {
		if n++; n > 4 || !yield('q', paramName(field)) {
			return
		}
	}
}

// placeText returns the name of a place for people.
func placeText(kind byte, text string) Place {
	switch kind {
	case 'd':
		return Place(text + "*")
	case 'e':
		return Place("*" + text)
	case 'l':
		return Place("*/" + text)
	case 'q':
		return Place("?" + text + "=")
	}
	return Place(text)
}

// Places counts entries and findings by place, and finds the places that say more about a finding
// than its kind F does. The zero Places is ready to use. It holds about ten MB at most.
type Places[F comparable] struct {
	entries int
	totals  sketch.Numbers
	pruned  bool // totals is incomplete
	found   map[F]int
	placed  map[placed[F]]int
	open    map[F][]Place
	of      map[Place]int // entries of the places in open
}

type placed[F comparable] struct {
	finding F
	kind    byte
	text    string
}

func placeID(kind byte, text string) uint64 {
	var buf [256]byte
	return max(1, xxhash.Sum64(append(append(buf[:0], kind), text...)))
}

// See counts an entry; f is nil for an entry without a finding of this kind.
func (p *Places[F]) See(a address.Address, f *F) {
	if p.placed == nil {
		p.found, p.placed = map[F]int{}, map[placed[F]]int{}
	}
	p.entries++
	if f != nil {
		p.found[*f]++
	}
	placesOf(a, func(kind byte, text string) bool {
		n, _ := p.totals.At(placeID(kind, text))
		*n++
		if f != nil {
			key := placed[F]{*f, kind, text}
			if p.placed[key] == 0 {
				key.text = strings.Clone(text)
			}
			p.placed[key]++
		}
		return true
	})
	p.pruned = p.totals.Forget(maxTotals) || p.pruned
	for least := 1; len(p.placed) > maxPlaced; least++ {
		maps.DeleteFunc(p.placed, func(_ placed[F], n int) bool { return n <= least })
	}
}

// significant reports whether n findings of one kind among all entries of a place characterize the
// place.
func (p *Places[F]) significant(f F, n, total int) bool {
	all := p.found[f]
	switch {
	case n < MinMembers || n*10 < all || total*10 > p.entries*9:
		return false
	case n*2 >= total:
		return true
	}
	return float64(n)/float64(total) >= 3*float64(all)/float64(p.entries)
}

// Choose ends the counting and decides which places are reported.
func (p *Places[F]) Choose() {
	type significant struct {
		placed[F]
		n, total int
	}
	var all []significant
	for k, n := range p.placed {
		seen, _ := p.totals.Get(placeID(k.kind, k.text))
		total := max(n, int(seen))
		if p.significant(k.finding, n, total) {
			all = append(all, significant{k, n, total})
		}
	}
	// Cross-multiplied integers would overflow: the third power of millions is more than an int
	// holds.
	weight := func(x *significant) float64 {
		return float64(x.n) * float64(x.n) / float64(x.total)
	}
	slices.SortFunc(all, func(a, b significant) int {
		return cmp.Or(cmp.Compare(weight(&b), weight(&a)), len(b.text)-len(a.text),
			cmp.Compare(a.kind, b.kind), cmp.Compare(a.text, b.text))
	})
	p.open, p.of = map[F][]Place{}, map[Place]int{}
	for _, x := range all {
		place := placeText(x.kind, x.text)
		nested := slices.ContainsFunc(p.open[x.finding], func(o Place) bool {
			a, b := strings.TrimSuffix(string(o), "*"), strings.TrimSuffix(string(place), "*")
			return x.kind == 'd' && o[0] == '/' &&
				(strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
		})
		if nested || len(p.open[x.finding]) >= maxPlaces {
			continue
		}
		p.open[x.finding] = append(p.open[x.finding], place)
		p.of[place] = x.total
	}
	if p.pruned {
		p.of = nil
	}
	p.totals, p.placed, p.found = sketch.Numbers{}, nil, nil
}

// At returns the place of a finding at a; "" for none.
func (p *Places[F]) At(a address.Address, f F) Place {
	open := p.open[f]
	if len(open) == 0 || a.IsZero() {
		return ""
	}
	best := len(open)
	placesOf(a, func(kind byte, text string) bool {
		if i := slices.Index(open, placeText(kind, text)); i >= 0 {
			best = min(best, i)
		}
		return best > 0
	})
	if best == len(open) {
		return ""
	}
	return open[best]
}

// Entries returns how many entries a place that At returned has, with and without a finding; 0
// where that is unknown.
func (p *Places[F]) Entries(at Place) int { return p.of[at] }

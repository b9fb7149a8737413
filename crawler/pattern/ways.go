package pattern

import (
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// Ways counts from where to where addresses lead, whether or not a Rule says how each is
// made of the other: "/blog/* -> /guide/*", "/item.php?id=* -> /items/*". The zero Ways is
// ready. It holds some MB at most.
type Ways struct {
	seen sketch.Numbers
	open map[uint64]bool // seen MinMembers times; maxOpen at most
}

// maxWays bounds the ways that are counted without being open; where they are more, those
// seen least are forgotten.
const maxWays = 1 << 16

// See counts an address that leads to another.
func (w *Ways) See(from, to address.Address) {
	for _, way := range waysOf(from, to) {
		w.count(wayID(way))
	}
	w.seen.Forget(maxWays)
}

func (w *Ways) count(id uint64) {
	if w.open[id] {
		return
	}
	n, _ := w.seen.At(id)
	if *n++; *n < MinMembers || len(w.open) >= maxOpen {
		return
	}
	if w.open == nil {
		w.open = map[uint64]bool{}
	}
	w.open[id] = true
	*n = 0
}

// At returns the way from one address to another, as the Place of its cause: one on which
// MinMembers addresses were seen, else FewMembers; "" where there were fewer, or it says
// nothing.
func (w *Ways) At(from, to address.Address) Place {
	ways := waysOf(from, to)
	for _, way := range ways {
		if w.open[wayID(way)] {
			return Place(way)
		}
	}
	for _, way := range ways {
		if n, _ := w.seen.Get(wayID(way)); n >= FewMembers {
			return Place(way)
		}
	}
	return ""
}

func wayID(way string) uint64 { return max(1, xxhash.Sum64String(way)) }

// waysOf lists the ways from one address to another, the most specific first: the folders
// that both begin with, the first in which they differ, and a file of either side that a
// query tells from others; then the first folders of both; at last the two hosts. None where neither side says anything, or nobody would read it.
func waysOf(from, to address.Address) (ways []string) {
	a, b := from.Path(), to.Path()
	origins := [2]string{}
	if from.Host() != to.Host() {
		origins = [2]string{from.Host(), to.Host()}
	}
	same := 1
	for i := 1; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			same = i + 1
		}
	}
	for _, below := range []int{same, 1} {
		for _, files := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
			x, y := sourceIn(from, below, files[0]), sourceIn(to, below, files[1])
			way := origins[0] + x + " -> " + origins[1] + y
			says := x != "/*" || y != "/*" || origins[0] != ""
			if says && len(way) <= maxPlaceText && !slices.Contains(ways, way) {
				ways = append(ways, way)
			}
		}
	}
	if origins[0] != "" {
		if way := origins[0] + "/* -> " + origins[1] + "/*"; len(way) <= maxPlaceText && !slices.Contains(ways, way) {
			ways = append(ways, way)
		}
	}
	return ways
}

// sourceIn is where an address is below the first bytes of its path: "/blog/*" in a folder,
// where files is set "/item.php?id=*" for a file with a query, else "/*".
func sourceIn(a address.Address, below int, files bool) string {
	path := a.Path()
	below = min(below, len(path))
	if at := strings.IndexByte(path[below:], '/'); at > 0 {
		return path[:below+at+1] + "*"
	}
	if q, has := a.Query(); files && has && strings.Contains(q, "=") {
		return path + "?" + paramName(q) + "=*"
	}
	return path[:below] + "*"
}

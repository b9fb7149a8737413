package pattern

import (
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// Ways counts redirects by their source and target, whether or not a Rule makes one from the other:
// "/blog/* -> /guide/*", "/item.php?id=* -> /items/*". The zero Ways is ready to use. It holds a
// few MB at most.
type Ways struct {
	seen sketch.Numbers
	open map[uint64]bool // seen MinMembers times; maxOpen at most
}

// maxWays limits the ways that are counted without being open; where there are more, those seen
// least are forgotten.
const maxWays = 1 << 16

// See counts a redirect.
func (w *Ways) See(from, to address.Address) {
	l := waysOf(from, to)
	for i := range l.n {
		w.count(l.ids[i])
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

// At returns the way from one address to another, as the Place of its cause: one that MinMembers
// addresses took, else FewMembers; "" where there were fewer, or there is nothing to say.
func (w *Ways) At(from, to address.Address) Place {
	l := waysOf(from, to)
	for i := range l.n {
		if w.open[l.ids[i]] {
			return l.place(i)
		}
	}
	for i := range l.n {
		if n, _ := w.seen.Get(l.ids[i]); n >= FewMembers {
			return l.place(i)
		}
	}
	return ""
}

// Wider returns the way with fewer folders that contains p: from and to the first folder of either
// side, else the host; "" where there is none, and for a Place that is no way.
func (p Place) Wider() Place {
	from, to, is := strings.Cut(string(p), " -> ")
	if !is {
		return ""
	}
	if wider := Place(firstFolder(from) + " -> " + firstFolder(to)); wider != p && wider != "/* -> /*" {
		return wider
	}
	a, b := strings.IndexByte(from, '/'), strings.IndexByte(to, '/')
	if wider := Place(from[:a] + "/* -> " + to[:b] + "/*"); wider != p && wider != "/* -> /*" {
		return wider
	}
	return ""
}

// firstFolder returns a side of a way cut after the first folder: "a.example/shop/*".
func firstFolder(side string) string {
	host := max(0, strings.IndexByte(side, '/'))
	if at := strings.IndexByte(side[host+1:], '/'); at > 0 {
		return side[:host+1+at+1] + "*"
	}
	return side[:host] + "/*"
}

// A wayForm is how much of two addresses a way names: the folders from a byte of the path on, and
// the file of either side whose pages differ by a query; or the hosts only.
type wayForm struct {
	below int
	files [2]bool
	hosts bool
}

// wayList is the ways from one address to another, by number: their text is written only where it
// is needed.
type wayList struct {
	from, to address.Address
	ids      [9]uint64
	forms    [9]wayForm
	n        int
}

func (l *wayList) place(i int) Place { return Place(l.forms[i].appendTo(nil, l.from, l.to)) }

// add adds a way, unless it says nothing, repeats an earlier one, or is too long to be read.
func (l *wayList) add(f wayForm) {
	var room [2 * maxPlaceText]byte
	way := f.appendTo(room[:0], l.from, l.to)
	if len(way) > maxPlaceText || string(way) == "/* -> /*" {
		return
	}
	id := max(1, xxhash.Sum64(way))
	if !slices.Contains(l.ids[:l.n], id) {
		l.ids[l.n], l.forms[l.n] = id, f
		l.n++
	}
}

// waysOf lists the ways from one address to another, the most specific first: the folders that both
// begin with, the first in which they differ, and a file of either side whose pages differ by a
// query; then the first folders of both; finally the two hosts. It leaves out ways of which neither
// side says anything, and those too long to be read.
func waysOf(from, to address.Address) (l wayList) {
	l.from, l.to = from, to
	a, b := from.Path(), to.Path()
	same := 1
	for i := 1; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			same = i + 1
		}
	}
	for _, below := range [2]int{same, 1} {
		for _, files := range [4][2]bool{{true, true}, {true, false}, {false, true},
			{false, false}} {
			l.add(wayForm{below: below, files: files})
		}
	}
	if from.Host() != to.Host() {
		l.add(wayForm{hosts: true})
	}
	return l
}

// appendTo appends the text of the way between two addresses.
func (f wayForm) appendTo(b []byte, from, to address.Address) []byte {
	hosts := from.Host() != to.Host()
	for i, a := range [2]address.Address{from, to} {
		if i == 1 {
			b = append(b, " -> "...)
		}
		if hosts {
			b = append(b, a.Host()...)
		}
		if f.hosts {
			b = append(b, "/*"...)
			continue
		}
		b = appendSource(b, a, f.below, f.files[i])
	}
	return b
}

// sourceIn returns where an address is below the first bytes of its path: "/blog/*" in a folder,
// "/item.php?id=*" for a file with a query where files is set, else "/*".
func sourceIn(a address.Address, below int, files bool) string {
	return string(appendSource(nil, a, below, files))
}

// appendSource appends what sourceIn returns.
func appendSource(b []byte, a address.Address, below int, files bool) []byte {
	path := a.Path()
	below = min(below, len(path))
	if at := strings.IndexByte(path[below:], '/'); at > 0 {
		return append(append(b, path[:below+at+1]...), '*')
	}
	if q, has := a.Query(); files && has && strings.Contains(q, "=") {
		return append(append(append(append(b, path...), '?'), paramName(q)...), "=*"...)
	}
	return append(append(b, path[:below]...), '*')
}

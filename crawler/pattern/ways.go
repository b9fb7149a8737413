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

// At returns the way from one address to another, as the Place of its cause: one on which
// MinMembers addresses were seen, else FewMembers; "" where there were fewer, or it says
// nothing.
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

// Wider returns the way of fewer folders on which p lies: from and to the first folder of either
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

// firstFolder returns a side of a way with no more than the first folder: "a.example/shop/*".
func firstFolder(side string) string {
	host := max(0, strings.IndexByte(side, '/'))
	if at := strings.IndexByte(side[host+1:], '/'); at > 0 {
		return side[:host+1+at+1] + "*"
	}
	return side[:host] + "/*"
}

// A wayForm is how much a way says of two addresses: the folders from a byte of the path
// on, the file of either side that a query tells from others; or no more than the hosts.
type wayForm struct {
	below int
	files [2]bool
	hosts bool
}

// wayList is the ways from one address to another, by their numbers: their text is written
// where one is wanted.
type wayList struct {
	from, to address.Address
	ids      [9]uint64
	forms    [9]wayForm
	n        int
}

func (l *wayList) place(i int) Place { return Place(l.forms[i].appendTo(nil, l.from, l.to)) }

// add adds a way, unless it says nothing, what another said before, or more than anybody reads.
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

// waysOf lists the ways from one address to another, the most specific first: the folders
// that both begin with, the first in which they differ, and a file of either side that a
// query tells from others; then the first folders of both; at last the two hosts. None where
// neither side says anything, or nobody would read it.
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

// appendTo writes the way of two addresses.
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

// sourceIn is where an address is below the first bytes of its path: "/blog/*" in a folder,
// where files is set "/item.php?id=*" for a file with a query, else "/*".
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

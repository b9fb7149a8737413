package address

// minRun is how many bytes a common run within two texts must have to be shown: shorter ones are
// coincidences that clutter the result.
const minRun = 4

// A spot is a byte of a text, and the index where its spelling begins.
type spot struct {
	value byte
	start int
}

// spots returns the bytes of s[x.start:x.end], and one more for the end.
func spots(s string, x span) []spot {
	list := make([]spot, 0, x.end-x.start+1)
	for i := x.start; i < x.end; {
		t := tokenAt(s[:x.end], i)
		list = append(list, spot{t.value, i})
		i += int(t.len)
	}
	return append(list, spot{start: x.end})
}

// text aligns two stretches byte by byte.
func (l *aligner) text(x, y span) {
	if l.from[x.start:x.end] == l.to[y.start:y.end] {
		l.add(Same, y.start, y.end)
		return
	}
	l.bytes(spots(l.from, x), spots(l.to, y))
}

// bytes aligns two stretches: common beginning, common end, and in between
// around the longest common run. The last spot of each is its end.
func (l *aligner) bytes(x, y []spot) {
	nx, ny := len(x)-1, len(y)-1
	n := 0
	for n < nx && n < ny && x[n].value == y[n].value {
		n++
	}
	l.same(x[:n+1], y[:n+1])
	m := 0
	for m < nx-n && m < ny-n && x[nx-1-m].value == y[ny-1-m].value {
		m++
	}
	l.inner(x[n:nx-m+1], y[n:ny-m+1])
	l.same(x[nx-m:], y[ny-m:])
}

// inner aligns texts with neither a common beginning nor a common end.
func (l *aligner) inner(x, y []spot) {
	nx, ny := len(x)-1, len(y)-1
	if nx >= minRun && ny >= minRun && nx*ny <= l.budget {
		l.budget -= nx * ny
		if i, j, n := longestRun(x[:nx], y[:ny]); n >= minRun {
			l.bytes(x[:i+1], y[:j+1])
			l.same(x[i:i+n+1], y[j:j+n+1])
			l.bytes(x[i+n:], y[j+n:])
			return
		}
	}
	l.replace(span{x[0].start, x[nx].start}, span{y[0].start, y[ny].start})
}

// longestRun returns where the longest run of common bytes begins in x and y, and its length; the
// first one of several.
func longestRun(x, y []spot) (i, j, n int) {
	ends := make([]int, len(y)+1)
	for a := range x {
		for b := len(y) - 1; b >= 0; b-- {
			if x[a].value != y[b].value {
				ends[b+1] = 0
				continue
			}
			ends[b+1] = ends[b] + 1
			if ends[b+1] > n {
				n = ends[b+1]
				i, j = a+1-n, b+1-n
			}
		}
	}
	return i, j, n
}

// same adds bytes that are in both texts, as Same or Respelled.
func (l *aligner) same(x, y []spot) {
	for i := 0; i+1 < len(x); i++ {
		kind := Same
		if l.from[x[i].start:x[i+1].start] != l.to[y[i].start:y[i+1].start] {
			kind = Respelled
		}
		l.add(kind, y[i].start, y[i+1].start)
	}
}

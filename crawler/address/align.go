package address

import "strings"

// PieceKind says how a piece of an address stands to another address.
type PieceKind uint8

// The kinds of pieces.
const (
	Same      PieceKind = iota // the same bytes in both
	Respelled                  // the same bytes in another spelling: %28 for (, %E3 for %e3
	Different                  // only in the second
	Removed                    // only in the first
)

// A Piece is a stretch of an address. Its Text shares the memory of the address
// it is from: the first for Removed, else the second.
type Piece struct {
	Text string
	Kind PieceKind
}

// Align returns to, cut into pieces that show how it stands to from, with what
// from has instead as Removed pieces before. Scheme, host, path segment and
// parameter are held against their like. The pieces that are not Removed make up
// to, those that are not Different have the bytes of from; no piece is empty and
// no two neighbours are of one kind. Texts that are no wire forms are aligned,
// too. The work is bounded: in long texts without likeness nothing finer than
// their common beginning and end is looked for.
func Align(from, to string) []Piece {
	l := aligner{from: from, to: to, budget: 1 << 18}
	a, b := Wire(from), Wire(to)
	if a.IsZero() || b.IsZero() {
		l.text(span{0, len(from)}, span{0, len(to)})
		return l.pieces
	}
	l.text(span{0, len(a.Scheme())}, span{0, len(b.Scheme())})
	l.text(span{len(a.Scheme()), a.start()}, span{len(b.Scheme()), b.start()})
	l.text(span{a.start(), int(a.host)}, span{b.start(), int(b.host)})
	l.text(span{int(a.host), int(a.auth)}, span{int(b.host), int(b.auth)})
	if a.Target() == b.Target() {
		l.add(Same, int(b.auth), len(to))
		return l.pieces
	}
	l.parts(cutSpan(from, span{int(a.auth), int(a.path)}, "/"),
		cutSpan(to, span{int(b.auth), int(b.path)}, "/"))
	l.parts(cutSpan(from, span{int(a.path), len(from)}, "?&"),
		cutSpan(to, span{int(b.path), len(to)}, "?&"))
	return l.pieces
}

// A span is a stretch of a text: from start to before end.
type span struct{ start, end int }

// cutSpan cuts a span before and after each delimiter.
func cutSpan(s string, all span, delimiters string) (parts []span) {
	start := all.start
	for i := all.start; i < all.end; i++ {
		if strings.IndexByte(delimiters, s[i]) < 0 {
			continue
		}
		if start < i {
			parts = append(parts, span{start, i})
		}
		parts = append(parts, span{i, i + 1})
		start = i + 1
	}
	if start < all.end {
		parts = append(parts, span{start, all.end})
	}
	return parts
}

// An aligner collects pieces from left to right.
type aligner struct {
	from, to string
	pieces   []Piece
	budget   int // comparisons left for what is finer than common beginning and end
}

// add appends a piece that is s[start:end], joined to the last one where that is
// of the same kind; same kinds in a row are neighbours in their text.
func (l *aligner) add(kind PieceKind, start, end int) {
	if start == end {
		return
	}
	s := l.to
	if kind == Removed {
		s = l.from
	}
	if n := len(l.pieces); n > 0 && l.pieces[n-1].Kind == kind {
		start -= len(l.pieces[n-1].Text)
		l.pieces = l.pieces[:n-1]
	}
	l.pieces = append(l.pieces, Piece{Text: s[start:end], Kind: kind})
}

// replace adds what stands in from only and what stands in to only. A piece that
// replaces something joins the one before that does, Removed first.
func (l *aligner) replace(x, y span) {
	n := len(l.pieces)
	if x.start < x.end && n > 0 && l.pieces[n-1].Kind == Different {
		last := l.pieces[n-1]
		l.pieces = l.pieces[:n-1]
		l.add(Removed, x.start, x.end)
		l.pieces = append(l.pieces, last)
	} else {
		l.add(Removed, x.start, x.end)
	}
	l.add(Different, y.start, y.end)
}

// parts aligns two lists of parts: those that are alike hold the others in
// place.
func (l *aligner) parts(xs, ys []span) {
	n := 0
	for n < len(xs) && n < len(ys) && l.alike(xs[n], ys[n]) {
		l.text(xs[n], ys[n])
		n++
	}
	xs, ys = xs[n:], ys[n:]
	n = 0
	for n < len(xs) && n < len(ys) && l.alike(xs[len(xs)-1-n], ys[len(ys)-1-n]) {
		n++
	}
	l.middle(xs[:len(xs)-n], ys[:len(ys)-n])
	for i := n; i > 0; i-- {
		l.text(xs[len(xs)-i], ys[len(ys)-i])
	}
}

// middle aligns parts whose first are not alike, nor the last: as many of them
// one by one, else around the longest common subsequence.
func (l *aligner) middle(xs, ys []span) {
	if len(xs) == len(ys) || len(xs) == 0 || len(ys) == 0 || len(xs)*len(ys) > l.budget {
		l.gap(xs, ys)
		return
	}
	l.budget -= len(xs) * len(ys)
	i, j := 0, 0
	for _, m := range l.common(xs, ys) {
		l.gap(xs[i:m[0]], ys[j:m[1]])
		l.text(xs[m[0]], ys[m[1]])
		i, j = m[0]+1, m[1]+1
	}
	l.gap(xs[i:], ys[j:])
}

// gap aligns parts that nothing alike stands between: as many of them one by one, else as one.
func (l *aligner) gap(xs, ys []span) {
	if len(xs) == len(ys) {
		for i := range xs {
			l.text(xs[i], ys[i])
		}
		return
	}
	l.text(whole(xs), whole(ys))
}

// whole returns the span of neighbouring parts.
func whole(parts []span) span {
	if len(parts) == 0 {
		return span{}
	}
	return span{parts[0].start, parts[len(parts)-1].end}
}

// common returns the pairs of a longest common subsequence.
func (l *aligner) common(xs, ys []span) (pairs [][2]int) {
	w := len(ys) + 1
	best := make([]int32, (len(xs)+1)*w)
	for i := len(xs) - 1; i >= 0; i-- {
		for j := len(ys) - 1; j >= 0; j-- {
			if l.alike(xs[i], ys[j]) {
				best[i*w+j] = best[(i+1)*w+j+1] + 1
			} else {
				best[i*w+j] = max(best[(i+1)*w+j], best[i*w+j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(xs) && j < len(ys); {
		switch {
		case l.alike(xs[i], ys[j]):
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case best[(i+1)*w+j] >= best[i*w+j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// alike reports whether two parts have the same bytes, however they are spelt.
func (l *aligner) alike(x, y span) bool {
	i, j := x.start, y.start
	for i < x.end && j < y.end {
		s, t := tokenAt(l.from[:x.end], i), tokenAt(l.to[:y.end], j)
		if s.value != t.value {
			return false
		}
		i, j = i+int(s.len), j+int(t.len)
	}
	return i == x.end && j == y.end
}

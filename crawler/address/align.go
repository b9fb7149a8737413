package address

import "strings"

// PieceKind is the relation of a piece of an address to another address.
type PieceKind uint8

// The kinds of pieces.
const (
	Same      PieceKind = iota // the same bytes in both
	Respelled                  // the same bytes in another spelling: %28 for (, %E3 for %e3
	Different                  // only in the second
	Removed                    // only in the first
)

// A Piece is a part of an address. Its Text shares the memory of the address it is from: the first
// for Removed, else the second.
type Piece struct {
	Text string
	Kind PieceKind
}

// Align splits to into pieces that show how it differs from from; where from has something else, a
// Removed piece precedes. Scheme, host, path segments and parameters are each compared with their
// counterparts. The pieces that are not Removed make up to, and those that are not Different have
// the bytes of from; no piece is empty, and adjacent ones are of different kinds. Align accepts
// texts that are no wire forms, too. Its work is limited: in long texts with little in common it
// looks only for a common beginning and end.
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

// A span is a part of a text: from start to before end.
type span struct{ start, end int }

// cutSpan splits a span before and after each delimiter.
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
	budget   int // comparisons left for looking beyond common beginning and end
}

// add appends the piece s[start:end], joined to the last one if that is of the same kind; pieces of
// the same kind in a row are adjacent in their text.
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

// replace adds what only from has and what only to has. A piece that replaces something joins a
// preceding one of that sort, Removed first.
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

// parts aligns two lists of parts: similar ones fix the position of the others.
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

// middle aligns parts of which neither the first nor the last are similar: one by one where their
// numbers are equal, else around the longest common subsequence.
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

// gap aligns parts without similar ones between them: one by one where their numbers are equal,
// else as a whole.
func (l *aligner) gap(xs, ys []span) {
	if len(xs) == len(ys) {
		for i := range xs {
			l.text(xs[i], ys[i])
		}
		return
	}
	l.text(whole(xs), whole(ys))
}

// whole returns the span of adjacent parts.
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

// alike reports whether two parts have the same bytes, however these are spelled.
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

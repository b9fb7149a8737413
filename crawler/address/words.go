package address

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// sameWords reports whether two texts with different bytes are the same words: in a legacy charset
// and in UTF-8, or in two Unicode normal forms. Where the whole texts are not, it compares them
// piece by piece.
func sameWords(x, y []unrolled, in part) (s set, ok bool) {
	if !mayBeWords(x, y) {
		return 0, false
	}
	if s, ok = oneText(x, y, in); ok {
		return s, true
	}
	xs, ys := cutPieces(x, in), cutPieces(y, in)
	if len(xs) != len(ys) || len(xs) == 1 {
		return 0, false
	}
	for i := range xs {
		why, same := match(xs[i], ys[i], in)
		if !same {
			if why, same = oneText(xs[i], ys[i], in); !same {
				return 0, false
			}
		}
		s |= why
	}
	return s, true
}

// mayBeWords is a fast check that makes decoding unnecessary for most pairs: where two texts first
// differ, one of them must have a byte that is not plain ASCII.
func mayBeWords(x, y []unrolled) bool {
	n := min(len(x), len(y))
	for i := range n {
		if x[i].as == y[i].as || isPlusSpace(token{value: x[i].as}, token{value: y[i].as}) {
			continue
		}
		return odd(x[i].as) || odd(y[i].as) || i > 0 && odd(x[i-1].as)
	}
	return n > 0 && slices.ContainsFunc(x, isOdd) && slices.ContainsFunc(y, isOdd)
}

func odd(c byte) bool          { return c >= 0x80 || c == esc }
func isOdd(t unrolled) bool    { return odd(t.as) }
func hasOdd(t []unrolled) bool { return slices.ContainsFunc(t, isOdd) }

const esc = 0x1B // begins a shift of ISO-2022-JP

// cutPieces splits a path at its slashes, a query at & and =.
func cutPieces(ts []unrolled, in part) (pieces [][]unrolled) {
	start := 0
	for i, t := range ts {
		if t.kind == raw && (in == inPath && t.value == '/' ||
			in == inQuery && (t.value == '&' || t.value == '=')) {
			pieces = append(pieces, ts[start:i])
			start = i + 1
		}
	}
	return append(pieces, ts[start:])
}

// oneText reports whether two texts are the same words throughout.
func oneText(x, y []unrolled, in part) (s set, ok bool) {
	if !hasOdd(x) && !hasOdd(y) {
		return 0, false
	}
	tx, ty := text(x, in), text(y, in)
	if utf8.Valid(tx) && utf8.Valid(ty) && mayCompose(tx, ty) &&
		bytes.Equal(norm.NFC.Bytes(tx), norm.NFC.Bytes(ty)) {
		if s, ok = alignForms(x, y, tx, ty, in); ok {
			return s | isUnicode | depths(x, y), true
		}
		return 0, false
	}
	s1, ok1 := sameInLegacy(x, y, tx, ty, in)
	s2, ok2 := sameInLegacy(y, x, ty, tx, in)
	return s1 | s2, ok1 || ok2
}

// text returns the bytes of a text, with a space for a plus in a query.
func text(ts []unrolled, in part) []byte {
	b := values(ts)
	for i, t := range ts {
		if in == inQuery && t.kind == raw && t.value == '+' {
			b[i] = ' '
		}
	}
	return b
}

// depths returns DoubleEncoded where the escapes of one text are escaped more often than those of
// the other.
func depths(x, y []unrolled) set {
	deepest := func(ts []unrolled) (d uint8) {
		for _, t := range ts {
			d = max(d, t.depth)
		}
		return d
	}
	if deepest(x) != deepest(y) {
		return isDouble
	}
	return 0
}

// alignForms returns how the spellings of the characters differ that two Unicode normal forms of
// one text have in common; ok is false where one has a slash and the other an escaped one.
func alignForms(x, y []unrolled, tx, ty []byte, in part) (s set, ok bool) {
	for len(tx) > 0 && len(ty) > 0 {
		n, m := norm.NFC.NextBoundary(tx, true), norm.NFC.NextBoundary(ty, true)
		if bytes.Equal(tx[:n], ty[:m]) {
			why, same := match(x[:n], y[:m], in)
			if !same {
				return 0, false
			}
			s |= why
		}
		x, y, tx, ty = x[n:], y[m:], tx[n:], ty[m:]
	}
	return s, true
}

// sameInLegacy reports whether u is UTF-8 and l the same text in a legacy charset.
func sameInLegacy(u, l []unrolled, tu, tl []byte, in part) (s set, ok bool) {
	if !hasOdd(l) || !utf8.Valid(tu) || isASCII(string(tu)) {
		return 0, false
	}
	valid := utf8.Valid(tl)
	if valid && !mayBePairs(tu, tl) {
		return 0, false
	}
	want := norm.NFC.Bytes(tu)
	for _, c := range charsets {
		if valid && c.single {
			continue // UTF-8 read in a charset of single bytes is a different text
		}
		if !c.mayRead(tl, want) {
			continue
		}
		got, fits := c.decode(tl)
		if !fits || !bytes.Equal(norm.NFC.Bytes(got), want) {
			continue
		}
		if s, ok = alignLegacy(u, l, tu, c, in); ok {
			if !bytes.Equal(got, tu) {
				s |= isUnicode
			}
			return s | isCharset | depths(u, l), true
		}
	}
	return 0, false
}

// mayCompose is a fast check that makes composing both texts unnecessary for most pairs: it reports
// whether two texts may be the same in NFC, by the characters with which they first differ.
func mayCompose(x, y []byte) bool {
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	start := max(norm.NFC.LastBoundary(x[:n]), 0)
	x, y = x[start:], y[start:]
	a, b := norm.NFC.NextBoundary(x, true), norm.NFC.NextBoundary(y, true)
	return bytes.Equal(norm.NFC.Bytes(x[:a]), norm.NFC.Bytes(y[:b]))
}

// peek is how many bytes of a text are decoded to see that it is not in a charset.
const peek = 48

// mayRead is a fast check that makes decoding the whole text unnecessary for most charsets: it
// reports whether text, up to its first characters that are not ASCII, may decode to want, which is
// in NFC.
func (c charset) mayRead(text, want []byte) bool {
	start := slices.IndexFunc(text, odd)
	// a mark may be combined with the character before
	if start = max(start-1, 0); !bytes.HasPrefix(want, text[:start]) {
		return false
	}
	text, want = text[start:], want[start:]
	var buf [4 * peek]byte
	got, _, err := c.enc.NewDecoder().Transform(buf[:], text[:min(peek, len(text))],
		len(text) <= peek)
	if err != nil && err != transform.ErrShortSrc {
		return false
	}
	read := buf[:got]
	if bytes.ContainsRune(read, utf8.RuneError) {
		return false
	}
	if len(text) > peek { // the last character may continue after peek bytes
		read = read[:max(norm.NFC.LastBoundary(read), 0)]
	}
	return bytes.HasPrefix(want, norm.NFC.Bytes(read))
}

// mayBePairs reports whether l, which happens to be valid UTF-8, could be the text of u with two
// bytes for each character, or has shifts. It makes decoding unnecessary in the usual case of two
// different texts in UTF-8.
func mayBePairs(u, l []byte) bool {
	chars, bytes := 0, 0
	for _, c := range l {
		if c == esc {
			return true
		}
		if c >= 0x80 {
			bytes++
		}
	}
	for _, c := range u {
		if c >= 0xC0 {
			chars++
		}
	}
	return bytes == 2*chars
}

// alignLegacy returns how the spellings of the ASCII characters differ that both texts have, as far
// as the two can be aligned.
func alignLegacy(u, l []unrolled, tu []byte, c charset, in part) (s set, ok bool) {
	for i, j := 0, 0; i < len(tu) && j < len(l); {
		r, n := utf8.DecodeRune(tu[i:])
		if r >= utf8.RuneSelf {
			i, j = i+n, j+c.width(tu[i:i+n])
			continue
		}
		why, same := pair(u[i], l[j], in)
		if !same {
			return s, u[i].as != '/' && l[j].as != '/'
		}
		s |= why
		i, j = i+1, j+1
	}
	return s, true
}

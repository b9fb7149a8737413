package address

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// An unrolled token is one byte of a path or query whose escapes may themselves have been escaped,
// repeatedly.
type unrolled struct {
	value byte
	as    byte // value, or its lower case where the case of letters does not count
	kind  kind
	depth uint8   // how often the escape is escaped itself: 0 for %28, 1 for %2528
	hex   [2]byte // the digits of the innermost escape
}

// unroll returns the tokens of s; with chains, it reads %25XX as an escape of %XX, repeatedly.
func unroll(s string, chains bool) []unrolled {
	ts := make([]unrolled, 0, len(s))
	for i := 0; i < len(s); {
		t := tokenAt(s, i)
		u := unrolled{value: t.value, as: t.value, kind: t.kind}
		if t.kind == escaped {
			u.hex = [2]byte{s[i+1], s[i+2]}
		}
		i += int(t.len)
		for chains && u.kind == escaped && u.value == '%' && i+1 < len(s) && isHex(s[i]) &&
			isHex(s[i+1]) {
			v := unhex[s[i]]<<4 | unhex[s[i+1]]
			u = unrolled{value: v, as: v, kind: escaped, depth: u.depth + 1,
				hex: [2]byte{s[i], s[i+1]}}
			i += 2
		}
		ts = append(ts, u)
	}
	return ts
}

// A shape is a set of differences to be ignored when two paths are compared.
type shape uint8

const (
	anySlash shape = 1 << iota
	anyCase
	anyIndex
	anyExtension
)

// shapes are all shapes, those that ignore less first: the first that makes two paths equal gives
// the reasons.
var shapes = []shape{0,
	anySlash, anyCase, anyIndex, anyExtension,
	anySlash | anyCase, anySlash | anyIndex, anySlash | anyExtension,
	anyCase | anyIndex, anyCase | anyExtension, anyIndex | anyExtension,
	anySlash | anyCase | anyIndex, anySlash | anyCase | anyExtension,
	anySlash | anyIndex | anyExtension, anyCase | anyIndex | anyExtension,
	anySlash | anyCase | anyIndex | anyExtension,
}

func (h shape) reasons() (s set) {
	for i, r := range []set{isSlash, isPathCase, isIndex, isExtension} {
		if h&(1<<i) != 0 {
			s |= r
		}
	}
	return s
}

// explain returns the finer reasons that explain the difference of two texts whose decoded bytes
// differ; ok is false where none do.
func explain(a, b string, in part) (s set, ok bool) {
	var forms [2]texts
	forms[0] = texts{x: unroll(a, false), y: unroll(b, false)}
	n := 1
	if twice(forms[0].x) || twice(forms[0].y) {
		forms[1] = texts{x: unroll(a, true), y: unroll(b, true)}
		n = 2
	}
	try := shapes
	if in == inQuery {
		try = shapes[:1]
	}
	for _, h := range try {
		for i := range forms[:n] {
			x, y, fits := h.apply(&forms[i])
			if !fits {
				continue
			}
			if s, ok := match(x, y, in); ok {
				return s | h.reasons(), true
			}
			if s, ok := sameWords(x, y, in); ok {
				return s | h.reasons(), true
			}
		}
	}
	return 0, false
}

// beyondShapes reports whether no shape makes two texts without escapes equal. It is a fast check
// that makes explain unnecessary for most pairs. Whatever a shape ignores is missing from their
// stems, too.
func beyondShapes(a, b string) bool {
	return strings.IndexByte(a, '%') < 0 && strings.IndexByte(b, '%') < 0 &&
		!strings.EqualFold(stem(a), stem(b))
}

// stem removes slashes, extensions and names of index pages from the end of a text, repeatedly. A
// text ends in only one of these at a time, so the stem is unique.
func stem(s string) string {
	for {
		n := len(s)
		for _, end := range []string{"/", ".html", ".htm", ".php", "/index"} {
			if cut := len(s) - len(end); cut >= 0 && strings.EqualFold(s[cut:], end) {
				s = s[:cut]
				break
			}
		}
		if len(s) == n {
			return s
		}
	}
}

// twice reports whether the text contains an escaped escape.
func twice(ts []unrolled) bool {
	for i := 0; i+2 < len(ts); i++ {
		if ts[i].kind == escaped && ts[i].value == '%' && isRawHex(ts[i+1]) && isRawHex(ts[i+2]) {
			return true
		}
	}
	return false
}

func isRawHex(t unrolled) bool { return t.kind == raw && isHex(t.value) }

// match reports whether two texts have the same bytes, and how their spellings
// differ.
func match(x, y []unrolled, in part) (s set, ok bool) {
	if len(x) != len(y) {
		return 0, false
	}
	for i := range x {
		why, same := pair(x[i], y[i], in)
		if !same {
			return 0, false
		}
		s |= why
	}
	return s, true
}

// pair reports whether two tokens are the same byte, and how their spellings differ.
func pair(x, y unrolled, in part) (set, bool) {
	s, same := spelt(token{value: x.as, kind: x.kind}, token{value: y.as, kind: y.kind}, in)
	if !same {
		return 0, false
	}
	if x.depth != y.depth {
		s |= isDouble
	}
	if x.value == y.value && x.kind == escaped && y.kind == escaped && x.hex != y.hex {
		s |= isHexCase
	}
	return s, true
}

// texts are the two texts that are compared, and their results of foldCase; nil until one of the
// shapes needs them, which half of them do.
type texts struct{ x, y, foldedX, foldedY []unrolled }

func (t *texts) folded() (x, y []unrolled) {
	if t.foldedX == nil {
		t.foldedX, t.foldedY = foldCase(t.x), foldCase(t.y)
	}
	return t.foldedX, t.foldedY
}

// apply removes from two paths what the shape ignores. An index page or an extension must be
// present in only one of them.
func (h shape) apply(t *texts) (x, y []unrolled, fits bool) {
	x, y = t.x, t.y
	if h&anyCase != 0 {
		x, y = t.folded()
	}
	if h&anySlash != 0 {
		x, y = trimSlash(x), trimSlash(y)
	}
	if h&anyIndex != 0 {
		if x, y, fits = cutOne(x, y, cutIndex); !fits {
			return
		}
	}
	if h&anyExtension != 0 {
		if x, y, fits = cutOne(x, y, cutExtension); !fits {
			return
		}
	}
	if h&anySlash != 0 {
		x, y = trimSlash(x), trimSlash(y)
	}
	return x, y, true
}

// cutOne applies cut where that shortens exactly one of two paths.
func cutOne(x, y []unrolled, cut func([]unrolled) []unrolled) (_, _ []unrolled, fits bool) {
	cx, cy := cut(x), cut(y)
	return cx, cy, (len(cx) != len(x)) != (len(cy) != len(y))
}

func isRawSlash(t unrolled) bool { return t.kind == raw && t.value == '/' }

func trimSlash(ts []unrolled) []unrolled {
	for len(ts) > 0 && isRawSlash(ts[len(ts)-1]) {
		ts = ts[:len(ts)-1]
	}
	return ts
}

// cutIndex removes the name of an index page, and leaves its directory.
func cutIndex(ts []unrolled) []unrolled {
	for _, name := range []string{"index.html", "index.htm", "index.php"} {
		if n := len(ts) - len(name); n > 0 && isRawSlash(ts[n-1]) && hasSuffix(ts, name) {
			return ts[:n]
		}
	}
	return ts
}

// cutExtension removes the extension of a name.
func cutExtension(ts []unrolled) []unrolled {
	for _, ext := range []string{".html", ".php"} {
		if n := len(ts) - len(ext); n > 0 && !isRawSlash(ts[n-1]) && hasSuffix(ts, ext) {
			return ts[:n]
		}
	}
	return ts
}

func hasSuffix(ts []unrolled, suffix string) bool {
	ts = ts[len(ts)-len(suffix):]
	for i := range ts {
		if ts[i].as != suffix[i] {
			return false
		}
	}
	return true
}

// foldCase replaces each letter by its lower case, where that has as many bytes.
func foldCase(ts []unrolled) []unrolled {
	folded := append([]unrolled(nil), ts...)
	text := values(ts)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if low := unicode.ToLower(r); low != r && utf8.RuneLen(low) == n {
			var buf [utf8.UTFMax]byte
			utf8.EncodeRune(buf[:], low)
			for k := range n {
				folded[i+k].as = buf[k]
			}
		}
		i += n
	}
	return folded
}

func values(ts []unrolled) []byte {
	b := make([]byte, len(ts))
	for i, t := range ts {
		b[i] = t.as
	}
	return b
}

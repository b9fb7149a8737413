package sitemap

import "bytes"

// A lineStart is where the line of an element begins.
type lineStart struct {
	at    int64
	alone bool // only white space precedes the element; else at is its start
}

// lineStart returns the start of the line of an element that begins at a place.
func (w *window) lineStart(at int64) lineStart {
	first := max(w.off, at-w.scale.line)
	b := w.bytes(Span{first, at})
	for i := len(b) - 1; i >= 0; i-- {
		switch b[i] {
		case ' ', '\t':
		case '\n', '\r':
			return lineStart{first + int64(i) + 1, true}
		default:
			if first == 0 && i == 2 && string(b[:3]) == string(utf8BOM) {
				return lineStart{3, true}
			}
			return lineStart{at, false}
		}
	}
	if first == 0 {
		return lineStart{0, true}
	}
	return lineStart{at, false}
}

// before returns the place from which on the window must keep its bytes so that lineStart returns
// the same again: the line end or byte order mark stands before the start.
func (s lineStart) before() int64 { return max(0, s.at-int64(len(utf8BOM))) }

// blank reports whether only blanks stand between two places that are in the window.
func (w *window) blank(from, to int64) bool {
	return len(bytes.Trim(w.bytes(Span{from, to}), " \t")) == 0
}

// lineEnd returns the end of the line of an element that ends at a place, its line end included;
// false where something else stands on the line.
func (w *window) lineEnd(at int64) (int64, bool) {
	for from := at; at-from <= w.scale.line; at++ {
		c, ok := w.byteAt(at)
		switch {
		case !ok:
			return at, false
		case c == '\n':
			return at + 1, true
		case c == '\r':
			if next, more := w.byteAt(at + 1); more && next == '\n' {
				at++
			}
			return at + 1, true
		case c != ' ' && c != '\t':
			return at, false
		}
	}
	return at, false
}

// byteAt returns the byte at a place that is in the window or follows it; false at the
// end of the text.
func (w *window) byteAt(at int64) (byte, bool) {
	for at >= w.end() {
		if !w.more() {
			return 0, false
		}
	}
	return w.buf[at-w.off], true
}

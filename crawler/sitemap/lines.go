package sitemap

import "bytes"

// place returns the line and the column, in bytes, of a place. Calls must be in the order of the
// text.
func (w *window) place(at int64) (line, column int) {
	w.count(at)
	return w.line, int(max(at-w.bol, 0)) + 1
}

// count counts lines, which end with LF, up to a place that is in the window.
func (w *window) count(to int64) {
	if to <= w.counted {
		return
	}
	b := w.bytes(Span{w.counted, to})
	if n := bytes.Count(b, newline); n > 0 {
		w.line += n
		w.bol = w.counted + int64(bytes.LastIndexByte(b, '\n')) + 1
	}
	w.counted = to
}

var newline = []byte{'\n'}

// lineStart returns the start of the line of what begins at a place, and whether only blanks
// precede it there; else it returns the place.
func (w *window) lineStart(at int64) (start int64, alone bool) {
	first := max(w.off, at-w.scale.line)
	b := w.bytes(Span{first, at})
	rest := bytes.TrimRight(b, " \t")
	n := len(rest)
	switch {
	case n > 0 && (rest[n-1] == '\n' || rest[n-1] == '\r'), n == 0 && first == 0,
		first == 0 && bytes.Equal(rest, utf8BOM):
		return first + int64(n), true
	}
	return at, false
}

// lineEnd returns the end of the line of what ends at a place, its line end included; false where
// something else stands on the line.
func (w *window) lineEnd(at int64) (int64, bool) {
	for from := at; at-from <= w.scale.line; at++ {
		switch w.byteAt(at) {
		case '\n':
			return at + 1, true
		case '\r':
			if w.byteAt(at+1) == '\n' {
				at++
			}
			return at + 1, true
		case ' ', '\t':
			continue
		}
		return at, false
	}
	return at, false
}

// byteAt returns the byte at a place that is in the window or follows it; 0 at the end of the text.
func (w *window) byteAt(at int64) byte {
	for at >= w.end() {
		if !w.more() {
			return 0
		}
	}
	return w.buf[at-w.off]
}

// indent returns what makes another line like that of the element at a place: the line end before
// it and its blanks; "" where it does not begin its line.
func (w *window) indent(at int64) string {
	start, alone := w.lineStart(at)
	if !alone {
		return ""
	}
	from := start
	switch b := w.bytes(Span{max(w.off, start-2), start}); {
	case bytes.HasSuffix(b, []byte("\r\n")):
		from -= 2
	case bytes.HasSuffix(b, []byte("\n")), bytes.HasSuffix(b, []byte("\r")):
		from--
	}
	return string(w.bytes(Span{from, at}))
}

package sitemap

import (
	"bytes"
	"io"
)

// lines walks over a text sitemap: one address a line (Search Central, "Build and submit a
// sitemap"). Lines end with LF, CRLF or CR; empty ones do not count. The format has no comments: a
// line that begins with "#" is skipped, and a fault.
func (x *walk) lines() error {
	for {
		n, ok := x.lineLength()
		if !ok {
			return nil
		}
		x.checks.bytesBefore(&x.window, x.here()+int64(n))
		if err := x.oneLine(n); err != nil {
			return err
		}
		x.pos += n
	}
}

// lineLength skips line ends, and returns the length of the next line without its end; false at the
// end of the text.
func (x *walk) lineLength() (int, bool) {
	for {
		if !x.need(1) {
			return 0, false
		}
		if c := x.buf[x.pos]; c != '\n' && c != '\r' {
			break
		}
		x.pos++
	}
	for from := 0; ; {
		if i := bytes.IndexAny(x.buf[x.pos+from:], x.marks); i >= 0 {
			return from + i, true
		}
		from = len(x.buf) - x.pos
		if !x.more() {
			return from, x.err == io.EOF && !x.cutOff && x.source.damage() == nil // else it may be part of one
		}
	}
}

// oneLine processes a line of n bytes.
func (x *walk) oneLine(n int) error {
	line := Span{x.here(), x.here() + int64(n)}
	b := bytes.TrimSpace(x.bytes(line))
	if len(b) == 0 {
		return nil
	}
	number, _ := x.place(line.Start)
	if b[0] == '#' {
		x.checks.add("comment", number, 1, b)
		return nil
	}
	it := &x.item
	it.begin(line.Start)
	it.end, it.whole = line.End, true
	it.pieces = append(it.pieces, piece{line, true})
	f := found{line: number, tag: line, last: 1}
	f.fit(it, &x.window, x.source.charset, line.Start)
	if f.addr.Len() == 0 {
		return nil
	}
	f.form, f.column = formPlain, int(f.addr.Start-line.Start)+1
	it.line, it.column, it.locs = f.line, f.column, append(it.locs, f)
	x.given++
	return x.give(it)
}

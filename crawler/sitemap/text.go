package sitemap

import "bytes"

// textWalk walks over a text sitemap: one address a line (Search Central, "Build and submit a
// sitemap"). Lines end with LF, CRLF or CR; empty ones do not count. The format has no comments: a
// line that begins with "#" is skipped, and a fault.
type textWalk struct {
	window
	out    consumer
	faults *faults
	notes  *notes
	pieces [1]piece
	// feed is the place of the first line feed that is not consumed, or the end of the window when
	// it was searched: without it, each line that ends with CR would search the whole window.
	feed int64
}

func (t *textWalk) run() error {
	if t.need(3) && bytes.HasPrefix(t.buf, utf8BOM) {
		t.pos = 3
	}
	for {
		n, ok := t.lineEnd()
		if !ok {
			return nil
		}
		if t.notes != nil {
			t.notes.bytesBefore(&t.window, t.here()+int64(n))
		}
		if err := t.oneLine(n); err != nil {
			return err
		}
	}
}

// lineEnd skips line ends, and returns the length of the next line without its end; false at the
// end of the text.
func (t *textWalk) lineEnd() (int, bool) {
	t.skipLineEnd()
	if !t.need(1) {
		return 0, false
	}
	for from := 0; ; {
		b := t.buf[t.pos:]
		end, found := t.lineFeed()
		if j := bytes.IndexByte(b[from:end], '\r'); j >= 0 {
			end, found = from+j, true
		}
		if int64(end) > t.scale.run {
			t.stop(errRun)
			return 0, false
		}
		if found || !t.more() {
			return end, true
		}
		from = end
	}
}

// lineFeed returns how many bytes come before the next line feed in the window, or before the end
// of the window.
func (t *textWalk) lineFeed() (n int, found bool) {
	isFeed := func() bool { return t.feed-t.off < int64(len(t.buf)) && t.buf[t.feed-t.off] == '\n' }
	if t.feed = max(t.feed, t.here()); !isFeed() {
		rest := t.buf[t.feed-t.off:]
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			t.feed += int64(i)
		} else {
			t.feed += int64(len(rest))
		}
	}
	return int(t.feed - t.here()), isFeed()
}

// skipLineEnd consumes line ends: that of the line that was read, and those of empty ones.
func (t *textWalk) skipLineEnd() {
	for t.need(1) {
		for t.pos < len(t.buf) {
			if c := t.buf[t.pos]; c != '\n' && c != '\r' {
				return
			}
			t.pos++
		}
	}
}

// oneLine processes a line of n bytes.
func (t *textWalk) oneLine(n int) error {
	line := Span{t.here(), t.here() + int64(n)}
	b := bytes.TrimSpace(t.bytes(line))
	t.pos += n
	switch {
	case len(b) == 0:
		return nil
	case b[0] == '#':
		t.comment(line, b)
		return nil
	}
	return t.entry(line)
}

func (t *textWalk) comment(line Span, b []byte) {
	if t.faults.wants(invalidURL, mild) {
		n, column := t.placeOf(line.Start, line)
		t.faults.add(invalidURL, n, column, mild, "comment", excerpt(b))
	}
}

// placeOf returns the line and column of a place in a line of the text.
func (t *textWalk) placeOf(at int64, line Span) (number, column int) {
	number, _ = t.place(at)
	return number, int(at-line.Start) + 1
}

func (t *textWalk) entry(line Span) error {
	t.pieces[0] = piece{line, true}
	f := found{tag: line, pieces: t.pieces[:]}
	f.fit(&t.window, nil, line.Start)
	f.form = formPlain
	if f.addr.Len() == 0 {
		return nil
	}
	f.line, f.column = t.placeOf(f.addr.Start, line)
	it := item{open: true, start: line.Start, line: f.line, column: f.column, addresses: 1,
		hold: -1}
	t.out.opened(&t.window, &it)
	t.hold, t.near = it.hold, line.Start
	if err := t.out.address(&t.window, &it, &f); err != nil {
		return err
	}
	err := t.out.closed(&t.window, &it, line.End, true)
	t.hold, t.near = -1, -1
	return err
}

package sitemap

import (
	"bytes"
	"errors"
	"io"
)

// A scale limits how much of a text is in memory.
type scale struct {
	window int   // bytes of the first window
	run    int64 // bytes without a tag or a line end after which reading stops
	held   int64 // an element longer than this is never dropped
	line   int64 // how far lineStart searches for the start of a line
}

var fullScale = scale{window: 256 << 10, run: 1 << 20, held: 16 << 20, line: 4 << 10}

// element returns how long an element may be that is held together with the start of its line.
func (s *scale) element() int64 { return s.held - s.line - int64(len(utf8BOM)) }

var (
	errTooLarge = errors.New("larger than the limit")
	errRun      = errors.New("more than 1 MiB without a tag")
)

// A window is the part of a text that is in memory. A place in the text is absolute; its index in
// buf is less by off.
type window struct {
	r   io.Reader
	buf []byte
	off int64 // place of buf[0] in the text
	pos int   // index of the first byte in buf that is not consumed
	scale
	// Nothing from these places on leaves the window; -1 for none. A place that is further back
	// than scale.held (hold, tail) or scale.run (the others) is given up. Each has one owner, so
	// that nobody gives up what another needs.
	hold    int64 // of the open item
	tail    int64 // of a line that may be removed as a whole
	near    int64 // of the open address
	variant int64 // of an Atom entry's link to the page in one language
	section int64 // of a CDATA section
	back    int64 // so many consumed bytes stay, too
	max     int64 // where the text is cut off
	// err is why no more can be read: io.EOF, errTooLarge, errRun, or an error of r or of slide.
	err error
	// beyond is what was read past max.
	beyond []byte

	// slide is called before the bytes before keep leave the window.
	slide func(keep int64) error
	// fresh is called with every byte once, as it is read.
	fresh func(b []byte, at int64)

	line    int   // the line at counted
	bol     int64 // start of that line
	counted int64
	cr      bool // a CR ends before counted, and is not yet counted: a LF may follow
}

func newWindow(r io.Reader, s scale, max int64) window {
	if s == (scale{}) {
		s = fullScale
	}
	return window{r: r, buf: make([]byte, 0, s.window), scale: s, hold: -1, tail: -1, near: -1,
		variant: -1, section: -1, max: max, line: 1}
}

// here returns the place of the first byte that is not consumed.
func (w *window) here() int64 { return w.off + int64(w.pos) }

// end returns the place behind the last byte that is in memory.
func (w *window) end() int64 { return w.off + int64(len(w.buf)) }

// bytes returns the bytes of a span that is in the window. They are valid until
// more is called.
func (w *window) bytes(s Span) []byte { return w.buf[s.Start-w.off : s.End-w.off] }

// more reads more of the text into the window, at least one byte. It returns
// false where there is no more; err then says why.
func (w *window) more() bool {
	if w.err != nil {
		return false
	}
	if err := w.room(); err != nil {
		w.err = err
		return false
	}
	at := w.off + int64(len(w.buf))
	free := w.buf[len(w.buf):cap(w.buf)]
	if left := w.max - at; left < int64(len(free)) {
		free = free[:left]
	}
	if len(free) == 0 {
		return w.overflow()
	}
	n, err := read(w.r, free)
	w.buf = w.buf[:len(w.buf)+n]
	w.err = err
	if n > 0 && w.fresh != nil {
		w.fresh(free[:n], at)
	}
	return n > 0
}

// overflow checks whether the text ends exactly at the limit.
func (w *window) overflow() bool {
	one := make([]byte, 1)
	n, err := read(w.r, one)
	w.beyond = one[:n]
	w.err = err
	if n > 0 {
		w.err = errTooLarge
	}
	return false
}

// read reads at least one byte, or returns an error.
func read(r io.Reader, b []byte) (int, error) {
	for range 100 {
		n, err := r.Read(b)
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// room makes room in buf: it slides, and grows where most of buf is kept.
func (w *window) room() error {
	if cap(w.buf)-len(w.buf) >= (cap(w.buf)+1)/2 {
		return nil
	}
	keep := w.kept()
	w.count(keep)
	if w.slide != nil {
		if err := w.slide(keep); err != nil {
			return err
		}
	}
	rest := w.buf[keep-w.off:]
	if len(rest) > cap(w.buf)/2 {
		bigger := make([]byte, len(rest), 2*cap(w.buf)+64)
		copy(bigger, rest)
		w.buf = bigger
	} else {
		w.buf = w.buf[:copy(w.buf[:cap(w.buf)], rest)]
	}
	w.pos -= int(keep - w.off)
	w.off = keep
	return nil
}

// kept returns the first place that must stay in the window.
func (w *window) kept() int64 {
	here := w.here()
	keep := here - w.back
	hold := func(place *int64, most int64) {
		if here-*place > most {
			*place = -1
		}
		if *place >= 0 {
			keep = min(keep, *place)
		}
	}
	hold(&w.hold, w.scale.held)
	hold(&w.tail, w.scale.held)
	hold(&w.near, w.scale.run)
	hold(&w.variant, w.scale.run)
	hold(&w.section, w.scale.run)
	return max(keep, w.off)
}

// need tries to have n bytes that are not consumed, and reports whether there are.
func (w *window) need(n int) bool {
	for len(w.buf)-w.pos < n {
		if !w.more() {
			return false
		}
	}
	return true
}

// stop ends the text here.
func (w *window) stop(err error) {
	if w.err == nil || w.err == io.EOF {
		w.err = err
	}
}

// place returns the line and the column, in bytes, of a place. Calls must be in the order of the
// text.
func (w *window) place(at int64) (line, column int) {
	w.count(at)
	return w.line, int(max(at-w.bol, 0)) + 1
}

// count counts lines, which end with LF, CRLF or CR, up to a place that is in the window.
func (w *window) count(to int64) {
	if w.cr && to >= w.counted && w.end() > w.counted {
		if w.buf[w.counted-w.off] != '\n' {
			w.line++
			w.bol = w.counted
		}
		w.cr = false
	}
	if to <= w.counted {
		return
	}
	b := w.bytes(Span{w.counted, to})
	if n := bytes.Count(b, newline); n > 0 {
		w.line += n
		w.bol = w.counted + int64(bytes.LastIndexByte(b, '\n')) + 1
	}
	w.countCR(b)
	w.counted = to
}

// countCR counts the lines in b, from counted on, that end with a CR alone.
func (w *window) countCR(b []byte) {
	ahead := w.buf[w.counted-w.off:]
	for i := 0; ; {
		n := bytes.IndexByte(b[i:], '\r')
		if n < 0 {
			return
		}
		i += n + 1
		switch {
		case i == len(ahead):
			w.cr = true
		case ahead[i] != '\n':
			w.line++
			w.bol = max(w.bol, w.counted+int64(i))
		}
	}
}

var newline = []byte{'\n'}

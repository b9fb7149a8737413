package sitemap

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// A scale limits how much of a text is in memory.
type scale struct {
	window  int   // bytes of the first window
	longest int64 // bytes of an element, or without a "<" or a line end, after which reading stops
	line    int64 // how far around a place lineStart and lineEnd search
}

var fullScale = scale{window: 256 << 10, longest: 1 << 20, line: 4 << 10}

var (
	errTooLarge = errors.New("larger than the limit")
	errRun      = errors.New("more than 1 MiB without a tag")
	errElement  = errors.New("an element that is too long or too deep")
)

// A window is the part of a text that is in memory. A place in the text is absolute; its index in
// buf is less by off.
type window struct {
	r   io.Reader
	buf []byte
	off int64 // place of buf[0] in the text
	pos int   // index of the first byte in buf that is not consumed
	scale
	max   int64  // where the text is cut off
	marks string // each ends a run: "<" in XML, line ends in a text
	last  int64  // place of the last mark
	hold  int64  // nothing from here on leaves the window; -1 for nothing
	back  int64  // so many bytes before that stay, too
	// err is why no more can be read: io.EOF, one of the errors above, or an error of r or slide.
	err    error
	beyond []byte // what was read beyond the end of the text

	slide func(keep int64) error // called before the bytes before keep leave the window

	valid int64 // the text is UTF-8 up to here
	bad   bool  // and not from there on

	line    int   // the line at counted
	bol     int64 // start of that line
	counted int64
}

func newWindow(r io.Reader, s scale, max int64) window {
	if s == (scale{}) {
		s = fullScale
	}
	return window{r: r, buf: make([]byte, 0, s.window), scale: s, marks: "<", last: -1, hold: -1,
		max: max, line: 1}
}

// here returns the place of the first byte that is not consumed.
func (w *window) here() int64 { return w.off + int64(w.pos) }

// end returns the place behind the last byte that is in memory.
func (w *window) end() int64 { return w.off + int64(len(w.buf)) }

// bytes returns the bytes of a span that is in the window. They are valid until more is called.
func (w *window) bytes(s Span) []byte { return w.buf[s.Start-w.off : s.End-w.off] }

// more reads more of the text into the window, at least one byte. It returns false where there is
// no more; err then says why.
func (w *window) more() bool {
	if w.err == nil {
		w.err = w.room()
	}
	if w.err != nil {
		return false
	}
	at := w.end()
	free := w.buf[len(w.buf):cap(w.buf)]
	free = free[:min(int64(len(free)), w.max-at)]
	if len(free) == 0 {
		return w.overflow()
	}
	n, err := io.ReadAtLeast(w.r, free, 1)
	w.buf, w.err = w.buf[:len(w.buf)+n], err
	w.measure(at)
	w.validate()
	return n > 0
}

// overflow checks whether the text ends exactly at the limit.
func (w *window) overflow() bool {
	one := make([]byte, 1)
	n, err := io.ReadFull(w.r, one)
	w.beyond, w.err = one[:n], err
	if n > 0 {
		w.err = errTooLarge
	}
	return false
}

// measure ends the text where a run is too long, judging by the bytes from a place on.
func (w *window) measure(at int64) {
	for at < w.end() {
		piece := w.bytes(Span{at, min(at+w.longest, w.end())})
		first := bytes.IndexAny(piece, w.marks)
		next := at + int64(first)
		if first < 0 {
			next = at + int64(len(piece))
		}
		if next-w.last > w.longest {
			cut := w.last + w.longest + 1 - w.off
			w.beyond, w.buf, w.err = bytes.Clone(w.buf[cut:]), w.buf[:cut], errRun
			return
		}
		if first >= 0 {
			w.last = at + int64(bytes.LastIndexAny(piece, w.marks))
		}
		at += int64(len(piece))
	}
}

// validate goes on to the first byte that is not UTF-8, or a zero.
func (w *window) validate() {
	if w.bad || w.valid > w.end() {
		return
	}
	b := w.bytes(Span{w.valid, w.end()})
	if utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 {
		w.valid = w.end()
		return
	}
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == 0 || r == utf8.RuneError && size == 1 {
			w.bad = utf8.FullRune(b)
			return
		}
		w.valid += int64(size)
		b = b[size:]
	}
}

// room makes room in buf: it slides, and grows where most of buf is kept.
func (w *window) room() error {
	if cap(w.buf)-len(w.buf) >= (cap(w.buf)+1)/2 {
		return nil
	}
	keep := w.here()
	if w.hold >= 0 {
		if keep-w.hold > w.longest {
			return errElement
		}
		keep = min(keep, w.hold)
	}
	if !w.bad {
		keep = min(keep, w.valid)
	}
	keep = max(keep-w.back, w.off)
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

// need tries to have n bytes that are not consumed, and reports whether there are.
func (w *window) need(n int) bool {
	for len(w.buf)-w.pos < n {
		if !w.more() {
			return false
		}
	}
	return true
}

// grow tries to double what is not consumed, and reports whether it became more. So what is
// searched again from its start costs twice its length in all.
func (w *window) grow() bool {
	n := len(w.buf) - w.pos
	w.need(2 * n)
	return len(w.buf)-w.pos > n
}

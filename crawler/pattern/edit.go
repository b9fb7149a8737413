package pattern

import "strings"

// An edit replaces a part of a path, between parts that stay.
type edit struct {
	kind editKind
	// at is how many segments precede the part; atEnd where it is the end of the path.
	at int
	n  int // segments that are removed
	// x is the removed text and y the new one, segments with slashes between them; with editWords a
	// part of one segment, in x with {digits} for a number.
	x, y string
	// pre and post report whether something stays before and after the part: of the path, or with
	// editWords of the segment. With editWords, rest reports whether segments follow.
	pre, post, rest bool
}

type editKind uint8

const (
	editNone  editKind = iota
	editSegs           // these segments become those
	editAny            // so many segments, whatever they are, become those
	editWords          // a part of one segment becomes another
)

// atEnd is the place of an edit that counts from the end of the path.
const atEnd = -1

// digits stands for one or more digits in the x of editWords. No wire form contains a brace.
const digits = "{digits}"

func (e *edit) none() bool { return e.kind == editNone }

// place returns the index among n segments where the edit begins; false where there are too few.
func (e *edit) place(n int) (int, bool) {
	at := e.at
	if at == atEnd {
		at = n - e.n
	}
	return at, at >= 0 && at+e.n <= n
}

// apply appends segs with the part replaced to out; false where the part does not occur.
func (e *edit) apply(out, segs []string) ([]string, bool) {
	if e.none() {
		return segs, true
	}
	at, ok := e.place(len(segs))
	if !ok {
		return nil, false
	}
	out = append(out, segs[:at]...)
	switch e.kind {
	case editSegs:
		if !isJoined(e.x, segs[at:at+e.n]) {
			return nil, false
		}
	case editWords:
		seg, ok := e.inside(segs[at])
		return append(append(out, seg), segs[at+1:]...), ok
	}
	if e.y != "" {
		out, _ = segments(out, e.y)
	}
	return append(out, segs[at+e.n:]...), true
}

// isJoined reports whether s is the segments segs with slashes between them.
func isJoined(s string, segs []string) bool {
	for i, seg := range segs {
		rest, ok := strings.CutPrefix(s, seg)
		if ok && i < len(segs)-1 {
			rest, ok = strings.CutPrefix(rest, "/")
		}
		if !ok {
			return false
		}
		s = rest
	}
	return s == ""
}

// inside replaces x in one segment.
func (e *edit) inside(seg string) (string, bool) {
	switch {
	case !e.pre:
		n := matchDigits(e.x, seg)
		if n < 0 {
			return "", false
		}
		return e.y + seg[n:], n < len(seg)
	case e.x == "" && e.post:
		return "", false
	case e.x == "":
		return seg + e.y, true
	}
	for i := 1; i < len(seg); i++ {
		n := matchDigits(e.x, seg[i:])
		if n < 0 || e.post == (i+n == len(seg)) || splitsDigits(e.x, seg, i) {
			continue
		}
		return seg[:i] + e.y + seg[i+n:], true
	}
	return "", false
}

// splitsDigits reports whether a pattern that begins with digits would begin in
// the middle of a number.
func splitsDigits(x, seg string, i int) bool {
	return strings.HasPrefix(x, digits) && isDigit(seg[i-1])
}

// matchDigits returns how many bytes at the start of s match a pattern; -1 where it does not match.
func matchDigits(x, s string) int {
	n := 0
	for x != "" {
		if rest, ok := strings.CutPrefix(x, digits); ok {
			start := n
			for n < len(s) && isDigit(s[n]) {
				n++
			}
			if n == start {
				return -1
			}
			x = rest
			continue
		}
		if n >= len(s) || s[n] != x[0] {
			return -1
		}
		x, n = x[1:], n+1
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// key appends a text that distinguishes e from other edits.
func (e *edit) key(b []byte) []byte {
	b = append(b, "-sam"[e.kind])
	if e.at == atEnd {
		b = append(b, '$')
	} else {
		b = append(b, byte('0'+min(e.at, 60)))
	}
	if e.kind == editAny {
		b = append(b, byte('0'+min(e.n, 60)))
	}
	if e.pre {
		b = append(b, '<')
	}
	if e.post {
		b = append(b, '>')
	}
	if e.rest {
		b = append(b, '/')
	}
	b = append(append(b, ' '), e.x...)
	return append(append(b, '>'), e.y...)
}

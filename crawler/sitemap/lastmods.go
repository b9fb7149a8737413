package sitemap

import (
	"bytes"
	"strconv"
	"time"
)

// lastmods are what the entries of a file say of their last change, all of them together.
// Google uses lastmod "if it's consistently and verifiably accurate" (Search Central, "Build
// and submit a sitemap"): one that is the same everywhere, or the time at which the file was
// asked for, was made up by the program that writes the file.
type lastmods struct {
	n            int
	first        []byte
	others       bool // one is not as the first
	early        bool // one is no time about the request
	line, column int  // of the first
}

// From how many entries on all of them say something of the file: a few pages may well have been
// changed on one day, or within one minute.
const (
	sameFrom    = 10
	requestFrom = 3
)

// aboutRequest is how long before the start of an audit a time counts as that of the
// request: clocks differ, and files are cached for a minute.
const aboutRequest = time.Minute

// see takes the lastmod of one entry; at is its time in Unix seconds.
func (l *lastmods) see(v []byte, at int64, now time.Time, line, column int) {
	if l.n++; l.n == 1 {
		l.first, l.line, l.column = bytes.Clone(v), line, column
	}
	l.others = l.others || !bytes.Equal(v, l.first)
	hasTime := len(v) > len("2026-11-21")
	l.early = l.early || !hasTime || at < now.Add(-aboutRequest).Unix()
}

// lastmodFaults says what all entries together say. A file of which only a part was read is
// judged by that.
func (n *notes) lastmodFaults() {
	l := &n.lastmods
	switch {
	case n.info.Kind == Index:
	case !n.now.IsZero() && !l.early && l.n >= requestFrom:
		n.add(doubtfulLastmod, l.line, l.column, mild, "lastmod-request", strconv.Itoa(l.n),
			excerpt(l.first))
	case !l.others && l.n >= sameFrom:
		n.add(doubtfulLastmod, l.line, l.column, mild, "lastmod-same", strconv.Itoa(l.n),
			excerpt(l.first))
	}
}

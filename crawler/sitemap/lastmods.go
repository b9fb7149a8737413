package sitemap

import (
	"bytes"
	"strconv"
	"time"
)

// lastmods judges the lastmod values of all entries of a file together. Google uses lastmod "if
// it's consistently and verifiably accurate" (Search Central, "Build and submit a sitemap"): where
// all entries have the same value, or the time of the request, the program that writes the file
// made it up.
type lastmods struct {
	n            int
	first        []byte
	others       bool // one differs from the first
	early        bool // one is not about the time of the request
	line, column int  // place of the first
}

// From these numbers of entries on, equal values are taken as a sign: a few pages may well have
// been changed on the same day, or within the same minute.
const (
	sameFrom    = 10
	requestFrom = 3
)

// aboutRequest is how long before the start of an audit a time still counts as that of the request:
// clocks differ, and files are cached for a minute.
const aboutRequest = time.Minute

// see records the lastmod of one entry; at is its time in Unix seconds.
func (l *lastmods) see(v []byte, at int64, now time.Time, line, column int) {
	if l.n++; l.n == 1 {
		l.first, l.line, l.column = bytes.Clone(v), line, column
	}
	l.others = l.others || !bytes.Equal(v, l.first)
	hasTime := len(v) > len("2026-11-21")
	l.early = l.early || !hasTime || at < now.Add(-aboutRequest).Unix()
}

// lastmodFaults adds the faults of all entries together. Where only a part of a file was read, it
// judges that part.
func (n *notes) lastmodFaults() {
	l := &n.lastmods
	switch {
	case n.info.Kind == Index:
	case l.n*2 < n.info.Entries: // those of a few entries may well have one reason: a correction that was dated
	case !n.now.IsZero() && !l.early && l.n >= requestFrom:
		n.add(doubtfulLastmod, l.line, l.column, mild, "lastmod-request", strconv.Itoa(l.n),
			excerpt(l.first))
	case !l.others && l.n >= sameFrom:
		n.add(doubtfulLastmod, l.line, l.column, mild, "lastmod-same", strconv.Itoa(l.n),
			excerpt(l.first))
	}
}

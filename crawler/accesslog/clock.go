package accesslog

import (
	"bytes"
	"strconv"
	"time"
)

// clock parses the times of a log. It remembers the last day, because lines are mostly in order.
type clock struct {
	zone *time.Location // of times without one
	day  []byte         // "22/Nov/2026:", "2026-11-22T"
	noon int64          // the start of day in UTC, in seconds since 1970
}

// digits returns the value of digits; negative where some are none.
func digits(b []byte) int {
	n := 0
	for _, c := range b {
		if !isDigit(c) {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// two returns the value of the two digits that b begins with; negative where they are none.
func two(b []byte) int {
	high, low := b[0]-'0', b[1]-'0'
	if high > 9 || low > 9 {
		return -1
	}
	return int(high)*10 + int(low)
}

// parse parses "22/Nov/2026:11:20:12 +0900" and "2026-11-22T02:21:05.123+0000", the latter also
// with a space or slashes, both with or without fraction and zone; or the seconds, milliseconds,
// microseconds or nanoseconds since 1970. The time is 0 where the year is impossible.
func (c *clock) parse(b []byte) (at int64, ok bool) {
	n := 0
	switch {
	case len(b) > 19 && b[2] == '/' && b[6] == '/' && b[11] == ':':
		n = 12
	case len(b) > 18 && b[4] == b[7] && (b[4] == '-' || b[4] == '/') && (b[10] == 'T' || b[10] == ' '):
		n = 11
	}
	switch {
	case n == 0:
		at, ok = since1970(b)
	case string(c.day) == string(b[:n]) || c.begin(b[:n]):
		at, ok = c.within(b[n:])
	}
	if at < yearsBegin || at >= yearsEnd {
		at = 0
	}
	return at, ok
}

// begin begins a day; it returns false for one that does not exist.
func (c *clock) begin(b []byte) bool {
	year, month, day := 0, 0, 0
	if b[2] == '/' {
		i := bytes.Index([]byte(months), b[3:6])
		year, month, day = digits(b[7:11]), i/3+1, digits(b[:2])
		if i < 0 || i%3 > 0 {
			return false
		}
	} else {
		year, month, day = digits(b[:4]), digits(b[5:7]), digits(b[8:10])
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if year < 0 || t.Month() != time.Month(month) || t.Day() != day {
		return false
	}
	c.day, c.noon = append(c.day[:0], b...), t.Unix()
	return true
}

// within parses the time of a day, with a fraction and a zone: "+0900", "+09:00", "Z", or that of
// c.
func (c *clock) within(b []byte) (int64, bool) {
	h, m, s := two(b), two(b[3:]), two(b[6:])
	if uint(h) > 23 || uint(m) > 59 || uint(s) > 60 || b[2] != ':' || b[5] != ':' {
		return 0, false
	}
	at := c.noon + int64(h*3600+m*60+s)
	b = b[8:]
	if len(b) > 0 && (b[0] == '.' || b[0] == ',') {
		b = bytes.TrimLeft(b[1:], "0123456789")
	}
	b = bytes.TrimPrefix(b, []byte(" "))
	switch {
	case len(b) == 0:
		t := time.Unix(at, 0).UTC() // what a clock of the zone shows
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, c.zone).Unix(), true
	case len(b) == 1 && b[0]|0x20 == 'z':
		return at, true
	case len(b) == 6 && b[3] == ':':
		b = []byte{b[0], b[1], b[2], b[4], b[5]}
	}
	if len(b) != 5 || b[0] != '+' && b[0] != '-' {
		return 0, false
	}
	h, m = two(b[1:]), two(b[3:])
	shift := int64(h*3600 + m*60)
	if b[0] == '-' {
		shift = -shift
	}
	return at - shift, h >= 0 && m >= 0 && m < 60
}

// since1970 parses a number, such as 1.795314568e+09, of seconds or smaller units.
func since1970(b []byte) (int64, bool) {
	if len(b) == 0 || !isDigit(b[0]) {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(b), 64)
	for n >= 1e11 && n < 1e20 { // seconds have ten digits until the year 2286
		n /= 1000
	}
	return int64(n), err == nil && n < 1e11
}

package accesslog

import (
	"bytes"
	"strconv"
	"time"
)

// clock parses the times of a log. It remembers the last day, because lines are mostly in order.
type clock struct {
	zone *time.Location // zone of times without one
	day  [11]byte       // "22/Nov/2026"
	noon int64          // the start of day in UTC, in seconds since 1970
}

// months are the names of months in logs, English in every locale.
const months = "JanFebMarAprMayJunJulAugSepOctNovDec"

// two returns the value of two digits; -1 where they are not digits.
func two(b []byte) int {
	if b[0] < '0' || b[0] > '9' || b[1] < '0' || b[1] > '9' {
		return -1
	}
	return int(b[0]-'0')*10 + int(b[1]-'0')
}

// common parses "22/Nov/2026:11:20:12 +0900". A fraction may follow the seconds, as in HAProxy, and
// the zone may be missing or not a whole number of hours.
func (c *clock) common(b []byte) (int64, bool) {
	if len(b) < 20 || b[11] != ':' || b[14] != ':' || b[17] != ':' {
		return 0, false
	}
	if [11]byte(b[:11]) != c.day {
		noon, ok := dayOf(b)
		if !ok {
			return 0, false
		}
		c.day, c.noon = [11]byte(b[:11]), noon
	}
	h, m, s := two(b[12:]), two(b[15:]), two(b[18:])
	if uint(h) > 23 || uint(m) > 59 || uint(s) > 60 {
		return 0, false
	}
	at := c.noon + int64(h*3600+m*60+s)
	rest := fraction(b[20:])
	if len(rest) == 0 {
		return c.inZone(at), true
	}
	if rest[0] != ' ' {
		return 0, false
	}
	shift, ok := offset(rest[1:])
	return at - shift, ok
}

// dayOf parses "22/Nov/2026". It returns false for a day that does not exist.
func dayOf(b []byte) (int64, bool) {
	if b[2] != '/' || b[6] != '/' {
		return 0, false
	}
	at := bytes.Index([]byte(months), b[3:6])
	day, century, year := two(b), two(b[7:]), two(b[9:])
	if at < 0 || at%3 != 0 || day < 1 || century < 0 || year < 0 {
		return 0, false
	}
	t := time.Date(century*100+year, time.Month(at/3+1), day, 0, 0, 0, 0, time.UTC)
	return t.Unix(), t.Day() == day
}

// fraction returns b without a fraction of a second at its beginning.
func fraction(b []byte) []byte {
	if len(b) == 0 || b[0] != '.' && b[0] != ',' {
		return b
	}
	i := 1
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return b[i:]
}

// offset parses "+0900", "+09:00" or "Z", in seconds.
func offset(b []byte) (int64, bool) {
	if len(b) == 1 && (b[0] == 'Z' || b[0] == 'z') {
		return 0, true
	}
	if len(b) == 6 && b[3] == ':' {
		b = []byte{b[0], b[1], b[2], b[4], b[5]}
	}
	if len(b) != 5 || b[0] != '+' && b[0] != '-' {
		return 0, false
	}
	h, m := two(b[1:]), two(b[3:])
	if h < 0 || m < 0 || m > 59 {
		return 0, false
	}
	s := int64(h*3600 + m*60)
	if b[0] == '-' {
		s = -s
	}
	return s, true
}

// inZone returns the time at which a clock of the zone shows what a UTC clock shows at at.
func (c *clock) inZone(at int64) int64 {
	if c.zone == nil || c.zone == time.UTC {
		return at
	}
	t := time.Unix(at, 0).UTC()
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0,
		c.zone).Unix()
}

// iso parses "2026-11-22T02:21:05.123+0000", also with a space or a slash, and with or without
// fraction and zone.
func (c *clock) iso(b []byte) (int64, bool) {
	if len(b) < 19 || b[4] != b[7] || b[4] != '-' && b[4] != '/' || b[10] != 'T' && b[10] != ' ' {
		return 0, false
	}
	century, year, month, day := two(b), two(b[2:]), two(b[5:]), two(b[8:])
	h, m, s := two(b[11:]), two(b[14:]), two(b[17:])
	if century < 0 || year < 0 || month < 1 || month > 12 || day < 1 || uint(h) > 23 ||
		uint(m) > 59 || uint(s) > 60 ||
		b[13] != ':' || b[16] != ':' {
		return 0, false
	}
	t := time.Date(century*100+year, time.Month(month), day, h, m, s, 0, time.UTC)
	if s < 60 && t.Day() != day {
		return 0, false
	}
	rest := fraction(b[19:])
	if len(rest) == 0 {
		return c.inZone(t.Unix()), true
	}
	shift, ok := offset(bytes.TrimPrefix(rest, []byte(" ")))
	return t.Unix() - shift, ok
}

// any parses a time in any of the forms that JSON logs have, including numbers since 1970 in
// seconds, milliseconds, microseconds or nanoseconds.
func (c *clock) any(b []byte) (int64, bool) {
	if len(b) > 3 && b[2] == '/' {
		return c.common(b)
	}
	if at, ok := c.iso(b); ok {
		return at, true
	}
	whole, rest, _ := bytes.Cut(b, []byte("."))
	if len(whole) == 0 || len(whole) > 19 || bytes.IndexByte([]byte("0123456789"), whole[0]) < 0 {
		return 0, false
	}
	if len(rest) > 0 { // 1.795314568e+09 is a number, too
		f, err := strconv.ParseFloat(string(b), 64)
		return int64(f), err == nil && f < 1e11
	}
	n, err := strconv.ParseInt(string(whole), 10, 64)
	for n >= 1e11 { // seconds have ten digits until the year 2286
		n /= 1000
	}
	return n, err == nil
}

package sitemap

import "time"

const daySeconds = 24 * 60 * 60

// parseDate parses a date in W3C Datetime (w3.org/TR/NOTE-datetime: a year, a month, a day, or a
// day with a time to minutes, seconds or fractions), or an xsd:date or xsd:dateTime, whose zone may
// be absent. It returns Unix seconds; an absent part counts as its first value, an absent zone as
// UTC.
func parseDate(b []byte) (int64, bool) {
	d := dateReader{b: b}
	year := d.two()*100 + d.two()
	month := 1
	if d.take('-') {
		month = d.two()
		if d.take('-') {
			return d.timeOf(d.day(year, month, d.two()))
		}
	}
	at, ok := d.day(year, month, 1)
	return at, ok && d.done()
}

type dateReader struct {
	b   []byte
	at  int
	bad bool
}

// two reads a number of two digits.
func (d *dateReader) two() int {
	if len(d.b)-d.at < 2 {
		d.bad = true
		return 0
	}
	high, low := d.b[d.at]-'0', d.b[d.at+1]-'0'
	d.bad = d.bad || high > 9 || low > 9
	d.at += 2
	return int(high)*10 + int(low)
}

func (d *dateReader) take(c byte) bool {
	if d.at < len(d.b) && d.b[d.at] == c {
		d.at++
		return true
	}
	return false
}

func (d *dateReader) done() bool { return d.at == len(d.b) }

// day returns when a day begins, and whether the calendar has that day.
func (d *dateReader) day(year, month, day int) (at int64, ok bool) {
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	_, m, n := t.Date() // for February 30 they are March 1 or 2
	return t.Unix(), !d.bad && m == time.Month(month) && n == day
}

// timeOf reads the time and the zone after a day.
func (d *dateReader) timeOf(at int64, ok bool) (int64, bool) {
	if d.take('T') {
		h := d.two()
		d.bad = d.bad || !d.take(':')
		m, s := d.two(), 0
		if d.take(':') {
			s = d.two()
			d.fraction()
		}
		d.bad = d.bad || h > 24 || h == 24 && m+s > 0 || m > 59 || s > 60
		at += int64(h*3600 + m*60 + s)
	}
	at -= d.zone()
	return at, ok && !d.bad && d.done()
}

// fraction reads the fraction of a second.
func (d *dateReader) fraction() {
	if !d.take('.') {
		return
	}
	first := d.at
	for !d.done() && d.b[d.at] >= '0' && d.b[d.at] <= '9' {
		d.at++
	}
	d.bad = d.bad || d.at == first
}

// zone reads a zone, if there is one, and returns its seconds east of UTC.
func (d *dateReader) zone() int64 {
	sign := int64(1)
	switch {
	case d.done() || d.take('Z'):
		return 0
	case d.take('-'):
		sign = -1
	case !d.take('+'):
		d.bad = true
		return 0
	}
	h := d.two()
	d.bad = d.bad || !d.take(':')
	m := d.two()
	d.bad = d.bad || h > 14 || m > 59
	return sign * int64(h*3600+m*60)
}

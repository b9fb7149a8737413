package sitemap

import "time"

const daySeconds = 24 * 60 * 60

// parseDate reads a date as W3C Datetime has it (w3.org/TR/NOTE-datetime: a year,
// a month, a day, or with a time to minutes, seconds or fractions), or as xsd:date
// and xsd:dateTime, whose zone may be absent. It returns Unix seconds; a part that
// is absent counts as its first, a zone that is absent as UTC.
func parseDate(b []byte) (int64, bool) {
	d := dateReader{b: b}
	year := d.two()*100 + d.two()
	month, day := 1, 1
	if d.take('-') {
		month = d.two()
		if d.take('-') {
			day = d.two()
			return d.timeOf(days(year, month, day), d.dayOf(year, month, day))
		}
	}
	return days(year, month, day) * daySeconds, d.dayOf(year, month, day) && d.done()
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

// dayOf reports whether what was read is a day of the calendar.
func (d *dateReader) dayOf(year, month, day int) bool {
	return !d.bad && month >= 1 && month <= 12 && day >= 1 && day <= monthDays(year, month)
}

// timeOf reads the time and the zone after a day.
func (d *dateReader) timeOf(day int64, ok bool) (int64, bool) {
	seconds := int64(0)
	if d.take('T') {
		h := d.two()
		d.bad = d.bad || !d.take(':')
		m, s := d.two(), 0
		if d.take(':') {
			s = d.two()
			d.fraction()
		}
		d.bad = d.bad || h > 24 || h == 24 && m+s > 0 || m > 59 || s > 60
		seconds = int64(h*3600 + m*60 + s)
	}
	seconds -= d.zone()
	return day*daySeconds + seconds, ok && !d.bad && d.done()
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

func monthDays(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// days returns the days from 1970-01-01 to a day.
func days(year, month, day int) int64 {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Unix() / daySeconds
}

package sitemap

import (
	"bytes"
	"time"
)

// A value is the place of the value of a <lastmod>: its content without outer white space, or a
// self-closing tag.
type value struct {
	Span
	empty bool
}

// openLastmod is the open lastmod of an item.
type openLastmod struct {
	open         bool
	line, column int
	at           int64  // where its content begins
	value        []byte // the beginning of it
}

// add adds a part of the value.
func (l *openLastmod) add(b []byte) {
	if l.open && len(l.value) < maxValue {
		l.value = append(l.value, b[:min(len(b), maxValue)]...)
	}
}

// openLastmod begins a lastmod.
func (x *walk) openLastmod() {
	x.lastmod = openLastmod{open: true, at: x.end, value: x.lastmod.value[:0]}
	if x.checks != nil {
		x.lastmod.line, x.lastmod.column = x.place(x.start)
	}
}

// closeLastmod ends the open lastmod.
func (x *walk) closeLastmod(empty bool) {
	if !x.lastmod.open {
		return
	}
	x.lastmod.open = false
	x.checks.date(&x.lastmod)
	if len(x.item.lastmods) > maxLastmods {
		return
	}
	v := value{Span{x.start, x.end}, empty}
	if !empty {
		v.Span = x.trimmed(Span{x.lastmod.at, x.start})
	}
	x.item.lastmods = append(x.item.lastmods, v)
}

// trimmed returns a span of the window without its outer white space.
func (w *window) trimmed(s Span) Span {
	left := trimLeft(w.bytes(s), true, false)
	s.Start = s.End - int64(len(left))
	s.End = s.Start + int64(len(trimRight(left, true, false)))
	return s
}

// date checks a lastmod.
func (c *checks) date(l *openLastmod) {
	if c == nil {
		return
	}
	v := bytes.TrimSpace(l.value)
	if bytes.IndexByte(v, '&') >= 0 {
		v = resolve(nil, v)
	}
	switch at, ok := parseDate(v); {
	case !ok:
		c.add("date", l.line, l.column, "lastmod", v)
	case !c.now.IsZero() && at > c.now.Unix()+daySeconds:
		c.add("lastmod-future", l.line, l.column, v)
	}
}

const daySeconds = 24 * 60 * 60

// dates are the forms of W3C Datetime (w3.org/TR/NOTE-datetime: a year, a month, a day, or a day
// with a time to minutes, seconds or fractions), and of an xsd:date or xsd:dateTime, whose zone may
// be absent. The usual ones come first.
var dates = []string{"2006-01-02", time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05",
	"2006-01-02T15:04", "2006-01-02Z07:00", "2006-01", "2006"}

// parseDate returns the Unix seconds of a date; an absent part counts as its first value, an absent
// zone as UTC.
func parseDate(b []byte) (int64, bool) {
	s := string(b)
	for _, form := range dates {
		if len(form) <= len("2006-01-02") && len(s) != len(form) {
			continue
		}
		if at, err := time.Parse(form, s); err == nil {
			return at.Unix(), true
		}
	}
	return 0, false
}

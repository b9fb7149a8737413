package accesslog

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"time"
)

// maxLine is the longest line that is read, in bytes: servers write a few times 8 KB at most. A
// longer one is unreadable. As much of a log is read at once.
const maxLine = 256 << 10

// A Count counts the lines of a log. Empty lines and the headers of W3C logs are not counted.
type Count struct {
	Lines      int64
	Unreadable int64 // in no known format, or cut off
	First      int64 // number of the first of those, from 1; 0 for none
	Requests   int64 // requests of wanted robots that were passed on
	Bytes      int64 // unpacked
	Undated    int64 // lines of requests without a time, or with an impossible year
	Outside    int64 // lines of requests that Since and Until exclude
	Span       Span  // of all lines within Since and Until, of any client
	All        Span  // of all lines
}

// The years that a log can be from. A request of the year 9999 comes from a wrong clock, and would
// extend the span of a log.
const (
	yearsBegin = 631152000  // 1990, in seconds since 1970
	yearsEnd   = 4102444800 // 2100
)

// A Span is an interval in seconds since 1970, with both ends. The zero Span is empty.
type Span struct{ First, Last int64 }

// Add extends s to o.
func (s *Span) Add(o Span) {
	switch {
	case o == Span{}:
	case *s == Span{}:
		*s = o
	default:
		s.First, s.Last = min(s.First, o.First), max(s.Last, o.Last)
	}
}

// Add adds the counts of another log; First stays that of c, where it has one.
func (c *Count) Add(o Count) {
	c.First = cmp.Or(c.First, o.First)
	c.Lines += o.Lines
	c.Unreadable += o.Unreadable
	c.Requests += o.Requests
	c.Bytes += o.Bytes
	c.Undated += o.Undated
	c.Outside += o.Outside
	c.Span.Add(o.Span)
	c.All.Add(o.All)
}

// Options says how a log is read.
type Options struct {
	// Zone is the zone of times without one; nil means UTC.
	Zone *time.Location
	// Robots decides whose requests are wanted; nil for all.
	Robots *Robots
	// Since and Until limit the time of requests, in seconds since 1970: from Since, before Until;
	// 0 for no limit. Where there is a limit, requests without a time are excluded.
	Since, Until int64
	// Hosts reports whether a name in the second column, where lighttpd has the host and others a
	// user, is a host; nil accepts all.
	Hosts func(name string) bool
}

// Read reads a log, packed or not, and calls each for every wanted request, in order of lines. It
// returns the counts of all lines, whatever the error: that of each, of r, of ctx, or an
// UnpackError where a packed log could not be read to its end; the lines before that were read.
func Read(ctx context.Context, r io.Reader, o Options, each func(*Request) error) (Count, error) {
	u := &unpacker{file: file{Reader: r}, close: func() {}}
	defer func() { u.close() }() // which begins with the first Read
	l := lines{p: parser{clock: clock{zone: cmp.Or(o.Zone, time.UTC)}, hosts: o.Hosts}, o: o, each: each}
	err := l.read(ctx, bufio.NewReaderSize(u, maxLine))
	return l.count, err
}

// lines reads the lines of one log.
type lines struct {
	p      parser
	o      Options
	each   func(*Request) error
	count  Count
	number int64 // of the current line, from 1
	failed error // of each
}

// read reads all of in.
func (l *lines) read(ctx context.Context, in *bufio.Reader) error {
	long := false // in a line that is too long
	for l.failed == nil {
		b, err := in.ReadSlice('\n')
		l.count.Bytes += int64(len(b))
		whole := true
		if err != nil {
			if errors.Is(err, bufio.ErrBufferFull) {
				long = true
				continue
			}
			whole = errors.Is(err, io.EOF) // else it could be taken for a whole line
		}
		if len(b) > 0 || long {
			l.number++
			if long || !whole {
				l.bad()
			} else {
				l.line(bytes.TrimSuffix(b, []byte("\n")))
			}
		}
		long = false
		if err == nil && l.number%1024 == 0 {
			err = ctx.Err()
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return cmp.Or(l.failed, err)
		}
	}
	return l.failed
}

// bad counts an unreadable line.
func (l *lines) bad() {
	l.count.Lines++
	l.count.Unreadable++
	l.count.First = cmp.Or(l.count.First, l.number)
}

// line reads one line.
func (l *lines) line(b []byte) {
	if l.number == 1 {
		b = bytes.TrimPrefix(b, []byte("\uFEFF"))
	}
	switch l.p.line(b) {
	case entry:
		l.count.Lines++
		l.wanted()
	case unreadable:
		l.bad()
	}
}

// wanted passes on the request that was parsed, where it is one and wanted.
func (l *lines) wanted() {
	if !l.within(l.p.time) || l.o.Robots != nil && !l.o.Robots.concern(l.p.addr, l.p.text[agent]) {
		return
	}
	if r := l.p.request(l.number); r != nil {
		l.count.Requests++
		l.failed = l.each(r)
	}
}

// within counts the time of a request, and reports whether Since and Until include it.
func (l *lines) within(at int64) bool {
	if at == 0 {
		l.count.Undated++
		return l.o.Since == 0 && l.o.Until == 0
	}
	l.count.All.Add(Span{at, at})
	if l.o.Since != 0 && at < l.o.Since || l.o.Until != 0 && at >= l.o.Until {
		l.count.Outside++
		return false
	}
	l.count.Span.Add(Span{at, at})
	return true
}

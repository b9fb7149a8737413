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
	u := newUnpacker(r)
	defer u.close()
	l := lines{p: parser{clock: clock{zone: o.Zone}, hosts: o.Hosts}, o: o, each: each}
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
	spread spread
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
				l.bad(1)
			} else {
				l.line(bytes.TrimSuffix(b, []byte("\n")))
			}
		}
		long = false
		if err == nil && l.number%1024 == 0 {
			err = ctx.Err()
		}
		if err != nil {
			l.bad(l.spread.lines(l.number))
			return cmp.Or(l.failed, ignoreEnd(err))
		}
	}
	return l.failed
}

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// bad counts n unreadable lines, of which the current one is the last.
func (l *lines) bad(n int64) {
	if n == 0 {
		return
	}
	l.count.Lines += n
	l.count.Unreadable += n
	l.count.First = cmp.Or(l.count.First, l.number-n+1)
}

// line reads one line.
func (l *lines) line(b []byte) {
	if l.number == 1 {
		b = bytes.TrimPrefix(b, []byte("\uFEFF"))
	}
	from := l.number
	if l.spread.array || len(b) > 0 && b[0] == '[' {
		var part bool
		if b, from, part = l.spread.add(b, l.number); part {
			return
		}
	}
	switch l.p.line(b) {
	case entry:
		l.count.Lines++
		l.wanted(from)
	case unreadable:
		l.bad(l.number - from + 1)
	}
}

// wanted passes on the request that was parsed, where it is one and wanted.
func (l *lines) wanted(line int64) {
	if !l.within(l.p.time) {
		return
	}
	if l.o.Robots != nil && !l.o.Robots.concern(l.p.addr, l.p.text[agent]) {
		return
	}
	r := l.p.request(line)
	if r == nil {
		return
	}
	l.count.Requests++
	l.failed = l.each(r)
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

// spread collects the objects of an array over many lines, as gcloud logging read --format=json
// prints it: each begins and ends with a brace on a line of its own, indented by two spaces.
type spread struct {
	array bool
	from  int64 // the line of the brace; 0 outside of an object
	text  []byte
}

// add adds a line, and reports whether it is a part of such an array and no whole object. A whole
// object is returned as if it stood in the line where it begins. Brackets do not count as lines.
func (s *spread) add(b []byte, number int64) (object []byte, from int64, part bool) {
	text := string(bytes.TrimSuffix(b, []byte("\r")))
	switch {
	case s.from > 0:
		s.text = append(append(s.text, b...), '\n')
		if text != "  }" && text != "  }," && len(s.text) < maxLine {
			return nil, 0, true
		}
		from, s.from = s.from, 0
		return s.text, from, false
	case text == "  {" && s.array:
		s.from, s.text = number, append(s.text[:0], '{')
		return nil, 0, true
	}
	s.array = text == "["
	return b, number, s.array || text == "]"
}

// lines returns how many lines an object that has not ended has, up to the last one.
func (s *spread) lines(last int64) int64 {
	if s.from == 0 {
		return 0
	}
	return last - s.from + 1
}

package accesslog

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"time"
)

// chunkSize is how many bytes of a log are read at once.
const chunkSize = 256 << 10

// maxLine is the longest line that is read, in bytes; nginx and Apache write 8 KB of a request and
// as much of each header. A longer one is unreadable.
const maxLine = 1 << 20

// A Count counts the lines of a log. Empty lines and the headers of W3C logs are not counted.
type Count struct {
	Lines      int64
	Unreadable int64 // in no known format, or cut off
	First      int64 // number of the first of those, from 1; 0 for none
	Requests   int64 // requests of wanted robots that were passed on
	Decoded    int64 // of these, those of unknown spelling: the server resolved escapes
	Bytes      int64 // unpacked
	Undated    int64 // lines of requests without a time, or with an impossible year
	Outside    int64 // lines of requests that Since and Until exclude
	Span       Span  // of all lines within Since and Until, of any client
	All        Span  // of all lines
}

// The years that a log can be from; a time outside is invalid. A request of the year 9999 comes
// from a wrong clock, and would extend the span of a log.
const (
	yearsBegin = 631152000  // 1990, in seconds since 1970
	yearsEnd   = 4102444800 // 2100
)

// A Span is an interval in seconds since 1970, with both ends. The zero Span is empty.
type Span struct{ First, Last int64 }

// see extends s to at.
func (s *Span) see(at int64) { s.Add(Span{at, at}) }

// Add extends s to o.
func (s *Span) Add(o Span) {
	if o == (Span{}) {
		return
	}
	if *s == (Span{}) {
		*s = o
		return
	}
	s.First, s.Last = min(s.First, o.First), max(s.Last, o.Last)
}

// Add adds the counts of another log; First stays that of c, where it has one.
func (c *Count) Add(o Count) {
	c.First = cmp.Or(c.First, o.First)
	c.Lines += o.Lines
	c.Unreadable += o.Unreadable
	c.Requests += o.Requests
	c.Decoded += o.Decoded
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
	// Follows is called where the packing of a log changes, with the offset in the file; may be
	// nil.
	Follows func(is, was Packing, at int64)
}

// Read reads a log, packed or not, and calls each for every wanted request, in order of lines. It
// returns the counts of all lines, whatever the error: that of each, of r, of ctx, or an
// UnpackError where a packed log could not be read to its end; the lines before that were read.
func Read(ctx context.Context, r io.Reader, o Options, each func(*Request) error) (Count, error) {
	u := newUnpacker(r, o.Follows)
	defer u.close()
	l := lines{p: &parser{clock: clock{zone: o.Zone}, hosts: o.Hosts}, o: o, each: each}
	err := l.read(ctx, u)
	return l.count, err
}

// lines reads the lines of one log.
type lines struct {
	p      *parser
	o      Options
	each   func(*Request) error
	count  Count
	number int64 // number of the current line
	pretty pretty
	failed error // error of each
}

// read reads all of r.
func (l *lines) read(ctx context.Context, r io.Reader) error {
	buf := make([]byte, chunkSize)
	kept := 0         // bytes of an incomplete line
	skipping := false // in the rest of a line that is too long
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if kept == len(buf) {
			if len(buf) >= maxLine {
				if !skipping {
					l.bad(1)
				}
				kept, skipping = 0, true
			} else {
				buf = append(buf, make([]byte, len(buf))...)
			}
		}
		n, err := r.Read(buf[kept:])
		l.count.Bytes += int64(n)
		data := buf[:kept+n]
		if skipping && n > 0 {
			i := bytes.IndexByte(data, '\n')
			if i < 0 {
				kept = 0
				if err == nil {
					continue
				}
				data = nil
			} else {
				data, skipping = data[i+1:], false
				l.number++
			}
		}
		rest := l.lines(data)
		if l.failed != nil {
			return l.failed
		}
		kept = copy(buf, rest)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				if kept > 0 && !skipping {
					l.bad(1) // the rest of a line could be taken for a whole line
				}
				l.bad(l.pretty.rest())
				return err
			}
			if kept > 0 {
				l.line(buf[:kept]) // the last line may have no line end
			}
			l.bad(l.pretty.rest())
			return l.failed
		}
	}
}

// lines parses the complete lines of data and returns the rest.
func (l *lines) lines(data []byte) []byte {
	for l.failed == nil {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			return data
		}
		l.line(data[:i])
		data = data[i+1:]
	}
	return nil
}

// bad counts n unreadable lines, of which the current one is the first.
func (l *lines) bad(n int64) {
	if n == 0 {
		return
	}
	l.count.Lines += n
	l.count.Unreadable += n
	l.count.First = cmp.Or(l.count.First, l.number+1)
}

// line parses one line.
func (l *lines) line(b []byte) {
	if l.number == 0 {
		b = bytes.TrimPrefix(b, []byte("\uFEFF"))
	}
	if l.pretty.on || len(b) > 0 && b[0] == '[' {
		if l.array(b) {
			l.number++
			return
		}
	}
	switch l.p.line(b) {
	case entry:
		l.count.Lines++
		l.number++
		l.wanted(l.number)
		return
	case unreadable:
		l.bad(1)
	}
	l.number++
}

// wanted passes on the request that was parsed, where it is one and wanted.
func (l *lines) wanted(line int64) {
	f := &l.p.f
	if !l.within(f) {
		return
	}
	if l.o.Robots != nil && !l.o.Robots.concern(f.addr, f.agent) {
		return
	}
	r := l.p.request(line)
	if r == nil {
		return
	}
	l.count.Requests++
	if r.Rawness == Decoded {
		l.count.Decoded++
	}
	l.failed = l.each(r)
}

// within counts the time of a request, and reports whether Since and Until include it.
func (l *lines) within(f *fields) bool {
	if f.nested && !f.whole && f.target == nil {
		return false // a blank line of a container
	}
	if f.time < yearsBegin || f.time >= yearsEnd {
		f.time = 0
		l.count.Undated++
		return l.o.Since == 0 && l.o.Until == 0
	}
	l.count.All.see(f.time)
	if l.o.Since != 0 && f.time < l.o.Since || l.o.Until != 0 && f.time >= l.o.Until {
		l.count.Outside++
		return false
	}
	l.count.Span.see(f.time)
	return true
}

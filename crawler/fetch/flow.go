package fetch

import (
	"errors"
	"io"
	"time"
)

// leastRate is how many bytes a second an answer has to bring once it has begun. Well-known servers
// require as much of their clients (Kestrel 240, Apache 500).
const leastRate = 256

// errSlow ends an answer that drips.
var errSlow = errors.New("less than 256 bytes a second came")

// flow distinguishes an answer that drips from one that is slow. It divides an answer, from its
// first byte on, into stretches of as many bytes as leastRate brings in a time; each stretch has to
// come within that time. The longest silence of a stretch does not count, so that a server may send
// a head, think, and send the page; silence alone is ended by the time limit. The clock is read
// only between the pieces of a stretch that is not complete: an answer that comes in one piece, or
// fast, costs nothing.
type flow struct {
	time  time.Duration // limit for a stretch
	need  int           // bytes of a stretch
	bytes int           // bytes of the stretch so far

	first, last time.Time     // when the first and the last piece came
	longest     time.Duration // longest silence in the stretch
	slow        bool
}

// newFlow returns a flow with that limit for a stretch.
func newFlow(stretch time.Duration) flow {
	return flow{time: stretch, need: max(1, int(stretch.Seconds()*leastRate))}
}

// The stretches follow the time limit, so that a user who gives servers more time gives them more
// here, too. Timeout limits the whole answer of a page; for a file it limits a silence, besides the
// ten minutes in total.
func pageFlow(limit time.Duration) flow { return newFlow(limit / 2) }
func fileFlow(limit time.Duration) flow { return newFlow(2 * limit) }

// Read implements http1.Flow.
func (f *flow) Read(r io.Reader, b []byte) (int, error) {
	if f.slow {
		return 0, errSlow
	}
	f.waits(time.Now)
	n, err := r.Read(b)
	f.came(n, time.Now)
	return n, err
}

// waits is called before a piece is read.
func (f *flow) waits(now func() time.Time) {
	if f.bytes > 0 && f.first.IsZero() {
		f.first = now()
		f.last = f.first
	}
}

// came is called with the length of a piece after it was read.
func (f *flow) came(n int, now func() time.Time) {
	if f.bytes += n; f.bytes >= f.need {
		*f = flow{time: f.time, need: f.need}
		return
	}
	if n == 0 || f.first.IsZero() {
		return
	}
	t := now()
	f.longest, f.last = max(f.longest, t.Sub(f.last)), t
	f.slow = t.Sub(f.first)-f.longest > f.time
}

// flowing is a body of net/http whose flow is watched.
type flowing struct {
	io.ReadCloser
	flow *flow
}

// Read implements io.Reader.
func (f *flowing) Read(b []byte) (int, error) { return f.flow.Read(f.ReadCloser, b) }

package fetch

import (
	"errors"
	"io"
	"time"
)

// leastRate is how many bytes a second an answer has to bring once it has begun.
// Servers of repute ask as much of their clients (Kestrel 240, Apache 500).
const leastRate = 256

// errSlow ends an answer that drips.
var errSlow = errors.New("less than 256 bytes a second came")

// flow distinguishes an answer that drips from one that is slow. From its first byte on an
// answer has to bring leastRate bytes a second, in each stretch of as many as have to
// come in time. The longest silence of a stretch does not count, so that a server
// may send a head, think, and send the page; silence alone is for the time limit
// to end. The clock is looked at only between the pieces of a stretch that is not
// full: an answer that comes in one piece, or fast, costs nothing.
type flow struct {
	time  time.Duration // of a stretch
	need  int           // bytes of a stretch
	bytes int           // that came of it

	first, last time.Time     // pieces
	longest     time.Duration // silence
	slow        bool
}

// newFlow is with stretches of a time.
func newFlow(stretch time.Duration) flow {
	return flow{time: stretch, need: max(1, int(stretch.Seconds()*leastRate))}
}

// The stretches follow the time limit, so that a user who gives servers more time
// gives them more here. A page has its whole limit for one answer; a file has it
// for a silence, and ten minutes in all.
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

// waits is called before a piece.
func (f *flow) waits(now func() time.Time) {
	if f.bytes > 0 && f.first.IsZero() {
		f.first = now()
		f.last = f.first
	}
}

// came is called with the length of a piece.
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

// flowing is a body of net/http's, whose flow is watched.
type flowing struct {
	io.ReadCloser
	flow *flow
}

// Read implements io.Reader.
func (f *flowing) Read(b []byte) (int, error) { return f.flow.Read(f.ReadCloser, b) }

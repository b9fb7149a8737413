package http1

import (
	"net"
	"runtime"
	"sync"
	"time"
)

// maxGathered is how many bytes a gathering holds back before a writer has to wait, so that a
// server that reads nothing cannot fill our memory.
const maxGathered = 64 << 10

// gathering is a connection that sends small writes together. HTTP/2 writes each request by itself,
// and the system call is the most expensive part of that: with sixteen requests under way, about
// five go into one call. A write waits for the goroutines that can run at that moment, never for a
// timer. Gathering begins with gather, and ends where a deadline of writes is set: crypto/tls does
// that before its closing message, which has to be sent before the connection is closed.
//
// Where the system refuses bytes that were gathered, the connection is closed, and Write returns the
// error.
type gathering struct {
	net.Conn

	mu         sync.Mutex
	gathers    bool
	flushing   bool
	out, spare []byte // to be written; buffer for the next
	err        error
	flushed    *sync.Cond // with mu: part of out was written, or cannot be
}

func newGathering(c net.Conn) *gathering {
	g := &gathering{Conn: c}
	g.flushed = sync.NewCond(&g.mu)
	return g
}

// gather begins to hold writes back.
func (g *gathering) gather() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.gathers = true
}

// Write implements net.Conn. Gathered bytes count as written.
func (g *gathering) Write(b []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.err == nil && (len(g.out) >= maxGathered || !g.gathers && g.flushing) {
		g.flushed.Wait()
	}
	switch {
	case g.err != nil:
		return 0, g.err
	case !g.gathers:
		return g.Conn.Write(b)
	}
	g.out = append(g.out, b...)
	if !g.flushing {
		g.flushing = true
		go g.flush()
	}
	return len(b), nil
}

// flush writes what was gathered, and what is gathered meanwhile.
func (g *gathering) flush() {
	runtime.Gosched() // other goroutines may be about to write
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(g.out) > 0 && g.err == nil {
		out := g.out
		g.out = g.spare[:0]
		g.mu.Unlock()
		_, err := g.Conn.Write(out)
		g.mu.Lock()
		if g.spare = out; err != nil {
			g.err = err
			_ = g.Conn.Close() // ends the Read under way
		}
		g.flushed.Broadcast()
	}
	g.flushing = false
	g.flushed.Broadcast()
}

// SetWriteDeadline implements net.Conn.
func (g *gathering) SetWriteDeadline(t time.Time) error {
	g.stop()
	return g.Conn.SetWriteDeadline(t)
}

// stop ends the gathering: from now on each Write waits until all bytes before it and its own are
// written.
func (g *gathering) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.gathers = false
}

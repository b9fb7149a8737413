package http1

import (
	"errors"
	"net"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// maxGathered is how many bytes a gathering holds back before whoever writes more has to wait:
// a server that reads nothing is not to fill our memory.
const maxGathered = 64 << 10

// gathering is a connection whose small writes go out together. HTTP/2 writes each request by
// itself, and a write to the system is the dearest part of it: with sixteen requests under way
// some five go into one. What is written waits for the goroutines that can run at that moment,
// never for time. It begins with gather, and ends where a deadline is set: crypto/tls does that
// for its last words, which are to leave before the connection is closed.
//
// Where the system refuses what it took, the connection is closed, and reading as well as
// writing returns why.
type gathering struct {
	net.Conn

	mu         sync.Mutex
	gathers    bool
	flushing   bool
	out, spare []byte // to be written; room for the next
	err        error
	flushed    *sync.Cond // of mu: a part of out has left, or cannot
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

// Write implements net.Conn. Bytes that are gathered count as written.
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

// flush writes what was gathered, and what comes meanwhile.
func (g *gathering) flush() {
	runtime.Gosched() // others may be about to write
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
			_ = g.Conn.Close() // ends the reading, which returns err
		}
		g.flushed.Broadcast()
	}
	g.flushing = false
	g.flushed.Broadcast()
}

// Read implements net.Conn.
func (g *gathering) Read(b []byte) (int, error) {
	n, err := g.Conn.Read(b)
	if err != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.err != nil {
			err = g.err
		}
	}
	return n, err
}

// SetDeadline implements net.Conn.
func (g *gathering) SetDeadline(t time.Time) error {
	g.stop()
	return g.Conn.SetDeadline(t)
}

// SetWriteDeadline implements net.Conn.
func (g *gathering) SetWriteDeadline(t time.Time) error {
	g.stop()
	return g.Conn.SetWriteDeadline(t)
}

// stop ends the gathering: each write waits for those before it, and then for itself.
func (g *gathering) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.gathers = false
}

// SyscallConn implements syscall.Conn.
func (g *gathering) SyscallConn() (syscall.RawConn, error) {
	if c, ok := g.Conn.(syscall.Conn); ok {
		return c.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

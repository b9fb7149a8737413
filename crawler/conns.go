package crawler

import (
	"context"
	"net"
	"sync/atomic"
)

// Ceilings over all hosts (contract, --parallel-all).
const (
	defaultAtOnce = 512  // requests
	maxIdle       = 1024 // connections beyond those of requests under way
	spareFiles    = 48   // files that are not for connections: store, spool, outputs, standard streams
)

// AtOnce returns how many requests may be under way at once over all hosts, where
// want are wanted; 0 means 512. It is less where the system lets this process have few
// open files: a request may take a connection, a second one that races it over
// another address, and two questions to a name server.
func AtOnce(want int) int {
	if want <= 0 {
		want = defaultAtOnce
	}
	if files := openFiles(); files > 0 {
		want = min(want, max(1, (files-spareFiles)/4))
	}
	return want
}

// connections returns how many may be open, with so many requests at once.
func connections(atOnce int) int {
	most := atOnce + maxIdle
	if files := openFiles(); files > 0 {
		most = min(most, max(atOnce, files-spareFiles-2*atOnce))
	}
	return most
}

// slots are the requests that may be under way at once. They become fewer where the
// system has no room for them.
type slots struct {
	free chan struct{}
	most atomic.Int64
	debt atomic.Int64 // slots that are gone once they are left
}

func newSlots(n int) *slots {
	s := &slots{free: make(chan struct{}, n)}
	s.most.Store(int64(n))
	for range n {
		s.free <- struct{}{}
	}
	return s
}

// enter waits for a slot; leave gives it back.
func (s *slots) enter(ctx context.Context) error {
	select {
	case <-s.free:
		return nil
	default:
	}
	select {
	case <-s.free:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *slots) leave() {
	for d := s.debt.Load(); d > 0; d = s.debt.Load() {
		if s.debt.CompareAndSwap(d, d-1) {
			return
		}
	}
	s.free <- struct{}{}
}

// halve makes half of them, one at least.
func (s *slots) halve() {
	for n := s.most.Load(); n > 1; n = s.most.Load() {
		if s.most.CompareAndSwap(n, n-n/2) {
			s.debt.Add(n / 2)
			return
		}
	}
}

// conns counts the connections that are open, or being made. Where they are too many, one that is
// idle is let go before another is made.
type conns struct {
	most  int
	open  atomic.Int64
	letGo func() bool // closes what was idle for the longest time; false where nothing is
}

// dialling returns dial with its connections counted.
func (c *conns) dialling(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		for n := c.open.Add(1); n > int64(c.most) && c.letGo(); n = c.open.Load() {
		}
		nc, err := dial(ctx, network, address)
		if tcp, ok := nc.(*net.TCPConn); ok && err == nil {
			return &openConn{TCPConn: tcp, of: c}, nil
		}
		c.open.Add(-1)
		return nc, err
	}
}

// openConn is a connection that is counted until it is closed.
type openConn struct {
	*net.TCPConn
	of     *conns
	closed atomic.Bool
}

// Close implements net.Conn.
func (c *openConn) Close() error {
	if !c.closed.Swap(true) {
		c.of.open.Add(-1)
	}
	return c.TCPConn.Close()
}

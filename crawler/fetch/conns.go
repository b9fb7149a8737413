package fetch

import (
	"cmp"
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Ceilings over all hosts (contract, --parallel-all).
const (
	defaultAtOnce = 512  // requests
	maxIdle       = 1024 // connections beyond those of requests under way
	// files that are not for connections: store, spool, outputs, standard streams
	spareFiles = 48
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
// system has no room for them, and slowly more again.
type slots struct {
	free chan struct{}

	mu     sync.Mutex
	most   int       // there are
	debt   int       // slots that are gone once they are left
	passed int       // requests that had room since there was one more
	halved time.Time // when there became fewer
}

func newSlots(n int) *slots {
	s := &slots{free: make(chan struct{}, n), most: n}
	for range n {
		s.free <- struct{}{}
	}
	return s
}

// sendsKey is the key of a context's value that says how long requests are sent.
type sendsKey struct{}

// SendsWhile returns hard for requests that are sent only while soft lasts: one that has
// to wait for others to end is given up with soft, one that is under way with hard.
func SendsWhile(hard, soft context.Context) context.Context {
	return context.WithValue(hard, sendsKey{}, soft)
}

// enter waits for a slot; leave gives it back.
func (s *slots) enter(ctx context.Context) error {
	soft := ctx
	if c, ok := ctx.Value(sendsKey{}).(context.Context); ok {
		soft = c
	}
	select {
	case <-s.free:
	case <-soft.Done():
		return soft.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
	err := cmp.Or(soft.Err(), ctx.Err()) // both may have come at once
	if err != nil {
		s.leave()
	}
	return err
}

func (s *slots) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.give()
}

// give gives a slot back, or pays for one that is gone. mu is held.
func (s *slots) give() {
	if s.debt > 0 {
		s.debt--
		return
	}
	s.free <- struct{}{} // there is room for all
}

// halve makes half of them, one at least, because there was no room for a request that
// began at a time. Requests that were under way then say nothing more.
func (s *slots) halve(began time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !began.After(s.halved) {
		return
	}
	gone := s.most / 2
	s.most, s.debt, s.passed, s.halved = s.most-gone, s.debt+gone, 0, time.Now()
}

// pass notes that there was room for a request: once all have had it, there is one more.
func (s *slots) pass() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.most == cap(s.free) {
		return
	}
	if s.passed++; s.passed >= s.most {
		s.most, s.passed = s.most+1, 0
		s.give()
	}
}

// conns counts the connections that are open, or being made. Where they are too many, some that are
// idle are let go before another is made.
type conns struct {
	most   int
	open   atomic.Int64
	letGo  func() bool // closes what was idle for the longest time; false where nothing is
	letAll func()      // closes all else that is idle
}

// dialling returns dial with its connections counted.
func (c *conns) dialling(dial DialFunc) DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		n := c.open.Add(1)
		for n > int64(c.most) && c.letGo() {
			n = c.open.Load()
		}
		if n > int64(c.most) { // net/http has no way to name one: so all, and then none for long
			c.letAll()
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

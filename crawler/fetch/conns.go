package fetch

import (
	"cmp"
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Limits over all hosts.
const (
	defaultAtOnce = 512  // requests
	maxIdle       = 1024 // connections beyond those of requests under way
	// files other than connections: store, spool, outputs, standard streams
	spareFiles = 48
)

// AtOnce returns how many requests may be under way at once over all hosts where want are wanted; 0
// means 512. It is less where the system allows this process few open files: a request may need one
// connection, a second one that races it over another address, and two queries to a name server.
func AtOnce(want int) int {
	if want <= 0 {
		want = defaultAtOnce
	}
	if files := openFiles(); files > 0 {
		want = min(want, max(1, (files-spareFiles)/4))
	}
	return want
}

// connections returns how many connections may be open with that many requests at once.
func connections(atOnce int) int {
	most := atOnce + maxIdle
	if files := openFiles(); files > 0 {
		most = min(most, max(atOnce, files-spareFiles-2*atOnce))
	}
	return most
}

// slots limits the requests that are under way at once. The limit falls where the system has no
// room for them, and slowly rises again.
type slots struct {
	free chan struct{}

	mu     sync.Mutex
	most   int       // the limit
	debt   int       // slots to remove when they are given back
	passed int       // requests that had room since the limit last changed
	halved time.Time // when the limit last fell
}

func newSlots(n int) *slots {
	s := &slots{free: make(chan struct{}, n), most: n}
	for range n {
		s.free <- struct{}{}
	}
	return s
}

// sendsKey is the context key for the context of SendsWhile.
type sendsKey struct{}

// SendsWhile returns a context with two ends, derived from hard: a request that still waits for
// others to end is given up when soft ends, one that is under way when hard ends.
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
	err := cmp.Or(soft.Err(), ctx.Err()) // both cases may have been ready
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

// give gives a slot back, or removes it where one is to be removed. mu is held.
func (s *slots) give() {
	if s.debt > 0 {
		s.debt--
		return
	}
	s.free <- struct{}{} // never blocks: the channel has room for all slots
}

// halve halves the limit, to one at least, because there was no room for a request that began at
// began. It ignores requests that were under way when the limit last fell.
func (s *slots) halve(began time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !began.After(s.halved) {
		return
	}
	gone := s.most / 2
	s.most, s.debt, s.passed, s.halved = s.most-gone, s.debt+gone, 0, time.Now()
}

// pass records that there was room for a request: once as many as the limit had room, the limit
// rises by one.
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

// conns counts the connections that are open or being made. Where they are too many, it closes idle
// ones before another is made.
type conns struct {
	most   int
	open   atomic.Int64
	letGo  func() bool // closes the connection that was idle longest; false where none is idle
	letAll func()      // closes all other idle connections
}

// dialling returns dial with its connections counted.
func (c *conns) dialling(dial DialFunc) DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		n := c.open.Add(1)
		for n > int64(c.most) && c.letGo() {
			n = c.open.Load()
		}
		if n > int64(c.most) { // net/http can only close all, which leaves room for a while
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

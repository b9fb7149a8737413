package fetch

import (
	"net"
	"sync"
	"testing"
)

// rawConns passes the connections of a listener to a server of bytes or frames, and counts them.
type rawConns struct {
	addr string
	mu   sync.Mutex
	n    int
}

// accept serves each connection of ln in a goroutine of its own until the test ends: then all are
// closed and serve must return.
func (w *rawConns) accept(t *testing.T, ln net.Listener, serve func(net.Conn)) {
	t.Helper()
	w.addr = ln.Addr().String()
	var all sync.WaitGroup
	stop := make(chan struct{})
	all.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			w.mu.Lock()
			w.n++
			w.mu.Unlock()
			ended := make(chan struct{})
			// This goroutine starts before any answer, so that a check for leaks knows it.
			all.Go(func() {
				select {
				case <-stop:
				case <-ended:
				}
				c.Close()
			})
			all.Go(func() { defer close(ended); serve(c) })
		}
	})
	t.Cleanup(func() { close(stop); ln.Close(); all.Wait() })
}

// conns returns how many connections came.
func (w *rawConns) conns() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.n
}

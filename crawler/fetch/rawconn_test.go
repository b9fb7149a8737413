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
	open []net.Conn
}

// accept serves each connection of ln in a goroutine of its own until the test ends: then all are
// closed and serve must return.
func (w *rawConns) accept(t *testing.T, ln net.Listener, serve func(net.Conn)) {
	t.Helper()
	w.addr = ln.Addr().String()
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			w.mu.Lock()
			w.open = append(w.open, c)
			w.mu.Unlock()
			all.Go(func() { defer c.Close(); serve(c) })
		}
	})
	t.Cleanup(func() {
		ln.Close()
		w.mu.Lock()
		for _, c := range w.open {
			c.Close()
		}
		w.mu.Unlock()
		all.Wait()
	})
}

// conns returns how many connections came.
func (w *rawConns) conns() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.open)
}

package serve

import (
	"cmp"
	"context"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits of a connection before its client has shown the token, and of the number of connections. A
// browser opens six.
const (
	maxConns      = 128
	headerTimeout = 10 * time.Second
	idleTimeout   = time.Minute
	maxHeader     = 32 << 10 // bytes; a search has 8 KB, percent-encoded
	grace         = 3 * time.Second
)

// Serve answers the requests on ln until ctx ends, then lets running answers end, for a few
// seconds. New connections are always accepted: beyond 128 one is closed, an idle one first, then
// one that has not shown the token; of these, the oldest.
func (s *Site) Serve(ctx context.Context, ln net.Listener, errors *log.Logger) error {
	d := &door{Listener: ln, open: map[*caller]struct{}{}, most: maxConns}
	server := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader, ErrorLog: errors,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnState:   d.turned,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, callerKey{}, c) },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(d) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if server.Shutdown(patience) != nil {
		_ = server.Close() // what is being sent breaks off
	}
	<-ended
	return nil
}

// A door is a listener with a limited number of connections.
type door struct {
	net.Listener
	most int
	mu   sync.Mutex
	open map[*caller]struct{}
	last uint64
}

// A caller is a connection that came through a door.
type caller struct {
	net.Conn
	door *door
	n    uint64 // they are counted
	// Guarded by door.mu.
	shown bool // the token
	idle  bool // kept alive between two requests
}

// callerKey is the key of a request's caller in its context.
type callerKey struct{}

// Accept waits for the next connection, and closes another one where there are too many.
func (d *door) Accept() (net.Conn, error) {
	conn, err := d.Listener.Accept()
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	d.last++
	c := &caller{Conn: conn, door: d, n: d.last}
	d.open[c] = struct{}{}
	var out *caller
	if len(d.open) > d.most {
		out = d.spared()
	}
	d.mu.Unlock()
	if out != nil {
		_ = out.Close() // nobody waits for what it would have said
	}
	return c, nil
}

// spared returns the connection whose closing does the least harm: an idle one loses nothing. The
// newest is the last choice. d.mu is held.
func (d *door) spared() (out *caller) {
	for c := range d.open {
		if out == nil || cmp.Or(cmp.Compare(d.rank(c), d.rank(out)), cmp.Compare(c.n, out.n)) < 0 {
			out = c
		}
	}
	return out
}

// rank returns the order in which connections are closed, the smallest first. d.mu is held.
func (d *door) rank(c *caller) int {
	switch {
	case c.n == d.last:
		return 4
	case c.idle && !c.shown:
		return 0
	case c.idle:
		return 1
	case !c.shown:
		return 2
	}
	return 3
}

// turned records whether a connection is idle.
func (d *door) turned(conn net.Conn, state http.ConnState) {
	if c, ok := conn.(*caller); ok {
		d.mu.Lock()
		defer d.mu.Unlock()
		c.idle = state == http.StateIdle
	}
}

// Close closes the connection and frees its place.
func (c *caller) Close() error {
	c.door.mu.Lock()
	delete(c.door.open, c)
	c.door.mu.Unlock()
	return c.Conn.Close()
}

// known records that the client of a request has shown the token.
func known(r *http.Request) {
	if c, ok := r.Context().Value(callerKey{}).(*caller); ok {
		c.door.mu.Lock()
		defer c.door.mu.Unlock()
		c.shown = true
	}
}

// bodiless reports whether a request has no body; no page needs one. A request with a body is
// answered at once and its connection closed, without reading the body.
func bodiless(w http.ResponseWriter, r *http.Request) bool {
	if r.ContentLength == 0 {
		return true
	}
	w.Header().Set("Connection", "close")
	_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) // a test's recorder has none
	http.Error(w, "No request here has a body.", http.StatusRequestEntityTooLarge)
	return false
}

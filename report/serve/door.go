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

// What a connection may cost before it is known who is behind it, and how many there
// are at most. A browser opens six.
const (
	maxConns      = 128
	headerTimeout = 10 * time.Second
	idleTimeout   = time.Minute
	maxHeader     = 32 << 10 // bytes; a search has 8 KB, percent-encoded
	grace         = 3 * time.Second
)

// Serve answers the requests that come over ln until ctx ends, then lets those that are
// being answered end, for a few seconds. Nobody keeps a newcomer out: beyond 128
// connections one makes room, first one on which nothing is asked, then one that has
// not shown the token; of these, the one that has been open the longest.
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

// A door is a listener that lets a bounded number of callers in.
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
	// Of door.mu.
	shown bool // the token
	idle  bool // kept alive between two requests
}

// callerKey is the key of a request's caller in its context.
type callerKey struct{}

// Accept waits for the next caller, and shows another one out where there are too many.
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

// spared returns the caller who is missed least: one who asks for nothing loses nothing
// when the connection is closed. The newcomer is the last. d.mu is held.
func (d *door) spared() (out *caller) {
	for c := range d.open {
		if out == nil || cmp.Or(cmp.Compare(d.rank(c), d.rank(out)), cmp.Compare(c.n, out.n)) < 0 {
			out = c
		}
	}
	return out
}

// rank is less for who makes room earlier. d.mu is held.
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

// turned notes whether a caller asks for something.
func (d *door) turned(conn net.Conn, state http.ConnState) {
	if c, ok := conn.(*caller); ok {
		d.mu.Lock()
		defer d.mu.Unlock()
		c.idle = state == http.StateIdle
	}
}

// Close lets go of the connection, and of its place.
func (c *caller) Close() error {
	c.door.mu.Lock()
	delete(c.door.open, c)
	c.door.mu.Unlock()
	return c.Conn.Close()
}

// known notes that the caller of a request has shown the token.
func known(r *http.Request) {
	if c, ok := r.Context().Value(callerKey{}).(*caller); ok {
		c.door.mu.Lock()
		defer c.door.mu.Unlock()
		c.shown = true
	}
}

// bodiless reports whether a request has no body, which none needs. One that has is
// answered at once and its connection closed, without a byte of the body being waited
// for.
func bodiless(w http.ResponseWriter, r *http.Request) bool {
	if r.ContentLength == 0 {
		return true
	}
	w.Header().Set("Connection", "close")
	_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) // a test's recorder has none
	http.Error(w, "No request here has a body.", http.StatusRequestEntityTooLarge)
	return false
}

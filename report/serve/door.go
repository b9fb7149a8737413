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
// being answered end, for a few seconds. Whoever is slow keeps nobody out: beyond 128
// connections the one that has been open the longest without showing the token is
// closed.
func (s *Site) Serve(ctx context.Context, ln net.Listener, errors *log.Logger) error {
	d := &door{Listener: ln, open: map[*caller]bool{}, most: maxConns}
	server := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader, ErrorLog: errors,
		BaseContext: func(net.Listener) context.Context { return ctx },
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
	open map[*caller]bool // whether they have shown the token
	last uint64
}

// A caller is a connection that came through a door.
type caller struct {
	net.Conn
	door *door
	n    uint64 // they are counted
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
	c := &caller{conn, d, d.last}
	d.open[c] = false
	var out *caller
	if len(d.open) > d.most {
		out = d.longest()
	}
	d.mu.Unlock()
	if out != nil {
		_ = out.Close() // nobody waits for what it would have said
	}
	return c, nil
}

// longest returns the caller who has been here for the longest without the token; where
// all have it, for the longest. d.mu is held.
func (d *door) longest() (out *caller) {
	rank := func(c *caller) int {
		if d.open[c] {
			return 1
		}
		return 0
	}
	for c := range d.open {
		if out == nil || cmp.Or(cmp.Compare(rank(c), rank(out)), cmp.Compare(c.n, out.n)) < 0 {
			out = c
		}
	}
	return out
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
		if _, here := c.door.open[c]; here {
			c.door.open[c] = true
		}
	}
}

// bodiless tells whether a request has no body, which none needs. One that has is
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

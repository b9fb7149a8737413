package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http/httptrace"
	"sync/atomic"
)

// errSwitched is the error of an answer that changes the protocol without a request to (101).
var errSwitched = errors.New("malformed: it switches protocols unasked (101)")

// errNoStatus is the error of an answer whose three digits of status are below 100.
var errNoStatus = errors.New("malformed: its status is below 100")

// once allows a request to be sent only once. net/http sends a request again on its own where a
// kept connection ends before the answer, and up to seven times where an HTTP/2 server resets the
// stream (REFUSED_STREAM, PROTOCOL_ERROR) or goes away; neither the pace nor the counters would
// notice. once stops that before a byte is written, and the layers above try again in their own
// way.
type once struct {
	cancel context.CancelFunc
	sent   atomic.Bool
	stale  atomic.Bool
}

// watch returns ctx, which o.cancel ends, with the trace hooks of o.
func (o *once) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx,
		&httptrace.ClientTrace{WroteHeaders: o.wrote, GotConn: o.connected})
}

func (o *once) wrote() { o.sent.Store(true) }

// connected is called with the connection of each attempt. An HTTP/2 stream is not begun once its
// context has ended. HTTP/1.1 would be written to without a check of the context, so that
// connection is closed.
func (o *once) connected(info httptrace.GotConnInfo) {
	if !o.sent.Load() {
		return
	}
	o.stale.Store(true)
	o.cancel()
	if c, ok := info.Conn.(*tls.Conn); ok && c.ConnectionState().NegotiatedProtocol == "h2" {
		return
	}
	_ = info.Conn.Close() // no other request uses it
}

package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http/httptrace"
	"sync/atomic"
)

// errSwitched says that a server changed to another protocol, which nobody asked
// it to (101).
var errSwitched = errors.New("malformed: it switches protocols unasked (101)")

// errNoStatus says that an answer has no status: three digits are below 100.
var errNoStatus = errors.New("malformed: its status is below 100")

// once lets a request be sent only once. net/http sends one again on its own
// where a kept connection ends before the answer, and up to seven times where an
// HTTP/2 server resets the stream (REFUSED_STREAM, PROTOCOL_ERROR) or goes away,
// unseen by the pace and by the counters. Here that is stopped before a byte is
// written, and the layers above ask again in their own way.
type once struct {
	cancel context.CancelFunc
	sent   atomic.Bool
	stale  atomic.Bool
}

// watch returns ctx, which o.cancel ends, with the hooks of o.
func (o *once) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx,
		&httptrace.ClientTrace{WroteHeaders: o.wrote, GotConn: o.connected})
}

func (o *once) wrote() { o.sent.Store(true) }

// connected is called with the connection for each sending. An HTTP/2 stream is
// not begun once its context has ended; an HTTP/1.1 connection is written to
// without a look at it, so it is closed.
func (o *once) connected(info httptrace.GotConnInfo) {
	if !o.sent.Load() {
		return
	}
	o.stale.Store(true)
	o.cancel()
	if c, ok := info.Conn.(*tls.Conn); ok && c.ConnectionState().NegotiatedProtocol == "h2" {
		return
	}
	_ = info.Conn.Close() // nobody else has it
}

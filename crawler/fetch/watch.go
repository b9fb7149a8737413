package fetch

import (
	"context"
	"net"
	"sync"
	"time"
)

// watch cuts off what is under way on a connection when its context ends. One
// context is that of thousands of requests in a row: it is looked after once, not
// once for each of them.
type watch struct {
	ctx  context.Context // that is looked after; nil for none
	stop func() bool     // looks after it no more

	mu   sync.Mutex
	busy context.Context // of the request under way; nil for none
}

// begin is called before a request. It returns ctx's error where that has ended
// already, and then nothing was begun.
func (w *watch) begin(ctx context.Context, c net.Conn) error {
	if w.ctx != ctx {
		w.leave()
		w.ctx, w.stop = ctx, context.AfterFunc(ctx, func() { w.cut(ctx, c) })
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	w.busy = ctx
	return nil
}

// cut ends what is under way for ctx. What came after it on the same connection
// has another context, and is left alone.
func (w *watch) cut(ctx context.Context, c net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.busy == ctx {
		_ = c.SetDeadline(time.Unix(1, 0)) // fails only where it is closed
	}
}

// end is called after a request. false where its context has ended: then the
// connection may have been cut off.
func (w *watch) end() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	ok := w.busy != nil && w.busy.Err() == nil
	w.busy = nil
	return ok
}

// leave looks after no context any more.
func (w *watch) leave() {
	if w.stop != nil {
		w.stop()
	}
	w.ctx, w.stop = nil, nil
}

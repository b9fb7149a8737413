package crawler

import (
	"context"
	"io"
	"sync/atomic"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

// borrowed is the lease of a host for requests for files, which this process sends itself while
// others send those for entries (Options.Via). It is guarded by host.borrowing.
type borrowed struct {
	lease *Lease
	users int // requests that are being sent under it
}

// borrow leases h to this process for one request; it returns nil where no other process sends
// requests. Concurrent requests share a lease. The error is that of ctx.
func (c *Crawler) borrow(ctx context.Context, h *host) (*borrowed, error) {
	if c.o.Via == nil {
		return nil, nil
	}
	h.borrowing.Lock()
	defer h.borrowing.Unlock()
	if b := h.own; b != nil && !b.lease.lost() {
		b.users++
		return b, nil
	}
	l, err := c.o.Via.Lease(ctx, h.name)
	if err != nil {
		return nil, err
	}
	if l.Elsewhere {
		h.adopt(HostState{PaceState: l.State.PaceState})
	}
	h.own = &borrowed{l, 1}
	return h.own, nil
}

// giveBack returns what borrow returned.
func (c *Crawler) giveBack(ctx context.Context, h *host, b *borrowed) {
	h.borrowing.Lock()
	defer h.borrowing.Unlock()
	if b.users--; b.users > 0 {
		return
	}
	if h.own == b {
		h.own = nil
	}
	c.o.Via.Release(ctx, b.lease, h.State())
}

// alone gets a file once, with a lease of the host for each request where other processes send
// requests, too. It waits for leases until soft ends; a request under way is given up when hard
// ends, or when its lease is lost: then the error is ErrFenced.
func (c *Crawler) alone(soft, hard context.Context, f fetch.File, w io.Writer) (fetch.FileResult, error) {
	if c.o.Via == nil {
		return c.client.Get(hard, f, w)
	}
	hard, cancel := context.WithCancel(hard)
	defer cancel()
	first := c.host(c.o.Key(f.URL))
	waited, err := c.borrow(soft, first) // not in Turn, because the time for a Get is limited
	if err != nil {
		return fetch.FileResult{}, err
	}
	var lost atomic.Bool
	turn := f.Turn
	f.Turn = func(ctx context.Context, a address.Address) (func(*audit.Hop, fetch.Answer), error) {
		h, b := c.host(c.o.Key(a)), waited
		if waited = nil; b == nil {
			var err error
			if b, err = c.borrow(soft, h); err != nil {
				return nil, err
			}
		}
		done, err := turn(ctx, a)
		if err == nil && b.lease.lost() {
			done(&audit.Hop{Fault: audit.FaultAbandoned}, fetch.Answer{})
			err = ErrFenced
		}
		if err != nil {
			c.giveBack(soft, h, b)
			return nil, err
		}
		stop := context.AfterFunc(b.lease.Live, func() { lost.Store(true); cancel() })
		return func(hop *audit.Hop, a fetch.Answer) {
			stop()
			done(hop, a)
			c.giveBack(soft, h, b)
		}, nil
	}
	got, err := c.client.Get(hard, f, w)
	if lost.Load() {
		err = ErrFenced
	}
	return got, err
}

package crawler

import (
	"context"
	"errors"
	"io"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/discover"
	"sitemend/crawler/fetch"
)

// file gets a file like any request: at the pace of its hosts, and with two more attempts where
// these may help. Each attempt writes to a writer of its own that open returns. Once ctx has ended
// no more requests are sent, but the answer to one under way may still arrive for a while. even
// requests the file from an abandoned host, too. The error is that of a writer, or of ctx; then the
// requests that were sent are counted here (alsoSent).
func (c *Crawler) file(ctx context.Context, f fetch.File, even bool, open func() (io.WriteCloser, error)) (out discover.File, err error) {
	f.Turn = func(_ context.Context, a address.Address) (func(*audit.Hop, fetch.Answer), error) {
		return c.turn(ctx, a)
	}
	c.mu.Lock()
	h := c.host(c.o.Key(f.URL))
	c.mu.Unlock()
	if !even && c.isLeft(h) {
		out.Fault, out.Final = audit.FaultAbandoned, f.URL
		return out, nil
	}
	for try := 0; ; try++ {
		got, err := c.got(ctx, f, open)
		out.FileResult = got
		out.Requests += len(got.Trail)
		c.Progress.Requests.Add(int64(len(got.Trail)))
		if errors.Is(err, ErrFenced) && c.o.Via != nil && c.hard.Err() == nil {
			try-- // the lease was lost, which says nothing about the host: wait for the next one
			continue
		}
		if err != nil {
			c.alsoSent(out.Requests)
			return out, err
		}
		hop := audit.Hop{Status: got.Status, Fault: got.Fault}
		c.mu.Lock()
		h := c.host(c.o.Key(got.Final))
		c.mu.Unlock()
		if c.count(h, &hop, got.RetryAfter) || !heals(&hop) || try >= len(c.o.Backoff) {
			c.asksToWait(got.Final.HostPort(), &hop, got.RetryAfter)
			return out, nil
		}
		wait := max(c.o.Backoff[try], got.RetryAfter)
		if got.Stale && try == 0 {
			wait = 0
		}
		if err := pause(ctx, wait); err != nil {
			c.alsoSent(out.Requests)
			return out, err
		}
	}
}

// got gets a file once. It repeats a request that fails on this machine until it succeeds; where
// the failure lasts the error is an *OutageError.
func (c *Crawler) got(ctx context.Context, f fetch.File, open func() (io.WriteCloser, error)) (fetch.FileResult, error) {
	var first time.Time
	for {
		if err := c.outage.hold(ctx); err != nil {
			return fetch.FileResult{}, err
		}
		w, err := open()
		if err != nil {
			return fetch.FileResult{}, err
		}
		hard, end := c.underWay(c.hostNamed(c.o.Key(f.URL)))
		got, err := c.alone(ctx, hard, f, w)
		if end() {
			err = ErrFenced
		}
		if err = errors.Join(err, w.Close()); err != nil || got.Fault != fetch.FaultLocal {
			if err == nil {
				c.outage.passed()
			}
			return got, err
		}
		alone, err := c.outage.failed(got.Detail, &first)
		if err != nil {
			return fetch.FileResult{}, err
		}
		if alone {
			got.Fault, got.Detail = unanswered(got.Detail)
			return got, nil
		}
	}
}

// turn waits until a request for a file may be sent to a host.
func (c *Crawler) turn(ctx context.Context, a address.Address) (func(*audit.Hop, fetch.Answer), error) {
	h := c.hostNamed(c.o.Key(a))
	turn, err := h.pace.Wait(ctx)
	if err != nil {
		return nil, err
	}
	if h.leased().lost() {
		h.pace.Done(turn, Outcome{Fault: audit.FaultAbandoned})
		return nil, ErrFenced
	}
	return func(hop *audit.Hop, answer fetch.Answer) {
		o := outcome(hop, answer.RetryAfter, answer.Stale)
		c.refusedAt(a.HostPort(), h.pace.Done(turn, o))
		if o.RetryAfter > 0 {
			c.rests(h)
		}
	}, nil
}

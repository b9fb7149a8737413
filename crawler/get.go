package crawler

import (
	"context"
	"fmt"
	"io"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// fetchLimits bound the fetching of one file.
type fetchLimits struct {
	redirects int
	size      int64 // bytes as served
}

// fetched is what came of a robots.txt or a sitemap.
type fetched struct {
	Got
	Requests int // tries and redirects included
}

// fetch gets a file like any request: at the pace of its hosts, and with two
// more tries for what can heal, as long as nothing was written to w. Once ctx has
// ended nothing more is sent, but what is under way may still arrive for a
// while. Its error is that of w, or ctx's.
func (c *Crawler) fetch(ctx context.Context, a address.Address, l fetchLimits, w io.Writer) (fetched, error) {
	f := Fetch{URL: a, Redirects: l.redirects, Limit: l.size,
		Turn: func(_ context.Context, a address.Address) (func(Outcome), error) { return c.turn(ctx, a) }}
	var out fetched
	for try := 0; ; try++ {
		got, err := c.asker.Get(c.hard, f, w)
		out.Got = got
		out.Requests += len(got.Trail)
		c.Progress.Requests.Add(int64(len(got.Trail)))
		if err != nil {
			return out, err
		}
		hop := audit.Hop{Status: got.Status, Fault: got.Fault}
		if !heals(&hop) || try >= len(c.o.Backoff) || got.Bytes > 0 || got.RetryAfter > maxRetryAfter {
			return out, nil
		}
		if err := wait(ctx, max(c.o.Backoff[try], got.RetryAfter)); err != nil {
			return out, err
		}
	}
}

// turn waits until a host may be asked for a file.
func (c *Crawler) turn(ctx context.Context, a address.Address) (func(Outcome), error) {
	c.mu.Lock()
	h := c.host(a.Host())
	c.mu.Unlock()
	if err := h.pace.Wait(ctx); err != nil {
		return nil, err
	}
	return h.pace.Done, nil
}

// permanent tells whether it was redirected, each time for good.
func (f *fetched) permanent() bool {
	for _, hop := range f.Trail[:max(0, len(f.Trail)-1)] {
		if hop.Status != 301 && hop.Status != 308 {
			return false
		}
	}
	return len(f.Trail) > 1
}

// wrong says in words why a file was not got; "" where it was.
func (f *fetched) wrong() string {
	switch {
	case f.Fault != "" && f.Bytes > 0:
		return "" // what came before the fault counts
	case f.Fault != "":
		return faultWords(f.Fault)
	case f.Redirecting:
		return fmt.Sprintf("it redirects (%d) and does not end", f.Status)
	case f.Status < 200 || f.Status > 299:
		return fmt.Sprintf("it answers %d", f.Status)
	}
	return ""
}

package crawler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

// fetchLimits bound the fetching of one file.
type fetchLimits struct {
	redirects int
	size      int64 // bytes as served
	as        audit.Purpose
	even      bool // ask a host that was left, too
}

// fetched is what came of a robots.txt or a sitemap.
type fetched struct {
	fetch.FileResult
	Requests int // tries and redirects included
}

// fetch gets a file like any request: at the pace of its hosts, and with two
// more tries for what can heal. Each try writes to a writer of its own that open
// returns. Once ctx has ended nothing more is sent, but what is under way may
// still arrive for a while. Its error is that of a writer, or ctx's.
func (c *Crawler) fetch(ctx context.Context, a address.Address, l fetchLimits, open func() (io.WriteCloser, error)) (fetched, error) {
	f := fetch.File{URL: a, Purpose: l.as, Redirects: l.redirects, Limit: l.size,
		Turn: func(_ context.Context, a address.Address) (func(*audit.Hop, fetch.Answer), error) {
			return c.turn(ctx, a)
		}}
	var out fetched
	c.mu.Lock()
	left := c.host(a.Host()).abandoned
	c.mu.Unlock()
	if left && !l.even {
		out.Fault, out.Final = audit.FaultAbandoned, a
		return out, nil
	}
	for try := 0; ; try++ {
		got, err := c.got(ctx, f, open)
		out.FileResult = got
		out.Requests += len(got.Trail)
		c.Progress.Requests.Add(int64(len(got.Trail)))
		if err != nil {
			return out, err
		}
		hop := audit.Hop{Status: got.Status, Fault: got.Fault}
		c.mu.Lock()
		h := c.host(got.Final.Host())
		c.mu.Unlock()
		if c.count(h, &hop, got.RetryAfter) || !heals(&hop) || try >= len(c.o.Backoff) {
			return out, nil
		}
		wait := max(c.o.Backoff[try], got.RetryAfter)
		if got.Stale && try == 0 {
			wait = 0
		}
		if err := pause(ctx, wait); err != nil {
			return out, err
		}
	}
}

// got gets a file once. What fails on this machine is asked again until it does not;
// where that lasts the error is an *OutageError.
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
		got, err := c.client.Get(c.hard, f, w)
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

// turn waits until a host may be asked for a file.
func (c *Crawler) turn(ctx context.Context, a address.Address) (func(*audit.Hop, fetch.Answer), error) {
	c.mu.Lock()
	h := c.host(a.Host())
	c.mu.Unlock()
	turn, err := h.pace.Wait(ctx)
	if err != nil {
		return nil, err
	}
	return func(hop *audit.Hop, a fetch.Answer) { h.pace.Done(turn, outcome(hop, a.RetryAfter, a.Stale)) }, nil
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

// cutBy says in words why not all of a file came.
func (f *fetched) cutBy() string {
	if f.Fault != "" {
		return faultWords(f.Fault)
	}
	return "the limit for a file"
}

// wrong says in words why a file was not got; nothing where it was.
func (f *fetched) wrong() sentence {
	switch {
	case f.Fault != "" && f.Bytes > 0:
		return sentence{} // what came before the fault counts
	case f.Fault != "" && f.Detail != "":
		return sentence{faultWords(f.Fault) + " (" + f.Detail + ")", "no-answer-detail", []string{string(f.Fault), f.Detail}}
	case f.Fault != "":
		return sentence{faultWords(f.Fault), "no-answer", []string{string(f.Fault)}}
	case f.Challenge != "":
		status := strconv.Itoa(f.Status)
		return sentence{"it answers " + status + ": " + f.Challenge + ", a bot protection, answers in its place", "status-protected", []string{status, f.Challenge}}
	case f.Redirecting:
		return sentence{fmt.Sprintf("it redirects (%d) and does not end", f.Status), "endless-redirect", []string{strconv.Itoa(f.Status)}}
	case f.Status < 200 || f.Status > 299:
		return sentence{fmt.Sprintf("it answers %d", f.Status), "status", []string{strconv.Itoa(f.Status)}}
	}
	return sentence{}
}

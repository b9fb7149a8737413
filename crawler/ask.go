package crawler

import (
	"context"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/fetch"
)

// politely sends the request of a task when it is h's turn, if robots.txt allows it. After wait another
// attempt is due; 0 means none. ok is false when the audit was stopped, or the lease lost.
func (c *Crawler) politely(h *host, t *Task) (hop answers.Hop, wait time.Duration, ok bool) {
	hop = answers.Hop{Request: t.Request}
	asked := address.Wire(t.Request.URL)
	if c.abandons(h) {
		hop.Fault = answers.FaultAbandoned
	} else if err := c.forbids(asked, &hop); err != nil {
		c.failAt(h, err)
		return hop, 0, false
	}
	if hop.Fault == "" {
		line, n := hop.Forbidden, hop.ForbiddenLine
		var answer fetch.Answer
		if hop, answer, ok = c.inTurn(h, t, asked); !ok {
			return hop, 0, false
		}
		hop.Request, hop.Forbidden, hop.ForbiddenLine = t.Request, line, n
		if hop.Fault != answers.FaultAbandoned {
			return hop, c.counted(h, t, asked, &hop, answer), true
		}
	}
	if t.Last != nil {
		return t.Last.Stands(), 0, true
	}
	hop.At = time.Now()
	return hop, 0, true
}

// counted completes the answer to a request that was sent, and returns how long to wait before
// another attempt; 0 for none.
func (c *Crawler) counted(h *host, t *Task, asked address.Address, hop *answers.Hop, answer fetch.Answer) time.Duration {
	c.Progress.Requests.Add(1)
	if t.Last != nil {
		hop.Counted = t.Last.Tries
		hop.Tries += hop.Counted
	}
	again := heals(hop) && answer.RetryAfter <= maxRest && hop.Tries <= len(c.o.Backoff) && (t.Most == 0 || hop.Tries < t.Most)
	switch {
	case answer.Stale && hop.Tries == 1 && again:
		return time.Nanosecond // as soon as it is its turn
	case h.count(hop, answer.RetryAfter) && c.abandons(h) || !again:
		c.asksToWait(asked.HostPort(), hop, answer.RetryAfter)
		return 0
	}
	return max(c.o.Backoff[hop.Tries-1], answer.RetryAfter)
}

// inTurn sends the request of a task when it is h's turn. It repeats a request that fails on this
// machine until it succeeds, has failed for long enough while others are answered, or the audit is
// stopped because of it. The fault is FaultAbandoned where h was abandoned meanwhile.
func (c *Crawler) inTurn(h *host, t *Task, asked address.Address) (hop answers.Hop, answer fetch.Answer, ok bool) {
	req := t.Request
	if len(c.o.Rules.Secret) == 0 {
		req.Purpose |= answers.WithoutSecrets
	}
	var first time.Time
	for {
		turn, err := c.turnOf(h)
		if err != nil {
			c.failAt(h, err)
			return hop, answer, false
		}
		if c.abandons(h) { // meanwhile
			h.Done(turn, outcome{Fault: answers.FaultAbandoned})
			return answers.Hop{Fault: answers.FaultAbandoned}, answer, true
		}
		if hop, answer, ok = c.sent(h, req); !ok {
			return hop, answer, false
		}
		if hop.Fault != fetch.FaultLocal {
			c.outage.passed()
		} else if err = c.outage.failed(&hop.Fault, &hop.Detail, &first); hop.Fault == fetch.FaultLocal {
			h.Done(turn, outcome{Fault: fetch.FaultLocal})
			if err != nil {
				c.fail(err)
				return hop, answer, false
			}
			continue
		}
		stale := answer.Stale && t.Last == nil
		c.learn(h, turn, asked, outcomeOf(&hop, answer.RetryAfter, stale, t.Last != nil))
		return hop, answer, true
	}
}

// sent sends a request whose turn at h it is. It returns false where the audit was stopped, or the
// lease lost. A request that was given up was sent: it counts, though there is no answer to count it
// with.
func (c *Crawler) sent(h *host, req answers.Request) (hop answers.Hop, answer fetch.Answer, ok bool) {
	if c.enter(c.soft) != nil {
		return hop, answer, false
	}
	defer func() { <-c.slots }()
	l := h.leased()
	ctx, end := c.underWay(l)
	defer end()
	hop, answer = c.client.Ask(ctx, req)
	if c.hard.Err() != nil || l.lost() {
		c.alsoSent(hop.Tries)
		return hop, answer, false
	}
	return hop, answer, true
}

// enter waits until a request may be under way; who enters takes from slots when it is answered.
func (c *Crawler) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case c.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// underWay returns the context of a request that is sent now under a lease; nil for none. end
// releases it.
func (c *Crawler) underWay(l *Lease) (ctx context.Context, end func()) {
	if l == nil {
		return c.hard, func() {}
	}
	ctx, cancel := context.WithCancel(c.hard)
	stop := context.AfterFunc(l.Live, cancel)
	return ctx, func() { stop(); cancel() }
}

// turnOf waits until a request may be sent to h. Meanwhile no further worker is started, which
// would only wait, too. Its error is that of the audit, which was stopped, or ErrFenced.
func (c *Crawler) turnOf(h *host) (turn, error) {
	h.mu.Lock()
	h.waits++
	h.mu.Unlock()
	turn, err := c.turn(c.soft, h)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waits--
	c.another(h)
	return turn, err
}

// turn waits until this machine may send a request to h.
func (c *Crawler) turn(ctx context.Context, h *host) (turn, error) {
	err := c.outage.hold(ctx)
	if err != nil {
		return turn{}, err
	}
	turn, err := h.Wait(ctx)
	if err == nil && h.leased().lost() {
		h.Done(turn, outcome{Fault: answers.FaultAbandoned})
		err = ErrFenced
	}
	return turn, err
}

// learn adapts the pace of h to the outcome of a request to a host of it.
func (c *Crawler) learn(h *host, turn turn, at address.Address, o outcome) {
	h.Done(turn, o)
	if o.RetryAfter > 0 {
		c.Progress.Rest(Rest{at.HostPort(), o.Status, time.Now().Add(o.RetryAfter)})
		if l := h.leased(); l != nil {
			c.failAt(h, c.frontier.Rests(l))
		}
	}
}

// asksToWait notes for how long a host asked for no requests in the final answer to a request
// (Retry-After, RFC 9110 10.2.3).
func (c *Crawler) asksToWait(host string, hop *answers.Hop, retryAfter time.Duration) {
	if retryAfter > 0 && heals(hop) {
		c.note(Note{noteWait, host, retryAfter.Seconds()})
	}
}

// heals reports whether another attempt may bring another answer: after no answer, 429 or 5xx.
func heals(hop *answers.Hop) bool {
	if hop.Fault != "" {
		return hop.Fault.Traits().Heals
	}
	return hop.Status == 429 || hop.Status >= 500 && hop.Status < 600
}

// abandons reports whether h gets no more requests: this audit, or another that shares its Paces, has given
// it up. It notes that with the last status of h.
func (c *Crawler) abandons(h *host) bool {
	if s := h.State(); s.Left {
		c.note(Note{noteLeft, h.name, float64(s.Status)})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, left := c.ledger.of[noteLeft][h.name]
	return left
}

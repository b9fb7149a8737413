package crawler

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

// Limits of politeness (contract, section 5).
const (
	leaveAfter    = 20 // addresses in a row without an answer, or with 403, 429 or 503
	maxRetryAfter = 10 * time.Minute
)

// answer gets the answer to a claimed request and passes it to the Frontier. It returns false where
// the task cannot continue yet: the request is tried again later, or the audit was stopped. The
// answer is stored all the same, so that it is not lost when the audit ends.
func (w *worker) answer(t *Task) bool {
	if w.c.o.Via != nil {
		return w.send(t)
	}
	if t.Lone && t.Last == nil { // an audit that was stopped may have stored it
		t.Last = w.c.last(t.Request)
	}
	hop, wait, ok := w.c.politely(w.h, t)
	if !ok {
		return false
	}
	hop.Pending = wait > 0
	if missing := w.c.o.Rules.MissingPath; t.Lone || hop.AltSpelling || missing != "" && strings.Contains(t.Request.URL, missing) {
		hop.Links = "" // not a page of the site, or one in another spelling
	}
	w.hop[0] = hop
	if !w.done(w.hop[:], nil) {
		return false
	}
	hop.Links = "" // they are stored
	if hop.Pending {
		last := hop // a copy, so that hop escapes to the heap only here: it is rare
		t.Last = &last
		w.later(*t, wait)
		return false
	}
	w.mem.Answered(&hop)
	w.release(t.Request)
	return true
}

// politely sends a request when it is h's turn, if robots.txt allows it. wait is the time until
// another attempt is due, 0 for none; ok is false when the audit was stopped.
func (c *Crawler) politely(h *host, t *Task) (hop audit.Hop, wait time.Duration, ok bool) {
	none := func(f audit.Fault) (audit.Hop, time.Duration, bool) {
		if t.Last != nil {
			return t.Last.Stands(), 0, true
		}
		return audit.Hop{Request: t.Request, Fault: f, At: time.Now()}, 0, true
	}
	if c.isLeft(h) {
		return none(audit.FaultAbandoned)
	}
	asked := address.Wire(t.Request.URL)
	rule, err := c.robots.ask(asked, t.Request.Purpose)
	switch {
	case errors.Is(err, ErrFenced):
		h.fenced()
		return hop, 0, false
	case err != nil:
		c.fail(err)
		return hop, 0, false
	case rule.blocked != "":
		hop, _, ok = none(rule.blocked)
		hop.Detail = rule.why
		return hop, 0, ok
	case rule.stop != "" && c.o.Rules.Robots != "note":
		if rule.stop == audit.FaultRobots {
			c.robotsBad(asked.Origin(), rule.down)
		}
		hop, _, ok = none(rule.stop)
		hop.Detail, hop.RobotsStatus = rule.why, rule.status
		return hop, 0, ok
	case rule.line != "" && c.o.Rules.Robots == "obey":
		hop, _, ok = none(audit.FaultForbidden)
		hop.Forbidden, hop.ForbiddenLine = rule.line, rule.n
		return hop, 0, ok
	}
	return c.sent(h, t, asked, rule)
}

// sent is politely for a request that its robots.txt, with that ruling, allows.
func (c *Crawler) sent(h *host, t *Task, asked address.Address, rule ruling) (hop audit.Hop,
	wait time.Duration, ok bool) {
	req := t.Request
	if len(c.o.Rules.Secret) == 0 {
		req.Purpose |= audit.WithoutSecrets
	}
	hop, extra, turn, ok := c.inTurn(h, req)
	switch {
	case !ok:
		return hop, 0, false
	case hop.Fault == audit.FaultAbandoned:
		if t.Last != nil {
			return t.Last.Stands(), 0, true
		}
		hop.Request = t.Request
		return hop, 0, true
	}
	c.Progress.Requests.Add(1)
	hop.AltSpelling = c.phase.ask.AltSpelling || t.AltSpelling
	hop.Forbidden, hop.ForbiddenLine = rule.line, rule.n
	hop.Request = t.Request
	if t.Last != nil {
		hop.Counted = t.Last.Tries
		hop.Tries += hop.Counted
	}
	stale := extra.Stale && hop.Tries == 1 && c.mayRetry(t, 1)
	o := outcome(&hop, extra.RetryAfter, stale)
	c.heed(h, turn, o, asked.HostPort())
	if stale {
		return hop, time.Nanosecond, true // as soon as it is its turn
	}
	if wait = c.again(h, t, &hop, extra.RetryAfter); wait == 0 {
		c.asksToWait(asked.HostPort(), &hop, extra.RetryAfter)
	}
	return hop, wait, true
}

// heed adapts to the outcome of a request to h, at the host at: the pace, and a rest.
func (c *Crawler) heed(h *host, turn Turn, o Outcome, at string) {
	c.refusedAt(at, h.pace.Done(turn, o))
	c.Progress.paced(at, o.Status, h.pace.State().Rate)
	if o.RetryAfter > 0 || h.pace.Slowed() {
		c.Progress.Slowed.Store(true)
		h.mu.Lock()
		h.counted.Slowed = true
		h.mu.Unlock()
	}
	if o.RetryAfter > 0 && o.RetryAfter <= maxRetryAfter { // otherwise the host is abandoned
		rest := Rest{at, o.Status, time.Now().Add(o.RetryAfter)}
		c.Progress.Rest(rest)
		h.mu.Lock()
		h.counted.Rest = rest
		h.mu.Unlock()
	}
	if o.RetryAfter > 0 {
		c.rests(h)
	}
}

// inTurn sends a request when it is h's turn. It repeats a request that fails on this machine until
// it succeeds, has failed for long enough while others are answered, or the audit is stopped
// because of it: then ok is false, as where the audit was stopped otherwise. The fault is
// FaultAbandoned where h was abandoned meanwhile.
func (c *Crawler) inTurn(h *host, req audit.Request) (hop audit.Hop, extra fetch.Answer, turn Turn, ok bool) {
	var first time.Time
	for {
		err := c.outage.hold(c.soft)
		if err == nil {
			turn, err = c.turnOf(h)
		}
		if err != nil {
			return hop, extra, turn, false
		}
		if h.leased().lost() {
			h.pace.Done(turn, Outcome{Fault: audit.FaultAbandoned})
			h.fenced()
			return hop, extra, turn, false
		}
		if c.isLeft(h) { // meanwhile
			h.pace.Done(turn, Outcome{Fault: audit.FaultAbandoned})
			return audit.Hop{Fault: audit.FaultAbandoned, At: time.Now()}, extra, turn, true
		}
		began := time.Now()
		hop, extra, ok = c.ask(h, req)
		took := time.Since(began)
		c.Progress.Answering.Add(int64(took))
		h.mu.Lock()
		h.counted.Answering += took
		h.mu.Unlock()
		if !ok {
			return hop, extra, turn, false
		}
		if hop.Fault != fetch.FaultLocal {
			c.outage.passed()
			return hop, extra, turn, true
		}
		alone, err := c.outage.failed(hop.Detail, &first)
		if alone && err == nil {
			hop.Fault, hop.Detail = unanswered(hop.Detail)
			return hop, extra, turn, true
		}
		h.pace.Done(turn, Outcome{Fault: fetch.FaultLocal})
		if err != nil {
			c.fail(err)
			return hop, extra, turn, false
		}
	}
}

// ask sends a request whose turn at h it is. It returns false where the audit was stopped. A
// request that was given up was sent: it counts, though there is no answer to count it with.
func (c *Crawler) ask(h *host, req audit.Request) (audit.Hop, fetch.Answer, bool) {
	hard, end := c.underWay(h)
	hop, answer := c.client.Ask(hard, req)
	c.servedBy(&req, &answer)
	if end() {
		c.alsoSent(hop.Tries)
		return hop, answer, false
	}
	return hop, answer, hop.Tries > 0
}

// fail ends the crawl with an error of the store; it ignores the error of an audit that was
// stopped.
func (c *Crawler) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.soft.Err() == nil || !errors.Is(err, c.soft.Err()) {
		c.err = cmp.Or(c.err, err)
	}
	c.abandon()
}

// again returns how long to wait before another attempt; 0 where another attempt would not help,
// where no attempts are left, or where the host is abandoned.
func (c *Crawler) again(h *host, t *Task, hop *audit.Hop, retryAfter time.Duration) time.Duration {
	if c.count(h, hop, retryAfter) || !heals(hop) || !c.mayRetry(t, hop.Tries) {
		return 0
	}
	return max(c.o.Backoff[hop.Tries-1], retryAfter)
}

// mayRetry reports whether another attempt of t may follow after tries ones.
func (c *Crawler) mayRetry(t *Task, tries int) bool {
	return tries <= len(c.o.Backoff) && (t.Most == 0 || tries < t.Most)
}

// heals reports whether another attempt may bring another answer: after no answer, 429 or 5xx.
func heals(hop *audit.Hop) bool {
	if hop.Fault != "" {
		return hop.Fault.Traits().Heals
	}
	return hop.Status == 429 || hop.Status >= 500 && hop.Status < 600
}

// count records an answer, and reports whether h is abandoned because of it.
func (c *Crawler) count(h *host, hop *audit.Hop, retryAfter time.Duration) bool {
	if left := h.manners.count(hop, retryAfter); !left {
		return c.isLeft(h)
	}
	c.leave(h, hop.Status)
	return true
}

// leave records that h is abandoned, with its last status.
func (c *Crawler) leave(h *host, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !h.abandoned {
		h.abandoned = true
		c.noteMore(Note{Left: h.name, Status: status})
	}
}

// isLeft reports whether h was abandoned, by this audit or by another that shares Politeness.
func (c *Crawler) isLeft(h *host) bool {
	if status, left := h.manners.isLeft(); left {
		c.leave(h, status)
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return h.abandoned
}

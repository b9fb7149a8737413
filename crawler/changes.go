package crawler

import (
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

// Remember sets the answers of an earlier audit of the same targets with the same flags. Where
// these have a 200 with a validator, and nothing speaks against its use, the crawler asks whether
// the page has changed (RFC 9110 13.1), and a 304 repeats the answer. Remember must be called
// before Run; nil stands for no earlier audit.
func (c *Crawler) Remember(earlier audit.Answers) { c.earlier = earlier }

// before returns the answer of an earlier audit to a task, if a conditional request can be made
// from it; nil otherwise.
func (c *Crawler) before(t *Task) (*audit.Hop, error) {
	last := t.Before
	if t.Last != nil || t.Request.Purpose.Base() != audit.AsRobot {
		return nil, nil
	}
	if last == nil && c.earlier != nil {
		hop, known := c.earlier.Hop(t.Request)
		if err := c.earlier.Err(); err != nil {
			return nil, err
		}
		if known {
			last = &hop
		}
	}
	if last == nil || last.ETag == "" && last.LastModified == "" || !last.Spotless() {
		return nil, nil
	}
	return last, nil
}

// ask sends a request whose turn at h it is (turn becomes that of the last request sent). The first
// attempt is conditional where the earlier audit has an answer. It returns false where the audit
// was stopped or the lease lost.
func (c *Crawler) ask(h *host, t *Task, req audit.Request, turn *Turn) (audit.Hop, fetch.Answer, bool) {
	last, err := c.before(t)
	if err != nil {
		c.fail(err)
		return audit.Hop{}, fetch.Answer{}, false
	}
	hard, end := c.underWay(h)
	if last == nil {
		hop, answer := c.client.Ask(hard, req)
		c.servedBy(&req, &answer)
		return hop, answer, c.came(end, hop.Tries)
	}
	hop, answer, err := c.client.AskAgain(hard, req, *last, func(first *audit.Hop, a fetch.Answer) error {
		c.refusedAt(address.Wire(req.URL).HostPort(), h.pace.Done(*turn, outcome(first, a.RetryAfter, false)))
		var err error
		if *turn, err = h.pace.Wait(c.soft); err == nil && h.leased().lost() {
			err = ErrFenced
		}
		return err
	})
	c.servedBy(&req, &answer)
	c.Progress.Requests.Add(int64(max(0, hop.Tries-1)))
	return hop, answer, c.came(end, hop.Tries) && err == nil
}

// came reports whether a request with that many attempts was answered, or met with silence. A
// request that was given up (end) was sent: it counts, though there is no answer to count it with.
func (c *Crawler) came(end func() bool, tries int) bool {
	if !end() {
		return tries > 0
	}
	c.alsoSent(tries)
	return false
}

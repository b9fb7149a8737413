package crawler

import (
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

// Remember gives the crawler what an earlier audit remembers, of the same targets
// and asked with the same flags. Where it has a 200 with a validator and nothing
// against it, the robot asks whether the page has changed (RFC 9110 13.1), and a
// 304 is that answer once more. It must be called before Run; nil remembers nothing.
func (c *Crawler) Remember(earlier audit.Answers) { c.earlier = earlier }

// ask sends a request, whose turn it is at h (turn is of the last that is sent); the first try of one that the earlier
// audit remembers asks for changes alone. false when the audit was stopped.
func (c *Crawler) ask(h *host, t *Task, req audit.Request, turn *Turn) (audit.Hop, fetch.Answer, bool) {
	var last audit.Hop
	known := false
	if c.earlier != nil && t.Tries == 0 && req.Purpose.Base() == audit.AsRobot {
		last, known = c.earlier.Hop(t.Request)
		if err := c.earlier.Err(); err != nil {
			c.fail(err)
			return audit.Hop{}, fetch.Answer{}, false
		}
	}
	if !known || last.ETag == "" && last.LastModified == "" || !last.Spotless() {
		hop, answer := c.client.Ask(c.hard, req)
		return hop, answer, hop.Tries > 0 && c.hard.Err() == nil
	}
	hop, answer, err := c.client.AskAgain(c.hard, req, last, func(first *audit.Hop, a fetch.Answer) error {
		h.pace.Done(*turn, outcome(first, a.RetryAfter, false))
		var err error
		*turn, err = h.pace.Wait(c.soft)
		return err
	})
	c.Progress.Requests.Add(int64(max(0, hop.Tries-1)))
	return hop, answer, err == nil && hop.Tries > 0 && c.hard.Err() == nil
}

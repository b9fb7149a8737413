package crawler

import (
	"maps"
	"time"

	"sitemend/crawler/audit"
)

// asksToWait notes for how long a host, with its port, asked to be left alone with the answer that
// stands for a request (Retry-After, RFC 9110 10.2.3): the longest time that it named. One that is
// hardly longer than the last is not noted again, so that no host fills the store.
func (c *Crawler) asksToWait(host string, hop *audit.Hop, retryAfter time.Duration) {
	if retryAfter <= 0 || !heals(hop) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.state.waits[host]; retryAfter > known+known/10 {
		c.noteMore(stateNote{WaitOf: host, Wait: retryAfter})
		c.notify(Note{WaitOf: host, Wait: retryAfter})
	}
}

// takeWait takes in what another Crawler noted with asksToWait.
func (c *Crawler) takeWait(host string, wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if wait > c.state.waits[host] {
		c.noteMore(stateNote{WaitOf: host, Wait: wait})
		c.notify(Note{WaitOf: host, Wait: wait})
	}
}

// Waits returns the hosts, with their ports, that asked with a 429 or 5xx to be left alone
// (Retry-After), each with the longest time that it named: none of those that answered when they
// were requested again.
func (c *Crawler) Waits() map[string]time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.state.waits)
}

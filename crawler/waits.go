package crawler

import (
	"maps"
	"time"

	"sitemend/crawler/audit"
)

// asksToWait records the time for which a host, with its port, asked for no requests in the final
// answer to a request (Retry-After, RFC 9110 10.2.3): the longest time that it named. It ignores a
// time that is hardly longer than the recorded one, so that no host fills the store.
func (c *Crawler) asksToWait(host string, hop *audit.Hop, retryAfter time.Duration) {
	if retryAfter <= 0 || !heals(hop) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.state.waits[host]; retryAfter > known+known/10 {
		c.noteMore(Note{WaitOf: host, Wait: retryAfter})
	}
}

// takeWait adds a time that another Crawler recorded with asksToWait.
func (c *Crawler) takeWait(host string, wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if wait > c.state.waits[host] {
		c.noteMore(Note{WaitOf: host, Wait: wait})
	}
}

// Waits returns the hosts, with their ports, that asked for no requests (Retry-After) with a 429 or
// 5xx as the final answer to a request, each with the longest time that it named.
func (c *Crawler) Waits() map[string]time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.state.waits)
}

// refusedAt records the rate at which a host, with its port, answered that it gets too many requests,
// or not at all: the slowest one; 0 is none. It ignores a rate that is hardly slower than the recorded
// one, so that no host fills the store.
func (c *Crawler) refusedAt(host string, rate float64) {
	if rate <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.state.refused[host]; known == 0 || rate < known*0.95 {
		c.noteMore(Note{RefusedBy: host, Rate: rate})
	}
}

// Refused returns the hosts, with their ports, that refused the rate of the requests, each with the
// slowest that it refused, in requests a second.
func (c *Crawler) Refused() map[string]float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.state.refused)
}

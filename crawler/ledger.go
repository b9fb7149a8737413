package crawler

import (
	"encoding/json"
	"maps"
	"slices"

	"sitemend/crawler/audit"
)

// ledgerKey is the record of the ledger.
const ledgerKey = "ledger"

// ledger is what an audit has to say at its end besides its answers. It is
// remembered with them whenever it changes, so that an audit that was killed
// says the same. It is guarded by Crawler.mu.
type ledger struct {
	Left      map[string]int `json:"left,omitempty"`       // hosts that were left, with their last status
	RobotsBad []string       `json:"robots_bad,omitempty"` // origins whose robots.txt does not answer, sorted
	Files     int            `json:"robots,omitempty"`     // requests for files that are no sitemaps of the audit: robots.txt, and what Stand looks at
	Proxied   bool           `json:"proxied,omitempty"`    // a host was asked through a proxy
	Private   bool           `json:"private,omitempty"`    // a target is in a private network
}

// restore reads the ledger of an audit that is continued, and keeps it up with what
// the guard learns.
func (c *Crawler) restore() {
	text, ok, err := c.store.Get(ledgerKey)
	if err == nil && ok {
		err = audit.Damaged("the record "+ledgerKey, json.Unmarshal(text, &c.ledger))
	}
	if c.err = err; c.ledger.Left == nil {
		c.ledger.Left = map[string]int{}
	}
	guard := c.asker.o.Guard
	if c.ledger.Private {
		guard.Relax()
	}
	guard.learned = func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ledger.Private = true
		c.note()
	}
}

// note remembers the ledger. mu is held.
func (c *Crawler) note() {
	text, err := json.Marshal(&c.ledger)
	if err == nil {
		err = c.store.Put(ledgerKey, text)
	}
	if err != nil && c.err == nil {
		c.err = err
	}
}

// gotFile notes what a robots.txt, or a file that Stand looks at, took.
func (c *Crawler) gotFile(requests int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ledger.Files += requests
	c.note()
}

// robotsBad notes that an address of an origin is not asked, for its robots.txt
// does not answer.
func (c *Crawler) robotsBad(origin string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, known := slices.BinarySearch(c.ledger.RobotsBad, origin); !known {
		c.ledger.RobotsBad = slices.Insert(c.ledger.RobotsBad, at, origin)
		c.note()
	}
}

// Left returns the hosts that were left, each with its last status (0: no
// answer).
func (c *Crawler) Left() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.ledger.Left)
}

// RobotsUnreachable returns the origins of which something was to be asked and
// whose robots.txt did not answer, sorted.
func (c *Crawler) RobotsUnreachable() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.ledger.RobotsBad)
}

// FileRequests returns how many requests were sent for robots.txt files and for
// what stands where sitemaps would belong, by the runs before too.
func (c *Crawler) FileRequests() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ledger.Files
}

// Proxied tells whether some of the hosts were asked through a proxy: then only
// literal addresses could be checked by the guard.
func (c *Crawler) Proxied() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ledger.Proxied
}

package crawler

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"sitemend/crawler/audit"
)

// ledgerKey is the record of the ledger, and of its notes with their number behind
// it.
const ledgerKey = "ledger"

// ledger is what an audit has to say at its end besides its answers. It is
// remembered with them whenever it changes, so that an audit that was killed
// says the same. It is guarded by Crawler.mu.
type ledger struct {
	Files   int  `json:"robots,omitempty"`  // requests for files that are no sitemaps of the audit: robots.txt, and what Stand looks at
	Proxied bool `json:"proxied,omitempty"` // a host was asked through a proxy
	Private bool `json:"private,omitempty"` // a target is in a private network

	left      map[string]int  // hosts that were left, with their last status
	robotsBad map[string]bool // origins whose robots.txt does not answer; true where it answers 5xx
	notes     []ledgerNote    // the last record of them, which is not full
	full      int             // records that are
}

// ledgerNote is one host that was left, or an origin whose robots.txt does not
// answer. A site has as many of both as it likes: they are kept in records of
// ledgerNotes each, so that one more costs no more than the one before.
type ledgerNote struct {
	Abandoned string `json:"left,omitempty"`
	Status    int    `json:"status,omitempty"`
	RobotsBad string `json:"robots_bad,omitempty"`
	Down      bool   `json:"down,omitempty"` // with RobotsBad: it answers 5xx
}

const ledgerNotes = 64

// restore reads the ledger of an audit that is continued.
func (c *Crawler) restore() {
	c.ledger.left, c.ledger.robotsBad = map[string]int{}, map[string]bool{}
	_, c.err = c.remembered(ledgerKey, &c.ledger)
	for ; c.err == nil; c.ledger.full++ {
		var notes []ledgerNote
		var ok bool
		if ok, c.err = c.remembered(c.ledger.key(), &notes); !ok {
			break
		}
		for _, n := range notes {
			c.ledger.know(n)
		}
		c.ledger.notes = notes
	}
	switch {
	case len(c.ledger.notes) >= ledgerNotes:
		c.ledger.notes = nil
	case c.ledger.full > 0:
		c.ledger.full-- // the last one
	}
	if c.ledger.Private {
		c.o.Ask.Guard.Relax()
	}
}

// private notes that a target is in a private network.
func (c *Crawler) private() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ledger.Private = true
	c.note()
}

// remembered reads a record.
func (c *Crawler) remembered(key string, into any) (ok bool, err error) {
	text, ok, err := c.store.Get(key)
	if err == nil && ok {
		err = audit.Damaged("the record "+key, json.Unmarshal(text, into))
	}
	return ok && err == nil, err
}

// key is the record of the last notes.
func (l *ledger) key() string { return ledgerKey + "/" + strconv.Itoa(l.full) }

// know takes in what a note says.
func (l *ledger) know(n ledgerNote) {
	if n.Abandoned != "" {
		l.left[n.Abandoned] = n.Status
	}
	if n.RobotsBad != "" {
		l.robotsBad[n.RobotsBad] = n.Down
	}
}

func (l *ledger) add(n ledgerNote) {
	l.know(n)
	if l.notes = append(l.notes, n); len(l.notes) == ledgerNotes {
		l.notes = nil
		l.full++
	}
}

// note remembers the ledger, but for its notes. mu is held.
func (c *Crawler) note() { c.remember(ledgerKey, &c.ledger) }

// noteMore remembers one more note. mu is held.
func (c *Crawler) noteMore(n ledgerNote) {
	key, notes := c.ledger.key(), append(c.ledger.notes, n)
	c.ledger.add(n)
	c.remember(key, notes)
}

// remember writes a record. mu is held.
func (c *Crawler) remember(key string, value any) {
	text, err := json.Marshal(value)
	if err == nil {
		err = c.store.Put(key, text)
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
// does not answer, or answers 5xx (down).
func (c *Crawler) robotsBad(origin string, down bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.ledger.robotsBad[origin]; !known {
		c.noteMore(ledgerNote{RobotsBad: origin, Down: down})
	}
}

// Abandoned returns the hosts that were left, each with its last status (0: no
// answer).
func (c *Crawler) Abandoned() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.ledger.left)
}

// RobotsUnreachable returns the origins of which something was to be asked and
// whose robots.txt did not answer, sorted.
func (c *Crawler) RobotsUnreachable() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.ledger.robotsBad))
}

// RobotsDown returns those of RobotsUnreachable whose robots.txt answered 5xx, sorted.
func (c *Crawler) RobotsDown() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var down []string
	for origin, is := range c.ledger.robotsBad {
		if is {
			down = append(down, origin)
		}
	}
	slices.Sort(down)
	return down
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

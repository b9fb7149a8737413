package crawler

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"sitemend/crawler/audit"
	"sitemend/crawler/ground"
)

// A Note is a fact about an audit besides its answers, as data. It is stored, so that an audit that
// was killed reports the same, and told to another Crawler that has the answers.
type Note struct {
	Kind string  `json:"kind"`
	Of   string  `json:"of,omitempty"` // what it is about: a key, an origin, or a host with its port
	N    float64 `json:"n,omitempty"`
}

// The kinds of a Note. Of each Of there is one note of a kind, the first; of a wait, the longest that
// was asked for.
const (
	noteLeft    = "left"    // a key to which no more requests are sent; N is its last status, 0 for no answer
	noteRobots  = "robots"  // an origin whose robots.txt does not answer; N is 1 where it answers 5xx
	notePrivate = "private" // a target is in a private network
	noteWait    = "wait"    // a host that asked for no requests (Retry-After) with the last answer to one; N is in seconds
	// noteAlso is N more requests that no answer counts: those for files, and those that were given up
	// when the audit was stopped.
	noteAlso = "also"
)

// ledgerKey is the key of the record of noteAlso; with a number after it, that of another note.
const ledgerKey = "ledger"

func noteKey(n int) string { return ledgerKey + "/" + strconv.Itoa(n) }

// ledger is the notes of an audit. It is guarded by Crawler.mu.
type ledger struct {
	also int
	of   map[string]map[string]float64 // by kind and Of
	n    int                           // how many records there are
}

// knows adds a note, and reports whether it says something new. A wait that is hardly longer
// does not, so that no host fills the store.
func (l *ledger) knows(n Note) (news bool) {
	was, known := l.of[n.Kind][n.Of]
	if news = !known || n.Kind == noteWait && n.N > was*1.1; news {
		if l.of[n.Kind] == nil {
			l.of[n.Kind] = map[string]float64{}
		}
		l.of[n.Kind][n.Of] = n.N
	}
	return news
}

// restore reads the notes of an audit that is continued.
func (c *Crawler) restore() {
	l := &c.ledger
	l.of = map[string]map[string]float64{}
	_, c.err = remembered(c.store, ledgerKey, &l.also)
	for ok := true; ok && c.err == nil; {
		var n Note
		if ok, c.err = remembered(c.store, noteKey(l.n), &n); ok {
			l.n++
			l.knows(n)
			c.heed(n)
		}
	}
}

// remembered reads a record.
func remembered(store Store, key string, into any) (ok bool, err error) {
	text, ok, err := store.Get(key)
	if err == nil && ok {
		err = ground.Damaged("the record "+key, json.Unmarshal(text, into))
	}
	return ok && err == nil, err
}

// heed does what follows from a note for the guard.
func (c *Crawler) heed(n Note) {
	if n.Kind == notePrivate {
		c.o.Ask.Guard.Relax()
	}
}

// note stores a note and tells it, where it says something new.
func (c *Crawler) note(n Note) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := &c.ledger
	switch {
	case n.Kind == noteAlso:
		l.also += int(n.N)
		c.remember(ledgerKey, l.also)
	case !l.knows(n):
		return
	default:
		c.remember(noteKey(l.n), n)
		l.n++
	}
	if c.o.Noted != nil {
		c.o.Noted(n)
	}
}

// remember writes a record. mu is held.
func (c *Crawler) remember(key string, value any) {
	text, err := json.Marshal(value)
	if err == nil {
		err = c.store.Put(key, text)
	}
	c.err = cmp.Or(c.err, err)
}

// takeNote adds what another Crawler noted.
func (c *Crawler) takeNote(n Note) {
	if n.Kind == noteAlso {
		c.Progress.Requests.Add(int64(n.N))
	}
	c.heed(n)
	c.note(n)
}

// alsoSent notes requests that no answer counts.
func (c *Crawler) alsoSent(requests int) {
	if requests > 0 {
		c.note(Note{Kind: noteAlso, N: float64(requests)})
	}
}

// Learned sets in info what this run and earlier ones have noted, learned of the site and sent.
func (c *Crawler) Learned(info *audit.Info) {
	c.mu.Lock()
	defer c.mu.Unlock()
	of := c.ledger.of
	info.Rules, info.Requests = c.o.Rules, c.ledger.also+c.store.Sent()
	info.Abandoned, info.Waits = map[string]int{}, map[string]time.Duration{}
	for key, status := range of[noteLeft] {
		info.Abandoned[key] = int(status)
	}
	for host, seconds := range of[noteWait] {
		info.Waits[host] = time.Duration(seconds * float64(time.Second))
	}
	info.RobotsBad = slices.Sorted(maps.Keys(of[noteRobots]))
}

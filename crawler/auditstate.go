package crawler

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

// stateKey is the key of the record of the auditState; with a number after it, that of its notes.
const stateKey = "ledger"

// auditState is what an audit has to report at its end besides its answers. It is stored with them
// whenever it changes, so that an audit that was killed reports the same. It is guarded by
// Crawler.mu.
type auditState struct {
	Also    int  `json:"robots,omitempty"`  // requests that no answer and no sitemap counts (alsoSent)
	Proxied bool `json:"proxied,omitempty"` // requests to some host went through a proxy
	Private bool `json:"private,omitempty"` // a target is in a private network

	left      map[string]int    // hosts that were abandoned, with their last status
	servers   map[string]string // the server or host that answers, by host and port
	waits     map[string]time.Duration
	refused   map[string]float64 // the slowest rate that was refused, by host and port
	robotsBad map[string]bool    // origins whose robots.txt does not answer; true where it answers 5xx
	notes     []Note             // the last record of notes, which is not full
	full      int                // number of full records
}

// stateNotes is how many notes a record has: a site may cause any number of them, and so each costs
// the same.
const stateNotes = 64

// restore reads the state of an audit that is continued.
func (c *Crawler) restore() {
	c.state.left, c.state.robotsBad, c.state.servers = map[string]int{}, map[string]bool{}, map[string]string{}
	c.state.waits, c.state.refused = map[string]time.Duration{}, map[string]float64{}
	_, c.err = c.remembered(stateKey, &c.state)
	for ; c.err == nil; c.state.full++ {
		var notes []Note
		var ok bool
		if ok, c.err = c.remembered(c.state.key(), &notes); !ok {
			break
		}
		for _, n := range notes {
			c.state.know(n)
			c.o.Ask.Guard.Keep(n.Outside)
		}
		c.state.notes = notes
	}
	switch {
	case len(c.state.notes) >= stateNotes:
		c.state.notes = nil
	case c.state.full > 0:
		c.state.full-- // the last one
	}
	if c.state.Private {
		c.o.Ask.Guard.Relax()
	}
}

// A Note is a fact about the audit besides its answers that a Crawler recorded, as data. It is stored,
// where an audit that is continued needs it, and told to another Crawler that has the answers.
type Note struct {
	Left      string `json:"left,omitempty"`       // a key to which no more requests are sent
	Status    int    `json:"status,omitempty"`     // with Left: its last status; 0 for no answer
	RobotsBad string `json:"robots_bad,omitempty"` // an origin whose robots.txt does not answer
	Down      bool   `json:"down,omitempty"`       // with RobotsBad: it answers 5xx
	Host      string `json:"host,omitempty"`       // with its port; Server answers for it
	Server    string `json:"server,omitempty"`     // with Host
	Outside   string `json:"outside,omitempty"`    // a target that was first reached at a public address

	WaitOf    string        `json:"wait_of,omitempty"` // a host, with its port, that asked for no requests for Wait
	Wait      time.Duration `json:"wait,omitempty"`
	RefusedBy string        `json:"refused_by,omitempty"` // a host, with its port, that refused Rate
	Rate      float64       `json:"rate,omitempty"`       // in requests a second

	Also    int  `json:"also,omitempty"`    // requests that were sent for robots.txt files, or given up
	Proxied bool `json:"proxied,omitempty"` // requests to some host went through a proxy
	Private bool `json:"private,omitempty"` // a target is in a private network
}

// notify passes a note to Options.Noted.
func (c *Crawler) notify(n Note) {
	if c.o.Noted != nil {
		c.o.Noted(n)
	}
}

// takeNote adds what another Crawler recorded.
func (c *Crawler) takeNote(n Note) {
	if n.Left != "" {
		c.leave(c.hostNamed(n.Left), n.Status)
	}
	if n.RobotsBad != "" {
		c.robotsBad(n.RobotsBad, n.Down)
	}
	if n.Host != "" {
		c.knowServer(n.Host, n.Server)
	}
	if n.WaitOf != "" {
		c.takeWait(n.WaitOf, n.Wait)
	}
	if n.RefusedBy != "" {
		c.refusedAt(n.RefusedBy, n.Rate)
	}
	if n.Also > 0 {
		c.Progress.Requests.Add(int64(n.Also))
		c.alsoSent(n.Also)
	}
	if n.Private {
		c.private()
	}
	if c.o.Ask.Guard.Keep(n.Outside) {
		c.outside(n.Outside)
	}
	if n.Proxied {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.state.Proxied = true
		c.note()
	}
}

// reached records where the first connection to a target was made.
func (c *Crawler) reached(host string, at fetch.Place) {
	switch at {
	case fetch.Inside:
		c.private()
	case fetch.Outside:
		c.outside(host)
	}
}

// outside records that a target is on the web.
func (c *Crawler) outside(host string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noteMore(Note{Outside: host})
}

// private records that a target is in a private network.
func (c *Crawler) private() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.Private = true
	c.note()
	c.notify(Note{Private: true})
}

// remembered reads a record.
func (c *Crawler) remembered(key string, into any) (ok bool, err error) {
	text, ok, err := c.store.Get(key)
	if err == nil && ok {
		err = audit.Damaged("the record "+key, json.Unmarshal(text, into))
	}
	return ok && err == nil, err
}

// key returns the key of the last record of notes.
func (s *auditState) key() string { return stateKey + "/" + strconv.Itoa(s.full) }

// know adds a note to the state.
func (s *auditState) know(n Note) {
	if n.Left != "" {
		s.left[n.Left] = n.Status
	}
	if n.RobotsBad != "" {
		s.robotsBad[n.RobotsBad] = n.Down
	}
	if n.Host != "" {
		s.servers[n.Host] = n.Server
	}
	if n.WaitOf != "" {
		s.waits[n.WaitOf] = n.Wait
	}
	if n.RefusedBy != "" {
		s.refused[n.RefusedBy] = n.Rate
	}
}

// note stores the state without its notes. mu is held.
func (c *Crawler) note() { c.remember(stateKey, &c.state) }

// noteMore stores one more note and tells it. mu is held.
func (c *Crawler) noteMore(n Note) {
	s := &c.state
	s.know(n)
	s.notes = append(s.notes, n)
	c.remember(s.key(), s.notes)
	if len(s.notes) == stateNotes {
		s.notes = nil
		s.full++
	}
	c.notify(n)
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

// alsoSent records requests that are counted neither with an answer of an entry nor with a sitemap:
// those for a robots.txt, for a usual place of sitemaps that has none, or for a file of Stand, those
// for a file that did not come before the audit was stopped, and those that were given up then.
func (c *Crawler) alsoSent(requests int) {
	if requests <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.Also += requests
	c.note()
	c.notify(Note{Also: requests})
}

// robotsBad records that an address of an origin is not requested because its robots.txt does not
// answer, or answers 5xx (down).
func (c *Crawler) robotsBad(origin string, down bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.state.robotsBad[origin]; !known {
		c.noteMore(Note{RobotsBad: origin, Down: down})
	}
}

// mostServers is for how many hosts the answering server is recorded: the redirects of a site may
// lead to any number of hosts.
const mostServers = 1000

// servedBy records which server answered a request, where the answer says so.
func (c *Crawler) servedBy(req *audit.Request, answer *fetch.Answer) {
	if answer.Server != "" {
		c.knowServer(address.Wire(req.URL).HostPort(), answer.Server)
	}
}

// knowServer records which server answers for a host: the first one that was seen.
func (c *Crawler) knowServer(host, server string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.state.servers[host]; known || len(c.state.servers) >= mostServers {
		return
	}
	c.noteMore(Note{Host: host, Server: server})
}

// Servers returns the server or host that answers, by host and port; without the hosts whose
// answers name none.
func (c *Crawler) Servers() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.state.servers)
}

// Abandoned returns the hosts that were abandoned, each with its last status (0: no answer).
func (c *Crawler) Abandoned() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.state.left)
}

// RobotsUnreachable returns the origins whose robots.txt did not answer and of which an address was
// to be requested, sorted.
func (c *Crawler) RobotsUnreachable() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.state.robotsBad))
}

// RobotsDown returns those of RobotsUnreachable whose robots.txt answered 5xx, sorted.
func (c *Crawler) RobotsDown() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var down []string
	for origin, is := range c.state.robotsBad {
		if is {
			down = append(down, origin)
		}
	}
	slices.Sort(down)
	return down
}

// OtherRequests returns how many requests were sent, also by earlier runs, that are counted neither
// with the answers in the store nor with its sitemaps: those for robots.txt files, for the usual
// places of sitemaps that have none, for files at the places of corrected sitemaps, and those
// without an answer when an audit was stopped.
func (c *Crawler) OtherRequests() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Also
}

// KeptOtherRequests returns OtherRequests of an audit without a Crawler, from its records. It
// returns an error of get, or of a damaged record.
func KeptOtherRequests(get func(key string) (value []byte, ok bool, err error)) (int, error) {
	text, ok, err := get(stateKey)
	var s auditState
	if err == nil && ok {
		err = audit.Damaged("the record "+stateKey, json.Unmarshal(text, &s))
	}
	return s.Also, err
}

// Proxied reports whether requests to some hosts went through a proxy: then the guard could check
// only literal addresses.
func (c *Crawler) Proxied() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Proxied
}

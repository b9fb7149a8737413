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

// stateKey is the record of the auditState, and of its notes with their number behind
// it.
const stateKey = "ledger"

// auditState is what an audit has to say at its end besides its answers. It is
// remembered with them whenever it changes, so that an audit that was killed
// says the same. It is guarded by Crawler.mu.
type auditState struct {
	Also    int  `json:"robots,omitempty"`  // requests that no answer of an entry and no sitemap counts (alsoSent)
	Proxied bool `json:"proxied,omitempty"` // a host was asked through a proxy
	Private bool `json:"private,omitempty"` // a target is in a private network

	left      map[string]int    // hosts that were left, with their last status
	servers   map[string]string // the server or host that answers, by host and port
	waits     map[string]time.Duration
	robotsBad map[string]bool // origins whose robots.txt does not answer; true where it answers 5xx
	notes     []stateNote     // the last record of them, which is not full
	full      int             // records that are
}

// stateNote is one host that was left, an origin whose robots.txt does not answer, which server
// answers for a host, or a target that is on the web. A site has as many of both as it likes: they
// are kept in records of stateNotes each, so that one more costs no more than the one before.
type stateNote struct {
	Abandoned string `json:"left,omitempty"`
	Status    int    `json:"status,omitempty"`
	RobotsBad string `json:"robots_bad,omitempty"`
	Down      bool   `json:"down,omitempty"` // with RobotsBad: it answers 5xx
	Host      string `json:"host,omitempty"` // which Server answers
	Server    string `json:"server,omitempty"`
	Outside   string `json:"outside,omitempty"` // a target that is on the web: it may lead nowhere else
	WaitOf    string `json:"wait_of,omitempty"` // a host that asked to be left alone for Wait

	Wait time.Duration `json:"wait,omitempty"`
}

const stateNotes = 64

// restore reads the state of an audit that is continued.
func (c *Crawler) restore() {
	c.state.left, c.state.robotsBad, c.state.servers = map[string]int{}, map[string]bool{}, map[string]string{}
	c.state.waits = map[string]time.Duration{}
	_, c.err = c.remembered(stateKey, &c.state)
	for ; c.err == nil; c.state.full++ {
		var notes []stateNote
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

// A Note is what a Crawler notes of the audit besides its answers, as data: another Crawler
// that has the answers takes it in with them.
type Note struct {
	Left      string // a key of which nothing more is asked
	Status    int    // with Left: its last status; 0 for no answer
	RobotsBad string // an origin whose robots.txt does not answer
	Down      bool   // with RobotsBad: it answers 5xx
	Also      int    // requests that were sent for robots.txt files, or given up
	Proxied   bool   // a host was asked through a proxy
	Private   bool   // a target is in a private network
	Host      string // with its port, which Server answers
	Server    string // with Host
	Outside   string // a target at which the first connection was made at a public address
	WaitOf    string // a host, with its port, that asked to be left alone for Wait
	Wait      time.Duration
}

// notify hands on what was noted.
func (c *Crawler) notify(n Note) {
	if c.o.Noted != nil {
		c.o.Noted(n)
	}
}

// takeNote takes in what another Crawler noted.
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

// reached notes where the first connection to a target was made.
func (c *Crawler) reached(host string, at fetch.Place) {
	switch at {
	case fetch.Inside:
		c.private()
	case fetch.Outside:
		c.outside(host)
	}
}

// outside notes that a target is on the web.
func (c *Crawler) outside(host string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noteMore(stateNote{Outside: host})
	c.notify(Note{Outside: host})
}

// private notes that a target is in a private network.
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

// key is the record of the last notes.
func (s *auditState) key() string { return stateKey + "/" + strconv.Itoa(s.full) }

// know takes in what a note says.
func (s *auditState) know(n stateNote) {
	if n.Abandoned != "" {
		s.left[n.Abandoned] = n.Status
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
}

func (s *auditState) add(n stateNote) {
	s.know(n)
	if s.notes = append(s.notes, n); len(s.notes) == stateNotes {
		s.notes = nil
		s.full++
	}
}

// note remembers the state, but for its notes. mu is held.
func (c *Crawler) note() { c.remember(stateKey, &c.state) }

// noteMore remembers one more note. mu is held.
func (c *Crawler) noteMore(n stateNote) {
	key, notes := c.state.key(), append(c.state.notes, n)
	c.state.add(n)
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

// alsoSent notes requests that no answer of an entry and no sitemap counts: for a robots.txt, or a
// file that Stand looks at; for a file that did not come before the audit was stopped; and those
// that were given up then.
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

// robotsBad notes that an address of an origin is not asked, for its robots.txt
// does not answer, or answers 5xx (down).
func (c *Crawler) robotsBad(origin string, down bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.state.robotsBad[origin]; !known {
		c.noteMore(stateNote{RobotsBad: origin, Down: down})
		c.notify(Note{RobotsBad: origin, Down: down})
	}
}

// mostServers is for how many hosts it is kept which server answers: the redirects of a site may
// lead to any number of others.
const mostServers = 1000

// servedBy notes which server answered a request, where it says so.
func (c *Crawler) servedBy(req *audit.Request, answer *fetch.Answer) {
	if answer.Server != "" {
		c.knowServer(address.Wire(req.URL).HostPort(), answer.Server)
	}
}

// knowServer notes which server answers for a host: the first that said so.
func (c *Crawler) knowServer(host, server string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.state.servers[host]; known || len(c.state.servers) >= mostServers {
		return
	}
	c.noteMore(stateNote{Host: host, Server: server})
	c.notify(Note{Host: host, Server: server})
}

// Servers returns which server or host said that it answers, by host and port; none for those
// that did not say.
func (c *Crawler) Servers() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.state.servers)
}

// Abandoned returns the hosts that were left, each with its last status (0: no
// answer).
func (c *Crawler) Abandoned() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.state.left)
}

// RobotsUnreachable returns the origins of which something was to be asked and
// whose robots.txt did not answer, sorted.
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

// OtherRequests returns how many requests were sent that neither the answers in the store nor its
// sitemaps count, by the runs before too: for robots.txt files, for what stands where sitemaps
// would belong, and those without an answer when an audit was stopped.
func (c *Crawler) OtherRequests() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Also
}

// KeptOtherRequests returns what OtherRequests does of an audit that no Crawler works on, from its
// records. It returns an error of get, or of a record that is damaged.
func KeptOtherRequests(get func(key string) (value []byte, ok bool, err error)) (int, error) {
	text, ok, err := get(stateKey)
	var s auditState
	if err == nil && ok {
		err = audit.Damaged("the record "+stateKey, json.Unmarshal(text, &s))
	}
	return s.Also, err
}

// Proxied reports whether some of the hosts were asked through a proxy: then only
// literal addresses could be checked by the guard.
func (c *Crawler) Proxied() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Proxied
}

package accesslog

import (
	"bytes"
	"encoding/binary"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A Sorted sorts records that do not fit in memory, as ground.Sorter says.
type Sorted interface {
	Add(key, value string) error
	Sorted() iter.Seq2[[2]string, error]
}

// Asked counts the requests for something, with their answers.
type Asked struct {
	Requests   int64         `cbor:"1,keyasint,omitzero"`
	First      int64         `cbor:"2,keyasint,omitzero"` // seconds since 1970; 0 for unknown
	Last       int64         `cbor:"3,keyasint,omitzero"` // seconds since 1970; 0 for unknown
	Statuses   map[int]int64 `cbor:"4,keyasint,omitzero"`
	LastStatus int           `cbor:"5,keyasint,omitzero"` // of the last request; 0 where it had no answer
}

// Add adds other requests. Of two requests in the same second the one with the higher status counts
// as the last.
func (a *Asked) Add(b Asked) {
	if a.Statuses == nil {
		a.Statuses = map[int]int64{}
	}
	if a.Requests == 0 || b.Last > a.Last || b.Last == a.Last && b.LastStatus > a.LastStatus {
		a.Last, a.LastStatus = b.Last, b.LastStatus
	}
	if a.First == 0 || b.First != 0 && b.First < a.First {
		a.First = b.First
	}
	a.Requests += b.Requests
	for status, n := range b.Statuses {
		a.Statuses[status] += n
	}
}

// see adds one request.
func (a *Asked) see(at int64, status int) {
	a.Add(Asked{Requests: 1, First: at, Last: at, LastStatus: status, Statuses: map[int]int64{status: 1}})
}

// Redirected reports whether any answer was a redirect.
func (a *Asked) Redirected() bool { return a.redirects() > 0 }

// redirects returns how many answers were redirects.
func (a *Asked) redirects() (n int64) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		n += a.Statuses[status]
	}
	return n
}

// A Tally counts the requests to some hosts.
type Tally struct {
	Verified [robots]int64 // requests of each robot, all targets
	Apart    int64         // requests from a robot's addresses with another name
	Claimed  [robots]int64 // requests that have only the name of a robot
	Two      int64         // of these: with two addresses, either of which may be the client's
	Lossy    int64         // requests of Verified with an incomplete target
	// requests of Verified with a method other than GET and HEAD, which fetch no page
	Methods int64
	// requests of Verified whose spelling is unknown because the server resolved escapes
	Decoded int64
	Edge    int64 // requests of Verified that a CDN recorded
	NoHost  int64 // requests of Verified whose line has no host
}

// A Collector keeps the requests of verified robots. It is safe for concurrent use.
type Collector struct {
	// Host is the host of lines without one; "" ignores these.
	Host string

	lock   sync.Mutex
	sorted Sorted
	tally  Tally
	logs   []paths
	hosts  map[string]bool
}

// NewCollector returns a Collector that keeps requests in sorted.
func NewCollector(sorted Sorted) *Collector {
	return &Collector{sorted: sorted, hosts: map[string]bool{}}
}

// maxHosts limits how many hosts of a log are remembered.
const maxHosts = 1000

// Hosts returns the hosts to which verified robots sent requests, up to a thousand.
func (c *Collector) Hosts() []string {
	c.lock.Lock()
	defer c.lock.Unlock()
	return slices.Sorted(maps.Keys(c.hosts))
}

// paths counts the paths in one log that verified robots requested successfully. Robots escape
// spaces and what is not ASCII: a log that has these literally and hardly any escape contains paths
// as decoded by the server (Apache's %U, nginx's $uri), whatever format its lines have. Bytes above
// ASCII alone do not prove that: a server accepts them from the wire, and nginx logs them as \xC3.
// It refuses a literal space.
type paths struct{ verified, escaped, bare, spaces int64 }

func (p *paths) see(r *Request) {
	p.verified++
	path, _, _ := bytes.Cut(r.Target, []byte("?"))
	switch {
	case r.Status >= 400 || r.Rawness != Raw: // a refused request may be anything
	case bytes.IndexByte(path, '%') >= 0:
		p.escaped++
	case bytes.IndexByte(path, ' ') >= 0:
		p.spaces++
		p.bare++
	case bytes.ContainsFunc(path, func(c rune) bool { return c >= 0x80 }):
		p.bare++
	}
}

func (p *paths) decoded() bool { return p.spaces > 0 && p.bare > 10*p.escaped }

// rawness returns the rawness of a request of a log, after all logs were read.
func (c *Collector) rawness(r Rawness, log uint32) Rawness {
	if int(log) < len(c.logs) && c.logs[log].decoded() {
		return Decoded
	}
	return r
}

// groupKey returns the common beginning of the keys of an address and all its spellings, which are
// adjacent so. Neither part contains a NUL.
func groupKey(host, fold string) string {
	return host + "\x00" + strings.ReplaceAll(fold, "\x00", "") + "\x00"
}

// See adds one request of a log, where logs are numbered from 0, with what is known about its
// sender. It returns an error of the Sorted.
func (c *Collector) See(log int, r *Request, robot Robot, standing Standing) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	t := &c.tally
	switch standing {
	case Apart:
		t.Apart++
	case Claimed:
		t.Claimed[robot]++
		if r.Two {
			t.Two++
		}
	case Verified:
		t.Verified[robot]++
		method := string(r.Method)
		switch {
		case method != "GET" && method != "HEAD":
			t.Methods++
		case r.Rawness == Lossy:
			t.Lossy++
		default:
			return c.keep(log, r, robot)
		}
	}
	return nil
}

// keep keeps the request of a verified robot for a page.
func (c *Collector) keep(log int, r *Request, robot Robot) error {
	for len(c.logs) <= log {
		c.logs = append(c.logs, paths{})
	}
	c.logs[log].see(r)
	switch r.Rawness {
	case Decoded:
		c.tally.Decoded++
	case Edge:
		c.tally.Edge++
	}
	host := string(r.Host)
	if host == "" {
		c.tally.NoHost++
		host = c.Host
	} else if len(c.hosts) < maxHosts {
		c.hosts[host] = true
	}
	group := groupKey(host, Fold(string(r.Target), r.Rawness == Decoded))
	key := append([]byte(group), byte(robot), byte(r.Rawness))
	key = append(binary.BigEndian.AppendUint32(key, uint32(log)), r.Target...)
	value := binary.AppendVarint(binary.AppendVarint(nil, r.Time), int64(r.Status))
	return c.sorted.Add(string(key), string(value))
}

// Done returns the counts, after all requests were seen.
func (c *Collector) Done() Tally {
	t := c.tally
	for i := range c.logs {
		if l := &c.logs[i]; l.decoded() {
			t.Decoded += l.verified
		}
	}
	return t
}

package accesslog

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A Sorted puts records in order of their key that do not fit in memory. Nothing is added once
// Each was called, which may be called again.
type Sorted interface {
	// Add copies key and value.
	Add(key string, value []byte) error
	// Each calls yield for the records in order of key, those of one key in order of value,
	// until it returns an error. What it is given is valid until it returns.
	Each(yield func(key, value []byte) error) error
}

// Asked is how often something was asked for and answered.
type Asked struct {
	Requests    int64
	First, Last int64 // seconds since 1970, 0 for unknown
	Statuses    map[int]int64
	LastStatus  int // of the last request; 0 where it got no answer
}

// see adds one request.
func (a *Asked) see(at int64, status int) {
	a.add(1, at, at, status)
	a.Statuses[status]++
}

// Add adds what another log says. Where two requests are of one second the higher status is the
// last.
func (a *Asked) Add(b Asked) {
	a.add(b.Requests, b.First, b.Last, b.LastStatus)
	for status, n := range b.Statuses {
		a.Statuses[status] += n
	}
}

// add adds requests without their statuses.
func (a *Asked) add(requests, first, last int64, status int) {
	if a.Statuses == nil {
		a.Statuses = map[int]int64{}
	}
	if a.Requests == 0 || last > a.Last || last == a.Last && status > a.LastStatus {
		a.Last, a.LastStatus = last, status
	}
	if a.First == 0 || first != 0 && first < a.First {
		a.First = first
	}
	a.Requests += requests
}

// Redirected reports whether any answer was a redirect.
func (a *Asked) Redirected() bool { return a.redirects() > 0 }

// redirects is how many answers were redirects.
func (a *Asked) redirects() (n int64) {
	for status, times := range a.Statuses {
		if redirects(status) {
			n += times
		}
	}
	return n
}

// redirects reports whether a status is a redirect.
func redirects(status int) bool {
	switch status {
	case 301, 302, 303, 307, 308:
		return true
	}
	return false
}

// AppendBinary appends a to b, as UnmarshalBinary reads it.
func (a *Asked) AppendBinary(b []byte) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(a.Requests))
	b = binary.AppendVarint(b, a.First)
	b = binary.AppendVarint(b, a.Last)
	b = binary.AppendUvarint(b, uint64(a.LastStatus))
	if len(a.Statuses) == 1 { // nearly always
		for status, n := range a.Statuses {
			b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(status)), uint64(n))
		}
		return b, nil
	}
	for _, status := range slices.Sorted(maps.Keys(a.Statuses)) {
		b = binary.AppendUvarint(b, uint64(status))
		b = binary.AppendUvarint(b, uint64(a.Statuses[status]))
	}
	return b, nil
}

// errDamaged is the error of evidence that cannot be read back.
var errDamaged = errors.New("evidence of a log is damaged")

// UnmarshalBinary reads what AppendBinary wrote.
func (a *Asked) UnmarshalBinary(b []byte) error {
	r := &reading{rest: b}
	*a = Asked{Requests: int64(r.unsigned()), First: r.signed(), Last: r.signed(),
		LastStatus: int(r.unsigned()), Statuses: map[int]int64{}}
	for len(r.rest) > 0 && !r.bad {
		status := int(r.unsigned())
		a.Statuses[status] = int64(r.unsigned())
	}
	if r.bad {
		return errDamaged
	}
	return nil
}

// A Tally counts what was asked of some hosts.
type Tally struct {
	Verified [robots]int64 // requests of each robot, all targets
	Apart    int64         // requests from a robot's addresses with another name
	Claimed  [robots]int64 // requests that only bear a name
	// of those the ones with two addresses, of which either may be the client's
	Two    int64
	Hidden int64 // of Claimed the ones from the address of a proxy
	Behind int64 // of Hidden the ones from Cloudflare's
	Lossy  int64 // of Verified the ones whose target is not whole
	// of Verified the ones of another method than GET and HEAD, which fetch no page
	Methods int64
	// of Verified the ones that tell no spelling, for the server resolved escapes
	Decoded int64
	Edge    int64 // of Verified the ones that a CDN recorded
	NoHost  int64 // of Verified the ones whose line has no host
}

// window is how much a Collector holds before it hands it on.
const window = 3 << 20

// A Collector adds up what verified robots asked for. It may be used by several goroutines.
type Collector struct {
	// Host is whose lines those without a host are; "" leaves them out.
	Host string
	// Days is what is asked of addresses at times of their own; nil for none.
	Days *Days

	lock   sync.Mutex
	sorted Sorted
	held   map[string]*Asked
	size   int
	tally  Tally
	logs   []paths
	hosts  map[string]bool
	done   bool
}

// maxHosts bounds how many hosts of a log are remembered.
const maxHosts = 1000

// Hosts returns the hosts that verified robots asked, up to a thousand of them.
func (c *Collector) Hosts() []string {
	c.lock.Lock()
	defer c.lock.Unlock()
	return slices.Sorted(maps.Keys(c.hosts))
}

// paths counts the paths that verified robots asked for and got in one log. Robots escape spaces
// and what is no ASCII: a log where these stand bare and hardly an escape does has the paths as the
// server decoded them (Apache's %U, nginx's $uri), whatever its lines look like. Octets above ASCII
// alone do not say that: a server takes them from the wire, and \xC3 is how nginx logs them. A bare
// space it refuses.
type paths struct{ verified, escaped, bare, spaces int64 }

func (p *paths) see(r *Request) {
	p.verified++
	path, _, _ := bytes.Cut(r.Target, []byte("?"))
	switch {
	case r.Status >= 400 || r.Rawness != Raw: // what is refused may be anything
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

// NewCollector returns a Collector that keeps what does not fit in memory in sorted.
func NewCollector(sorted Sorted) *Collector {
	return &Collector{sorted: sorted, held: map[string]*Asked{}, hosts: map[string]bool{}}
}

// An evidenceKey is what evidence is sorted by: host and fold first, so that all spellings
// of an address come together.
type evidenceKey struct {
	host, fold, target string
	robot              Robot
	rawness            Rawness
	log                uint32
}

// String writes the key so that it sorts by host and fold. Neither has a NUL: those of a target
// are left out.
func (k *evidenceKey) String() string {
	b := append([]byte(groupKey(k.host, k.fold)), 0, '0'+byte(k.robot), '0'+byte(k.rawness))
	return string(append(binary.BigEndian.AppendUint32(b, k.log), k.target...))
}

// groupKey is what all spellings of an address begin with.
func groupKey(host, fold string) string {
	return host + "\x00" + strings.ReplaceAll(fold, "\x00", "")
}

func parseKey(text string) (k evidenceKey, ok bool) {
	var rest string
	if k.host, rest, ok = strings.Cut(text, "\x00"); !ok {
		return k, false
	}
	if k.fold, rest, ok = strings.Cut(rest, "\x00"); !ok || len(rest) < 6 {
		return k, false
	}
	k.robot, k.rawness = Robot(rest[0]-'0'), Rawness(rest[1]-'0')
	k.log, k.target = binary.BigEndian.Uint32([]byte(rest[2:6])), rest[6:]
	return k, k.robot < robots && k.rawness <= Lossy
}

// See takes one request of a log, which are numbered from 0, and what is known of who sent it. It
// returns an error of the Sorted.
func (c *Collector) See(log int, r *Request, robot Robot, standing Standing, robots *Robots) error {
	if standing == Nobody {
		return nil
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	t := &c.tally
	switch standing {
	case Apart:
		t.Apart++
		return nil
	case Claimed:
		t.Claimed[robot]++
		if r.Two {
			t.Two++
		}
		if robots.Hidden(r.Addr) {
			t.Hidden++
			if robots.Cloudflare(r.Addr) {
				t.Behind++
			}
		}
		return nil
	}
	t.Verified[robot]++
	if method := string(r.Method); method != "GET" && method != "HEAD" {
		t.Methods++
		return nil
	}
	if r.Rawness == Lossy {
		t.Lossy++
		return nil
	}
	for len(c.logs) <= log {
		c.logs = append(c.logs, paths{})
	}
	c.logs[log].see(r)
	switch r.Rawness {
	case Decoded:
		t.Decoded++
	case Edge:
		t.Edge++
	}
	host := string(r.Host)
	if host == "" {
		t.NoHost++
		host = c.Host
	} else if len(c.hosts) < maxHosts && !c.hosts[host] {
		c.hosts[host] = true
	}
	target := string(r.Target)
	k := evidenceKey{host: host, fold: Fold(target, r.Rawness == Decoded), target: target,
		robot: robot, rawness: r.Rawness, log: uint32(log)}
	c.Days.see(&k, r.Time, r.Status)
	return c.add(k.String(), r.Time, r.Status)
}

func (c *Collector) add(key string, at int64, status int) error {
	a := c.held[key]
	if a == nil {
		if c.size > window {
			if err := c.spill(); err != nil {
				return err
			}
		}
		a = &Asked{}
		c.held[key] = a
		c.size += len(key) + 500 // about what it takes, with the maps
	}
	a.see(at, status)
	return nil
}

// spill hands on what is held.
func (c *Collector) spill() error {
	var buf []byte
	for key, a := range c.held {
		buf, _ = a.AppendBinary(buf[:0]) // it has no error
		if err := c.sorted.Add(key, buf); err != nil {
			return err
		}
	}
	clear(c.held)
	c.size = 0
	return nil
}

// Done hands on what is still held, and returns the counts. Nothing more is to be seen then.
func (c *Collector) Done() (Tally, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	for i := range c.logs {
		if l := &c.logs[i]; !c.done && l.decoded() {
			c.tally.Decoded += l.verified
		}
	}
	c.done = true
	return c.tally, c.spill()
}

// compareAsked orders evidence of one address: by robot, the listed spelling first.
func compareAsked(a, b *Finding) int {
	return cmp.Or(cmp.Compare(a.Robot, b.Robot), cmp.Compare(a.Class, b.Class),
		cmp.Compare(a.Asked, b.Asked))
}

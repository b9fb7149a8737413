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

// A Sorted sorts records by key that do not fit in memory. Nothing may be added after the first
// call of Each, which may be called again.
type Sorted interface {
	// Add copies key and value.
	Add(key string, value []byte) error
	// Each calls yield for the records in order of key, those with the same key in order of value,
	// until yield returns an error, which Each returns. Key and value are valid during the call.
	Each(yield func(key, value []byte) error) error
}

// Asked counts the requests for something, with their answers.
type Asked struct {
	Requests    int64
	First, Last int64 // seconds since 1970; 0 for unknown
	Statuses    map[int]int64
	LastStatus  int // of the last request; 0 where it had no answer
}

// see adds one request.
func (a *Asked) see(at int64, status int) {
	a.add(1, at, at, status)
	a.Statuses[status]++
}

// Add adds the requests of another log. Of two requests in the same second the one with the higher
// status counts as the last.
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

// redirects returns how many answers were redirects.
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

// AppendBinary appends a to b in the form that UnmarshalBinary decodes. The error is always nil.
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

// errDamaged is the error of evidence that cannot be decoded.
var errDamaged = errors.New("evidence of a log is damaged")

// UnmarshalBinary decodes the result of AppendBinary.
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

// A Tally counts the requests to some hosts.
type Tally struct {
	Verified [robots]int64 // requests of each robot, all targets
	Apart    int64         // requests from a robot's addresses with another name
	Claimed  [robots]int64 // requests that have only the name of a robot
	// requests of Claimed with two addresses, either of which may be the client's
	Two    int64
	Hidden int64 // requests of Claimed from the address of a proxy
	Behind int64 // requests of Hidden from Cloudflare's
	Lossy  int64 // requests of Verified with an incomplete target
	// requests of Verified with a method other than GET and HEAD, which fetch no page
	Methods int64
	// requests of Verified whose spelling is unknown because the server resolved escapes
	Decoded int64
	Edge    int64 // requests of Verified that a CDN recorded
	NoHost  int64 // requests of Verified whose line has no host
}

// window is how many bytes a Collector holds before it passes them on.
const window = 3 << 20

// A Collector counts the requests of verified robots. It is safe for concurrent use.
type Collector struct {
	// Host is the host of lines without one; "" ignores these.
	Host string
	// Days collects requests for addresses in intervals of their own; may be nil.
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

// NewCollector returns a Collector that stores in sorted what does not fit in memory.
func NewCollector(sorted Sorted) *Collector {
	return &Collector{sorted: sorted, held: map[string]*Asked{}, hosts: map[string]bool{}}
}

// An evidenceKey is the key that evidence is sorted by: host and fold first, so that all spellings
// of an address are adjacent.
type evidenceKey struct {
	host, fold, target string
	robot              Robot
	rawness            Rawness
	log                uint32
}

// String returns the key as text that sorts by host and fold. Neither contains a NUL: those of a
// target are removed.
func (k *evidenceKey) String() string {
	b := append([]byte(groupKey(k.host, k.fold)), 0, '0'+byte(k.robot), '0'+byte(k.rawness))
	return string(append(binary.BigEndian.AppendUint32(b, k.log), k.target...))
}

// groupKey returns the common beginning of the keys of all spellings of an address.
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

// See adds one request of a log, where logs are numbered from 0, with what is known about its
// sender. It returns an error of the Sorted.
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
		c.size += len(key) + 500 // its approximate size, with the maps
	}
	a.see(at, status)
	return nil
}

// spill passes on what is held.
func (c *Collector) spill() error {
	var buf []byte
	for key, a := range c.held {
		buf, _ = a.AppendBinary(buf[:0]) // the error is always nil
		if err := c.sorted.Add(key, buf); err != nil {
			return err
		}
	}
	clear(c.held)
	c.size = 0
	return nil
}

// Done passes on what is still held, and returns the counts. See must not be called afterwards.
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

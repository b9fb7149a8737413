package accesslog

import (
	"bytes"
	"net/netip"
)

// jsonFields are the values of an object, each with a rank of its name: the same thing has several
// names, of which the best one counts.
type jsonFields struct {
	line    []byte // of Docker: the whole line of another format
	request []byte
	hasLine bool // request is there
	target  slot
	path    []byte // decoded by the server
	query   []byte
	method  slot
	addr    slot
	time    slot
	status  slot
	agent   slot
	host    slot
	edge    bool
	two     bool // addr has two different values under names of the same rank
}

// slot is a value and the rank of its name.
type slot struct {
	value []byte
	rank  int8
}

func (s *slot) set(value []byte, rank int8) {
	if rank > s.rank {
		s.value, s.rank = value, rank
	}
}

// client stores an address. Two names of the same rank must have the same address.
func (j *jsonFields) client(value []byte, rank int8) {
	switch {
	case rank > j.addr.rank:
		j.two = false
	case rank == j.addr.rank && client(value) != client(j.addr.value):
		if !client(j.addr.value).IsValid() {
			j.addr.value = value
		} else if client(value).IsValid() {
			j.two = true
		}
	}
	j.addr.set(value, rank)
}

// The objects whose members are read.
type place uint8

const (
	top     place = iota
	within        // request of Caddy, httpRequest of Google's load balancers
	headers       // request.headers of Caddy
	ignored
)

// maxDepth limits the nesting of objects, far above that of any log.
const maxDepth = 24

// object parses a line that is a JSON object: of nginx, Apache, Varnish, Caddy, Traefik, Logpush,
// Google's load balancers, Fastly or Docker, or of any server with similar names.
func (p *parser) object(b []byte) bool {
	p.json = jsonFields{}
	j := &p.json
	end, ok := j.object(b, 0, top, maxDepth)
	if !ok || len(bytes.TrimRight(b[end:], " \t\r\n,")) > 0 {
		return false
	}
	if j.line != nil && !p.f.nested {
		p.inner = unjson(p.inner[:0], j.line)
		inner := bytes.TrimRight(p.inner, "\n\r")
		p.f = fields{nested: true}
		if len(inner) == 0 {
			return true // a blank line of a container
		}
		return p.format(inner)
	}
	return p.fromObject(j)
}

// fromObject sets the fields of a line from those of an object.
func (p *parser) fromObject(j *jsonFields) bool {
	f := &p.f
	at, ok := p.clock.any(unjson(nil, j.time.value))
	if !ok && j.time.rank > 0 {
		return false
	}
	f.time, f.escape = at, escapeJSON
	if j.edge {
		f.rawness = Edge
	}
	f.addr = client(unjson(nil, j.addr.value))
	if f.two = j.two; f.two {
		f.addr = netip.Addr{}
	}
	f.method, f.status, f.agent = j.method.value, j.status.value, j.agent.value
	// Where nginx could not parse the request, its $host is the name of a server, not that of the
	// request.
	if j.method.rank == 0 || len(j.method.value) > 0 {
		f.host = unjson(nil, j.host.value)
	}
	switch {
	case j.hasLine:
		f.request, f.whole = j.request, true
	case j.target.rank > 0:
		f.target = j.target.value
	case j.path != nil:
		f.target, f.query, f.rawness = j.path, j.query, Decoded
	default:
		return false // not a log of requests
	}
	// At least one field must show that this is a request and not a line of a program's own log.
	return j.addr.rank > 0 || j.status.rank > 0
}

// object parses the object that begins at b[i] and returns where it ends.
func (j *jsonFields) object(b []byte, i int, at place, depth int) (int, bool) {
	if depth == 0 {
		return 0, false
	}
	i = space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1, true
	}
	for i < len(b) && b[i] == '"' {
		key, next, ok := jsonString(b, i)
		if !ok {
			return 0, false
		}
		i = space(b, next)
		if i >= len(b) || b[i] != ':' {
			return 0, false
		}
		if i, ok = j.member(b, space(b, i+1), key, at, depth); !ok {
			return 0, false
		}
		i = space(b, i)
		if i >= len(b) {
			return 0, false
		}
		if b[i] == '}' {
			return i + 1, true
		}
		if b[i] != ',' {
			return 0, false
		}
		i = space(b, i+1)
	}
	return 0, false
}

// member parses one value, and stores it in the field of its key, if any.
func (j *jsonFields) member(b []byte, i int, key []byte, at place, depth int) (int, bool) {
	if i >= len(b) {
		return 0, false
	}
	switch b[i] {
	case '{':
		return j.object(b, i, inside(at, key), depth-1)
	case '[':
		return j.list(b, i, key, at, depth-1)
	case '"':
		value, next, ok := jsonString(b, i)
		if ok {
			j.keep(at, key, value)
		}
		return next, ok
	}
	end := i
	for end < len(b) && b[end] != ',' && b[end] != '}' && b[end] != ']' && b[end] > ' ' {
		end++
	}
	if end == i {
		return 0, false
	}
	if value := b[i:end]; string(value) != "null" {
		j.keep(at, key, value)
	}
	return end, true
}

// inside returns which object is under a key.
func inside(at place, key []byte) place {
	switch {
	case at == top && (string(key) == "request" || string(key) == "httpRequest"):
		return within
	case at == within && string(key) == "headers":
		return headers
	}
	return ignored
}

// list parses a list: its first text is the value of a header of Caddy.
func (j *jsonFields) list(b []byte, i int, key []byte, at place, depth int) (int, bool) {
	if depth == 0 {
		return 0, false
	}
	i = space(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1, true
	}
	if at != headers {
		at, key = ignored, nil
	}
	for {
		end, ok := j.member(b, i, key, at, depth)
		if !ok {
			return 0, false
		}
		at, key = ignored, nil
		i = space(b, end)
		if i >= len(b) {
			return 0, false
		}
		if b[i] == ']' {
			return i + 1, true
		}
		if b[i] != ',' {
			return 0, false
		}
		i = space(b, i+1)
	}
}

// space returns the end of the white space at b[i].
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// jsonString returns the text between the quote at b[i] and the one that ends the string.
func jsonString(b []byte, i int) (text []byte, next int, ok bool) {
	for from := i + 1; from < len(b); from++ {
		n := bytes.IndexByte(b[from:], '"')
		if n < 0 {
			return nil, 0, false
		}
		from += n
		if b[from-1] != '\\' || !escaped(b[i+1:], from-i-1) {
			return b[i+1 : from], from + 1, true
		}
	}
	return nil, 0, false
}

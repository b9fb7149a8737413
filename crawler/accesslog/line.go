package accesslog

import (
	"bytes"
	"net/netip"
)

// fields are the parts of a line as they stand in it, not yet unescaped.
type fields struct {
	addr    netip.Addr
	time    int64
	host    []byte
	request []byte // the whole request line, where the format has one
	method  []byte // otherwise its parts
	target  []byte
	query   []byte
	status  []byte
	agent   []byte
	escape  escape // of request, target, query and agent
	rawness Rawness
	// whole is set where the request line is in one piece (request), otherwise method and target
	// are set.
	whole bool
	// beside is set where host is in a place where other formats have the name of a user.
	beside bool
	// two is set where a second address stands beside that of the client, and either may be the
	// client's: then addr is not valid.
	two bool
	// nested is set where the line is a text within another one, and was unescaped once already.
	nested bool
}

// parser parses lines, one after another, of a single log.
type parser struct {
	clock   clock
	hosts   func(string) bool // Options.Hosts
	columns []column          // of W3C, from the last #Fields
	tabs    bool              // W3C lines are separated by tabs
	edge    bool              // CloudFront
	f       fields
	json    jsonFields
	inner   []byte // the line within a line of Docker
	host    []byte
	target  []byte
	agent   []byte
	req     Request
}

// kind is the kind of a line.
type kind uint8

const (
	blank      kind = iota // empty or a header: not counted
	entry                  // a line of a log
	unreadable             // in no known format, or cut off
)

// line parses one line into p.f.
func (p *parser) line(b []byte) kind {
	p.f = fields{}
	if n := len(b); n > 0 && b[n-1] == '\r' {
		b = b[:n-1]
	}
	for len(b) > 0 && b[0] == 0 { // copytruncate leaves them
		b = b[1:]
	}
	if len(b) == 0 {
		return blank
	}
	switch c := b[0]; {
	case c == '#':
		p.header(b)
		return blank
	case c >= '1' && c <= '9':
		// Most lines begin with an IPv4 address.
		if _, n := quad(b); n > 0 && n < len(b) && b[n] == ' ' && p.common(b) {
			return entry
		}
		if i := bytes.IndexByte(b[:min(len(b), 40)], ' '); i > 0 && bytes.IndexByte(b[:i], ':') > 0 {
			if _, ok := six(b[:i]); ok && p.common(b) {
				return entry
			}
		}
	}
	if rest, ok := behindHeader(b); ok {
		b = rest
	}
	if p.format(b) && isStatus(p.f.status) {
		return entry
	}
	return unreadable
}

// isStatus reports whether b is a status in a log: three digits, or a sign that there was no
// answer.
func isStatus(b []byte) bool {
	switch string(b) {
	case "", "-", "0", "-1", "null":
		return true
	}
	return len(b) == 3 && isDigit(b[0]) && isDigit(b[1]) && isDigit(b[2])
}

// format parses a line without the header of a syslog or a container.
func (p *parser) format(b []byte) bool {
	switch {
	case len(b) == 0:
		return false
	case b[0] == '{':
		return p.object(b)
	case p.columns != nil && p.w3c(b):
		return true
	case p.balancer(b):
		return true
	case p.console(b):
		return true
	}
	return p.common(b)
}

// behindHeader returns what follows the header of a syslog (RFC 3164, RFC 5424, and as rsyslog and
// HAProxy write it) or of CRI.
func behindHeader(b []byte) ([]byte, bool) {
	if b[0] == '<' {
		i := bytes.IndexByte(b, '>')
		if i < 2 || i > 4 {
			return nil, false
		}
		b = b[i+1:]
		if bytes.HasPrefix(b, []byte("1 ")) {
			return behind5424(b[2:])
		}
	}
	i := stamp(b)
	if i == 0 {
		return nil, false
	}
	b = b[i:]
	for _, cri := range []string{"stdout F ", "stderr F "} {
		if bytes.HasPrefix(b, []byte(cri)) {
			return b[len(cri):], true
		}
	}
	// A host, which may be missing, and a tag that ends with a colon.
	for range 2 {
		i := bytes.IndexByte(b, ' ')
		if i <= 0 {
			return nil, false
		}
		tag := b[i-1] == ':'
		b = bytes.TrimLeft(b[i+1:], " ")
		if tag {
			return b, true
		}
	}
	return nil, false
}

// stamp returns the length of the time of a syslog line, with the space after it; 0 where there is
// none: "Nov 3 13:05:06 " or "2026-11-03T04:05:06.123Z ".
func stamp(b []byte) int {
	if len(b) > 16 && b[15] == ' ' && b[9] == ':' && b[12] == ':' && b[3] == ' ' &&
		bytes.Contains([]byte(months), b[:3]) {
		return 16
	}
	i := bytes.IndexByte(b, ' ')
	if i < 19 || i > 40 {
		return 0
	}
	if _, ok := new(clock).iso(b[:i]); !ok {
		return 0
	}
	return i + 1
}

// behind5424 skips time, host, program, process, kind and structured data (RFC 5424, 6).
func behind5424(b []byte) ([]byte, bool) {
	for range 5 {
		i := bytes.IndexByte(b, ' ')
		if i < 0 {
			return nil, false
		}
		b = b[i+1:]
	}
	if len(b) > 0 && b[0] == '[' {
		i := bytes.Index(b, []byte("] "))
		if i < 0 {
			return nil, false
		}
		return bytes.TrimPrefix(b[i+2:], []byte("\uFEFF")), true
	}
	return bytes.CutPrefix(b, []byte("- "))
}

// console parses a line of Caddy's console format: time, level, logger, message and an object,
// separated by tabs.
func (p *parser) console(b []byte) bool {
	if len(b) < 19 || b[4] != '/' {
		return false
	}
	i := bytes.IndexByte(b, '\t')
	from := bytes.Index(b, []byte("\t{"))
	if i < 19 || from < 0 {
		return false
	}
	at, ok := p.clock.iso(b[:i])
	if !ok || !p.object(b[from+1:]) {
		return false
	}
	p.f.time = at
	return true
}

// request returns the request in p.f. It returns nil where that is no request for a page: none at
// all, not HTTP, or "OPTIONS *". The slices are valid until the next line.
func (p *parser) request(line int64) *Request {
	f := &p.f
	r := &p.req
	*r = Request{Line: line, Addr: f.addr, Two: f.two, Time: f.time, Rawness: f.rawness,
		Status: number(f.status)}
	if f.whole {
		if !p.split(f) {
			return nil
		}
	} else if !p.assemble(f) {
		return nil
	}
	if len(r.Target) == 0 || r.Target[0] != '/' || !isMethod(r.Method) {
		return nil
	}
	var lossy bool
	if r.Agent, lossy = f.escape.undo(p.agent[:0], f.agent); !lossy && f.escape == escapePercent {
		r.Agent = unhex(nil, r.Agent, '%') // older logs are encoded twice
	}
	if len(r.Agent) == 1 && r.Agent[0] == '-' {
		r.Agent = nil
	}
	if r.Host == nil {
		r.Host = hostOf(p.host[:0], f.host)
		if f.beside && p.hosts != nil && !p.hosts(string(r.Host)) {
			r.Host = nil
		}
	}
	return r
}

// split splits a request line: METHOD SP TARGET SP HTTP/x. A target may contain spaces, so the
// version is the last word; where there is none, the end of the target is missing, too.
func (p *parser) split(f *fields) bool {
	text, lossy := f.escape.undo(p.target[:0], f.request)
	i := bytes.IndexByte(text, ' ')
	if i <= 0 {
		return false
	}
	method, target := text[:i], text[i+1:]
	if j := bytes.LastIndexByte(target, ' '); j >= 0 && bytes.HasPrefix(target[j+1:], []byte("HTTP/")) {
		target = target[:j]
	} else {
		lossy = true
	}
	if lossy && f.rawness < Lossy {
		p.req.Rawness = Lossy
	}
	p.req.Method, p.req.Target = method, p.relative(target)
	return true
}

// assemble joins method, path and query.
func (p *parser) assemble(f *fields) bool {
	if len(f.method) == 0 || len(f.target) == 0 {
		return false
	}
	how := f.escape
	if how == escapePlus {
		how = escapeNone // it is unknown which + in an address was a space
	}
	out, lossy := how.undo(p.target[:0], f.target)
	if len(f.query) > 0 && !(len(f.query) == 1 && f.query[0] == '-') {
		query, lossyToo := how.undo(nil, f.query)
		lossy = lossy || lossyToo
		joined := append([]byte(nil), out...)
		if query[0] != '?' {
			joined = append(joined, '?')
		}
		out = append(joined, query...)
	}
	if lossy {
		p.req.Rawness = Lossy
	}
	p.req.Method, p.req.Target = f.method, p.relative(out)
	return true
}

// relative returns path and query of a target that is a whole address, and stores its host.
func (p *parser) relative(target []byte) []byte {
	if len(target) > 0 && target[0] == '/' {
		return target
	}
	rest, ok := bytes.CutPrefix(target, []byte("http://"))
	if !ok {
		if rest, ok = bytes.CutPrefix(target, []byte("https://")); !ok {
			return nil
		}
	}
	i := bytes.IndexAny(rest, "/?")
	host := rest
	if i >= 0 {
		host = rest[:i]
	}
	p.req.Host = hostOf(p.host[:0], host)
	switch {
	case p.req.Host == nil:
		return nil
	case i < 0:
		return []byte("/")
	case rest[i] == '?':
		return append([]byte("/"), rest[i:]...)
	}
	return rest[i:]
}

// isMethod reports whether b is the method of a request for a page, in capitals.
func isMethod(b []byte) bool {
	if len(b) == 0 || len(b) > 20 || string(b) == "CONNECT" || string(b) == "PRI" {
		return false
	}
	for _, c := range b {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return true
}

// number parses a status; it returns 0 for any other text: "-", 000, -1.
func number(b []byte) int {
	if len(b) != 3 {
		return 0
	}
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}

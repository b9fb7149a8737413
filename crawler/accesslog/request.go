package accesslog

import (
	"bytes"
	"net/netip"
	"slices"
)

// A Rawness is the relation between a target in a log and the bytes that were sent.
type Rawness uint8

// The kinds of rawness. Raw and Edge show a spelling; Decoded and Lossy only that the address was
// requested.
const (
	Raw     Rawness = iota // the bytes that were sent over the wire
	Edge                   // as a CDN recorded them, possibly in another spelling
	Decoded                // escapes are resolved
	Lossy                  // bytes are missing or replaced
)

// String returns the word for r: "raw", "edge", "decoded", "lossy".
func (r Rawness) String() string {
	return [...]string{"raw", "edge", "decoded", "lossy"}[r]
}

// Spells reports whether a target of this rawness shows a spelling.
func (r Rawness) Spells() bool { return r == Raw || r == Edge }

// A Request is the request in one line of a log. Its slices are valid until the next line is read.
type Request struct {
	Line int64 // from 1, of the unpacked log
	// Time is in whole seconds since 1970; 0 where the line has none.
	Time int64
	// Addr is the address of the client, with IPv4 in IPv6 as IPv4; not valid where the log has a
	// host name in its place.
	Addr netip.Addr
	// Two is set where the line has two adjacent addresses and does not show which one is the
	// client's: then Addr is not valid.
	Two     bool
	Method  []byte
	Target  []byte // path and query
	Status  int    // 0 where there was no answer
	Agent   []byte // the user agent; empty where it is missing, "-" or not logged
	Host    []byte // in lower case, without port; empty where the line has none
	Rawness Rawness
}

// parser parses lines, one after another, of a single log.
type parser struct {
	values
	clock   clock
	hosts   func(string) bool // Options.Hosts
	columns []meaning         // of W3C, from the last #Fields
	framed  int64             // the time of the frame around the line
	space   []byte            // for texts without their escapes
	req     Request

	recalled [32]recalled
	place    int // of the next name in recalled
}

// kind is the kind of a line.
type kind uint8

const (
	blank      kind = iota // empty or a header: not counted
	entry                  // a line of a log
	unreadable             // in no known format, or cut off
)

// line parses one line into p.values.
func (p *parser) line(b []byte) kind {
	p.values, p.framed, p.space = values{}, 0, p.space[:0]
	b = bytes.TrimLeft(bytes.TrimSuffix(b, []byte("\r")), "\x00") // which copytruncate leaves
	if b = p.strip(b); len(b) == 0 {
		return blank
	}
	if b[0] == '#' {
		p.header(b)
		return blank
	}
	if p.format(b) && isStatus(p.text[status]) {
		return entry
	}
	return unreadable
}

// format parses a line without a frame.
func (p *parser) format(b []byte) bool {
	if b[0] == '{' {
		return p.object(b)
	}
	if p.columns != nil {
		if p.w3c(b) {
			return true
		}
		p.values = values{}
	}
	return p.balanced(b) || p.common(b)
}

// request returns the request in p.values. It returns nil where that is no request for a page: none
// at all, not HTTP, or "OPTIONS *". The slices are valid until the next line.
func (p *parser) request(line int64) *Request {
	r := &p.req
	*r = Request{Line: line, Addr: p.addr, Two: p.two, Time: p.time, Rawness: p.rawness,
		Status: max(digits(p.text[status]), 0), Method: p.text[method]}
	whole, lossy := p.undone(request), false
	if len(whole) == 0 {
		whole = p.undone(target)
		if q := p.undone(query); len(q) > 0 && string(q) != "-" {
			whole = slices.Concat(whole, []byte("?"), bytes.TrimPrefix(q, []byte("?")))
		}
	} else {
		// A target may contain spaces, so the version is the last word; where there is none, the
		// end of the target is missing, too.
		r.Method, whole, _ = bytes.Cut(whole, []byte(" "))
		i := bytes.LastIndexByte(whole, ' ')
		if lossy = i < 0 || !bytes.HasPrefix(whole[i+1:], []byte("HTTP/")); !lossy {
			whole = whole[:i]
		}
	}
	if lossy || p.json && bytes.Contains(whole, []byte("\uFFFD")) {
		r.Rawness = Lossy
	}
	if r.Target = p.relative(whole); len(r.Target) == 0 || !isMethod(r.Method) {
		return nil
	}
	if r.Agent = p.undone(agent); p.escape == '%' {
		r.Agent = p.plain('%', r.Agent) // older logs are encoded twice
	}
	if string(r.Agent) == "-" {
		r.Agent = nil
	}
	if r.Host == nil {
		r.Host = hostOf(p.text[host])
		if p.beside && p.hosts != nil && !p.hosts(string(r.Host)) {
			r.Host = nil
		}
	}
	return r
}

// undone returns a field without its escapes.
func (p *parser) undone(f field) []byte {
	if p.escape == '+' && f == agent {
		return bytes.ReplaceAll(p.text[f], []byte("+"), []byte(" "))
	}
	return p.plain(p.escape, p.text[f])
}

// relative returns path and query of a target that may be a whole address, whose host it stores.
func (p *parser) relative(target []byte) []byte {
	if len(target) > 0 && target[0] == '/' {
		return target
	}
	scheme, rest, _ := bytes.Cut(target, []byte("://"))
	if string(scheme) != "http" && string(scheme) != "https" {
		return nil
	}
	i := bytes.IndexAny(rest, "/?")
	if i < 0 {
		i = len(rest)
	}
	if p.req.Host = hostOf(rest[:i]); p.req.Host == nil {
		return nil
	}
	if rest = rest[i:]; len(rest) == 0 || rest[0] == '?' {
		return append([]byte("/"), rest...)
	}
	return rest
}

// isMethod reports whether b is the method of a request for a page, in capitals.
func isMethod(b []byte) bool {
	for _, c := range b {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return len(b) > 0 && len(b) <= 20 && string(b) != "CONNECT" && string(b) != "PRI"
}

package accesslog

import (
	"bytes"
	"net/netip"
)

// common parses a line of the common log format and of the formats derived from it: combined, with
// a host before or after, lighttpd, varnishncsa, Traefik, HAProxy's clf and its httplog, Fastly's.
//
//	client ident user [time] "request" status size "referer" "agent" more
func (p *parser) common(b []byte) bool {
	open := bracket(b)
	if open < 1 {
		return false
	}
	end := bytes.IndexByte(b[open:min(len(b), open+48)], ']')
	if end < 0 {
		return false
	}
	end += open
	at, ok := p.clock.common(b[open+1 : end])
	if !ok {
		return false
	}
	p.f.time = at
	if end+3 >= len(b) || b[end+1] != ' ' {
		return false
	}
	if b[end+2] != '"' {
		return p.haproxy(b[:open], b[end+2:])
	}
	if !p.who(b[:open]) {
		return false
	}
	p.f.whole, p.f.escape = true, escapeBackslash
	rest := b[end+3:]
	if traefik(rest) {
		return p.traefik(rest)
	}
	close := requestEnd(rest)
	if close < 0 {
		return false
	}
	p.f.request = rest[:close]
	p.f.status = rest[close+2 : close+5]
	if rest[close+2] == '-' {
		p.f.status = nil
	}
	return p.tail(rest[close+2:])
}

// bracket returns where the time begins: at a bracket before two digits and a slash. The name of a
// user may contain brackets, too.
func bracket(b []byte) int {
	for from := 0; ; {
		i := bytes.IndexByte(b[from:], '[')
		if i < 0 || from+i+4 > len(b) {
			return -1
		}
		from += i
		if b[from+3] == '/' && two(b[from+1:]) > 0 {
			return from
		}
		from++
	}
}

// requestEnd returns the place of the quote that ends a request: the first that is not escaped and
// is followed by a status and a size. Some formats do not escape quotes at all.
func requestEnd(b []byte) int {
	for from := 0; ; {
		i := bytes.IndexByte(b[from:], '"')
		if i < 0 {
			return -1
		}
		from += i
		if !escaped(b, from) && numbersFollow(b[from+1:]) {
			return from
		}
		from++
	}
}

// escaped reports whether a backslash that is not escaped itself stands before b[i].
func escaped(b []byte, i int) bool {
	n := 0
	for i-n > 0 && b[i-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

// numbersFollow reports whether b begins with a status and a size, each of which may be "-".
func numbersFollow(b []byte) bool {
	if len(b) < 4 || b[0] != ' ' {
		return false
	}
	i := 1
	if b[1] == '-' && b[2] == ' ' {
		i = 2
	} else if len(b) > 5 && isDigit(b[1]) && isDigit(b[2]) && isDigit(b[3]) {
		i = 4
	} else if b[1] == '-' && b[2] == '1' && b[3] == ' ' { // HAProxy: the client left
		i = 3
	}
	if i == 1 || i+1 >= len(b) || b[i] != ' ' {
		return false
	}
	return isDigit(b[i+1]) || b[i+1] == '-'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// who parses what precedes the time: the client, with the host before or after it.
func (p *parser) who(b []byte) bool {
	i := bytes.IndexByte(b, ' ')
	if i <= 0 {
		return false
	}
	if b[i-1] == ',' {
		return p.forwarded(b, i)
	}
	first := b[:i]
	if v, n := quad(first); n == i {
		p.f.addr = fromQuad(v)
		p.ident(b[i+1:])
		return true
	}
	if bytes.IndexByte(first, ':') > 0 {
		if p.f.addr = client(first); p.f.addr.IsValid() {
			p.ident(b[i+1:])
			return true
		}
	}
	second, _, _ := bytes.Cut(b[i+1:], []byte(" "))
	switch {
	case isClient(first):
		p.f.addr = client(first)
		p.ident(b[i+1:])
	case isClient(second):
		p.f.host, p.f.addr = first, client(second)
		rest := b[i+1:]
		if n := len(second); n < len(rest) && second[n-1] == ',' {
			return p.forwarded(rest, n)
		}
		p.another(rest)
	case len(first) == 1 && first[0] == '-': // varnishncsa, for a request that it refused
	case !isHost(first) && !bytes.ContainsRune(first, '%'):
		return false
	default: // the name of a client, or an address with a zone
		p.f.addr = client(first)
	}
	return true
}

// forwarded parses a list of addresses with spaces after its commas, the first of which is at i.
func (p *parser) forwarded(b []byte, i int) bool {
	for b[i-1] == ',' {
		next := bytes.IndexByte(b[i+1:], ' ')
		if next <= 0 {
			return false
		}
		i += 1 + next
	}
	if p.f.addr = client(b[:i]); !p.f.addr.IsValid() {
		return false
	}
	p.ident(b[i+1:])
	return true
}

// ident parses the second field: "-", or the host in lighttpd; in other formats a user or a second
// address, neither of which is a host.
func (p *parser) ident(b []byte) {
	switch {
	case len(b) > 2 && b[0] == '-' && b[1] == ' ':
	case bytes.HasPrefix(b, []byte(`"-" `)): // Fastly
		p.f.rawness = Edge
	default:
		word, _, _ := bytes.Cut(b, []byte(" "))
		if isName(word) || string(word) == "localhost" {
			p.f.host, p.f.beside = word, true
		}
	}
	if string(b) != "- - " {
		p.another(b)
	}
}

// another looks for a second address between the one that was read and the time. A format may have
// the client and X-Forwarded-For, which a client can send, in either order, or the server's own
// address: so it is unknown which of two is the client's, and one of Google's may be forged.
func (p *parser) another(b []byte) {
	for word := range bytes.FieldsSeq(b) {
		word = bytes.Trim(word, `",`)
		if isClient(word) && client(word) != p.f.addr {
			p.f.addr, p.f.two = netip.Addr{}, true
			return
		}
	}
}

// tail parses what follows the request: status, size, and possibly referer, user agent and a host.
func (p *parser) tail(b []byte) bool {
	i := bytes.IndexByte(b, '"')
	if i < 0 {
		return true // common ends here
	}
	b = b[i:]
	if bytes.HasPrefix(b, []byte(`"" "" `)) && len(b) > 6 && isDigit(b[6]) {
		return p.haproxyCommon(b)
	}
	_, rest, ok := quoted(b)
	if !ok {
		return false
	}
	if len(rest) < 2 || rest[0] != ' ' || rest[1] != '"' {
		return true
	}
	if p.f.agent, rest, ok = quoted(rest[1:]); !ok {
		return false
	}
	if len(rest) > 2 && p.f.host == nil {
		p.f.host = hostAfter(rest)
	}
	return true
}

// quoted returns the text between the quote that b begins with and the next one that is not
// escaped, and the rest. A quote that is not followed by a space does not end a field, since not
// every server escapes quotes.
func quoted(b []byte) (text, rest []byte, ok bool) {
	for from := 1; ; {
		i := bytes.IndexByte(b[from:], '"')
		if i < 0 {
			return nil, nil, false
		}
		from += i
		if !escaped(b, from) && (from+1 == len(b) || b[from+1] == ' ') {
			return b[1:from], b[from+1:], true
		}
		from++
	}
}

// hostAfter returns the first quoted field that looks like a host name; nil for none.
func hostAfter(b []byte) []byte {
	for {
		i := bytes.IndexByte(b, '"')
		if i < 0 {
			return nil
		}
		text, rest, ok := quoted(b[i:])
		if !ok {
			return nil
		}
		if isName(text) {
			return text
		}
		b = rest
	}
}

// isDecimal reports whether b is a number, such as the duration of a request.
func isDecimal(b []byte) bool {
	for _, c := range b {
		if !isDigit(c) && c != '.' {
			return false
		}
	}
	return true
}

// traefik reports whether b ends like a line of Traefik: ` N "router" "url" Nms`.
func traefik(b []byte) bool {
	n := len(b)
	return n > 12 && b[n-1] == 's' && b[n-2] == 'm' && isDigit(b[n-3])
}

// traefik parses request and agent of a line of Traefik, which escapes nothing in version 3.0 and
// only quotes later.
func (p *parser) traefik(b []byte) bool {
	close := requestEnd(b)
	if close < 0 {
		return false
	}
	p.f.escape = escapeNone
	p.f.request, p.f.status = b[:close], b[close+2:close+5]
	rest := b[close+1:]
	open := bytes.IndexByte(rest, '"')
	if open < 0 {
		return true
	}
	_, rest, ok := quoted(rest[open:])
	if !ok || len(rest) < 2 {
		return ok
	}
	// Backwards from the end: url, router, number, agent.
	for range 4 {
		i := bytes.LastIndexByte(rest, '"')
		if i < 0 {
			return false
		}
		rest = rest[:i]
	}
	if i := bytes.LastIndexByte(rest, '"'); i > 1 {
		p.f.agent = rest[2:i]
	}
	return true
}

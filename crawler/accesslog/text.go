package accesslog

import "bytes"

// balancer is what the words of a line of AWS mean: of a classic load balancer, and, after a type,
// of an application load balancer.
var balancer = [...]field{when, none, socket, none, none, none, none, status, none, none, none,
	request, agent}

// balanced parses a line of AWS. The words after the request may be missing.
func (p *parser) balanced(b []byte) bool {
	if b[0] >= 'a' {
		b = b[bytes.IndexByte(b[:min(len(b), 8)], ' ')+1:]
	}
	if len(b) < 20 || b[4] != '-' || b[10] != 'T' {
		return false
	}
	for _, f := range balancer {
		word, rest, ok := bytes.Cut(b, []byte(" "))
		if f == request || f == agent {
			word, rest, ok = quoted(b)
			rest = bytes.TrimPrefix(rest, []byte(" "))
		}
		if !ok && f != agent {
			return false
		}
		p.set(meaning{field: f, rank: 1}, word)
		b = rest
	}
	p.escape = '\\'
	return p.addr.IsValid() && p.named()
}

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
	who, at, rest := b[:open], b[open+1:open+end], b[open+end+1:]
	var ok bool
	if p.time, ok = p.clock.parse(at); !ok {
		return false
	}
	if !bytes.HasPrefix(rest, []byte(` "`)) {
		return p.httplog(who, rest)
	}
	if !p.who(who) {
		return false
	}
	rest = rest[2:]
	p.escape = '\\'
	if n := len(rest); n > 12 && string(rest[n-2:]) == "ms" && isDigit(rest[n-3]) {
		p.escape = 0 // Traefik escapes nothing
	}
	if end = requestEnd(rest); end < 0 {
		return false
	}
	p.text[request], rest = rest[:end], rest[end+2:]
	p.text[status], rest, _ = bytes.Cut(rest, []byte(" "))
	return p.tail(rest)
}

// bracket returns where the time begins: at a bracket before two digits and a slash, or the four of
// a year and a dash; -1 for nowhere. The name of a user may contain brackets, too.
func bracket(b []byte) int {
	for from := 0; ; from++ {
		i := bytes.IndexByte(b[from:], '[')
		if i < 0 || from+i+6 > len(b) {
			return -1
		}
		if from += i; (b[from+3] == '/' || b[from+5] == '-') && two(b[from+1:]) > 0 {
			return from
		}
	}
}

// requestEnd returns the place of the quote that ends a request: the first that is not escaped and
// is followed by a status and a size. Some formats do not escape quotes at all.
func requestEnd(b []byte) int {
	for from := 0; ; from++ {
		i := bytes.IndexByte(b[from:], '"')
		if i < 0 {
			return -1
		}
		from += i
		rest := b[from+1:]
		n := 1 + bytes.IndexByte(rest[min(1, len(rest)):min(6, len(rest))], ' ')
		if n < 2 || n+1 >= len(rest) || rest[0] != ' ' || escaped(b, from) {
			continue
		}
		if code, size := rest[1:n], rest[n+1]; isStatus(code) && (n == 4 || code[0] == '-') &&
			(isDigit(size) || size == '-') {
			return from
		}
	}
}

// isStatus reports whether b is a status in a log: three digits, or a sign that there was no
// answer.
func isStatus(b []byte) bool {
	if len(b) == 3 {
		return digits(b) >= 0
	}
	switch string(b) {
	case "", "-", "0", "-1", "null":
		return true
	}
	return false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// who parses what precedes the time: the client, with the host before it, or after it as in
// lighttpd, where other formats have the name of a user.
//
// The client may be a list, an X-Forwarded-For header as received. Each proxy appends the address
// that it saw, and a client can send any list: so only the last address was seen by a server of the
// site.
func (p *parser) who(b []byte) bool {
	if a, n := quad(b); n > 0 && string(b[n:]) == " - - " { // nearly always
		p.addr = a
		return true
	}
	b = b[p.stamp(b):] // docker logs -t
	first, rest, _ := bytes.Cut(b, []byte(" "))
	if string(rest) == "- - " {
		p.addr = client(first)
		return p.addr.IsValid() || isHost(first)
	}
	n := 0
	for word := range bytes.FieldsSeq(b) {
		if word[len(word)-1] == ',' {
			continue // in a list
		}
		a := client(bytes.Trim(word, `"`))
		switch {
		case a.IsValid() && n == 1 && !p.addr.IsValid():
			p.text[host], p.addr = first, a
		case a.IsValid() && (n == 0 || p.addr.IsValid()):
			p.address(a, 0)
		case n == 0:
			first = word
		case n == 1 && p.addr.IsValid() && (isName(word) || string(word) == "localhost"):
			p.text[host], p.beside = word, true
		case n == 1 && string(word) == `"-"`:
			p.rawness = Edge // Fastly
		}
		n++
	}
	return p.addr.IsValid() || p.two || isHost(first)
}

// tail parses what follows the status: size, and possibly referer, user agent and a host.
func (p *parser) tail(b []byte) bool {
	i := bytes.IndexByte(b, '"')
	if i < 0 {
		return true // common ends here
	}
	b = b[i:]
	if bytes.HasPrefix(b, []byte(`"" "" `)) && len(b) > 6 && isDigit(b[6]) {
		return p.clf(b)
	}
	_, rest, ok := quoted(b)
	if !ok || !bytes.HasPrefix(rest, []byte(` "`)) {
		return ok
	}
	if p.text[agent], rest, ok = quoted(rest[1:]); !ok {
		return false
	}
	for len(rest) > 2 && len(p.text[host]) == 0 {
		i := bytes.IndexByte(rest, '"')
		if i < 0 {
			break
		}
		var text []byte
		if text, rest, ok = quoted(rest[i:]); ok && isName(text) {
			p.text[host] = text
		}
	}
	return true
}

// quoted returns the text between the quote that b begins with and the next one that is not
// escaped, and the rest. A quote that is not followed by a space does not end a field, since not
// every server escapes quotes.
func quoted(b []byte) (text, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return nil, nil, false
	}
	for i := 1; ; i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return nil, nil, false
		}
		i += n
		if (i+1 == len(b) || b[i+1] == ' ') && !escaped(b, i) {
			return b[1:i], b[i+1:], true
		}
	}
}

// clf parses the end of a line of HAProxy's "option httplog clf": the user agent is the last quoted
// field, where it is captured.
func (p *parser) clf(b []byte) bool {
	p.escape = '#'
	if b = bytes.TrimRight(b, " "); b[len(b)-1] == '"' {
		b = b[:len(b)-1]
		p.captured(b[bytes.LastIndexByte(b, '"')+1:])
	}
	return true
}

// httplog parses a line of HAProxy's httplog by what stands before and after its time.
//
//	client:port [time] frontend backend/server a/b/c/d/e status bytes ... {captured|headers} "request"
//
// There is no user agent unless it is captured, and the request is cut at 1,023 bytes.
func (p *parser) httplog(before, after []byte) bool {
	words := bytes.SplitN(after, []byte(" "), 6)
	if len(words) < 6 || bytes.Count(words[3], []byte("/")) < 4 {
		return false
	}
	head, rest, _ := bytes.Cut(words[5], []byte(`"`))
	line, _, ok := bytes.Cut(rest, []byte(`"`)) // option httpslog has more behind it
	if !ok {
		return false
	}
	p.set(meaning{field: socket, rank: 1}, bytes.TrimRight(before, " "))
	p.text[status], p.text[request] = words[4], line
	p.escape = '#'
	if _, headers, ok := bytes.Cut(head, []byte("{")); ok {
		headers, _, _ = bytes.Cut(headers, []byte("}"))
		p.captured(headers)
	}
	return true
}

// captured looks for host and user agent among captured headers, which have no names.
func (p *parser) captured(b []byte) {
	for value := range bytes.SplitSeq(b, []byte("|")) {
		if bytes.IndexByte(value, '/') > 0 && !bytes.HasPrefix(value, []byte("http")) { // of a referer
			p.set(meaning{field: agent, rank: 1}, value)
		} else if isName(value) {
			p.set(meaning{field: host, rank: 1}, value)
		}
	}
}

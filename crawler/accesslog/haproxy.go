package accesslog

import "bytes"

// haproxy parses a line of HAProxy's httplog; before and after are the texts around the time.
//
//	client:port [time] frontend backend/server a/b/c/d/e status bytes ... {captured|headers} "request"
//
// There is no user agent unless it is captured, and the request is cut at 1,023 bytes.
func (p *parser) haproxy(before, after []byte) bool {
	p.f.addr = withPort(bytes.TrimRight(before, " "))
	if !p.f.addr.IsValid() && len(bytes.TrimSpace(before)) != 1 {
		return false
	}
	rest := after
	var words [4][]byte
	for i := range words {
		var ok bool
		if words[i], rest, ok = bytes.Cut(rest, []byte(" ")); !ok {
			return false
		}
	}
	if bytes.Count(words[2], []byte("/")) < 4 {
		return false
	}
	open := bytes.IndexByte(rest, '"')
	if open < 0 || len(rest)-open < 2 || rest[len(rest)-1] != '"' {
		return false
	}
	p.f.status = words[3]
	p.f.request = rest[open+1 : len(rest)-1]
	p.f.whole, p.f.escape = true, escapeHash
	if i := bytes.IndexByte(rest[:open], '{'); i >= 0 {
		p.captured(rest[i+1 : open])
	}
	return true
}

// captured looks for host and user agent among the captured headers, which have no names.
func (p *parser) captured(b []byte) {
	if i := bytes.IndexByte(b, '}'); i >= 0 {
		b = b[:i]
	}
	for {
		value, rest, more := bytes.Cut(b, []byte("|"))
		switch {
		case len(value) == 0:
		case bytes.IndexByte(value, '/') > 0:
			if p.f.agent == nil {
				p.f.agent = value
			}
		case p.f.host == nil && isName(value):
			p.f.host = value
		}
		if !more {
			return
		}
		b = rest
	}
}

// haproxyCommon parses the end of a line of "option httplog clf": the user agent is the last quoted
// field, where it is captured.
func (p *parser) haproxyCommon(b []byte) bool {
	p.f.escape = escapeHash
	b = bytes.TrimRight(b, " ")
	if len(b) == 0 || b[len(b)-1] != '"' {
		return true
	}
	b = b[:len(b)-1]
	if i := bytes.LastIndexByte(b, '"'); i >= 0 && bytes.IndexByte(b[i:], '/') > 0 {
		p.f.agent = b[i+1:]
	}
	return true
}

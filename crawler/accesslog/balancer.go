package accesslog

import "bytes"

// balancer parses a line of AWS: that of an application load balancer, which begins with a type, or
// that of a classic one, which has no type.
//
//	type time name client:port target:port t t t status status bytes bytes "request" "agent" ...
func (p *parser) balancer(b []byte) bool {
	first, rest, _ := bytes.Cut(b, []byte(" "))
	switch string(first) {
	case "http", "https", "h2", "ws", "wss", "grpc", "grpcs":
	default:
		rest = b
	}
	if len(rest) < 20 || rest[4] != '-' || rest[10] != 'T' {
		return false
	}
	var words [11][]byte
	for i := range words {
		var ok bool
		if words[i], rest, ok = bytes.Cut(rest, []byte(" ")); !ok {
			return false
		}
	}
	at, ok := p.clock.iso(words[0])
	if !ok || len(rest) == 0 || rest[0] != '"' {
		return false
	}
	if p.f.addr = withPort(words[2]); !p.f.addr.IsValid() {
		return false
	}
	p.f.time, p.f.status = at, words[7]
	if p.f.request, rest, ok = quoted(rest); !ok {
		return false
	}
	p.f.whole, p.f.escape = true, escapeBackslash
	if len(rest) > 2 && rest[1] == '"' {
		p.f.agent, _, ok = quoted(rest[1:])
	}
	return ok
}

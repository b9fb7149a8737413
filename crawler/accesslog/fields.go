package accesslog

import (
	"bytes"
	"net/netip"
	"strings"
)

// A field is what a part of a line means.
type field uint8

const (
	none   field = iota
	sender       // of the client
	socket       // the same, with a port behind it in any case
	when         // a moment, or the time of day
	date
	host
	request // METHOD SP TARGET SP HTTP/x
	method
	target // path and query, or a whole address
	path   // as the server decoded it
	query
	status
	agent
	fieldCount
)

// A meaning is the use of a name. The same thing may have several names in a line, of which that
// with the highest rank counts. mark says what the name tells of the line: '~' that it is of a CDN,
// '%' that it is of CloudFront, which percent-encodes each value once more.
type meaning struct {
	field field
	rank  uint8
	mark  byte
}

// A scope is the names of the members of an object, and those of objects within it.
type scope struct {
	names  map[string]meaning
	inside map[string]*scope
}

// table returns the meanings of names: of each field in ascending rank, from the given one.
func table(rank uint8, fields map[field]string) map[string]meaning {
	out := map[string]meaning{}
	for f, text := range fields {
		for i, group := range strings.Split(text, "|") {
			for name := range strings.FieldsSeq(group) {
				bare := strings.TrimLeft(name, "~%")
				mark := byte(0)
				if bare != name {
					mark = name[0]
				}
				out[bare] = meaning{f, rank + uint8(i), mark}
			}
		}
	}
	return out
}

// vocabulary is the names of nginx's variables, Apache, Varnish, HAProxy, Traefik, Fastly, Logpush, and of
// the extended log file format (W3C WD-logfile-960323) in IIS and CloudFront; within request those
// of Caddy, within httpRequest those of Google's load balancers.
var vocabulary = &scope{
	names: table(1, map[field]string{
		none: "%x-edge-location %x-edge-request-id %x-edge-result-type",
		sender: `remote_host ClientAddr | remote_addr client client_ip clientip clientIp remoteIP remote_ip ip
			ClientHost c-ip client_address | ~ClientIP`,
		when: `msec | time timestamp @timestamp ts time_local datetime accept_date request_date |
			StartUTC EdgeStartTimestamp time_iso8601 %timestamp(ms)`,
		date: "date",
		host: `server_name | host cs-host cs(Host) |
			http_host vhost RequestHost ClientRequestHost request_host | %x-host-header`,
		request: "request request_line http_request",
		method:  "request_method RequestMethod ClientRequestMethod method cs-method http_method",
		target: `~url ~request_url |
			request_uri RequestPath requestUri ClientRequestURI http_uri`,
		path:  "uri path cs-uri cs-uri-stem",
		query: "args query query_string request_query cs-uri-query",
		status: `status response_status DownstreamStatus EdgeResponseStatus status_code sc-status
			http_status`,
		agent: `http_user_agent user_agent ua request_user_agent request_User-Agent agent useragent
			ClientRequestUserAgent userAgent UserAgent cs(User-Agent)`,
	}),
	inside: map[string]*scope{
		"request": {
			names: table(10, map[field]string{
				sender: "remote_ip remote_addr | client_ip", method: "method", host: "host",
				target: "uri",
			}),
			inside: map[string]*scope{"headers": {names: table(10, map[field]string{agent: "User-Agent"})}},
		},
		"httpRequest": {names: table(10, map[field]string{
			sender: "remoteIp", method: "requestMethod", target: "~requestUrl", status: "status",
			agent: "userAgent",
		})},
	},
}

// values are the parts of a line.
type values struct {
	text   [fieldCount][]byte
	rank   [fieldCount]uint8
	mark   byte
	addr   netip.Addr
	time   int64  // in seconds since 1970; 0 for none
	escape escape // of request, target, query and agent
	json   bool
	// two is set where a second address stands beside that of the client, and either may be the
	// client's: then addr is not valid.
	two bool
	// beside is set where host is in a place where other formats have the name of a user.
	beside  bool
	rawness Rawness
}

// set stores what a name or a column means.
func (v *values) set(m meaning, value []byte) {
	if m.mark != 0 && v.mark != '%' {
		v.mark = m.mark
	}
	switch {
	case m.rank < v.rank[m.field], m.field == none:
	case m.field == sender, m.field == socket:
		if i := bytes.LastIndexByte(value, ':'); m.field == socket && i > bytes.IndexByte(value, ']') {
			value = value[:i]
		}
		v.address(client(value), m.rank)
	case m.rank > v.rank[m.field]:
		v.text[m.field], v.rank[m.field] = value, m.rank
	}
}

// address stores the address of the client. A line may have the client's and X-Forwarded-For, which
// a client can send, in either order, or the server's own address: so it is unknown which of two of
// one rank is the client's, and one of Google's may be forged.
func (v *values) address(a netip.Addr, rank uint8) {
	switch {
	case rank > v.rank[sender]:
		v.addr, v.two, v.rank[sender] = a, false, rank
	case !a.IsValid() || v.two || a == v.addr:
	case v.addr.IsValid():
		v.addr, v.two = netip.Addr{}, true
	default:
		v.addr = a
	}
}

// named finishes a line whose fields have names, and reports whether it is one of a request: it has
// a target, and a client or a status, which lines of a program's own log have not.
func (p *parser) named() bool {
	v := &p.values
	at, ok := bytes.Trim(v.text[when], "[]"), true // as Apache's %t
	switch {
	case len(at) > 7 && at[2] == ':' && len(v.text[date]) == 10:
		at = append(bytes.Join([][]byte{v.text[date], at[:min(len(at), 12)]}, []byte("T")), 'Z') // in UTC
	case v.rank[when] == 0:
		at = v.text[date]
	}
	if v.time = p.framed; v.rank[when]+v.rank[date] > 0 {
		v.time, ok = p.clock.parse(at)
	}
	if text := v.text[request]; bytes.HasPrefix(text, []byte("/")) {
		f := path // Apache's %U
		if bytes.ContainsAny(text, "?%") {
			f = target // nginx's $request_uri
		}
		v.text[f], v.text[request], v.rank[f], v.rank[request] = text, nil, 1, 0
	}
	switch {
	case v.mark == '%':
		v.escape = '%'
		v.text[target] = v.text[path]
	case v.rank[request]+v.rank[target] == 0:
		v.rawness = Decoded
		v.text[target] = v.text[path]
	default:
		v.text[query] = nil // it is in the target
		if v.mark == '~' {
			v.rawness = Edge
		}
	}
	if v.rank[method] > 0 && len(v.text[method]) == 0 {
		v.text[host] = nil // nginx could not parse the request: it is the name of a server
	}
	return ok && v.rank[request]+v.rank[target]+v.rank[path] > 0 && v.rank[sender]+v.rank[status] > 0
}

// object parses a line that is a JSON object.
func (p *parser) object(b []byte) bool {
	p.json, p.place = true, 0
	end := p.members(b, 0, vocabulary, nil, maxDepth)
	if end < 0 || len(bytes.Trim(b[end:], " \t\r\n,")) > 0 || !p.named() {
		return false
	}
	for _, f := range []field{request, target, query} {
		if hashed(p.text[f]) {
			p.escape = '#'
		}
	}
	return true
}

// header parses a line that begins with #. #Fields names the columns of the lines that follow, and
// may occur anywhere again.
func (p *parser) header(b []byte) {
	rest, ok := bytes.CutPrefix(b, []byte("#Fields:"))
	if !ok {
		return
	}
	p.columns = nil
	for name := range bytes.FieldsSeq(rest) {
		p.columns = append(p.columns, vocabulary.names[string(name)])
	}
}

// w3c parses a line by the columns of the last header.
func (p *parser) w3c(b []byte) bool {
	i := bytes.IndexAny(b, " \t")
	if i < 0 {
		return false
	}
	separator := b[i : i+1]
	p.escape = '+'
	more := true
	for _, m := range p.columns {
		if !more {
			return false
		}
		var value []byte
		value, b, more = bytes.Cut(b, separator)
		p.set(m, value)
	}
	return p.named() && p.time != 0
}

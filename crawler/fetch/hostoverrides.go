package fetch

import (
	"cmp"
	"maps"
	"net"
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// hostOverrides is --map and --resolve: where requests go in place of the host in their address.
type hostOverrides struct {
	to      map[string]string   // by host or host:port
	from    map[string][]string // the reverse, sorted
	resolve map[string]string   // host:port -> addr or addr:port
	named   map[string]bool     // hosts that the user named with the two flags, as hostKey returns them
}

func newHostOverrides(o *Options) hostOverrides {
	e := hostOverrides{to: map[string]string{}, from: map[string][]string{},
		resolve: map[string]string{}, named: map[string]bool{}}
	for from, to := range o.Map {
		e.to[wireHost(from)] = wireHost(to)
		e.named[hostKey(hostOnly(wireHost(to)))] = true
	}
	for _, from := range slices.Sorted(maps.Keys(e.to)) {
		e.from[e.to[from]] = append(e.from[e.to[from]], from)
	}
	for at, addr := range o.Resolve {
		e.resolve[wireHost(at)] = addr
		e.named[hostKey(hostOnly(wireHost(at)))] = true
	}
	return e
}

// wireHost returns a host, with or without a port, in wire form: a user writes names in any script
// and case.
func wireHost(s string) string {
	host, port := cutPort(s)
	if strings.Contains(host, ":") && host[0] != '[' {
		host = "[" + host + "]"
	}
	if a, err := address.Parse("http://" + host); err == nil {
		host = a.Host()
	}
	return strings.ToLower(host) + port
}

// cutPort splits an authority before the colon of its port.
func cutPort(s string) (host, port string) {
	if _, p, err := net.SplitHostPort(s); err == nil {
		return s[:len(s)-len(p)-1], ":" + p
	}
	return s, ""
}

// names reports whether the user named a host with these flags: it may be at any address.
func (e *hostOverrides) names(host string) bool { return e.named[hostKey(host)] }

// target returns the address that is requested in place of a. A mapped host without a port keeps
// the port of a.
func (e *hostOverrides) target(a address.Address) address.Address {
	if len(e.to) == 0 {
		return a
	}
	to, ok := e.to[a.Host()+":"+a.EffectivePort()]
	if !ok {
		to, ok = e.to[a.Host()]
	}
	if !ok {
		return a
	}
	if _, port := cutPort(to); port == "" && a.Port() != "" {
		to += ":" + a.Port()
	}
	mapped, err := address.Parse(a.Scheme() + "://" + to + a.Target())
	if err != nil {
		return a
	}
	return mapped
}

// dial returns the address to dial for host:port.
func (e *hostOverrides) dial(hostport string) string {
	to, ok := e.resolve[strings.ToLower(hostport)]
	if !ok {
		return hostport
	}
	if _, _, err := net.SplitHostPort(to); err == nil {
		return to
	}
	_, port, _ := net.SplitHostPort(hostport)
	return net.JoinHostPort(strings.Trim(to, "[]"), port)
}

// fromOf returns the host that a mapped one stands for in the answer to a request for at. Where it
// stands for several, that is the host of at: a test server often stands for a site with www and
// without, and means itself.
func (e *hostOverrides) fromOf(to string, at address.Address) (string, bool) {
	froms := e.from[to]
	for _, from := range froms {
		if from == at.Host() || from == at.Host()+":"+at.EffectivePort() {
			return from, true
		}
	}
	if len(froms) == 0 {
		return "", false
	}
	return froms[0], true
}

// read returns a reference from a page or a Location, in the answer to a request for at. Where the
// reference names a mapped host, read replaces it with the host that it stands for.
func (e *hostOverrides) read(ref string, at address.Address) string {
	if len(e.from) == 0 || ref == "" {
		return ref
	}
	start, end, port := authority(ref)
	if start == end {
		return ref
	}
	host, given := cutPort(wireHost(ref[start:end]))
	if from, ok := e.fromOf(host+cmp.Or(given, port), at); ok {
		return ref[:start] + from + ref[end:]
	}
	from, ok := e.fromOf(host, at)
	if !ok {
		return ref
	}
	if given != "" && given != port {
		// A host that is mapped with every port keeps the port of the reference.
		if _, own := cutPort(from); own != "" {
			return ref
		}
		from += given
	}
	return ref[:start] + from + ref[end:]
}

// authority returns where host and port of a reference begin and end, and the default port of its
// scheme (":443"). Slashes may be backslashes (WHATWG URL).
func authority(ref string) (start, end int, port string) {
	start = len(ref) - len(strings.TrimLeft(ref, htmlSpace))
	rest := ref[start:]
	for scheme, p := range map[string]string{"http:": ":80", "https:": ":443"} {
		if len(rest) > len(scheme) && strings.EqualFold(rest[:len(scheme)], scheme) {
			start, port = start+len(scheme), p
		}
	}
	slashes := len(ref[start:]) - len(strings.TrimLeft(ref[start:], `/\`))
	if slashes < 2 {
		return 0, 0, ""
	}
	start += slashes
	end = len(ref)
	if i := strings.IndexAny(ref[start:], `/\?#`+htmlSpace); i >= 0 {
		end = start + i
	}
	if i := strings.LastIndexByte(ref[start:end], '@'); i >= 0 {
		start += i + 1
	}
	return start, end, port
}

// hostOnly removes a port.
func hostOnly(hostport string) string {
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		return h
	}
	return strings.Trim(hostport, "[]")
}

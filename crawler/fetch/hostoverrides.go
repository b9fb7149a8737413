package fetch

import (
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
}

func newHostOverrides(o *Options) hostOverrides {
	e := hostOverrides{to: map[string]string{}, from: map[string][]string{}, resolve: map[string]string{}}
	for from, to := range o.Map {
		e.to[wireHost(from)] = wireHost(to)
	}
	for _, from := range slices.Sorted(maps.Keys(e.to)) {
		e.from[e.to[from]] = append(e.from[e.to[from]], from)
	}
	for at, addr := range o.Resolve {
		e.resolve[wireHost(at)] = addr
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

// read returns a reference from a page or a Location, in the answer to a request for at. Where the
// reference names a mapped host, read replaces it with the host that it stands for. Where that is one of
// several, it is the host of at: a test server often stands for a site with www and without, and means
// itself.
func (e *hostOverrides) read(ref string, at address.Address) string {
	if len(e.from) == 0 || ref == "" {
		return ref
	}
	to, err := address.Resolve(at, ref)
	if err != nil {
		return ref
	}
	froms, port := e.from[to.Host()+":"+to.EffectivePort()], ""
	if froms == nil {
		if froms = e.from[to.Host()]; froms == nil {
			return ref
		}
		port = to.Port()
	}
	from := froms[0]
	for _, own := range []string{at.Host(), at.Host() + ":" + at.EffectivePort()} {
		if slices.Contains(froms, own) {
			from = own
		}
	}
	if _, own := cutPort(from); port != "" {
		if own != "" {
			return ref
		}
		from += ":" + port
	}
	return to.Scheme() + "://" + from + to.Target()
}

package crawler

import (
	"net"
	"strings"

	"sitemend/crawler/address"
)

// elsewhere is --map and --resolve: where requests go instead of where their
// address says.
type elsewhere struct {
	to      map[string]string // by host or host:port
	from    map[string]string // the other way round
	resolve map[string]string // host:port -> addr or addr:port
}

func newElsewhere(o *AskOptions) elsewhere {
	e := elsewhere{to: map[string]string{}, from: map[string]string{}, resolve: map[string]string{}}
	for from, to := range o.Map {
		e.to[strings.ToLower(from)] = strings.ToLower(to)
		e.from[strings.ToLower(to)] = strings.ToLower(from)
	}
	for at, addr := range o.Resolve {
		e.resolve[strings.ToLower(at)] = addr
	}
	return e
}

// hosts are the hosts that the user named by them.
func (e *elsewhere) hosts() []string {
	var hosts []string
	for to := range e.from {
		hosts = append(hosts, hostOnly(to))
	}
	for at := range e.resolve {
		hosts = append(hosts, hostOnly(at))
	}
	return hosts
}

// target is where a request for a goes. A mapped host without a port keeps the
// port of a.
func (e *elsewhere) target(a address.Address) address.Address {
	if len(e.to) == 0 {
		return a
	}
	to, ok := e.to[a.HostPort()]
	if !ok {
		to, ok = e.to[a.Host()]
	}
	if !ok {
		return a
	}
	if hostOnly(to) == to && a.Port() != "" {
		to += ":" + a.Port()
	}
	mapped, err := address.Parse(a.Scheme() + "://" + to + a.Target())
	if err != nil {
		return a
	}
	return mapped
}

// dial is the address to dial for host:port.
func (e *elsewhere) dial(hostport string) string {
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

// read reads a reference that a page or a Location gave: where it names a mapped
// host it is read as naming the host that it stands for.
func (e *elsewhere) read(ref string) string {
	if len(e.from) == 0 || ref == "" {
		return ref
	}
	start, end, port := authority(ref)
	if start == end {
		return ref
	}
	named := strings.ToLower(ref[start:end])
	from, ok := e.from[named]
	if !ok {
		from, ok = e.from[strings.TrimSuffix(named, port)]
	}
	if ok {
		return ref[:start] + from + ref[end:]
	}
	// A host that is mapped with any port keeps the port that it is named with.
	if host := hostOnly(named); host != named {
		if from, ok := e.from[host]; ok && hostOnly(from) == from {
			return ref[:start] + from + named[len(host):] + ref[end:]
		}
	}
	return ref
}

// authority finds host and port of a reference that has them, and the default
// port of its scheme (":443"). Slashes may be backslashes (WHATWG URL).
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

// hostOnly takes a port off.
func hostOnly(hostport string) string {
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		return h
	}
	return strings.Trim(hostport, "[]")
}

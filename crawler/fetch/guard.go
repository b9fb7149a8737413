package fetch

import (
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"sitemend/crawler/answers"
)

// A Guard decides which network addresses may be dialled (contract, section 6): a host that the
// user did not name must not lead into a private network, no matter whether a redirect, a sitemap
// or a canonical named it. It checks the address that is dialled, after the name was resolved, so a
// name that resolves to another address the second time (DNS rebinding) gains nothing.
//
// Where a target itself is in a private network, its hosts may lead to private addresses, too, but
// never to link-local ones or to the metadata service of a cloud. The first connection to the target
// settles this, not what its name resolves to: a name may have any number of addresses at which
// nothing answers.
//
// A target whose first connection was made at a public address is on the web from then on: its name
// may lead to public addresses only. The owner of a name decides what it resolves to, and need not be
// the one who started the audit.
//
// Its methods are safe for concurrent use.
type Guard struct {
	all     bool            // --allow-private
	named   map[string]bool // never changed after NewGuard
	targets map[string]bool // never changed after NewGuard
	mu      sync.Mutex
	places  map[string]reach // of targets, where the first connection to each was made
	relaxed bool             // a target is in a private network
}

// NewGuard returns a Guard. targets are the hosts of each TARGET, named those of --resolve and
// --map, all without ports. They may be at any address, a target only until its first connection was
// made at a public one. With allowPrivate everything may be dialled.
func NewGuard(targets, named []string, allowPrivate bool) *Guard {
	g := &Guard{all: allowPrivate, named: map[string]bool{}, targets: map[string]bool{}, places: map[string]reach{}}
	for _, h := range targets {
		g.targets[hostKey(h)] = true
	}
	for _, h := range named {
		g.named[hostKey(h)] = true
	}
	return g
}

// Relax allows private addresses from now on: a target is in a private network. A Guard does this
// itself when the first connection to a target is made at a private address; an audit that is
// continued calls it where it was relaxed before, for it may reach other hosts first.
func (g *Guard) Relax() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.relaxed = true
}

// Relaxed reports whether private addresses may be dialled for any host.
func (g *Guard) Relaxed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.all || g.relaxed
}

// Host checks a host as it stands in a URL, where a proxy resolves it: an IP address in any form that a
// resolver may take for one (127.1, 0x7f000001, 2130706433), or a name of this machine.
func (g *Guard) Host(host string) error {
	if ip, ok := meant(host); ok {
		return g.check(host, ip)
	}
	return nil
}

// control returns the function of a net.Dialer that checks the address ("ip:port") that is about to be
// dialled for host.
func (g *Guard) control(host string) func(string, string, syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return blocked(host, "an unknown kind of address")
		}
		return g.check(host, at.Addr())
	}
}

// Connected records that a connection for host was made at an address ("ip:port"). It reports whether
// that relaxes g: it is the first one to a target, at a private address.
func (g *Guard) Connected(host, address string) (relaxes bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := hostKey(host)
	at, err := netip.ParseAddrPort(address)
	if _, known := g.places[key]; known || !g.targets[key] || err != nil {
		return false
	}
	r, _ := special(at.Addr())
	g.places[key] = r
	g.relaxed = g.relaxed || r == inside
	return r == inside
}

// check returns an error where host must not be at an address.
func (g *Guard) check(host string, ip netip.Addr) error {
	r, is := special(ip)
	key := hostKey(host)
	if g.all || r == anywhere || g.named[key] {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	place, reached := g.places[key]
	switch {
	case reached && place == anywhere:
		return blocked(host, is+", and was reached at a public one before")
	case g.targets[key], g.relaxed && r == inside:
		return nil
	case isLocalName(key):
		is = "this machine"
	}
	return blocked(host, is)
}

// blocked is the error for an address that must not be dialled: it says which host leads to what.
func blocked(host, what string) error {
	return &noAnswer{answers.FaultAddress, host + " leads to " + what}
}

// hostKey returns a host in the form for comparison: lower case, no brackets, no final dot.
func hostKey(host string) string {
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// isLocalName reports whether a name means this machine without a query to a name server (RFC 6761
// 6.3).
func isLocalName(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// meant returns the address that a host means without a query to a name server: an IP address, with or
// without brackets and zone, or a name of this machine. Any other that ends in a number may be one of
// IPv4 to a resolver (127.1, 0x7f000001; WHATWG URL, "ends in a number"): nobody can say which, and no
// name does, so it counts as one of this machine.
func meant(host string) (netip.Addr, bool) {
	host = hostKey(host)
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip, true
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if _, err := strconv.ParseUint(last, 0, 64); err == nil || last != "" && strings.Trim(last, "0123456789") == "" || isLocalName(host) {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), true
	}
	return netip.Addr{}, false
}

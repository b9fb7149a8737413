package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"sitemend/crawler/answers"
)

// A failure of this machine tells nothing about a site: too many open files, no route to the
// network, a name server that is down.

// FaultLocal is the fault of a request that failed on this machine; its detail is one of NoFiles,
// NoPorts, NoRoute and NoServer. It is not an answer: it must not get into a store.
const FaultLocal answers.Fault = "ours"

// The failures of this machine.
const (
	NoFiles  = "no room for another connection (too many open files)"
	NoPorts  = "no free port for another connection"
	NoRoute  = "no route to the network"
	NoServer = "no name server that answers"
)

// machine distinguishes failures of this machine from those of the web.
type machine struct {
	resolver *net.Resolver
	route    func(netip.Addr) bool // reports whether there is a route to an address
	online   bool                  // there was a route to the public network at first

	mu     sync.Mutex
	looked time.Time // when the name server was last checked
	down   bool      // the result of that check
}

// newMachine returns this machine; a nil resolver is that of the system, a nil route asks the
// system.
func newMachine(resolver *net.Resolver, route func(netip.Addr) bool) *machine {
	if resolver == nil { // Go's own, whose errors are the same on every system
		resolver = &net.Resolver{PreferGo: true}
	}
	if route == nil {
		route = hasRoute
	}
	return &machine{resolver: resolver, route: route, online: slices.ContainsFunc(public, route)}
}

// ours returns which failure of this machine err is; "" for an error of the web.
func (m *machine) ours(err error) string {
	var dns *net.DNSError
	at, known := dialledAddr(err)
	switch {
	// A *net.DNSError keeps only the text of an error. A server may influence the text of any other.
	case isAny(err, codesFull), errors.As(err, &dns) && slices.ContainsFunc(codesFull,
		func(code error) bool { return strings.Contains(dns.Err, code.Error()) }):
		return NoFiles
	case dns != nil:
		if !dns.IsNotFound && m.noNames() {
			return NoServer
		}
	case isAny(err, codesNoAddress):
		if known && m.route(at) {
			return NoPorts // if it had not, the machine has no address of this kind
		}
	// A machine without any route from the start (an intranet, a network of containers) lacks nothing.
	// Nor does one that has a route for IPv4 only and cannot reach an IPv6 host.
	case isAny(err, codesNoRoute):
		if known && m.online && !m.route(at) && !slices.ContainsFunc(public, m.route) {
			return NoRoute
		}
	}
	return ""
}

// isAny reports whether an error is one of some errors.
func isAny(err error, codes []error) bool {
	return slices.ContainsFunc(codes, func(code error) bool { return errors.Is(err, code) })
}

// dialledAddr returns the address that an error is about.
func dialledAddr(err error) (netip.Addr, bool) {
	var op *net.OpError
	if !errors.As(err, &op) || op.Addr == nil {
		return netip.Addr{}, false
	}
	at, e := netip.ParseAddrPort(op.Addr.String())
	return at.Addr().Unmap(), e == nil
}

// Addresses of the public network, one of IPv4 and one of IPv6; nothing is sent to them. They
// happen to be those of two root name servers.
var public = []netip.Addr{netip.MustParseAddr("198.41.0.4"),
	netip.MustParseAddr("2001:503:ba3e::2:30")}

// hasRoute asks the system for a route. Connecting a UDP socket sends nothing.
func hasRoute(ip netip.Addr) bool {
	c, err := net.Dial("udp", netip.AddrPortFrom(ip, 9).String())
	if err != nil {
		return isAny(err, codesFull)
	}
	_ = c.Close()
	return true
}

// Times of the check of the name server.
const (
	lookFor = 5 * time.Second // limit for its answer
	lookAge = time.Second     // for how long a result holds
)

// noNames reports whether the name server is down. That it cannot resolve one name is the fault of
// that name's own servers, so it is asked for the servers of the root. One that answers at all, if
// only that it refuses to, is not down. The result is that of all requests: the end of one does not end
// the check.
func (m *machine) noNames() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Since(m.looked) >= lookAge {
		ctx, cancel := context.WithTimeout(context.Background(), lookFor)
		defer cancel()
		_, err := m.resolver.LookupNS(ctx, ".")
		var dns *net.DNSError // it keeps only the text of a server's reply
		m.down = err != nil && !(errors.As(err, &dns) && (dns.IsNotFound || strings.Contains(dns.Err, "misbehaving") ||
			strings.Contains(dns.Err, "lame referral")))
		m.looked = time.Now()
	}
	return m.down
}

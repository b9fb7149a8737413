package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sitemend/crawler/audit"
)

// What fails on this machine says nothing of a site: too many open files, no route to
// the network, a name server that is down.

// FaultLocal is the fault of a request that failed on this machine; its detail is one of
// NoFiles, NoPorts, NoRoute and NoServer. It is no answer: no store may see it.
const FaultLocal audit.Fault = "ours"

// What can fail on this machine.
const (
	NoFiles  = "no room for another connection (too many open files)"
	NoPorts  = "no free port for another connection"
	NoRoute  = "no route to the network"
	NoServer = "no name server that answers"
)

// machine distinguishes what fails on this machine from what the web does.
type machine struct {
	resolver *net.Resolver
	route    func(netip.Addr) bool // reports whether there is a route to an address

	known atomic.Pointer[string] // the name that was last resolved; nil for none
	// the address to which a connection was made last; nil for none
	reached atomic.Pointer[netip.Addr]
	online  atomic.Bool // there was a route to the public network

	mu     sync.Mutex
	looked time.Time // when the name server was last looked at
	down   bool      // what that saw
}

// newMachine returns this machine; a nil resolver is the system's, a nil route asks it.
func newMachine(resolver *net.Resolver, route func(netip.Addr) bool) *machine {
	if resolver == nil { // Go's own, for it says alike on every system what went wrong
		resolver = &net.Resolver{PreferGo: true}
	}
	if route == nil {
		route = hasRoute
	}
	m := &machine{resolver: resolver, route: route}
	m.offline() // it notes what it sees
	return m
}

// ours says what failed on this machine; "" where an error is not ours.
func (m *machine) ours(ctx context.Context, err error) string {
	var dns *net.DNSError
	switch {
	case isAny(err, codesFull):
		return NoFiles
	case errors.As(err, &dns):
		// It keeps but the text of an error. In that of any other a server may have a say.
		if slices.ContainsFunc(codesFull,
			func(code error) bool { return strings.Contains(dns.Err, code.Error()) }) {
			return NoFiles
		}
		if !dns.IsNotFound && m.noNames(ctx) {
			return NoServer
		}
	case isAny(err, codesNoAddress):
		if ip, ok := dialledAddr(err); ok && m.route(ip) {
			return NoPorts // else the machine has no address of this kind
		}
	case isAny(err, codesNoRoute):
		if ip, ok := dialledAddr(err); ok && !m.route(ip) && m.offline() && !m.isolated() {
			return NoRoute
		}
	}
	return ""
}

// isAny reports whether an error is one of those codes of the system.
func isAny(err error, codes []error) bool {
	return slices.ContainsFunc(codes, func(code error) bool { return errors.Is(err, code) })
}

// dialledAddr is the address of which an error speaks.
func dialledAddr(err error) (netip.Addr, bool) {
	var op *net.OpError
	if !errors.As(err, &op) || op.Addr == nil {
		return netip.Addr{}, false
	}
	at, e := netip.ParseAddrPort(op.Addr.String())
	return at.Addr().Unmap(), e == nil
}

// Addresses of the public network, one of each kind; nothing is sent to them. That
// they are those of two root name servers means nothing.
var public = []netip.Addr{netip.MustParseAddr("198.41.0.4"),
	netip.MustParseAddr("2001:503:ba3e::2:30")}

// offline reports whether there is no route to any public address. A machine that has
// one only for IPv4 is not offline: that it cannot reach a host of IPv6 is no failure
// that will be over.
func (m *machine) offline() bool {
	off := !m.route(public[0]) && !m.route(public[1])
	if !off {
		m.online.Store(true)
	}
	return off
}

// isolated reports whether this machine is where it never had a route to the public
// network (an intranet, a network of containers alone), and still has one to a host that
// answered: that others cannot be reached is no failure that will be over.
func (m *machine) isolated() bool {
	at := m.reached.Load()
	return !m.online.Load() && at != nil && m.route(*at)
}

// connected notes that a connection was made to an address.
func (m *machine) connected(to net.Addr) {
	if at, err := netip.ParseAddrPort(to.String()); err == nil {
		ip := at.Addr().Unmap()
		m.reached.Store(&ip)
	}
}

// hasRoute asks the system for a route. To connect a socket of UDP sends nothing.
func hasRoute(ip netip.Addr) bool {
	c, err := net.Dial("udp", netip.AddrPortFrom(ip, 9).String())
	if err != nil {
		return !isAny(err, slices.Concat(codesNoRoute, codesNoAddress, codesNoFamily))
	}
	_ = c.Close()
	return true
}

// Times of looking at the name server.
const (
	lookFor = 5 * time.Second // an answer
	lookAge = time.Second     // for which what was seen holds
)

// noNames reports whether the name server is down. One name that it cannot resolve is
// the fault of that name's own servers, so it is asked who serves the root. A server
// that refuses to say so is not down; whether it resolves names is seen from one that
// was resolved before. That may have come from a file of this machine: the server is
// asked who serves it, which such a file does not say, and that it knows of no such name
// is an answer.
func (m *machine) noNames(ctx context.Context) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Since(m.looked) >= lookAge {
		works, answers := m.serves(ctx, ".")
		if known := m.known.Load(); !works && known != nil {
			answers, _ = m.serves(ctx, *known)
		}
		m.down, m.looked = !answers, time.Now()
	}
	return m.down
}

// serves asks the name server who serves a name: works reports whether it could tell,
// answers whether it said anything at all, which it did where it works.
func (m *machine) serves(ctx context.Context, name string) (works, answers bool) {
	ctx, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	_, err := m.resolver.LookupNS(ctx, name)
	var dns *net.DNSError // of what a server said it keeps the text alone
	if err == nil || errors.As(err, &dns) && dns.IsNotFound {
		return true, true
	}
	return false, dns != nil && (strings.Contains(dns.Err, "misbehaving") ||
		strings.Contains(dns.Err, "lame referral"))
}

// named notes that a name was resolved.
func (m *machine) named(host string) {
	host = strings.TrimSuffix(host, ".") + "."
	m.known.Store(&host)
}

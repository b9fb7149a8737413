package fetch

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// A Guard decides which network addresses may be dialled (contract, section 5): a host that the
// user did not name must not lead into a private network, no matter whether a redirect, a sitemap
// or a canonical named it. It checks the address that is dialled, after the name was resolved, so a
// name that resolves to another address the second time (DNS rebinding) gains nothing.
//
// Where a target itself is in a private network, its hosts may lead to private addresses, too, but
// never to link-local ones or to the metadata service of a cloud. A connection to the target at
// such an address settles this, not what its name resolves to: a name may have any number of
// addresses at which nothing answers.
//
// A target whose first connection was made at a public address is on the web for the rest of the
// audit: its name may lead to public addresses only, even if other names may lead elsewhere. The
// owner of a name decides what it resolves to, and need not be the one who started the audit.
//
// Its methods are safe for concurrent use.
type Guard struct {
	all     bool        // --allow-private
	relaxed atomic.Bool // set where a target is in a private network

	named   map[string]bool // never changed after NewGuard
	mu      sync.Mutex
	targets map[string]Place // place of the first connection to each
}

// A Place is where the first connection to a target was made.
type Place uint8

// The places of a target.
const (
	Nowhere Place = iota // no connection was made yet
	Inside               // at an address that is not public
	Outside              // at a public address
)

// NewGuard returns a Guard. targets are the hosts of each TARGET, named those of --resolve and
// --map, all without ports. They may be at any address, a target only until its place is Outside.
// With allowPrivate everything may be dialled.
func NewGuard(targets, named []string, allowPrivate bool) *Guard {
	g := &Guard{all: allowPrivate, targets: map[string]Place{}, named: map[string]bool{}}
	for _, h := range targets {
		g.targets[hostKey(h)] = Nowhere
	}
	for _, h := range slices.Concat(targets, named) {
		g.named[hostKey(h)] = true
	}
	return g
}

// Relax allows private addresses from now on: a target is in a private network. A Guard calls it
// itself when the first connection to a target is made at a private address; later answers of the
// name server change nothing. An audit that is continued calls it where it was relaxed before, for
// it may reach other hosts first.
func (g *Guard) Relax() { g.relaxed.Store(true) }

// Keep records that the first connection to a target was made at a public address. An audit that is
// continued calls it, and a worker on behalf of its audit. Keep ignores hosts that are not targets,
// and targets whose place is known. It reports whether the place is new.
func (g *Guard) Keep(host string) bool { return g.settle(hostKey(host), Outside) }

// Kept returns the targets at which the first connection was made at a public address,
// sorted.
func (g *Guard) Kept() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var hosts []string
	for host, at := range g.targets {
		if at == Outside {
			hosts = append(hosts, host)
		}
	}
	slices.Sort(hosts)
	return hosts
}

// Relaxed reports whether private addresses may be dialled for any host.
func (g *Guard) Relaxed() bool { return g.all || g.relaxed.Load() }

// Host checks a host as it stands in a URL, before it is resolved: an IP address in any form that a
// resolver may take for one (127.1, 0x7f000001, 2130706433), or a name of this machine. Through a
// proxy, nothing else can be checked. The error is a *BlockedError.
func (g *Guard) Host(host string) error {
	if ip, ok := meant(host); ok {
		return g.check(host, ip)
	}
	return nil
}

// Dialled checks the address ("ip:port") that is about to be dialled for host. Its error is a
// *BlockedError. With host bound it can be used as net.Dialer.Control.
func (g *Guard) Dialled(host, address string) error {
	ip, err := dialledIP(address)
	if err != nil {
		return &BlockedError{Host: host, Why: "an unknown kind of address"}
	}
	return g.check(host, ip)
}

// control returns Dialled as a function for a net.Dialer.
func (g *Guard) control(host string) func(string, string, syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error { return g.Dialled(host, address) }
}

// Connected records that a connection for host was made at an address ("ip:port"). With the first
// connection to a target it returns the place of the target, and relaxes g where that is a private
// address. It returns Nowhere for every other connection, and for one to a link-local address or to
// the metadata service of a cloud, from which nothing follows.
func (g *Guard) Connected(host, address string) Place {
	ip, err := dialledIP(address)
	return g.learn(host, ip, err == nil)
}

// Answered records that host answered through a proxy. Where a target is a literal address, that is
// all there will be to learn its place from. It returns what Connected returns.
func (g *Guard) Answered(host string) Place {
	ip, ok := meant(host)
	return g.learn(host, ip, ok)
}

// check returns an error where host must not be at an address.
func (g *Guard) check(host string, ip netip.Addr) error {
	r, is := special(ip)
	if g.all || r == anywhere {
		return nil
	}
	key := hostKey(host)
	if g.outside(key) {
		return &BlockedError{Host: host, Why: is + ", and was reached at a public one before"}
	}
	if r == inside && g.relaxed.Load() || g.named[key] {
		return nil
	}
	if isLocalName(key) {
		is = "this machine"
	}
	return &BlockedError{Host: host, Why: is}
}

// outside reports whether a host is a target that is on the web.
func (g *Guard) outside(key string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.targets[key] == Outside
}

// learn sets the place of a target with the first connection to it, and relaxes g if that is at a
// private address.
func (g *Guard) learn(host string, ip netip.Addr, known bool) Place {
	r, _ := special(ip)
	at := Inside
	if r == anywhere {
		at = Outside
	}
	if !known || !g.settle(hostKey(host), at) || r == barred {
		return Nowhere
	}
	if r == inside {
		g.relaxed.Store(true)
	}
	return at
}

// settle records the place of a target; first is false where it is known, or key is no target.
func (g *Guard) settle(key string, at Place) (first bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if was, target := g.targets[key]; !target || was != Nowhere {
		return false
	}
	g.targets[key] = at
	return true
}

// A BlockedError is the error for an address that must not be dialled.
type BlockedError struct {
	Host string
	Why  string // "a private address"
}

// Error says which host leads to which address, and how to allow it.
func (e *BlockedError) Error() string {
	return fmt.Sprintf("%s leads to %s (--allow-private lets it)", e.Host, e.Why)
}

func dialledIP(address string) (netip.Addr, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return netip.Addr{}, err
	}
	return netip.ParseAddr(host)
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

// meant returns the address that a host means without a query to a name server: a literal, or a
// name of this machine.
func meant(host string) (netip.Addr, bool) {
	if isLocalName(hostKey(host)) {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), true
	}
	return literal(host)
}

// literal parses a host that is an IP address, with or without brackets and zone. Any other that
// ends in a number may be one of IPv4 to a resolver (127.1, 0x7f000001; WHATWG URL, "ends in a
// number"): nobody can say which, and no name does, so it counts as one of this machine.
func literal(host string) (netip.Addr, bool) {
	host = hostKey(host)
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip, true
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if _, err := strconv.ParseUint(last, 0, 64); err == nil || last != "" && strings.Trim(last, "0123456789") == "" {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), true
	}
	return netip.Addr{}, false
}

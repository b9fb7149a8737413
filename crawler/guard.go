package crawler

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// A Guard says which addresses of the network may be dialled (contract, section
// 5): a host that the user did not name must not lead into a private network,
// whether a redirect, a sitemap or a canonical named it. It looks at the address
// that is really dialled, after the name was resolved, so that a name which
// resolves to another address the second time (DNS rebinding) gains nothing.
//
// Its methods may be called from several goroutines at once.
type Guard struct {
	allow   atomic.Bool
	learned func() // told that the Guard relaxed of its own accord; may be nil

	mu      sync.Mutex
	targets map[string]bool // true until the host was dialled
	named   map[string]bool
}

// NewGuard returns a Guard. targets are the hosts of each TARGET, named those
// of --resolve and --map, without ports; all of them may be anywhere. With
// allowPrivate everything may be dialled, and so it may where a target is an address
// of a private network as it stands: through a proxy nothing more will be seen of it.
func NewGuard(targets, named []string, allowPrivate bool) *Guard {
	g := &Guard{targets: map[string]bool{}, named: map[string]bool{}}
	g.allow.Store(allowPrivate)
	for _, h := range targets {
		g.targets[hostKey(h)] = true
		g.named[hostKey(h)] = true
		if ip, ok := literal(h); ok && special(ip) != "" || isLocalName(hostKey(h)) {
			g.allow.Store(true)
		}
	}
	for _, h := range named {
		g.named[hostKey(h)] = true
	}
	return g
}

// Name adds a host that the user named.
func (g *Guard) Name(host string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.named[hostKey(host)] = true
}

// Relax lets every address be dialled from now on: the target itself is in a
// private network. A Guard does it of its own accord when the first address
// that it sees dialled for a target is not public; later answers of the name
// server change nothing. An audit that is continued relaxes as it had before, for
// it may come to other hosts first.
func (g *Guard) Relax() { g.allow.Store(true) }

// Relaxed tells whether every address may be dialled.
func (g *Guard) Relaxed() bool { return g.allow.Load() }

// Host checks a host as it stands in a URL, before it is resolved: an IP
// address in any form that a resolver may take for one (127.1, 0x7f000001,
// 2130706433), or a name that means this machine. Where requests go through a
// proxy this is all that can be checked. The error is a *BlockedError.
func (g *Guard) Host(host string) error {
	if g.free(host) {
		return nil
	}
	if isLocalName(hostKey(host)) {
		return &BlockedError{Host: host, Why: "this machine"}
	}
	if ip, ok := literal(host); ok {
		return blocked(host, ip)
	}
	return nil
}

// Dialled checks the address ("ip:port") that is about to be dialled for host.
// Its error is a *BlockedError. It fits net.Dialer.Control with host bound.
func (g *Guard) Dialled(host, address string) error {
	ip, err := dialledIP(address)
	if err != nil {
		return &BlockedError{Host: host, Why: "an unknown kind of address"}
	}
	g.learn(host, ip)
	if g.free(host) {
		return nil
	}
	return blocked(host, ip)
}

// control is Dialled for a net.Dialer.
func (g *Guard) control(host string) func(string, string, syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error { return g.Dialled(host, address) }
}

// free tells whether host may be on any address.
func (g *Guard) free(host string) bool {
	if g.allow.Load() {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.named[hostKey(host)]
}

// learn relaxes g if the first address of a target is not public.
func (g *Guard) learn(host string, ip netip.Addr) {
	if g.first(hostKey(host)) && special(ip) != "" && !g.allow.Swap(true) && g.learned != nil {
		g.learned()
	}
}

// first tells whether a target is dialled for the first time.
func (g *Guard) first(key string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.targets[key] {
		return false
	}
	g.targets[key] = false
	return true
}

// A BlockedError says that an address may not be dialled.
type BlockedError struct {
	Host string
	Why  string // "a private address"
}

// Error says which host leads where, and how to allow it.
func (e *BlockedError) Error() string {
	return fmt.Sprintf("%s leads to %s (--allow-private lets it)", e.Host, e.Why)
}

func blocked(host string, ip netip.Addr) error {
	if why := special(ip); why != "" {
		return &BlockedError{Host: host, Why: why}
	}
	return nil
}

func dialledIP(address string) (netip.Addr, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return netip.Addr{}, err
	}
	return netip.ParseAddr(host)
}

// hostKey is a host as it is compared: lower case, no brackets, no final dot.
func hostKey(host string) string {
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// isLocalName tells the names that mean this machine without a name server (RFC
// 6761 6.3).
func isLocalName(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// literal reads a host that is an IP address: as netip does, with or without
// brackets and zone, and as the C library's inet_aton does (WHATWG URL, "IPv4
// parser"): one to four parts, decimal, octal or hexadecimal.
func literal(host string) (netip.Addr, bool) {
	host = hostKey(host)
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip, true
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, part := range parts {
		n, ok := aton(part)
		last := i == len(parts)-1
		if !ok || !last && n > 255 || last && n >= 1<<(8*(5-len(parts))) {
			return netip.Addr{}, false
		}
		if last {
			value |= n
		} else {
			value |= n << (8 * (3 - i))
		}
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

// aton reads one part of an inet_aton address.
func aton(s string) (uint64, bool) {
	base := 10
	switch {
	case strings.HasPrefix(s, "0x"):
		if s, base = s[2:], 16; s == "" {
			return 0, true
		}
	case len(s) > 1 && s[0] == '0':
		base = 8
	}
	n, err := strconv.ParseUint(s, base, 64)
	return n, err == nil
}

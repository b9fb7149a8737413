//go:build unix

package fetch

import (
	"net"
	"net/netip"
	"os"
	"slices"
	"syscall"
	"testing"
)

// An error of the network about a host, where this machine has a route to it, is an answer; so is
// an address of a kind that this machine has none of.
func TestWhatIsNotOurs(t *testing.T) {
	public4, public6 := public[0], public[1]
	for _, c := range []struct {
		code   syscall.Errno
		routes []netip.Addr
		at     string
		never  bool // there was no route from the start
		want   string
	}{
		{syscall.EHOSTUNREACH, []netip.Addr{public4, netip.MustParseAddr("198.51.100.7")}, "198.51.100.7:80", false, ""},
		{syscall.ENETUNREACH, []netip.Addr{public4}, "[2600::1]:80", false, ""}, // no IPv6 here
		{syscall.ENETUNREACH, []netip.Addr{public6}, "198.51.100.7:80", false, ""},
		{syscall.ENETUNREACH, nil, "198.51.100.7:80", false, NoRoute},
		{syscall.ENETUNREACH, nil, "198.51.100.7:80", true, ""}, // an intranet
		{syscall.EADDRNOTAVAIL, nil, "[::1]:80", false, ""},
		{syscall.EADDRNOTAVAIL, []netip.Addr{netip.MustParseAddr("198.51.100.7")}, "198.51.100.7:80", false, NoPorts},
		{syscall.ECONNREFUSED, nil, "198.51.100.7:80", false, ""},
		{syscall.ETIMEDOUT, nil, "198.51.100.7:80", false, ""},
	} {
		m := newMachine(nil, func(ip netip.Addr) bool { return slices.Contains(c.routes, ip) })
		m.online = !c.never
		err := &net.OpError{Op: "dial", Net: "tcp", Addr: net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.at)), Err: os.NewSyscallError("connect", c.code)}
		if got := m.ours(err); got != c.want {
			t.Errorf("%v at %s with routes %v: %q, want %q", c.code, c.at, c.routes, got, c.want)
		}
	}
	if !hasRoute(netip.MustParseAddr("127.0.0.1")) {
		t.Error("there is no route to this machine itself")
	}
}

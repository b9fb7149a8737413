//go:build unix

package fetch

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"sync"
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
		want   string
	}{
		{syscall.EHOSTUNREACH, []netip.Addr{public4, netip.MustParseAddr("198.51.100.7")}, "198.51.100.7:80", ""},
		{syscall.ENETUNREACH, []netip.Addr{public4}, "[2600::1]:80", ""}, // no IPv6 here
		{syscall.ENETUNREACH, []netip.Addr{public6}, "198.51.100.7:80", ""},
		{syscall.ENETUNREACH, nil, "198.51.100.7:80", NoRoute},
		{syscall.EADDRNOTAVAIL, nil, "[::1]:80", ""},
		{syscall.EADDRNOTAVAIL, []netip.Addr{netip.MustParseAddr("198.51.100.7")}, "198.51.100.7:80", NoPorts},
		{syscall.ECONNREFUSED, nil, "198.51.100.7:80", ""},
		{syscall.ETIMEDOUT, nil, "198.51.100.7:80", ""},
	} {
		m := newMachine(nil, func(ip netip.Addr) bool { return slices.Contains(c.routes, ip) })
		err := &net.OpError{Op: "dial", Net: "tcp", Addr: net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.at)), Err: os.NewSyscallError("connect", c.code)}
		if got := m.ours(t.Context(), err); got != c.want {
			t.Errorf("%v at %s with routes %v: %q, want %q", c.code, c.at, c.routes, got, c.want)
		}
	}
	if !hasRoute(netip.MustParseAddr("127.0.0.1")) {
		t.Error("there is no route to this machine itself")
	}
}

// Where there never was a route to the public network, and the audited hosts answer, an address
// without a route is the fault of the site; where there was one, or nothing answers any more, it is
// that of this machine.
func TestAMachineWithoutADefaultRoute(t *testing.T) {
	intranet, elsewhere := netip.MustParseAddrPort("10.1.2.3:80"), netip.MustParseAddrPort("198.51.100.7:80")
	for _, c := range []struct {
		name          string
		before, after []netip.Addr // routes
		reached       bool
		want          string
	}{
		{"an intranet", []netip.Addr{intranet.Addr()}, []netip.Addr{intranet.Addr()}, true, ""},
		{"nothing answered yet", []netip.Addr{intranet.Addr()}, []netip.Addr{intranet.Addr()}, false, NoRoute},
		{"the intranet is gone", []netip.Addr{intranet.Addr()}, nil, true, NoRoute},
		{"the public network is gone", []netip.Addr{intranet.Addr(), public[0]}, []netip.Addr{intranet.Addr()}, true, NoRoute},
	} {
		t.Run(c.name, func(t *testing.T) {
			routes := c.before
			m := newMachine(nil, func(ip netip.Addr) bool { return slices.Contains(routes, ip) })
			if c.reached {
				m.connected(net.TCPAddrFromAddrPort(intranet))
			}
			routes = c.after
			err := &net.OpError{Op: "dial", Net: "tcp", Addr: net.TCPAddrFromAddrPort(elsewhere), Err: os.NewSyscallError("connect", syscall.ENETUNREACH)}
			if got := m.ours(t.Context(), err); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// A name server that is down is a failure of this machine; a name that it does not know, or cannot
// resolve while it knows the root, is not.
func TestANameServerThatIsDown(t *testing.T) {
	refuses := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "udp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}}
	lookUp := func(r *net.Resolver) error {
		_, err := r.LookupHost(t.Context(), "shop.example")
		return err
	}
	if got := newMachine(refuses, nil).ours(t.Context(), lookUp(refuses)); got != NoServer {
		t.Errorf("a name server that is down: %q", got)
	}
	knows := nameServer(t, nil)
	if got := newMachine(knows, nil).ours(t.Context(), lookUp(knows)); got != "" {
		t.Errorf("a name that does not exist: %q", got)
	}
	broken := &net.DNSError{Err: "server misbehaving", Name: "shop.example", IsTemporary: true}
	if got := newMachine(knows, nil).ours(t.Context(), broken); got != "" {
		t.Errorf("a name whose own servers fail: %q", got)
	}
	if got := newMachine(refuses, nil).ours(t.Context(), broken); got != NoServer {
		t.Errorf("and the root is not known: %q", got)
	}
}

// Where few files may be open, a client of many hosts uses fewer connections and closes idle ones:
// every address gets its answer.
func TestFewOpenFiles(t *testing.T) {
	const few = 80
	if os.Getenv("SITEMEND_FEW_FILES") == "" {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestFewOpenFiles$", "-test.v")
		cmd.Env = append(os.Environ(), "SITEMEND_FEW_FILES=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	w := serveRaw(t, says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	limitFiles(t, few)
	if n := AtOnce(0); n != (few-spareFiles)/4 {
		t.Fatalf("%d requests at once", n)
	}
	resolve := map[string]string{}
	for i := range 200 {
		resolve[fmt.Sprintf("h%d.example:80", i)] = w.addr
	}
	a := newTestClient(t, Options{Resolve: resolve})
	for _, path := range []string{"/a", "/b"} {
		var all sync.WaitGroup
		for i := range len(resolve) {
			all.Go(func() {
				if hop := ask(t, a, fmt.Sprintf("http://h%d.example%s", i, path)); hop.Status != 200 {
					t.Errorf("%+v", hop)
				}
			})
		}
		all.Wait()
	}
	if open, most := a.transports.http1.Idle(), maxIdle(); open > most || open == 0 {
		t.Errorf("%d connections are idle, %d may be", open, most)
	}
}

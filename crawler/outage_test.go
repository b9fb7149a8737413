//go:build unix

package crawler

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// dialsFailing returns a dialler that fails as fails says, with the number of the call
// from 1, and connects to a server in memory where that is nil.
func dialsFailing(t *testing.T, fails func(n int64) error) dialFunc {
	var n atomic.Int64
	answer := pipes(t, func(head string) string {
		if requestTarget(head) == "/robots.txt" {
			return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
		}
		return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
	})
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if err := fails(n.Add(1)); err != nil {
			at := net.TCPAddrFromAddrPort(netip.MustParseAddrPort("198.51.100.7:80"))
			return nil, &net.OpError{Op: "dial", Net: network, Addr: at, Err: os.NewSyscallError("connect", err)}
		}
		return answer(ctx, network, address)
	}
}

// crawlFailing returns a Crawler over a dialler, on a machine with or without a route.
func crawlFailing(store Store, dial dialFunc, route bool, warn func(string, ...any)) *Crawler {
	id, _ := LookupIdentity("googlebot")
	m := newMachine(nil)
	m.route = func(netip.Addr) bool { return route }
	return New(store, Options{Rate: 0, GivenRate: true, Parallel: 4, Warn: warn, Rules: audit.Rules{MaxHops: 10, Spelling: address.None, Robots: "obey"},
		Ask: ClientOptions{Identity: id, NoProxy: true, Guard: NewGuard(nil, nil, true), Parallel: 4, dialer: dial, machine: m}})
}

var ourErrors = map[string]syscall.Errno{
	noFiles: syscall.EMFILE, noFiles + ", all": syscall.ENFILE, noFiles + ", buffers": syscall.ENOBUFS, noPorts: syscall.EADDRNOTAVAIL,
	noRoute: syscall.ENETUNREACH, noRoute + " to the host": syscall.EHOSTUNREACH,
}

// What fails on this machine for a while costs no entry its answer.
func TestWhatFailsHereIsAskedAgain(t *testing.T) {
	for name, code := range ourErrors {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newMemoryStore(manyLocs(100)...)
				var said []string
				down := time.Now().Add(5 * time.Second)
				c := crawlFailing(store, dialsFailing(t, func(n int64) error {
					if n%2 == 0 && time.Now().Before(down) {
						return code
					}
					return nil
				}), code == syscall.EADDRNOTAVAIL, func(f string, args ...any) { said = append(said, fmt.Sprintf(f, args...)) })
				must(t, c.Run(t.Context()))
				c.Close()
				for _, e := range store.entries {
					if h := store.hops[audit.Request{URL: e.Loc}]; h.Status != 200 || h.Tries != 1 {
						t.Fatalf("%s: %+v", e.Loc, h)
					}
				}
				if len(c.Abandoned())+len(c.RobotsUnreachable()) > 0 || len(said) < 2 || !strings.HasPrefix(said[0], "this machine has ") {
					t.Errorf("left %v, robots %v, said %q", c.Abandoned(), c.RobotsUnreachable(), said)
				}
				if n := c.Progress.Requests.Load(); n != 100+10 { // and the robots.txt files
					t.Errorf("%d requests counted", n)
				}
			})
		})
	}
}

func manyLocs(n int) (locs []string) {
	for i := range n {
		locs = append(locs, fmt.Sprintf("http://h%d.example/%d", i%10, i))
	}
	return locs
}

// What lasts stops the audit: nothing is remembered of it, and the same audit is
// continued.
func TestWhatLastsStopsTheAudit(t *testing.T) {
	for name, code := range ourErrors {
		for _, after := range []int64{0, 40} {
			t.Run(fmt.Sprint(name, after), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := newMemoryStore(manyLocs(100)...)
					dial := dialsFailing(t, func(n int64) error {
						if n > after {
							return code
						}
						return nil
					})
					c := crawlFailing(store, dial, code == syscall.EADDRNOTAVAIL, nil)
					start := time.Now()
					var outage *OutageError
					if err := c.Run(t.Context()); !errors.As(err, &outage) || !strings.HasPrefix(name, outage.Why) || outage.Hint() == "" {
						t.Fatalf("Run: %v", err)
					}
					c.Close()
					if took := time.Since(start); took < firstPatience || took > lastPatience+3*longestPause {
						t.Errorf("it took %v", took)
					}
					for r, h := range store.hops {
						if h.Status != 200 {
							t.Errorf("remembered: %v: %+v", r, h)
						}
					}
					for key := range store.records {
						if strings.HasPrefix(key, "robots/") && after == 0 {
							t.Errorf("remembered: %s", key)
						}
					}
					again := crawlFailing(store, dialsFailing(t, func(int64) error { return nil }), true, nil)
					must(t, again.Run(t.Context()))
					again.Close()
					if len(store.hops) != 100 {
						t.Errorf("%d answers after it was continued", len(store.hops))
					}
				})
			})
		}
	}
}

// A request that fails here while others are answered does not stop the audit: it has
// been waited for, and is one without an answer.
func TestOneThatFailsHereAmongOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemoryStore(append(manyLocs(300), "http://sick.example/")...)
		fine, sick := dialsFailing(t, func(int64) error { return nil }), dialsFailing(t, func(int64) error { return syscall.ENOBUFS })
		c := crawlFailing(store, func(ctx context.Context, network, address string) (net.Conn, error) {
			if strings.HasPrefix(address, "sick.") {
				return sick(ctx, network, address)
			}
			return fine(ctx, network, address)
		}, true, nil)
		defer c.Close()
		c.o.Rate, c.o.Rules.Robots, c.o.Backoff = 0.2, "ignore", []time.Duration{} // the others take long enough
		must(t, c.Run(t.Context()))
		for _, e := range store.entries {
			h := store.hops[audit.Request{URL: e.Loc}]
			if want := strings.HasPrefix(e.Loc, "http://sick."); want != (h.Fault == audit.FaultUnreachable) || want == (h.Status == 200) {
				t.Errorf("%s: %+v", e.Loc, h)
			}
		}
	})
}

// A server that speaks of this machine's files is not this machine.
func TestAServerThatSpeaksOfOpenFiles(t *testing.T) {
	for _, text := range []string{"HTTP/1.1 200 OK\r\ntoo many open files\r\n\r\n", "too many open files in system\r\n\r\n", "HTTP/1.1 no buffer space available\r\n\r\n"} {
		w := serveRaw(t, says(text))
		hop := ask(t, newTestClient(t, ClientOptions{NoProxy: true}), w.at("/"))
		if hop.Fault != audit.FaultNotHTTP {
			t.Errorf("%q: %+v", text, hop)
		}
	}
	for code, want := range map[syscall.Errno]string{syscall.EMFILE: noFiles, syscall.ENFILE: noFiles} {
		err := &net.DNSError{Err: "dial udp 192.0.2.1:53: socket: " + code.Error(), Name: "shop.example"}
		if got := newMachine(nil).ours(t.Context(), err); got != want {
			t.Errorf("%v: %q", err, got)
		}
	}
}

// What a network says of a host, where this machine has a route to it, is an answer;
// so is an address of a kind that this machine has none of.
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
		{syscall.ENETUNREACH, nil, "198.51.100.7:80", noRoute},
		{syscall.EADDRNOTAVAIL, nil, "[::1]:80", ""},
		{syscall.EADDRNOTAVAIL, []netip.Addr{netip.MustParseAddr("198.51.100.7")}, "198.51.100.7:80", noPorts},
		{syscall.ECONNREFUSED, nil, "198.51.100.7:80", ""},
		{syscall.ETIMEDOUT, nil, "198.51.100.7:80", ""},
	} {
		m := newMachine(nil)
		m.route = func(ip netip.Addr) bool {
			for _, r := range c.routes {
				if r == ip {
					return true
				}
			}
			return false
		}
		err := &net.OpError{Op: "dial", Net: "tcp", Addr: net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.at)), Err: os.NewSyscallError("connect", c.code)}
		if got := m.ours(t.Context(), err); got != c.want {
			t.Errorf("%v at %s with routes %v: %q, want %q", c.code, c.at, c.routes, got, c.want)
		}
	}
	if !hasRoute(netip.MustParseAddr("127.0.0.1")) {
		t.Error("there is no route to this machine itself")
	}
}

// A name server that is down is ours; a name that it does not know, or cannot resolve
// while it knows the root, is not.
func TestANameServerThatIsDown(t *testing.T) {
	refuses := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "udp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}}
	lookUp := func(r *net.Resolver) error {
		_, err := r.LookupHost(t.Context(), "shop.example")
		return err
	}
	if got := newMachine(refuses).ours(t.Context(), lookUp(refuses)); got != noServer {
		t.Errorf("a name server that is down: %q", got)
	}
	knows := nameServer(t, nil)
	if got := newMachine(knows).ours(t.Context(), lookUp(knows)); got != "" {
		t.Errorf("a name that does not exist: %q", got)
	}
	broken := &net.DNSError{Err: "server misbehaving", Name: "shop.example", IsTemporary: true}
	if got := newMachine(knows).ours(t.Context(), broken); got != "" {
		t.Errorf("a name whose own servers fail: %q", got)
	}
	if got := newMachine(refuses).ours(t.Context(), broken); got != noServer {
		t.Errorf("and the root is not known: %q", got)
	}
}

// Many a resolver does not say who serves the root, and what this machine knows without
// one says nothing of it.
func TestWhetherANameServerIsDown(t *testing.T) {
	const ok, none, fails, refused = dnsmessage.RCodeSuccess, dnsmessage.RCodeNameError, dnsmessage.RCodeServerFailure, dnsmessage.RCodeRefused
	const silent dnsmessage.RCode = 0xfff
	broken := &net.DNSError{Err: "server misbehaving", Name: "sick.example", IsTemporary: true}
	for _, c := range []struct {
		root  dnsmessage.RCode
		known string
		says  dnsmessage.RCode // of that name
		want  string
	}{
		{refused, "", 0, ""}, {fails, "", 0, ""}, {silent, "", 0, noServer}, {ok, "shop.example", fails, ""},
		{refused, "shop.example", ok, ""}, {silent, "shop.example", ok, ""}, {silent, "shop.example", none, ""}, // as of a name in /etc/hosts
		{refused, "shop.example", fails, noServer}, {fails, "shop.example", fails, noServer}, {silent, "shop.example", silent, noServer},
	} {
		m := newMachine(nameServerSaying(t, func(name string) dnsmessage.RCode {
			switch name {
			case ".":
				return c.root
			case "shop.example.":
				return c.says
			}
			t.Errorf("%q was asked", name)
			return ok
		}))
		if c.known != "" {
			m.named(c.known)
		}
		if got := m.ours(t.Context(), broken); got != c.want {
			t.Errorf("the root %v, %q %v: %q, want %q", c.root, c.known, c.says, got, c.want)
		}
	}
}

// nameServerSaying returns a resolver of a server in memory that answers questions with
// a code, or closes the connection where that is none.
func nameServerSaying(t *testing.T, says func(name string) dnsmessage.RCode) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		t.Cleanup(func() { there.Close() })
		go func() {
			defer there.Close()
			head := make([]byte, 2) // it is no net.PacketConn, so that it is spoken to as over TCP
			for {
				if _, err := io.ReadFull(there, head); err != nil {
					return
				}
				question := make([]byte, binary.BigEndian.Uint16(head))
				var m dnsmessage.Message
				if _, err := io.ReadFull(there, question); err != nil || m.Unpack(question) != nil {
					return
				}
				m.Response, m.RecursionAvailable, m.RCode, m.Additionals = true, true, says(m.Questions[0].Name.String()), nil
				if m.RCode > 15 {
					return
				}
				out, err := m.AppendPack(make([]byte, 2, 512))
				if err != nil {
					return
				}
				binary.BigEndian.PutUint16(out, uint16(len(out)-2))
				if _, err := there.Write(out); err != nil {
					return
				}
			}
		}()
		return here, nil
	}}
}

// Without a name server the audit stops as well, and no name is said not to exist.
func TestAnAuditWithoutANameServerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemoryStore(manyLocs(20)...)
		id, _ := LookupIdentity("googlebot")
		c := New(store, Options{GivenRate: true, Parallel: 4, Rules: audit.Rules{MaxHops: 10, Spelling: address.None, Robots: "obey"},
			Ask: ClientOptions{Identity: id, NoProxy: true, Parallel: 4, resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
				return nil, &net.OpError{Op: "dial", Net: "udp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
			}}}})
		var outage *OutageError
		if err := c.Run(t.Context()); !errors.As(err, &outage) || outage.Why != noServer {
			t.Errorf("Run: %v", err)
		}
		c.Close()
		if len(store.hops) > 0 || len(c.RobotsUnreachable()) > 0 {
			t.Errorf("remembered: %v, %v", store.hops, c.RobotsUnreachable())
		}
	})
}

// With few files that may be open, an audit of many hosts takes fewer connections and
// lets idle ones go: every entry has its answer.
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
	var locs, hosts []string
	for i := range 200 {
		hosts = append(hosts, fmt.Sprintf("h%d.example", i))
		locs = append(locs, fmt.Sprintf("http://h%d.example/a", i), fmt.Sprintf("http://h%d.example/b", i))
	}
	store := newMemoryStore(locs...)
	c := crawlRaw(t, w.addr, store, hosts...)
	must(t, c.Run(t.Context()))
	for _, e := range store.entries {
		if h := store.hops[audit.Request{URL: e.Loc}]; h.Status != 200 {
			t.Fatalf("%s: %+v", e.Loc, h)
		}
	}
	if open, most := c.asker.wires.http1.order.Len(), connections(AtOnce(0)); open > most || open == 0 {
		t.Errorf("%d connections are idle, %d may be", open, most)
	}
}

package crawler

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/audit"
)

func TestGuardHost(t *testing.T) {
	g := NewGuard([]string{"shop.example", "8.8.4.4"}, []string{"[::1]", "LAN.example.", "10.1.1.1"}, false)
	tests := map[string]string{ // host -> what it is, "" = may be dialled
		"example.com": "", "8.8.8.8": "", "[2606:4700::1111]": "", "134744072": "", "0x8080808": "", "010.010.010.010": "",
		"10.1.1.1": "", "[::1]": "", "::1": "", "lan.example": "",
		"127.0.0.1": "loopback", "127.1": "loopback", "127.0.1": "loopback", "0x7f000001": "loopback", "0x7F.1": "loopback",
		"2130706433": "loopback", "017700000001": "loopback", "0177.0.0.1": "loopback", "127.0.0.1.": "loopback",
		"[::ffff:127.0.0.1]": "loopback", "[::ffff:7f00:1]": "loopback", "[::127.0.0.1]": "loopback",
		"[64:ff9b::7f00:1]": "loopback", "[64:ff9b::10.0.0.1]": "private", "[2002:7f00:1::]": "loopback", "[2002:a9fe:a9fe::1]": "metadata",
		"[2001:0:1:1:0:0:80ff:fffe]": "loopback", "[::ffff:0:127.0.0.1]": "loopback", "[fe80::1%25eth0]": "link-local",
		"[fe80::1%eth0]": "link-local", "[fc00::1]": "private", "[fd00:ec2::254]": "metadata", "[fec0::1]": "private", "[ff02::1]": "multicast",
		"[::]": "unspecified", "0.0.0.0": "unspecified", "0": "unspecified", "0x": "unspecified", "10.0.0.1": "private", "172.16.0.1": "private", "172.32.0.1": "",
		"192.168.1.1": "private", "169.254.169.254": "metadata", "169.254.1.1": "link-local", "2852039166": "metadata",
		"100.64.0.1": "carrier-grade", "100.128.0.1": "", "224.0.0.1": "multicast", "255.255.255.255": "reserved", "100.100.100.200": "metadata",
		"localhost": "this machine", "a.LOCALHOST": "this machine", "localhost.": "this machine", "localhost.example": "",
		"1.2.3.4.5": "", "256.0.0.1": "", "127.0.0.1x": "", "4294967296": "", "1.2.3.256": "", "08.0.0.1": "",
	}
	for host, want := range tests {
		err := g.Host(host)
		var b *BlockedError
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", host, err)
		case want != "" && (!errors.As(err, &b) || !strings.Contains(b.Why, want)):
			t.Errorf("%s: got %v, want %s", host, err, want)
		}
	}
}

func TestGuardChecksWhatIsDialled(t *testing.T) {
	g := NewGuard([]string{"shop.example"}, nil, false)
	public, private := "93.184.216.34:80", "10.0.0.1:80"
	steps := []struct {
		host, addr string
		allowed    bool
	}{
		{"other.example", public, true},
		{"other.example", private, false},
		{"other.example", "[::ffff:10.0.0.1]:80", false},
		{"other.example", "[64:ff9b::a00:1]:80", false},
		{"other.example", "nonsense", false},
		{"shop.example", public, true},
		{"shop.example", private, true},   // the target may be anywhere
		{"other.example", private, false}, // but it was public at first: that a name moved inside opens nothing
	}
	for _, s := range steps {
		if err := g.Dialled(s.host, s.addr); (err == nil) != s.allowed {
			t.Errorf("%s at %s: %v", s.host, s.addr, err)
		}
	}
	inside := NewGuard([]string{"intra.example"}, nil, false)
	if err := inside.Dialled("intra.example", private); err != nil {
		t.Error(err)
	}
	if err := inside.Dialled("other.example", private); err != nil || !inside.Relaxed() {
		t.Errorf("the target is on a private address, and yet: %v", err)
	}
	free := NewGuard(nil, nil, true)
	if err := free.Dialled("x.example", private); err != nil {
		t.Error(err)
	}
}

// A target that is an address of a private network opens it before it is dialled:
// through a proxy it never is.
func TestATargetThatIsAPrivateAddress(t *testing.T) {
	for target, want := range map[string]bool{"10.0.0.1": true, "[fd00::1]": true, "127.1": true, "localhost": true, "8.8.8.8": false, "shop.example": false} {
		if g := NewGuard([]string{target}, nil, false); g.Relaxed() != want {
			t.Errorf("%s: relaxed %v", target, g.Relaxed())
		}
	}
}

// An audit of a private network that is continued may come to another host of it
// before it dials the target.
func TestAContinuedAuditKnowsThatItsTargetIsPrivate(t *testing.T) {
	begin := func(store Store) *Guard {
		g := NewGuard([]string{"intra.example"}, nil, false)
		c := New(store, Options{Ask: AskOptions{NoProxy: true, Guard: g}})
		t.Cleanup(c.Close)
		return g
	}
	const private = "10.0.0.1:80"
	store := newMemoryStore()
	must(t, begin(store).Dialled("intra.example", private))
	must(t, begin(store).Dialled("other.example", private))
	if err := begin(newMemoryStore()).Dialled("other.example", private); err == nil {
		t.Error("another audit lets strangers lead inside")
	}
}

// A name that the user did not name and that resolves to loopback is not
// dialled; a named one is. --resolve stands in for a name server here.
func TestAskObeysTheGuard(t *testing.T) {
	w := serveRaw(t, says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	_, port, _ := net.SplitHostPort(w.addr)
	a := newTestAsker(t, AskOptions{Guard: NewGuard(nil, nil, false), Timeout: 5 * time.Second})
	for _, host := range []string{"127.0.0.1", "127.1", "2130706433", "localhost", "[::ffff:127.0.0.1]"} {
		hop := ask(t, a, "http://"+host+":"+port+"/")
		if hop.Fault != audit.FaultAddress || !strings.Contains(hop.Detail, "--allow-private") {
			t.Errorf("%s: %+v", host, hop)
		}
	}
	if n := w.conns(); n != 0 {
		t.Fatalf("%d connections were made", n)
	}
	named := newTestAsker(t, AskOptions{Guard: NewGuard(nil, nil, false), Resolve: map[string]string{"shop.example:" + port: "127.0.0.1"}})
	if hop := ask(t, named, "http://shop.example:"+port+"/"); hop.Status != 200 {
		t.Errorf("a host of --resolve: %+v", hop)
	}
}

// The dialler itself refuses, where the check of literals was passed: that is
// where a name is caught that resolves to a private address.
func TestTheDialerRefuses(t *testing.T) {
	w := serveRaw(t, says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	_, port, _ := net.SplitHostPort(w.addr)
	o := AskOptions{Guard: NewGuard(nil, nil, false), Timeout: time.Second}
	e := newElsewhere(&AskOptions{Resolve: map[string]string{"rebind.example:" + port: "127.0.0.1"}})
	_, err := guardedDial(&o, &e)(t.Context(), "tcp", "rebind.example:"+port)
	if fault, detail := faultOf(err); fault != audit.FaultAddress || detail != "rebind.example leads to a loopback address (--allow-private lets it)" {
		t.Errorf("%v: %q %q", err, fault, detail)
	}
	if n := w.conns(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
}

// FuzzLiteral: what the guard takes for a public literal is public however it is
// written, and nothing panics.
func FuzzLiteral(f *testing.F) {
	for _, s := range []string{"127.1", "0x7f.1", "[::1]", "1.2.3.4", "0", "[::ffff:1.2.3.4]", "1..2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, host string) {
		ip, ok := literal(host)
		if !ok {
			return
		}
		mapped := netip.AddrFrom16(ip.As16())
		if special(ip) != special(mapped) {
			t.Fatalf("%s is %q, mapped %q", ip, special(ip), special(mapped))
		}
		if v4 := ip.Unmap(); v4.Is4() {
			again, ok := literal(fmt.Sprintf("0x%x", v4.As4()))
			if !ok || again != v4 {
				t.Fatalf("%s and %s differ", again, v4)
			}
		}
	})
}

package fetch

import (
	"strings"
	"testing"
)

func TestGuardHost(t *testing.T) {
	g := NewGuard([]string{"shop.example", "8.8.4.4"}, []string{"[::1]", "LAN.example.", "10.1.1.1"}, false)
	tests := map[string]string{ // host -> its kind; "" for one that may be dialled
		"example.com": "", "8.8.8.8": "", "[2606:4700::1111]": "",
		"10.1.1.1": "", "[::1]": "", "::1": "", "lan.example": "",
		"127.0.0.1": "loopback", "127.1": "loopback", "127.0.1": "loopback", "0x7f000001": "loopback", "0x7F.1": "loopback",
		"2130706433": "loopback", "017700000001": "loopback", "0177.0.0.1": "loopback", "127.0.0.1.": "loopback",
		"[::ffff:127.0.0.1]": "loopback", "[::ffff:7f00:1]": "loopback", "[::127.0.0.1]": "another in it",
		"[64:ff9b::7f00:1]": "loopback", "[64:ff9b::10.0.0.1]": "private", "[2002:a9fe:a9fe::1]": "another in it",
		"[2001:0:1:1:0:0:80ff:fffe]": "another in it", "[::ffff:0:127.0.0.1]": "another in it", "[fe80::1%25eth0]": "link-local",
		"[fe80::1%eth0]": "link-local", "[fc00::1]": "private", "[fd00:ec2::254]": "metadata", "[fec0::1]": "private", "[ff02::1]": "multicast",
		"[::]": "unspecified", "0.0.0.0": "unspecified", "10.0.0.1": "private", "172.16.0.1": "private", "172.32.0.1": "",
		"192.168.1.1": "private", "169.254.169.254": "metadata", "169.254.1.1": "link-local", "2852039166": "loopback",
		"100.64.0.1": "carrier-grade", "100.128.0.1": "", "224.0.0.1": "multicast", "255.255.255.255": "reserved", "100.100.100.200": "metadata",
		"localhost": "this machine", "a.LOCALHOST": "this machine", "localhost.": "this machine", "localhost.example": "",
		// IANA's registries: a range within a range takes precedence.
		"192.0.0.8": "reserved", "192.0.0.9": "", "192.88.99.1": "reserved", "198.19.255.255": "reserved", "198.20.0.0": "", "203.0.113.9": "reserved",
		"[100::1]": "reserved", "[100:0:0:1::1]": "reserved", "[100:0:0:2::1]": "", "[2001:2::1]": "reserved", "[2001:2:1::1]": "reserved", "[2001:10::1]": "reserved",
		"[2001:1f:ffff::1]": "reserved", "[2001:20::1]": "", "[2001:30::1]": "", "[2001:1::1]": "", "[2001:1::4]": "reserved", "[2001:3::1]": "",
		"[2001:4:112::1]": "", "[2001:200::1]": "", "[2001:db8::1]": "reserved", "[3fff:fff::1]": "reserved", "[3fff:1000::1]": "", "[5f00::1]": "reserved",
		"[64:ff9b:1::a9fe:a9fe]": "another in it", "[64:ff9b::808:808]": "", "127.0.0.1x": "",
	}
	for host, want := range tests {
		err := g.Host(host)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", host, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got %v, want %s", host, err, want)
		}
	}
}

func TestGuardChecksWhatIsDialled(t *testing.T) {
	g := NewGuard([]string{"shop.example", "intra.example"}, nil, false)
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
		{"shop.example", private, false}, // the target is on the web, and stays there
		{"SHOP.example.", "169.254.169.254:80", false},
		{"shop.example", "203.0.114.9:443", true},
		{"other.example", private, false}, // that another name moved inside allows nothing
		{"intra.example", private, true},  // another target may be in a private network
		{"shop.example", private, false},  // which does not change the first one
		{"other.example", private, true},
		{"intra.example", public, true},
		{"intra.example", private, true}, // it was there first
	}
	for _, s := range steps {
		if (dialled(g, s.host, s.addr) == nil) != s.allowed {
			t.Errorf("%s at %s: %v", s.host, s.addr, !s.allowed)
		}
		if s.allowed {
			g.Connected(s.host, s.addr)
		}
	}
	if free := NewGuard(nil, nil, true); dialled(free, "x.example", private) != nil || dialled(free, "x.example", "169.254.169.254:80") != nil {
		t.Error("--allow-private does not let all")
	}
	lan := NewGuard(nil, []string{"lan.example"}, false)
	if lan.Connected("lan.example", public); dialled(lan, "lan.example", private) != nil {
		t.Error("a host of --resolve must stay where it was")
	}
}

func dialled(g *Guard, host, addr string) error { return g.control(host)("tcp", addr, nil) }

// A target in a private network allows its hosts to lead to private addresses once a connection to
// it was made there, and to no other special addresses.
func TestTheGuardRelaxesForPrivateAddressesAlone(t *testing.T) {
	for at, want := range map[string]bool{"10.0.0.1:80": true, "[fd00::1]:80": true, "127.0.0.1:80": true, "8.8.8.8:80": false, "169.254.1.1:80": false, "[fe80::1%eth0]:80": false} {
		g := NewGuard([]string{"intra.example"}, nil, false)
		if err := dialled(g, "intra.example", at); err != nil || g.Connected("other.example", "10.0.0.1:80") || g.Relaxed() {
			t.Errorf("%s, dialled alone: %v, relaxed %v", at, err, g.Relaxed())
		}
		if g.Connected("intra.example", at) != want || g.Relaxed() != want {
			t.Errorf("%s: relaxed %v", at, g.Relaxed())
		}
		for to, private := range map[string]bool{"10.9.9.9:80": true, "[::1]:80": true, "169.254.169.254:80": false, "169.254.1.1:80": false,
			"100.100.100.200:80": false, "[64:ff9b:1::169.254.169.254]:80": false, "[fd00:ec2::254]:80": false, "224.0.0.1:80": false} {
			if err := dialled(g, "other.example", to); (err == nil) != (want && private) {
				t.Errorf("with a target at %s, %s: %v", at, to, err)
			}
		}
	}
}

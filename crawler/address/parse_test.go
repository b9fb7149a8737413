package address_test

import (
	"errors"
	"testing"

	"sitemend/crawler/address"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ loc, wire string }{
		{"http://h", "http://h/"},
		{" \n\thttp://h/\r\n", "http://h/"},
		{"HTTP://H.Example/A", "http://h.example/A"},
		{"http://h:80/", "http://h/"}, {"https://h:443/", "https://h/"}, {"http://h:443/", "http://h:443/"},
		{"http://h:0080/", "http://h/"}, {"http://h:08080/", "http://h:8080/"}, {"http://h:/", "http://h/"}, {"http://h:0/", "http://h:0/"},
		{"http://me:pass@h/", "http://h/"}, {"http://a@b@h/", "http://h/"},
		{"http://h/a#b?c", "http://h/a"}, {"http://h#a", "http://h/"}, {"http://h?", "http://h/?"}, {"http://h?a", "http://h/?a"},
		{"http://h/a/./b/../c", "http://h/a/c"}, {"http://h/..", "http://h/"}, {"http://h/a/..", "http://h/"}, {"http://h/a//../b", "http://h/a/b"},
		{"http://h/a/%2e%2E/b", "http://h/a/%2e%2E/b"}, // escaped dots are sent as written
		{"http://h/...", "http://h/..."}, {"http://h/.a/..b", "http://h/.a/..b"},
		{`http://h\a\..\b?c\d`, "http://h/b?c%5Cd"},
		{`http:\\h\a`, "http://h/a"}, {"http:/h/a", "http://h/a"}, {"http:h/a", "http://h/a"}, {"http:////h/a", "http://h/a"},
		{"http://h/\x00 \x7f\x80\xff\"<>^{|}`", "http://h/%00%20%7F%80%FF%22%3C%3E%5E%7B%7C%7D%60"},
		{"http://h/日?日", "http://h/%E6%97%A5?%E6%97%A5"},
		{"http://h/%zz%4%e3%", "http://h/%zz%4%e3%"}, // a % never changes
		{"http://h/[a]'!$&'()*+,;=:@~", "http://h/[a]'!$&'()*+,;=:@~"},
		{"http://h/?[a]'!$&'()*+,;=:@~/?", "http://h/?[a]'!$&'()*+,;=:@~/?"},
		{"http://h/a\tb\nc", "http://h/a%09b%0Ac"},
		{"http://日本語.example/", "http://xn--wgv71a119e.example/"},
		{"http://%E6%97%A5%E6%9C%AC%E8%AA%9E.example/", "http://xn--wgv71a119e.example/"},
		{"http://BÜCHER.example/", "http://xn--bcher-kva.example/"}, {"http://straße.example/", "http://xn--strae-oqa.example/"},
		{"http://my_host-.example/", "http://my_host-.example/"}, {"http://h.example./", "http://h.example./"},
		{"http://[::1]:8080/", "http://[::1]:8080/"}, {"http://[2001:DB8:0:0::1]/", "http://[2001:db8::1]/"},
		{"http://[::ffff:1.2.3.4]/", "http://[::ffff:102:304]/"},
		{"http://127.1/", "http://127.1/"}, {"http://0x7F000001/", "http://0x7f000001/"}, {"http://1.2.3.4/", "http://1.2.3.4/"},
	} {
		a, err := address.Parse(c.loc)
		if err != nil || a.String() != c.wire {
			t.Errorf("Parse(%q) = %q, %v, want %q", c.loc, a, err, c.wire)
		}
	}
}

func TestParseFaults(t *testing.T) {
	for _, c := range []struct {
		loc string
		pos int
		why string
	}{
		{"", 0, "nothing there"}, {"  ", 0, "nothing there"},
		{"//host/a", 0, "no scheme: not an absolute URL"}, {"host/path", 0, "no scheme: not an absolute URL"}, {"/a", 0, "no scheme: not an absolute URL"},
		{" ftp://h/", 1, "scheme is neither http nor https"}, {"host:80/", 0, "scheme is neither http nor https"}, {"mailto:a@b", 0, "scheme is neither http nor https"},
		{"http://", 7, "no host"}, {"http://@/", 8, "no host"}, {"http://:80/", 7, "no host"},
		{"http://h:x/", 9, "port is not a number"}, {"http://h:65536/", 9, "port is over 65535"}, {"http://h:99999999999999999999/", 9, "port is over 65535"},
		{"http://a b/", 8, "byte that no host may have"}, {"http://a%2Fb/", 8, "byte that no host may have"}, {"http://a<b/", 8, "byte that no host may have"},
		{"http://a%/", 8, "byte that no host may have"}, {"http://me@a^b/", 11, "byte that no host may have"},
		{"http://a\xff/", 8, "host is not UTF-8"}, {"http://a%ff/", 8, "host is not UTF-8"},
		{"http://[::1/", 11, "IPv6 address without its closing bracket"}, {"http://[::g]/", 7, "not an IPv6 address"}, {"http://[fe80::1%25eth0]/", 7, "not an IPv6 address"},
		{"http://1.2.3.256/", 7, "host ends in a number and is no IPv4 address"}, {"http://1.2.3.4.5/", 7, "host ends in a number and is no IPv4 address"},
	} {
		a, err := address.Parse(c.loc)
		var e *address.SyntaxError
		if !errors.As(err, &e) || !a.IsZero() {
			t.Errorf("Parse(%q) = %q, %v, want a SyntaxError", c.loc, a, err)
			continue
		}
		if e.Pos != c.pos || e.Why != c.why || e.Input != c.loc {
			t.Errorf("Parse(%q): %v, want %s at byte %d", c.loc, err, c.why, c.pos)
		}
	}
}

func TestParseAllocatesNothingForWireForms(t *testing.T) {
	for _, loc := range []string{"https://www.h.example/wiki.cgi?a=%A4%C7(4)", "http://h:8080/", "http://xn--wgv71a119e.example/?", "http://127.0.0.1/"} {
		if n := testing.AllocsPerRun(10, func() { _, _ = address.Parse(loc) }); n > 0 {
			t.Errorf("Parse(%s) allocates %v times", loc, n)
		}
	}
}

func TestAddressParts(t *testing.T) {
	for _, c := range []struct{ loc, scheme, host, port, hostPort, effective, origin, path, query, target string }{
		{"http://h.example/a/b?c=d", "http", "h.example", "", "h.example", "80", "http://h.example", "/a/b", "c=d", "/a/b?c=d"},
		{"https://h:8443/?a?b", "https", "h", "8443", "h:8443", "8443", "https://h:8443", "/", "a?b", "/?a?b"},
		{"https://[::1]/", "https", "[::1]", "", "[::1]", "443", "https://[::1]", "/", "", "/"},
		{"http://[::1]:81/a", "http", "[::1]", "81", "[::1]:81", "81", "http://[::1]:81", "/a", "", "/a"},
		{"", "", "", "", "", "", "", "", "", ""},
	} {
		a := address.Wire(c.loc)
		q, _ := a.Query()
		got := []string{a.Scheme(), a.Host(), a.Port(), a.HostPort(), a.EffectivePort(), a.Origin(), a.Path(), q, a.Target()}
		for i, want := range []string{c.scheme, c.host, c.port, c.hostPort, c.effective, c.origin, c.path, c.query, c.target} {
			if got[i] != want {
				t.Errorf("%s: part %d is %q, want %q", c.loc, i, got[i], want)
			}
		}
		if c.loc != "" && a != mustParse(t, c.loc) {
			t.Errorf("Wire(%s) is not what Parse gives", c.loc)
		}
	}
	if _, has := address.Wire("http://h/?").Query(); !has {
		t.Error("a lone ? is a query")
	}
	for _, s := range []string{"ftp://h/", "http:", "http://h", "x"} {
		if !address.Wire(s).IsZero() {
			t.Errorf("Wire(%q) is not zero", s)
		}
	}
}

func TestSite(t *testing.T) {
	for host, want := range map[string]string{
		"www.shop.example": "shop.example", "shop.example": "shop.example", "a.b.example.co.uk": "example.co.uk",
		"me.github.io": "me.github.io", "github.io": "github.io", "www.shop.example.": "shop.example", "com": "com", "localhost": "localhost",
		"1.2.3.4": "1.2.3.4", "127.1": "127.1", "[::1]": "[::1]", "0x7f.1": "0x7f.1", "www.xn--wgv71a119e.jp": "xn--wgv71a119e.jp",
	} {
		if got := mustParse(t, "http://"+host+"/").Site(); got != want {
			t.Errorf("site of %s is %s, want %s", host, got, want)
		}
	}
}

func TestSameTwin(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"http://h/a", "http://h/b", true}, {"http://h/", "https://h/", true}, {"http://h/", "http://www.h/", true}, {"http://www.h/", "https://h/", true},
		{"http://h:8080/", "http://www.h:8080/", true}, {"http://h:8080/", "https://h:8080/", false}, {"http://h/", "http://h:8080/", false},
		{"http://a.h/", "http://h/", false}, {"http://www.h/", "http://shop.h/", false}, {"http://www.www.h/", "http://h/", false},
	} {
		a, b := mustParse(t, c.a), mustParse(t, c.b)
		if a.SameTwin(b) != c.want || b.SameTwin(a) != c.want {
			t.Errorf("SameTwin(%s, %s), want %v", c.a, c.b, c.want)
		}
	}
	if (address.Address{}).SameTwin(address.Address{}) {
		t.Error("no address has no twin")
	}
}

package address_test

import (
	"strings"
	"testing"

	"sitemend/crawler/address"
)

func mustParse(t testing.TB, loc string) address.Address {
	t.Helper()
	a, err := address.Parse(loc)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestParse(t *testing.T) {
	for loc, wire := range map[string]string{
		"http://h": "http://h/", " \n\thttp://h/\r\n": "http://h/", "HTTP://H.Example/A": "http://h.example/A",
		"http://h:80/": "http://h/", "https://h:443/": "https://h/", "http://h:443/": "http://h:443/", "http://h:08080/": "http://h:8080/", "http://h:/": "http://h/", "http://h:0/": "http://h:0/",
		"http://me:pass@h/": "http://h/", "http://a@b@h/": "http://h/",
		"http://h/a#b?c": "http://h/a", "http://h#a": "http://h/", "http://h?": "http://h/?", "http://h?a": "http://h/?a",
		"http://h/a/./b/../c": "http://h/a/c", "http://h/..": "http://h/", "http://h/a/..": "http://h/", "http://h/a//../b": "http://h/a/b", "http://h/.a/..b/...": "http://h/.a/..b/...",
		"http://h/a/%2e%2E/b": "http://h/a/%2e%2E/b", // escaped dots are sent as written
		`http://h\a\..\b?c\d`: "http://h/b?c%5Cd", `http:\\h\a`: "http://h/a", "http:/h/a": "http://h/a", "http:h/a": "http://h/a", "http:////h/a": "http://h/a",
		"http://h/\x00 \x7f\x80\xff\"<>^{|}`": "http://h/%00%20%7F%80%FF%22%3C%3E%5E%7B%7C%7D%60", "http://h/日?日": "http://h/%E6%97%A5?%E6%97%A5",
		"http://h/%zz%4%e3%":          "http://h/%zz%4%e3%", // a % never changes
		"http://h/[a]'!$&'()*+,;=:@~": "http://h/[a]'!$&'()*+,;=:@~", "http://h/?[a]'!$&'()*+,;=:@~/?": "http://h/?[a]'!$&'()*+,;=:@~/?",
		"http://h/a\tb\nc":    "http://h/a%09b%0Ac",
		"http://日本語.example/": "http://xn--wgv71a119e.example/", "http://%E6%97%A5%E6%9C%AC%E8%AA%9E.example/": "http://xn--wgv71a119e.example/",
		"http://my_host-.example/": "http://my_host-.example/", "http://h.example./": "http://h.example./",
		"http://[::1]:8080/": "http://[::1]:8080/", "http://[2001:DB8:0:0::1]/": "http://[2001:db8::1]/", "http://[::ffff:1.2.3.4]/": "http://[::ffff:102:304]/",
		"http://127.1/": "http://127.1/", "http://0x7F000001/": "http://0x7f000001/", "http://1.2.3.4/": "http://1.2.3.4/",
		"": "", "//host/a": "", "host/path": "", "/a": "", " ftp://h/": "", "host:80/": "", "http://": "", "http://@/": "", "http://:80/": "",
		"http://h:x/": "", "http://h:65536/": "", "http://a b/": "", "http://a%2Fb/": "", "http://a%/": "", "http://a\xff/": "", "http://a%ff/": "",
		"http://" + strings.Repeat("日", 400) + "/": "", "http://[::1/": "", "http://[::g]/": "", "http://[fe80::1%25eth0]/": "", "http://1.2.3.256/": "", "http://1.2.3.4.5/": "",
	} {
		if a, err := address.Parse(loc); a.String() != wire || (err == nil) != (wire != "") {
			t.Errorf("Parse(%q) = %q, %v, want %q", loc, a, err, wire)
		}
	}
	for _, loc := range []string{"https://www.h.example/wiki.cgi?a=%A4%C7(4)", "http://xn--wgv71a119e.example/?"} {
		if n := testing.AllocsPerRun(10, func() { _, _ = address.Parse(loc) }); n > 0 {
			t.Errorf("Parse(%s), of a wire form, allocates %v times", loc, n)
		}
	}
}

func TestResolve(t *testing.T) {
	base := mustParse(t, "https://h.example:8443/a/b?c")
	for ref, wire := range map[string]string{
		"": "https://h.example:8443/a/b?c", "#top": "https://h.example:8443/a/b?c", "  #  ": "https://h.example:8443/a/b?c",
		"?": "https://h.example:8443/a/b?", "?d#e": "https://h.example:8443/a/b?d",
		"d": "https://h.example:8443/a/d", "./d/../e": "https://h.example:8443/a/e", "../../..": "https://h.example:8443/", ".": "https://h.example:8443/a/",
		"/d": "https://h.example:8443/d", "d:e": "", "./d:e": "https://h.example:8443/a/d:e",
		"//o": "https://o/", "///o/p": "https://o/p", "////o": "https://o/", `\\o\p`: "https://o/p", `/\o`: "https://o/", `\d\e?f\g`: "https://h.example:8443/d/e?f%5Cg",
		"http://o": "http://o/", "http:o": "http://o/", "HTTPS:d": "https://h.example:8443/a/d", "https:/d": "https://h.example:8443/d", "https://o": "https://o/",
		"\x00\t /d\x1f ": "https://h.example:8443/d", "/d\r\n/e\tf": "https://h.example:8443/d/ef", "ht\ntp://o": "http://o/",
		"/日 \xff(%28": "https://h.example:8443/%E6%97%A5%20%FF(%28", "%2e%2e/d": "https://h.example:8443/a/%2e%2e/d",
		"ftp://o/": "", "javascript:void(0)": "", "//": "", "http://o:x/": "",
	} {
		if a, err := address.Resolve(base, ref); a.String() != wire || (err == nil) != (wire != "") {
			t.Errorf("Resolve(%q) = %q, %v, want %q", ref, a, err, wire)
		}
	}
}

func TestAddressParts(t *testing.T) {
	for loc, want := range map[string][9]string{
		"http://h.example/a/b?c=d": {"http", "h.example", "", "h.example", "80", "http://h.example", "/a/b", "c=d", "/a/b?c=d"},
		"https://h:8443/?a?b":      {"https", "h", "8443", "h:8443", "8443", "https://h:8443", "/", "a?b", "/?a?b"},
		"https://[::1]/":           {"https", "[::1]", "", "[::1]", "443", "https://[::1]", "/", "", "/"},
		"http://[::1]:81/a":        {"http", "[::1]", "81", "[::1]:81", "81", "http://[::1]:81", "/a", "", "/a"},
		"":                         {}, "ftp://h/": {}, "http://h": {}, "x": {},
	} {
		a := address.Wire(loc)
		q, _ := a.Query()
		if got := [9]string{a.Scheme(), a.Host(), a.Port(), a.HostPort(), a.EffectivePort(), a.Origin(), a.Path(), q, a.Target()}; got != want {
			t.Errorf("%s: parts are %q", loc, got)
		}
	}
}

func TestSite(t *testing.T) {
	for host, want := range map[string]string{
		"www.shop.example": "shop.example", "a.b.example.co.uk": "example.co.uk", "me.github.io": "me.github.io", "github.io": "github.io", "www.shop.example.": "shop.example",
		"com": "com", "localhost": "localhost", "1.2.3.4": "1.2.3.4", "127.1": "127.1", "[::1]": "[::1]", "0x7f.1": "0x7f.1", "www.xn--wgv71a119e.jp": "xn--wgv71a119e.jp",
	} {
		if got := mustParse(t, "http://"+host+"/").Site(); got != want {
			t.Errorf("site of %s is %s, want %s", host, got, want)
		}
	}
}

func TestSameTwin(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"http://h/a", "http://h/b"}: true, {"http://h/", "https://h/"}: true, {"http://h/", "http://www.h/"}: true, {"http://www.h/", "https://h/"}: true,
		{"http://h:8080/", "http://www.h:8080/"}: true, {"http://h:8080/", "https://h:8080/"}: false, {"http://h/", "http://h:8080/"}: false,
		{"http://a.h/", "http://h/"}: false, {"http://www.h/", "http://shop.h/"}: false, {"http://www.www.h/", "http://h/"}: false, {"", ""}: false,
	} {
		a, b := address.Wire(pair[0]), address.Wire(pair[1])
		if a.SameTwin(b) != want || b.SameTwin(a) != want {
			t.Errorf("%s, want %v", pair, want)
		}
	}
}

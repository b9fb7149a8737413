package address_test

import (
	"errors"
	"testing"

	"sitemend/crawler/address"
)

func TestResolve(t *testing.T) {
	base := mustParse(t, "https://h.example:8443/a/b?c")
	for _, c := range []struct{ ref, wire string }{
		{"", "https://h.example:8443/a/b?c"}, {"#top", "https://h.example:8443/a/b?c"}, {"  #  ", "https://h.example:8443/a/b?c"},
		{"?", "https://h.example:8443/a/b?"}, {"?d#e", "https://h.example:8443/a/b?d"},
		{"d", "https://h.example:8443/a/d"}, {"./d/../e", "https://h.example:8443/a/e"}, {"../../..", "https://h.example:8443/"}, {".", "https://h.example:8443/a/"},
		{"/d", "https://h.example:8443/d"}, {"d:e", ""}, {"./d:e", "https://h.example:8443/a/d:e"},
		{"//o", "https://o/"}, {"///o/p", "https://o/p"}, {"////o", "https://o/"}, {`\\o\p`, "https://o/p"}, {`/\o`, "https://o/"}, {`\d\e?f\g`, "https://h.example:8443/d/e?f%5Cg"},
		{"http://o", "http://o/"}, {"http:o", "http://o/"}, {"http:/o", "http://o/"}, {"HTTPS:d", "https://h.example:8443/a/d"}, {"https:/d", "https://h.example:8443/d"}, {"https://o", "https://o/"},
		{"\x00\t /d\x1f ", "https://h.example:8443/d"}, {"/d\r\n/e\tf", "https://h.example:8443/d/ef"}, {"ht\ntp://o", "http://o/"},
		{"/日 \xff(%28", "https://h.example:8443/%E6%97%A5%20%FF(%28"}, {"%2e%2e/d", "https://h.example:8443/a/%2e%2e/d"},
		{"ftp://o/", ""}, {"javascript:void(0)", ""}, {"//", ""}, {"http://o:x/", ""},
	} {
		a, err := address.Resolve(base, c.ref)
		if a.String() != c.wire || (err != nil) != (c.wire == "") {
			t.Errorf("Resolve(%q) = %q, %v, want %q", c.ref, a, err, c.wire)
		}
	}
}

func TestResolveNamesTheByte(t *testing.T) {
	base := mustParse(t, "http://h/")
	for ref, pos := range map[string]int{" //a\t b/": 5, "http://a:\n8x/": 10, "//a b": 3, " ftp:": 1, "//": 2} {
		_, err := address.Resolve(base, ref)
		var e *address.SyntaxError
		if !errors.As(err, &e) || e.Pos != pos || e.Input != ref {
			t.Errorf("Resolve(%q): %v, want byte %d", ref, err, pos)
		}
	}
	if _, err := address.Resolve(address.Address{}, "/a"); err == nil {
		t.Error("a relative reference needs a base")
	}
	if a, err := address.Resolve(address.Address{}, "http://h"); err != nil || a.String() != "http://h/" {
		t.Errorf("Resolve(zero, http://h) = %q, %v", a, err)
	}
}

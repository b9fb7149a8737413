package address_test

import (
	"strings"
	"testing"

	"sitemend/crawler/address"
)

func TestSpell(t *testing.T) {
	for _, c := range []struct{ wire, googlebot, rfc3986, whatwg, kinds string }{
		// kinds: those of the googlebot spelling
		{"/a", "/a", "/a", "/a", ""},
		{"/%28a%29", "/(a)", "/%28a%29", "/%28a%29", "( )"},
		{"/wiki.cgi?x%a4%C7%284%29", "/wiki.cgi?x%A4%C7(4)", "/wiki.cgi?x%A4%C7%284%29", "/wiki.cgi?x%a4%C7%284%29", "( ) hex-case"},
		{"/%21%24%27%28%29%2a%2c%40%2d%2e%5f%7e", "/!$'()*,@-._~", "/%21%24%27%28%29%2A%2C%40-._~", "/%21%24%27%28%29%2a%2c%40%2d%2e%5f%7e", "! $ ' ( ) * , - . @ _ ~"},
		{"/%26%2b%3a%3d%3b%2f%3f%23%25", "/%26%2B%3A%3D%3B%2F%3F%23%25", "/%26%2B%3A%3D%3B%2F%3F%23%25", "/%26%2b%3a%3d%3b%2f%3f%23%25", "hex-case"},
		{"/&+:=;", "/&+:=;", "/&+:=;", "/&+:=;", ""},
		{"/[a]?[b]", "/%5Ba%5D?%5Bb%5D", "/[a]?[b]", "/[a]?[b]", "[ ]"},
		{"/'?'", "/'?'", "/'?'", "/'?%27", ""},
		{"/%41?%7E", "/A?~", "/A?~", "/%41?%7E", "A ~"},
		{"/%", "/%", "/%", "/%", ""},
		{"/%%32%38", "/%%328", "/%%328", "/%%32%38", "8"},
		{"/%4%31", "/%4%31", "/%4%31", "/%4%31", ""},
		{"/%%34%31", "/%%341", "/%%341", "/%%34%31", "1"},
		{"/%4g%31", "/%4g1", "/%4g1", "/%4g%31", "1"},
		{"/a/%2e%2e/b", "/a/%2E%2E/b", "/b", "/b", "hex-case"},
		{"/a/.%2e", "/a/.%2E", "/", "/", "hex-case"},
		{"/a/%2E/b", "/a/%2E/b", "/a/b", "/a/b", ""},
		{"/%2e%2e%2e", "/...", "/...", "/%2e%2e%2e", "."},
		{"//a//%2E?", "//a//%2E?", "//a//?", "//a//?", ""},
	} {
		a := address.Wire("http://h" + c.wire)
		for s, want := range map[address.Spelling]string{address.Googlebot: c.googlebot, address.RFC3986: c.rfc3986, address.WHATWG: c.whatwg, address.None: c.wire, "?": c.wire} {
			if got := s.Spell(a).Target(); got != want {
				t.Errorf("%s spells %s as %s, want %s", s, c.wire, got, want)
			}
		}
		if got := strings.Join(address.Googlebot.Kinds(a), " "); got != c.kinds {
			t.Errorf("kinds of %s are %q, want %q", c.wire, got, c.kinds)
		}
	}
}

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		s          address.Spelling
		wire, want string
	}{
		{address.WHATWG, "http://h/?'", "'"}, {address.RFC3986, "http://h/a/%2e", "."}, {address.WHATWG, "http://h/%e3", ""}, {address.None, "http://h/%28", ""},
	} {
		if got := strings.Join(c.s.Kinds(address.Wire(c.wire)), " "); got != c.want {
			t.Errorf("%s kinds of %s are %q, want %q", c.s, c.wire, got, c.want)
		}
	}
}

func TestParseSpelling(t *testing.T) {
	for _, name := range []string{"googlebot", "rfc3986", "whatwg", "none"} {
		if s, err := address.ParseSpelling(name); err != nil || string(s) != name {
			t.Errorf("ParseSpelling(%q) = %q, %v", name, s, err)
		}
	}
	if s, err := address.ParseSpelling("Googlebot"); err == nil {
		t.Errorf("ParseSpelling(Googlebot) = %q", s)
	}
}

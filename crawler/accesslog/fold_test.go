package accesslog_test

import (
	"strings"
	"testing"

	"sitemend/crawler/accesslog"
)

func TestDiffer(t *testing.T) {
	for _, c := range []struct{ listed, asked, want string }{
		{"/a%284%29", "/a(4)", "( )"},
		{"/%e3%81%82", "/%E3%81%82", "hex-case"},
		{"/%eB", "/%Eb", "hex-case"},
		{"/~user", "/%7Euser", "~"},
		{"/?q=a+b", "/?q=a%20b", "space"},
		{"/caf%C3%A9", "/caf\xc3\xa9", "octets"},
		{"/%e3(x)", "/%E3%28x%29", "( ) hex-case"},
		{"/[x]", "/%5Bx%5D", "[ ]"},
		{"/a", "/a", ""},
		{"/a%2Fb", "/a/b", "no"},
		{"/a%2fb", "/a%2Fb", "hex-case"},
		{"/?a%2Fb", "/?a/b", "/"},
		{"/a%2528", "/a%28", "no"},
		{"/a+b", "/a%20b", "no"},
		{"/?a%2Bb", "/?a+b", "no"},
		{"/c++", "/c%2B%2B", "+"},
		{"/Case", "/case", "no"},
		{"/a", "/a?", "no"},
		{"/a%3Fb", "/a?b", "no"},
		{"/bad%zz", "/bad%25zz", "%"},
	} {
		in, ok := accesslog.Differ(c.listed, c.asked)
		got := strings.Join(in, " ")
		if !ok {
			got = "no"
		}
		if got != c.want {
			t.Errorf("%s and %s: %s, want %s", c.listed, c.asked, got, c.want)
		}
	}
}

package accesslog_test

import (
	"slices"
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

// FuzzDiffer: spellings of one address have the same fold, and their differences are the same in
// both directions.
func FuzzDiffer(f *testing.F) {
	f.Add("/a%284%29?x+y", "/a(4)?x%20y")
	f.Add("/%2F/%e3", "/%2f/%E3")
	f.Add("/a+b?x%2By", "/a%2Bb?x%2by")
	f.Fuzz(func(t *testing.T, a, b string) {
		in, ok := accesslog.Differ(a, b)
		back, okBack := accesslog.Differ(b, a)
		if ok != okBack || !slices.Equal(in, back) {
			t.Errorf("%q and %q: %q %v, back %q %v", a, b, in, ok, back, okBack)
		}
		if ok && (accesslog.Fold(a, false) != accesslog.Fold(b, false) || (len(in) == 0) != (a == b)) {
			t.Errorf("%q and %q differ in %q, with the folds %q and %q", a, b, in, accesslog.Fold(a, false), accesslog.Fold(b, false))
		}
	})
}

package fetch

import (
	"strings"
	"testing"

	"golang.org/x/net/http2"
)

// hard are paths and queries that clients tend to rewrite. They are wire forms: each must reach the
// wire byte for byte.
var hard = []string{
	"/",
	"/?",
	"/a?",
	"/a?b?c??",
	"/a(b)?c=(d)",
	"/a%28b%29?c=%28d%29",
	"/mod_cache%A4%C7Wiki%A4%F2%284%29?x=%a4%c7",
	"/%e3%81%82%E3%81%84",
	"/100%?q=100%",
	"/%zz%4?%zz=%",
	"/a'b?c='d'",
	"/a[b]?c[]=d",
	"/a;b=c,d;e?f;g",
	"/~user/%7Euser",
	"//double//slash//",
	"//",
	"//evil.example/path",
	"///a///b",
	"//%zz",
	"//a%2fb?c=//d",
	"/a//b/",
	"/a%2Fb%2fc",
	"/a+b?c+d=e+f",
	"/a:b@c!$&*=d?:@!$&*",
	"/%2e%2e/%2E",
	"/a%20b%09c%00d",
	"/a?http://b.example/c?d=e&amp;f",
	"/x?=&&==",
	"/http://b.example/",
	"/:80",
	"/*",
}

// Each reaches the wire, through a proxy with its host before it.
func TestHardSpellingsReachTheWire(t *testing.T) {
	w := serveRaw(t, says(short))
	for _, proxied := range []bool{false, !overTLS} {
		base, before := w.at(""), ""
		if proxied {
			t.Setenv("HTTP_PROXY", "http://"+w.addr)
			base, before = "http://shop.example", "http://shop.example"
		}
		a := newTestClient(t, Options{})
		for _, target := range hard {
			if wire := mustWire(t, base+target); wire != base+target {
				t.Fatalf("test case %q is no wire form: %q", target, wire)
			}
			hop := ask(t, a, base+target)
			heads := w.heads()
			if got := requestTarget(heads[len(heads)-1]); hop.Status != 200 || got != before+target {
				t.Errorf("sent %q for %q: %+v", got, target, hop)
			}
		}
	}
}

func TestHardSpellingsOverHTTP2(t *testing.T) {
	w := serveHTTP2(t, func(f *http2.Framer, stream uint32, _ string) bool { return answer200(f, stream) })
	a := newTestClient(t, Options{RootCAs: lentPool})
	for _, target := range hard {
		if hop := ask(t, a, "https://"+w.addr+target); hop.Status != 200 || w.asked(target) != 1 {
			t.Errorf("%s is not sent as it is: %+v", target, hop)
		}
	}
}

func TestHeadersInOrder(t *testing.T) {
	w := serveRaw(t, says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	for _, name := range Identities() {
		id, err := LookupIdentity(name)
		must(t, err)
		a := newTestClient(t, Options{Identity: id})
		ask(t, a, w.at("/"))
		var want strings.Builder
		want.WriteString("GET / HTTP/1.1\r\nHost: " + w.addr + "\r\n")
		for _, h := range id.Headers() {
			want.WriteString(h.Key + ": " + h.Value + "\r\n")
		}
		heads := w.heads()
		if got := heads[len(heads)-1]; got != want.String()+"\r\n" {
			t.Errorf("%s sent\n%q\nwant\n%q", name, got, want.String())
		}
	}
}

// requestTarget returns the text between the method and the version.
func requestTarget(head string) string {
	line, _, _ := strings.Cut(head, "\r\n")
	line = strings.TrimPrefix(line, "GET ")
	return strings.TrimSuffix(line, " HTTP/1.1")
}

package fetch

import (
	"testing"

	"golang.org/x/net/http2"
)

// Requests to a host that speaks HTTP/1.1 over TLS go over package http1, from its first connection
// on, and those to one that speaks HTTP/2 over net/http.
func TestTheServerChoosesTheProtocol(t *testing.T) {
	defer func(before bool) { overTLS = before }(overTLS)
	overTLS = true
	h1 := serveRaw(t, says(short))
	h2 := serveHTTP2(t, func(f *http2.Framer, stream uint32, _ string) bool { return answer200(f, stream) })
	a := newTestClient(t, Options{RootCAs: lentPool})
	for range 3 {
		for _, addr := range []string{h1.addr, h2.addr} {
			if hop := ask(t, a, "https://"+addr+"/"); hop.Status != 200 {
				t.Errorf("%+v", hop)
			}
		}
	}
	if h1.conns() != 1 || h2.conns() != 1 {
		t.Errorf("%d and %d connections, want one each", h1.conns(), h2.conns())
	}
}

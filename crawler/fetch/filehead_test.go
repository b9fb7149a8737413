package fetch

import (
	"io"
	"net"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

// The head of an image is enough: Ask does not wait for the body. It sends a GET as Google's
// crawler of images.
func TestTheHeadOfAFileIsEnough(t *testing.T) {
	for name, head := range map[string]string{
		"long":    "Content-Type: image/png\r\nContent-Length: 1000000000\r\n\r\n",
		"chunked": "Content-Type: image/png\r\nTransfer-Encoding: chunked\r\n\r\n",
		"a page":  "Content-Type: text/html\r\nContent-Length: 50000\r\n\r\n<title>no image",
	} {
		w := serveRaw(t, func(c net.Conn, _ string) bool {
			io.WriteString(c, "HTTP/1.1 200 OK\r\n"+head)
			_, err := c.Read(make([]byte, 1)) // until the client closes the connection
			return err == nil
		})
		a := newTestClient(t, Options{})
		hop, _ := a.Ask(t.Context(), audit.Request{URL: "http://" + w.addr + "/x.png", Purpose: audit.AsImage})
		if hop.Status != 200 || hop.Fault != "" || hop.Truncated || hop.Page.Title != "" || hop.Page.ContentType == "" {
			t.Errorf("%s: %+v", name, hop)
		}
		asked := w.heads()
		if len(asked) != 1 || !strings.HasPrefix(asked[0], "GET /x.png HTTP/1.1\r\n") || !strings.Contains(asked[0], "User-Agent: Googlebot-Image/1.0\r\n") {
			t.Errorf("%s: asked %q", name, asked)
		}
	}
}

// The body of a small image is read all the same, so that its connection can be used again.
func TestTheConnectionSurvivesSmallFiles(t *testing.T) {
	w := serveRaw(t, says("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 10000\r\n\r\n"+strings.Repeat("x", 10_000)))
	a := newTestClient(t, Options{})
	for range 5 {
		a.Ask(t.Context(), audit.Request{URL: "http://" + w.addr + "/x.png", Purpose: audit.AsVideo})
	}
	if n := w.conns(); n != 1 {
		t.Errorf("%d connections for 5 requests", n)
	}
}

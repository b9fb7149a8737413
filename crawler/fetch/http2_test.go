package fetch

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// rawHTTP2 is a server that speaks HTTP/2 frames.
type rawHTTP2 struct {
	rawConns
	path map[string]int // number of requests
}

// serveHTTP2 starts a rawHTTP2. reply gets each request and may write any frames; where it returns
// false the connection is closed.
func serveHTTP2(t *testing.T, reply func(f *http2.Framer, stream uint32, path string) bool) *rawHTTP2 {
	t.Helper()
	config := &tls.Config{Certificates: lent.TLS.Certificates, NextProtos: []string{"h2"}}
	w := &rawHTTP2{path: map[string]int{}}
	ln, err := tls.Listen("tcp", "127.0.0.1:0", config)
	must(t, err)
	w.accept(t, ln, func(c net.Conn) { w.serve(c, reply) })
	return w
}

func (w *rawHTTP2) serve(c net.Conn, reply func(*http2.Framer, uint32, string) bool) {
	if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	f := http2.NewFramer(c, c)
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	if f.WriteSettings() != nil {
		return
	}
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				_ = f.WriteSettingsAck()
			}
		case *http2.PingFrame:
			_ = f.WritePing(true, frame.Data)
		case *http2.MetaHeadersFrame:
			path := frame.PseudoValue("path")
			w.mu.Lock()
			w.path[path]++
			w.mu.Unlock()
			if !reply(f, frame.StreamID, path) {
				return
			}
		}
	}
}

// asked returns the number of requests for a path.
func (w *rawHTTP2) asked(path string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.path[path]
}

// answer200 answers a stream with a page.
func answer200(f *http2.Framer, stream uint32) bool {
	return head200(f, stream, false) && f.WriteData(stream, true, []byte("<p>shoes")) == nil
}

// head200 sends the head of a 200.
func head200(f *http2.Framer, stream uint32, end bool) bool {
	var block bytes.Buffer
	enc := hpack.NewEncoder(&block)
	enc.SetMaxDynamicTableSize(0)
	_ = enc.WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	_ = enc.WriteField(hpack.HeaderField{Name: "content-type", Value: "text/html"})
	return f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true, EndStream: end}) == nil
}

// A connection that dies unnoticed, as behind a firewall that dropped it, costs the streams under
// way and gets no more.
func TestADeadConnectionIsGivenUp(t *testing.T) {
	var mu sync.Mutex
	heard := 0
	over := make(chan bool)
	w := serveHTTP2(t, func(f *http2.Framer, stream uint32, _ string) bool {
		mu.Lock()
		heard++
		dead := heard == 2
		mu.Unlock()
		if dead {
			<-over // answers no ping either
			return false
		}
		return answer200(f, stream)
	})
	a := newTestClient(t, Options{RootCAs: lentPool, Timeout: 200 * time.Millisecond})
	t.Cleanup(func() { close(over) })
	ask(t, a, "https://"+w.addr+"/")
	if hop := ask(t, a, "https://"+w.addr+"/"); hop.Fault == "" {
		t.Fatalf("%+v", hop)
	}
	answered := false
	for n := 0; !answered && n < 300; n++ { // a minute
		answered = ask(t, a, "https://"+w.addr+"/").Status == 200
	}
	if !answered || w.conns() < 2 {
		t.Errorf("nothing more was answered, over %d connections", w.conns())
	}
}

package fetch

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// piece is a number of bytes that come after a silence.
type piece struct {
	after time.Duration
	bytes int
}

// every returns n pieces at the same distance.
func every(after time.Duration, bytes, n int) []piece {
	var ps []piece
	for range n {
		ps = append(ps, piece{after, bytes})
	}
	return ps
}

// With a limit of 30 s a stretch is 15 s, and 3,840 bytes.
func TestFlow(t *testing.T) {
	const s = time.Second
	for name, test := range map[string]struct {
		pieces []piece
		after  time.Duration // when the answer is cut; 0 for never
	}{
		"one piece":                   {[]piece{{20 * s, 10}}, 0},
		"a head, a thought, a page":   {[]piece{{0, 300}, {29 * s, 500}}, 0},
		"two thoughts":                {[]piece{{0, 300}, {14 * s, 500}, {14 * s, 500}}, 0},
		"a line a second, small":      {every(s, 80, 15), 0},
		"a line a second, endless":    {every(s, 80, 600), 18 * s}, // 1 s to its first byte, 1 s is the longest silence
		"lines as fast as they may":   {every(s, 256, 600), 0},
		"a byte at a time":            {every(s/10, 1, 6000), 15*s + 3*s/10},
		"a byte shortly before D":     {every(29*s, 1, 20), 87 * s},
		"fast":                        {every(s, 4096, 600), 0},
		"fast, then a drip":           {append(every(s, 4096, 100), every(s, 1, 600)...), 118 * s},
		"fast, a thought, fast again": {append(append(every(0, 1000, 3), piece{25 * s, 1000}), every(0, 1000, 9)...), 0},
	} {
		f := pageFlow(30 * s)
		at := time.Unix(1_000_000, 0)
		now := func() time.Time { return at }
		start, cut := at, time.Duration(0)
		for _, p := range test.pieces {
			f.waits(now)
			at = at.Add(p.after)
			if f.came(p.bytes, now); f.slow {
				cut = at.Sub(start)
				break
			}
		}
		if cut != test.after {
			t.Errorf("%s: cut after %v, want %v", name, cut, test.after)
		}
	}
}

// The clock is read only where an answer comes in pieces.
func TestAnAnswerInOnePieceReadsNoClock(t *testing.T) {
	f := pageFlow(30 * time.Second)
	clock := func() time.Time { t.Error("the clock is read"); return time.Time{} }
	f.waits(clock)
	f.came(200, clock)
	f = pageFlow(30 * time.Second)
	for range 100 {
		f.waits(clock)
		f.came(4096, clock)
	}
}

// hasty is a flow for which every answer of more than two pieces is too slow.
var hasty = &flow{time: 1, need: 1 << 40}

// bites writes single bytes until the client closes the connection.
func bites(c io.Writer) bool {
	for {
		if _, err := c.Write([]byte("x")); err != nil {
			return false
		}
	}
}

// An answer that drips is cut over every transport.
func TestAnAnswerThatDripsIsCut(t *testing.T) {
	const want = "the answer drips: less than 256 bytes a second came"
	reply := func(head string) func(net.Conn, string) bool {
		return func(c net.Conn, _ string) bool {
			_, err := io.WriteString(c, head)
			return err == nil && bites(c)
		}
	}
	for name, head := range map[string]string{
		"length":        pageHead + "Content-Length: 90000000\r\n\r\n<p>",
		"until the end": lastHead + "\r\n<p>",
		"gzip":          lastHead + "Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x00\x00", // a stored block

	} {
		w := serveRaw(t, reply(head))
		a := newTestClient(t, Options{Timeout: time.Hour, flow: hasty})
		if hop := ask(t, a, w.at("/")); hop.Fault != audit.FaultTimeout || hop.Detail != want {
			t.Errorf("%s: %+v", name, hop)
		}
		got, body := mustGet(t, a, File{URL: address.Wire(w.at("/"))})
		if name == "until the end" && (got.Fault != audit.FaultTimeout || got.Detail != want || !strings.HasPrefix(body, "<p>")) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A head that drips is cut, too, over package http1.
func TestAHeadThatDripsIsCut(t *testing.T) {
	w := serveRaw(t, func(c net.Conn, _ string) bool {
		_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nX: ")
		return err == nil && bites(c)
	})
	a := newTestClient(t, Options{Timeout: time.Hour, flow: hasty})
	if hop := ask(t, a, w.at("/")); hop.Fault != audit.FaultTimeout || !strings.HasPrefix(hop.Detail, "the answer drips") {
		t.Errorf("%+v", hop)
	}
}

// Where a stream of HTTP/2 drips, only that stream ends.
func TestAStreamThatDripsIsCut(t *testing.T) {
	cut, ended := make(chan bool), make(chan bool)
	w := serveHTTP2(t, func(f *http2.Framer, stream uint32, path string) bool {
		if path != "/drip" {
			<-ended // a framer serves one goroutine at a time
			return answer200(f, stream)
		}
		if !answer(f, stream, false) {
			return false
		}
		go func() {
			defer close(ended)
			for {
				select {
				case <-cut:
					return
				default:
					_ = f.WriteData(stream, false, []byte("x"))
				}
			}
		}()
		return true
	})
	a := newTestClient(t, Options{RootCAs: w.pool, Timeout: time.Hour, flow: hasty})
	if hop := ask(t, a, "https://"+w.addr+"/drip"); hop.Fault != audit.FaultTimeout || !strings.HasPrefix(hop.Detail, "the answer drips") {
		t.Errorf("%+v", hop)
	}
	close(cut)
	if hop := ask(t, a, "https://"+w.addr+"/"); hop.Status != 200 || w.conns() != 1 {
		t.Errorf("%+v, %d connections", hop, w.conns())
	}
}

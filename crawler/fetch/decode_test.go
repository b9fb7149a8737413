package fetch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/internal/cost"
)

// again repeats a text up to size bytes.
func again(text string, size int) io.Reader {
	return io.LimitReader(&repeating{text: text}, int64(size))
}

type repeating struct{ text, rest string }

func (r *repeating) Read(b []byte) (n int, err error) {
	for n < len(b) {
		if r.rest == "" {
			r.rest = r.text
		}
		m := copy(b[n:], r.rest)
		n, r.rest = n+m, r.rest[m:]
	}
	return n, nil
}

func gzipOf(t testing.TB, r io.Reader) []byte {
	t.Helper()
	return codedBy(t, r, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
}

func brotliOf(t testing.TB, r io.Reader) []byte {
	t.Helper()
	return codedBy(t, r, func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 4) })
}

func codedBy(t testing.TB, r io.Reader, with func(io.Writer) io.WriteCloser) []byte {
	t.Helper()
	var b bytes.Buffer
	z := with(&b)
	if _, err := io.Copy(z, r); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// hollow returns bodies of some kilobytes, by their codings, that hold megabytes of packed data
// without content.
func hollow(t testing.TB) map[string][]byte {
	member := gzipOf(t, strings.NewReader(""))
	blocks := append(member[:10:10], strings.Repeat("\x00\x00\x00\xff\xff", 8<<20/5)...) // stored blocks without bytes
	return map[string][]byte{
		"gzip, gzip": gzipOf(t, bytes.NewReader(blocks)),
		"gzip, br":   brotliOf(t, again(string(member), 8<<20)),
	}
}

// An answer whose layers have no content ends where its layers are too long, before the time limit.
func TestLayersThatHoldNothing(t *testing.T) {
	for codings, body := range hollow(t) {
		w := serveRaw(t, says("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: "+codings+"\r\nConnection: close\r\n\r\n"+string(body)))
		a := newTestClient(t, Options{Timeout: defaultTimeout})
		hop := ask(t, a, "http://"+w.addr+"/")
		if hop.Fault != audit.FaultEncoding || !strings.HasPrefix(hop.Detail, "content encoding") || len(body) > 100<<10 {
			t.Errorf("%s, %d bytes: %+v", codings, len(body), hop)
		}
	}
}

func TestThreeCodingsAreNotUndone(t *testing.T) {
	w := serveRaw(t, says("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip, gzip, gzip\r\nContent-Length: 1\r\n\r\nx"))
	a := newTestClient(t, Options{})
	if hop := ask(t, a, "http://"+w.addr+"/"); hop.Fault != audit.FaultEncoding || !strings.Contains(hop.Detail, "too many codings") {
		t.Errorf("%+v", hop)
	}
}

var errTimeUp = errors.New("no more time")

// The time limit is observed while the layers yield nothing: it is checked after every few
// kilobytes between them.
func TestTimeWhileUnpacking(t *testing.T) {
	asked := 0
	stop := func() error {
		if asked++; asked > 100 {
			return errTimeUp
		}
		return nil
	}
	r, done, err := undo(http.Header{"Content-Encoding": {"gzip, gzip"}}, bytes.NewReader(hollow(t)["gzip, gzip"]), bounds{1 << 30, stop})
	if err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	done()
	if !errors.Is(err, errTimeUp) {
		t.Errorf("%v, the time was looked at %d times", err, asked)
	}
}

// A file has the same bounds as a page, and a context that ends stops the unpacking.
func TestGetBoundsItsLayers(t *testing.T) {
	blocks := append(gzipOf(t, strings.NewReader(""))[:10:10], strings.Repeat("\x00\x00\x00\xff\xff", maxPacked/5+1)...)
	body := gzipOf(t, bytes.NewReader(blocks))
	ctx, stop := context.WithCancel(t.Context())
	stopping := false
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip, gzip")
		if stopping {
			stop()
		}
		_, _ = w.Write(body)
	})
	a := newTestClient(t, Options{})
	u, err := address.Parse(s.URL + "/sitemap.xml")
	if err != nil {
		t.Fatal(err)
	}
	got, _ := mustGet(t, a, File{URL: u})
	if got.Fault != audit.FaultEncoding || !strings.Contains(got.Detail, "packed once more") {
		t.Errorf("%+v", got)
	}
	stopping = true
	if _, err := a.Get(ctx, File{URL: u}, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// codedShapes are bodies of one coding that are expensive to decode.
func codedShapes(t testing.TB) []cost.Shape {
	member := gzipOf(t, strings.NewReader(""))
	one := gzipOf(t, strings.NewReader("x"))
	return []cost.Shape{
		cost.Repeat("members of one byte", "", string(one), ""),
		cost.Repeat("empty members", "", string(member), ""),
		cost.Repeat("empty blocks", string(member[:10]), "\x00\x00\x00\xff\xff", ""),
	}
}

func undoGzip(t testing.TB, data []byte) {
	r, done, err := undo(http.Header{"Content-Encoding": {"gzip"}}, bytes.NewReader(data), bounds{1 << 20, func() error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	_, _ = io.Copy(io.Discard, r) // most end too early
}

func TestCostOfCodings(t *testing.T)    { cost.Test(t, 20, undoGzip, codedShapes(t)...) }
func BenchmarkCodingsCost(b *testing.B) { cost.Benchmark(b, 1000, undoGzip, codedShapes(b)...) }

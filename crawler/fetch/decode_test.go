package fetch

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"sitemend/crawler/internal/cost"
)

func gzipOf(t testing.TB, r io.Reader) []byte {
	t.Helper()
	return codedBy(t, r, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
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
	r, done, err := undo(http.Header{"Content-Encoding": {"gzip"}}, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	_, _ = io.Copy(io.Discard, r) // most end too early
}

func TestCostOfCodings(t *testing.T) { cost.Test(t, 20, undoGzip, codedShapes(t)...) }

func BenchmarkCodingsCost(b *testing.B) { cost.Benchmark(b, 1000, undoGzip, codedShapes(b)...) }

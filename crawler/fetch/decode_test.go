package fetch

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/klauspost/compress/gzip"

	"sitemend/crawler/internal/cost"
)

// codedShapes are bodies of one coding that are expensive to decode.
func codedShapes(t testing.TB) []cost.Shape {
	pack := func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }
	member, one := packed(t, "", pack), packed(t, "x", pack)
	return []cost.Shape{
		cost.Repeat("members of one byte", "", string(one), ""),
		cost.Repeat("empty members", "", string(member), ""),
		cost.Repeat("empty blocks", string(member[:10]), "\x00\x00\x00\xff\xff", ""),
	}
}

func undoGzip(t testing.TB, data []byte) {
	r, done, err := undo(http.Header{"Content-Encoding": {"gzip"}}, bytes.NewReader(data))
	must(t, err)
	defer done()
	_, _ = io.Copy(io.Discard, r) // most end too early
}

func TestCostOfCodings(t *testing.T) { cost.Test(t, 20, undoGzip, codedShapes(t)...) }

func BenchmarkCodingsCost(b *testing.B) { cost.Benchmark(b, 1000, undoGzip, codedShapes(b)...) }

package sitemap

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// endless reads as a text, and then another one repeated, size bytes in all.
type endless struct {
	first, again string
	size         int64
	left         string
}

func (e *endless) Read(b []byte) (int, error) {
	if e.size <= 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(b) {
		if e.left == "" {
			e.left, e.first = e.first+e.again, ""
		}
		m := copy(b[n:], e.left)
		e.left = e.left[m:]
		n += m
	}
	e.size -= int64(n)
	return n, nil
}

const one = urlset + "<url><loc>http://a/</loc></url>"

// Each file has 24 MB (the text node 100) or is nested 10,000 deep and more. Its one entry counts,
// a fault says what is wrong, and memory use stays constant, in Read and in Rewrite.
func TestHostile(t *testing.T) {
	long := strings.Repeat("x", 64<<10)
	for name, c := range map[string]struct {
		first, again, fault string
	}{
		"text in a URL":  {one + "<url><loc>http://", long, "too-deep"},
		"comment":        {one + "<!--", long + "<", "cut-off"},
		"CDATA in a URL": {one + "<url><loc><![CDATA[", long + "<", "too-deep"},
		"many sections":  {one + "<url><loc>", "<![CDATA[" + long + "]]>", "too-deep"},
		"attribute":      {one + `<url x="`, long, "first-bytes"},
		"starts of tags": {one, strings.Repeat("<a ", 1<<14), "bare-amp"},
		"one element":    {one + "<url>", strings.Repeat("<i:i/>", 1<<12), "too-deep"},
		"entities":       {`<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>` + one, strings.Repeat("&b;", 1<<14) + "<i/>", "cut-off"},
		"nested":         {one, strings.Repeat("<a>", 1<<12), "too-deep"},
		"unclosed":       {one, "<url><x>", "too-deep"},
		"text line":      {"http://a/\n", long, "first-bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			size := int64(24 << 20)
			grown := growth(func() {
				entries, info := mustRead(t, &endless{first: c.first, again: c.again, size: size}, Options{})
				if len(entries) != 1 || entries[0].Loc != "http://a/" || !hasFault(info, c.fault) {
					t.Errorf("%d entries, %v", len(entries), info.Faults)
				}
			})
			if grown > 40<<20 {
				t.Errorf("Read took %d MB", grown>>20)
			}
			grown = growth(func() {
				res, err := Rewrite(&endless{first: c.first, again: c.again, size: size}, io.Discard, edits("x, x"))
				if err != nil || res.Entries != 1 {
					t.Errorf("Rewrite: %+v, %v", res, err)
				}
			})
			if grown > 40<<20 {
				t.Errorf("Rewrite took %d MB", grown>>20)
			}
		})
	}
}

// growth returns how many bytes a function allocates.
func growth(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestBomb(t *testing.T) {
	var bomb bytes.Buffer
	z, err := gzip.NewWriterLevel(&bomb, gzip.BestSpeed)
	must(t, err)
	if _, err := io.Copy(z, &endless{first: one, again: "<!---->" + strings.Repeat(" ", 1000), size: 64 << 20}); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	entries, info := mustRead(t, &bomb, Options{MaxSize: 8 << 20})
	if len(entries) != 1 || !info.Truncated || info.Size != 8<<20 || !hasFault(info, "first-bytes 8,388,608") {
		t.Errorf("%d entries, %+v", len(entries), info)
	}
}

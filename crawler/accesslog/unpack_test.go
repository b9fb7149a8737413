package accesslog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"sitemend/crawler/accesslog"
)

// requestFor returns a line of a log.
func requestFor(target string) string {
	return fmt.Sprintf(`66.249.66.1 - - [03/Nov/2026:12:00:00 +0000] "GET %s HTTP/1.1" 200 5`+"\n", target)
}

// gzipped returns a member of gzip.
func gzipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err1 := z.Write([]byte(text))
	if err := errors.Join(err1, z.Close()); err != nil {
		panic(err)
	}
	return b.String()
}

// zstded returns a frame of zstd.
func zstded(text string) string {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return string(z.EncodeAll([]byte(text), nil))
}

// TestPacking: a log is read as far as it is a log, however it is packed.
func TestPacking(t *testing.T) {
	a, b := requestFor("/a"), requestFor("/b")
	broken := errors.New("no more of it")
	spoilt := []byte(gzipped(b))
	spoilt[len(spoilt)-8] ^= 1 // its checksum
	var many strings.Builder
	for i := range 2000 {
		many.WriteString(requestFor(fmt.Sprint("/", i*7919)))
	}
	half := gzipped(many.String())
	for name, x := range map[string]struct {
		log     string
		targets string // the first
		err     error
	}{
		"nothing":                 {log: ""},
		"text":                    {log: a + b, targets: "/a /b"},
		"gzip":                    {log: gzipped(a + b), targets: "/a /b"},
		"members":                 {log: gzipped(a[:9]) + gzipped("") + gzipped(a[9:]+b), targets: "/a /b"},
		"zstd":                    {log: zstded(a + b), targets: "/a /b"},
		"frames":                  {log: zstded(a[:9]) + "\x53\x2a\x4d\x18\x05\x00\x00\x00(\xb5/\xfd\x00" + zstded(a[9:]+b), targets: "/a /b"},
		"gzip, cut off":           {log: half[:len(half)/2], targets: "/0 /7919 /15838", err: accesslog.ErrCut},
		"gzip, only a head":       {log: gzipped(a)[:7], err: accesslog.ErrCut},
		"a member, cut off":       {log: gzipped(a) + gzipped(b)[:20], targets: "/a", err: accesslog.ErrCut},
		"zstd, cut off":           {log: zstded(a) + zstded(b)[:20], targets: "/a", err: accesslog.ErrCut},
		"gzip, damaged":           {log: gzipped(a) + string(spoilt), targets: "/a", err: accesslog.ErrDamaged},
		"text after gzip":         {log: gzipped(a) + b, targets: "/a", err: accesslog.ErrDamaged},
		"text after zstd":         {log: zstded(a) + b, targets: "/a", err: accesslog.ErrDamaged},
		"a large window":          {log: "\x28\xb5\x2f\xfd\x00\x80\x01\x00\x00", err: accesslog.ErrWindow},
		"a file that breaks":      {log: "broken", targets: "/a", err: broken},
		"UTF-8 with its mark":     {log: "\xef\xbb\xbf" + a, targets: "/a"},
		"NULs that a disk leaves": {log: strings.Repeat("\x00", 10) + "\n" + a, targets: "/a"},
	} {
		for _, pieces := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.DataErrReader} {
			r := pieces(strings.NewReader(x.log))
			if x.log == "broken" {
				r = pieces(io.MultiReader(strings.NewReader(a+b[:20]), iotest.ErrReader(broken)))
			}
			var targets []string
			_, err := accesslog.Read(context.Background(), r, accesslog.Options{}, func(r *accesslog.Request) error {
				targets = append(targets, string(r.Target))
				return nil
			})
			if !errors.Is(err, x.err) || !strings.HasPrefix(strings.Join(targets, " "), x.targets) || x.targets == "" && len(targets) > 0 {
				t.Errorf("%s: got %.100q, %v; want %q, %v", name, targets, err, x.targets, x.err)
			}
		}
	}
}

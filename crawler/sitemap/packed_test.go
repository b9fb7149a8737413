package sitemap

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// packFrom packs what it reads from r.
func packFrom(t testing.TB, r io.Reader) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err == nil {
		_, err = io.Copy(z, r)
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// times repeats a piece.
func times(piece []byte, n int) io.Reader {
	size := int64(len(piece) * n)
	return io.LimitReader(&endless{again: string(piece), size: size}, size)
}

// A file that is packed twice is read, with a fault; one that is packed more often is not a
// sitemap.
func TestLayers(t *testing.T) {
	text := locs("http://a/")
	for n := 1; n <= 4; n++ {
		file := []byte(text)
		for range n {
			file = packed(t, string(file))
		}
		entries, info, err := readAll(bytes.NewReader(file), Options{})
		var format *FormatError
		switch {
		case n <= 2 && (err != nil || len(entries) != 1 || hasFault(info, "packed-twice 2") != (n == 2)):
			t.Errorf("packed %d times: %v, %v, %+v", n, entries, err, info)
		case n > 2 && (!errors.As(err, &format) || !hasFault(info, "no-sitemap data packed with gzip more than twice")):
			t.Errorf("packed %d times: %v, %v", n, err, info.Faults)
		}
		var out bytes.Buffer
		if _, err := Rewrite(bytes.NewReader(file), &out, edits("http://b/")); (err == nil) != (n <= 2) {
			t.Errorf("packed %d times: Rewrite: %v", n, err)
		}
	}
}

// A file of some kilobytes can hold gigabytes of packed data without content.
func TestLayersThatHoldNothing(t *testing.T) {
	nothing := packed(t, "")
	block := []byte{0, 0, 0, 0xff, 0xff} // of a member: stored, without bytes, not the last one
	for name, c := range map[string]struct {
		inner io.Reader
		fault string
	}{
		"empty members":             {times(nothing, 2*maxEmpty), errEmpty.Error()},
		"a URL, then empty members": {io.MultiReader(bytes.NewReader(packed(t, one)), times(nothing, 2*maxEmpty)), errEmpty.Error()},
		"empty blocks":              {io.MultiReader(bytes.NewReader(nothing[:10]), times(block, maxPacked/len(block)+1)), errPacked.Error()},
		"zeros behind a URL":        {io.MultiReader(bytes.NewReader(packed(t, one)), times(make([]byte, 1<<20), maxPacked>>20+1)), errPacked.Error()},
		"many members of one byte":  {times(packed(t, " "), 2*maxEmpty), "no-bytes"},
	} {
		file := packFrom(t, c.inner)
		grown := growth(func() {
			info, _ := Read(bytes.NewReader(file), Options{}, func(Entry) error { return nil })
			if !hasFault(info, c.fault) && !hasFault(info, "empty") {
				t.Errorf("%s: %v", name, info.Faults)
			}
		})
		if grown > 16<<20 {
			t.Errorf("%s: %d bytes take %d MB", name, len(file), grown>>20)
		}
	}
}

// ending cancels when the last byte is read.
type ending struct {
	*bytes.Reader
	stop context.CancelFunc
}

func (e *ending) Read(b []byte) (int, error) {
	n, err := e.Reader.Read(b)
	if e.Len() == 0 {
		e.stop()
	}
	return n, err
}

// Reading stops with its context even where the whole file has arrived and is being unpacked.
func TestStoppedWhileUnpacking(t *testing.T) {
	const size = 32 << 20
	endless := &endless{first: one, again: "<!---->" + strings.Repeat(" ", 1000), size: size}
	once := packFrom(t, endless)
	for name, file := range map[string][]byte{"once": once, "twice": packed(t, string(once))} {
		ctx, stop := context.WithCancel(t.Context())
		info, err := Read(Stoppable(ctx, &ending{bytes.NewReader(file), stop}), Options{}, func(Entry) error { return nil })
		if !errors.Is(err, context.Canceled) || info.Size >= size {
			t.Errorf("packed %s: %v after %d bytes", name, err, info.Size)
		}
		ctx, stop = context.WithCancel(t.Context())
		var out counter
		_, err = Rewrite(Stoppable(ctx, &ending{bytes.NewReader(file), stop}), &out, edits("-"))
		if !errors.Is(err, context.Canceled) || out.n >= size {
			t.Errorf("packed %s: Rewrite: %v after %d bytes", name, err, out.n)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Read(Stoppable(ctx, strings.NewReader("http://a/\n")), Options{}, func(Entry) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped before: %v", err)
	}
}

// The same holds for an inner layer that yields nothing.
func TestStoppedBetweenLayers(t *testing.T) {
	nothing := packed(t, "")
	block := []byte{0, 0, 0, 0xff, 0xff}
	file := packFrom(t, io.MultiReader(bytes.NewReader(nothing[:10]), times(block, 8<<20)))
	ctx, stop := context.WithCancel(t.Context())
	s := open(Stoppable(ctx, &ending{bytes.NewReader(file), stop}), nil, "")
	if n, err := io.Copy(io.Discard, s); n > 0 || !errors.Is(err, context.Canceled) || s.layers[0].held > 32<<20 {
		t.Errorf("%d bytes, %v, after %d of the first layer", n, err, s.layers[0].held)
	}
}

type counter struct{ n int64 }

func (c *counter) Write(b []byte) (int, error) { c.n += int64(len(b)); return len(b), nil }

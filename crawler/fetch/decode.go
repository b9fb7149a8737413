package fetch

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
)

// A codingError is the error of a body that does not match its Content-Encoding.
type codingError struct {
	coding string
	err    error
}

func (e *codingError) Error() string {
	return fmt.Sprintf("content encoding %s: %s", e.coding,
		strings.TrimPrefix(e.err.Error(), e.coding+": "))
}
func (e *codingError) Unwrap() error { return e.err }

// contentCodings returns the codings of a response in the order in which they were applied.
func contentCodings(h http.Header) []string {
	var codings []string
	for _, v := range h["Content-Encoding"] {
		for c := range strings.SplitSeq(v, ",") {
			c = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(c)), "x-")
			if c != "" && c != "identity" {
				codings = append(codings, c)
			}
		}
	}
	return codings
}

// undo decodes the content coding of a response; two are more than a client asks for. The content may
// be much longer than the body: the caller limits what it reads. stop returns why unpacking has to
// end, or nil; it is called while packed bytes are read, which may unpack to nothing for long. done
// releases the decoder; r must not be used after it.
func undo(h http.Header, body io.Reader, stop func() error) (r io.Reader, done func(), err error) {
	codings := contentCodings(h)
	if len(codings) == 0 {
		return body, func() {}, nil
	}
	d := &decoder{coding: codings[0], body: body, stop: stop, in: readers.Get().(*bufio.Reader)}
	d.in.Reset((*packedBody)(d))
	if len(codings) > 1 || decoders[d.coding] == nil {
		err = &codingError{strings.Join(codings[:min(2, len(codings))], ", "), errors.New("not one that was asked for")}
	}
	return d, d.release, err
}

// A decoder decodes one coding. It opens the stream at the first Read, so that an empty body stays
// empty.
type decoder struct {
	coding string
	body   io.Reader
	stop   func() error
	failed error // of body, but for its end
	in     *bufio.Reader
	out    io.Reader // nil before the first Read
	free   func()
}

var (
	readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4096) }}
	gzips   = sync.Pool{New: func() any { return new(gzip.Reader) }}
	brotlis = sync.Pool{New: func() any { return brotli.NewReader(nil) }}
)

// decoders open the stream of a coding.
var decoders = map[string]func(*decoder) error{
	"br": func(d *decoder) error {
		z := brotlis.Get().(*brotli.Reader)
		d.out, d.free = z, func() { brotlis.Put(z) }
		return z.Reset(d.in)
	},
	"gzip": func(d *decoder) error {
		z := gzips.Get().(*gzip.Reader)
		d.out, d.free = &members{z, d.in}, func() { gzips.Put(z) }
		err := z.Reset(d.in)
		z.Multistream(false)
		return err
	},
	// "deflate" means a zlib stream (RFC 9110 8.4.1.2); some servers send a bare deflate stream.
	"deflate": func(d *decoder) (err error) {
		head, _ := d.in.Peek(2)
		if len(head) == 2 && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
			d.out, err = zlib.NewReader(d.in)
			return err
		}
		d.out = flate.NewReader(d.in)
		return nil
	},
}

// members reads the members of a gzip stream (RFC 1952 2.2). Like browsers it ignores what follows
// the last one.
type members struct {
	z  *gzip.Reader
	in *bufio.Reader
}

func (m *members) Read(b []byte) (int, error) {
	n, err := m.z.Read(b)
	if err == io.EOF {
		if head, _ := m.in.Peek(2); string(head) == "\x1f\x8b" {
			err = m.z.Reset(m.in)
			m.z.Multistream(false)
		}
	}
	return n, err
}

// packedBody is the body of a decoder.
type packedBody decoder

func (b *packedBody) Read(p []byte) (int, error) {
	if b.failed = b.stop(); b.failed != nil {
		return 0, b.failed
	}
	n, err := b.body.Read(p)
	if err != io.EOF {
		b.failed = err
	}
	return n, err
}

func (d *decoder) release() {
	if d.free != nil {
		d.free()
	}
	d.in.Reset(nil)
	readers.Put(d.in)
	*d = decoder{}
}

func (d *decoder) Read(b []byte) (int, error) {
	if d.out == nil {
		if _, err := d.in.Peek(1); err != nil {
			return 0, err
		}
		if err := decoders[d.coding](d); err != nil {
			return 0, d.wrong(err)
		}
	}
	n, err := d.out.Read(b)
	return n, d.wrong(err)
}

// wrong wraps an error of the coding as a codingError, and leaves those of the network as they are.
func (d *decoder) wrong(err error) error {
	switch {
	case err == nil || err == io.EOF || d.failed != nil:
		return cmp.Or(d.failed, err)
	case errors.Is(err, io.ErrUnexpectedEOF): // the body is whole
		err = errors.New("it ends too early")
	}
	return &codingError{d.coding, err}
}

// capped is a reader that ends after a number of bytes and records whether there were more.
type capped struct {
	r    io.Reader
	left int64
	over bool // a byte followed the last allowed one
}

func (c *capped) Read(b []byte) (int, error) {
	if c.over || len(b) == 0 {
		return 0, io.EOF
	}
	if c.left > 0 {
		n, err := c.r.Read(b[:min(int64(len(b)), c.left)])
		c.left -= int64(n)
		return n, err
	}
	var one [1]byte
	n, err := io.ReadFull(c.r, one[:])
	if c.over = n > 0; c.over {
		return 0, io.EOF
	}
	return 0, err
}

package fetch

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"

	"sitemend/crawler/answers"
)

// wrongCoding is the error of a body that does not match its Content-Encoding.
func wrongCoding(coding, why string) error {
	return &noAnswer{answers.FaultEncoding, "content encoding " + coding + ": " + strings.TrimPrefix(why, coding+": ")}
}

// contentCoding returns the coding of a response, in lower case; "" for none. Two have a comma between
// them.
func contentCoding(h http.Header) string {
	var codings []string
	for c := range strings.SplitSeq(strings.ToLower(strings.Join(h["Content-Encoding"], ",")), ",") {
		if c = strings.TrimPrefix(strings.TrimSpace(c), "x-"); c != "" && c != "identity" {
			codings = append(codings, c)
		}
	}
	return strings.Join(codings[:min(2, len(codings))], ", ")
}

// undo decodes the content coding of a response; two are more than a client asks for. The content may
// be much longer than the body: the caller limits what it reads. done releases the decoder; r must not
// be used after it.
func undo(h http.Header, body io.Reader) (r io.Reader, done func(), err error) {
	coding := contentCoding(h)
	if coding == "" {
		return body, func() {}, nil
	}
	d := &decoder{coding: coding, body: body, in: readers.Get().(*bufio.Reader)}
	d.in.Reset((*packedBody)(d))
	if decoders[coding] == nil {
		err = wrongCoding(coding, "not one that was asked for")
	}
	return d, d.release, err
}

// A decoder decodes one coding. It opens the stream at the first Read, so that an empty body stays
// empty.
type decoder struct {
	coding string
	body   io.Reader
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
		d.out, d.free = z, func() { gzips.Put(z) }
		return z.Reset(d.in)
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

// packedBody is the body of a decoder.
type packedBody decoder

func (b *packedBody) Read(p []byte) (int, error) {
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

// Read implements io.Reader. An error is a wrongCoding, or one of the network.
func (d *decoder) Read(b []byte) (n int, err error) {
	if d.out == nil {
		if _, err = d.in.Peek(1); err != nil {
			return 0, err
		}
		err = decoders[d.coding](d)
	}
	if err == nil {
		n, err = d.out.Read(b)
	}
	switch {
	case d.failed != nil:
		return n, d.failed
	case err == nil || err == io.EOF:
		return n, err
	case errors.Is(err, io.ErrUnexpectedEOF): // the body is whole
		err = errors.New("it ends too early")
	}
	return n, wrongCoding(d.coding, err.Error())
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

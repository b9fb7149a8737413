package fetch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
)

const (
	// maxCodings is how many content codings a body may have.
	maxCodings = 2
	// maxEmpty is how many members of a gzip in a row may be empty.
	maxEmpty = 10_000
)

// bounds limits the unpacking of an answer.
type bounds struct {
	// packed is how many bytes lie between two codings at most.
	packed int64
	// stop returns why unpacking has to end, or nil. It is called while packed bytes are read,
	// which may unpack to nothing for long.
	stop func() error
}

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

var (
	errUnknownCoding = errors.New("not one that was asked for")
	errPackedTwice   = errors.New("it is packed once more and far too long")
	errEmptyMembers  = errors.New("it goes on with thousands of parts that hold nothing")
)

// undo decodes the content codings of a response (RFC 9110 8.4: the last one named was applied
// last). The content may be much longer than the body: the caller limits what it reads, and b
// limits what lies between two codings. done releases the decoders; r must not be used after it.
func undo(h http.Header, body io.Reader, b bounds) (r io.Reader, done func(), err error) {
	codings := contentCodings(h)
	if len(codings) == 0 {
		return body, func() {}, nil
	}
	if len(codings) > maxCodings {
		return nil, func() {}, &codingError{strings.Join(codings[:maxCodings], ", ") + ", ...",
			errors.New("too many codings")}
	}
	var stack []*decoder
	for r = body; len(codings) > 0 && err == nil; codings = codings[:len(codings)-1] {
		in := &ending{r: r, stop: b.stop, left: math.MaxInt64}
		if len(stack) > 0 {
			in.left = b.packed
		}
		var d *decoder
		if d, err = newDecoder(codings[len(codings)-1], in); err == nil {
			stack, r = append(stack, d), d
		}
	}
	return r, func() {
		for _, d := range stack {
			d.release()
		}
	}, err
}

// contentCodings returns the codings of a response in the order in which they were applied.
func contentCodings(h http.Header) []string {
	var codings []string
	for _, v := range h["Content-Encoding"] {
		for c := range strings.SplitSeq(v, ",") {
			c = strings.ToLower(strings.TrimSpace(c))
			if c != "" && c != "identity" {
				codings = append(codings, c)
			}
		}
	}
	return codings
}

// decoder decodes one coding. It opens the stream at the first Read, so that an empty body stays
// empty.
type decoder struct {
	coding string
	body   *ending
	in     *bufio.Reader
	out    io.Reader // nil before the first Read
	free   func()
}

var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4096) }}

func newDecoder(coding string, body *ending) (*decoder, error) {
	switch coding {
	case "gzip", "x-gzip", "deflate", "br":
	default:
		return nil, &codingError{coding, errUnknownCoding}
	}
	in := readers.Get().(*bufio.Reader)
	in.Reset(body)
	return &decoder{coding: coding, body: body, in: in}, nil
}

// ending is the input of a decoder: it records whether it was read to its end, and observes the
// bounds.
type ending struct {
	r    io.Reader
	end  bool
	left int64
	stop func() error
}

func (e *ending) Read(b []byte) (int, error) {
	if err := e.stop(); err != nil {
		return 0, err
	}
	n, err := e.r.Read(b)
	if e.left -= int64(n); e.left < 0 {
		return 0, errPackedTwice
	}
	e.end = err == io.EOF
	return n, err
}

var errEndsEarly = errors.New("it ends too early")

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
		if err := d.open(); err != nil {
			return 0, d.wrong(err)
		}
	}
	n, err := d.out.Read(b)
	return n, d.wrong(err)
}

// wrong wraps an error of the coding as a codingError, and leaves those of the network as they are.
func (d *decoder) wrong(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case err == nil || err == io.EOF:
		return err
	case d.body.end && errors.Is(err, io.ErrUnexpectedEOF): // the body is whole
		return &codingError{d.coding, errEndsEarly}
	case errors.As(err, &corrupt), errors.Is(err, errPackedTwice), errors.Is(err, errEmptyMembers),
		errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum),
		errors.Is(err, zlib.ErrHeader), errors.Is(err, zlib.ErrChecksum),
		errors.Is(err, zlib.ErrDictionary),
		strings.HasPrefix(err.Error(), "brotli: "):
		return &codingError{d.coding, err}
	}
	return err
}

var (
	gzips   = sync.Pool{New: func() any { return new(gzip.Reader) }}
	brotlis = sync.Pool{New: func() any { return brotli.NewReader(nil) }}
)

func (d *decoder) open() error {
	switch d.coding {
	case "br":
		z := brotlis.Get().(*brotli.Reader)
		d.out, d.free = z, func() { brotlis.Put(z) }
		return z.Reset(d.in)
	case "deflate":
		return d.openDeflate()
	}
	z := gzips.Get().(*gzip.Reader)
	d.out, d.free = &members{z: z, in: d.in}, func() { gzips.Put(z) }
	err := z.Reset(d.in)
	z.Multistream(false)
	return err
}

// members reads the members of a gzip stream (RFC 1952 2.2). Like browsers it ignores what follows
// the last one.
type members struct {
	z     *gzip.Reader
	in    *bufio.Reader
	empty int // empty members in a row
}

func (m *members) Read(b []byte) (int, error) {
	for {
		n, err := m.z.Read(b)
		if n > 0 {
			m.empty = -1 // the open member is not empty; next counts from 0 again
		}
		if err == io.EOF {
			err = m.next()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// next goes on to the next member; it returns io.EOF where there is none.
func (m *members) next() error {
	if head, _ := m.in.Peek(2); string(head) != "\x1f\x8b" {
		return io.EOF
	}
	if m.empty++; m.empty > maxEmpty {
		return errEmptyMembers
	}
	err := m.z.Reset(m.in)
	m.z.Multistream(false)
	return err
}

// openDeflate opens a zlib stream, which is what "deflate" means (RFC 9110 8.4.1.2), or the bare
// deflate stream that some servers send.
func (d *decoder) openDeflate() (err error) {
	head, _ := d.in.Peek(2)
	if len(head) == 2 && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		d.out, err = zlib.NewReader(d.in)
		return err
	}
	d.out = flate.NewReader(d.in)
	return nil
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

package sitemap

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/text/transform"
)

const (
	// maxLayers is how many times a file may be packed: a gzip of a gzip is an accident that
	// happens; deeper layers are not unpacked.
	maxLayers = 2
	// maxPacked is how many bytes lie between two layers at most.
	maxPacked = 64 << 20
	// maxEmpty is how many members in a row may be empty.
	maxEmpty = 10_000
)

// Errors that end the reading of a layer and count as damage.
var (
	errPacked = errors.New("it holds more than 64 MiB that are packed once more")
	errEmpty  = errors.New("it goes on with thousands of parts that hold nothing")
)

// Stoppable returns a reader for Read and Rewrite that returns ctx's error once ctx is done, even
// while a few packed bytes yield so much that r is not read for long. Its Close closes r, where r
// is a Closer.
func Stoppable(ctx context.Context, r io.Reader) io.ReadCloser { return &stoppable{ctx, r} }

type stoppable struct {
	ctx context.Context
	r   io.Reader
}

func (s *stoppable) Close() error {
	if c, ok := s.r.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

func (s *stoppable) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(b)
}

// input remembers the error of the caller's reader.
type input struct {
	r   io.Reader
	ctx context.Context // of a stoppable reader, else nil
	err error
}

// stopped reports whether the reading is to end; err then has the reason.
func (i *input) stopped() bool {
	if i.ctx != nil && i.err == nil {
		i.err = i.ctx.Err()
	}
	return i.err != nil
}

func (i *input) Read(b []byte) (int, error) {
	n, err := i.r.Read(b)
	if err != nil && err != io.EOF {
		i.err = err
	}
	return n, err
}

// isGzip reports whether b begins like gzip (RFC 1952, 2.3.1).
func isGzip(b []byte) bool { return bytes.HasPrefix(b, []byte{0x1f, 0x8b, 8}) }

// unpacker unpacks gzip of one or more members. Damage ends the text like the end of the file; what
// came before it counts.
type unpacker struct {
	in       *input
	from     *bufio.Reader // what z reads
	z        *gzip.Reader
	header   gzip.Header
	damage   error
	trailing bool  // bytes other than zeros follow the last member
	wrongSum bool  // the checksum or the size of a member is not that of its text
	max      int64 // how many bytes it may yield
	held     int64
	empty    int // empty members in a row
}

func (u *unpacker) Read(b []byte) (int, error) {
	for u.damage == nil && !u.trailing {
		if u.in.stopped() {
			return 0, u.in.err
		}
		n, err := u.z.Read(b)
		if u.held += int64(n); n > 0 {
			u.empty = 0
		}
		if err == gzip.ErrChecksum { // all of the member came
			u.wrongSum, err = true, io.EOF
		}
		if err == io.EOF {
			err = u.member()
		}
		if u.held > u.max && (err == nil || err == io.EOF) {
			err = errPacked
		}
		switch {
		case n > 0 && (err == nil || err == io.EOF):
			return n, nil
		case err == nil:
		case err == io.EOF:
			return 0, io.EOF
		case u.in.err != nil:
			return n, u.in.err
		default:
			u.damage = err
			return n, io.EOF
		}
	}
	return 0, io.EOF
}

// member goes on to the next member; it returns io.EOF where there is none. Like gzip it skips
// zeros that pad a file.
func (u *unpacker) member() error {
	for {
		_, _ = u.from.Peek(1)
		b, _ := u.from.Peek(u.from.Buffered())
		if len(b) == 0 {
			return cmp.Or(u.in.err, io.EOF)
		}
		zeros := len(b) - len(bytes.TrimLeft(b, "\x00"))
		_, _ = u.from.Discard(zeros)
		if zeros < len(b) {
			break
		}
	}
	if b, _ := u.from.Peek(2); len(b) < 2 || b[0] != 0x1f || b[1] != 0x8b {
		u.trailing = true
		return cmp.Or(u.in.err, io.EOF)
	}
	if u.empty++; u.empty > maxEmpty {
		return errEmpty
	}
	if err := u.z.Reset(u.from); err != nil {
		return err
	}
	u.z.Multistream(false)
	return nil
}

// packing packs what is written to it in the same way as the source was packed.
type packing struct {
	io.Writer
	closers []func() error // innermost first
}

func pack(s *source, w io.Writer) *packing {
	p := &packing{Writer: w}
	for _, u := range s.layers {
		z := gzip.NewWriter(p.Writer)
		z.Header = u.header
		p.closers = append([]func() error{z.Close}, p.closers...)
		p.Writer = z
	}
	if s.utf16 != nil {
		below := p.Writer
		t := transform.NewWriter(below, toUTF16{from: s.utf16})
		odd := func() error {
			_, err := below.Write(s.utf16.odd)
			return err
		}
		p.closers = append([]func() error{t.Close, odd}, p.closers...)
		p.Writer = t
	}
	return p
}

// close writes the rest and ends the packing.
func (p *packing) close() error {
	for _, closing := range p.closers {
		if err := closing(); err != nil {
			return err
		}
	}
	return nil
}

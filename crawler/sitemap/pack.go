package sitemap

import (
	"bufio"
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
)

var errPacked = errors.New("it holds more than 64 MiB that are packed once more")

// Stoppable returns a reader that returns ctx's error once ctx is done. Its Close closes r, where r is
// a Closer.
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
	err error
}

func (i *input) Read(b []byte) (int, error) {
	n, err := i.r.Read(b)
	if err != nil && err != io.EOF {
		i.err = err
	}
	return n, err
}

// unpacker unpacks gzip of one or more members. Damage ends the text like the end of the file; what
// came before it counts.
type unpacker struct {
	in       *input
	from     *bufio.Reader // what z reads
	z        *gzip.Reader
	header   gzip.Header
	ended    bool
	damage   error
	trailing bool  // bytes that are not gzip follow the last member
	max      int64 // how many bytes it may yield
	held     int64
}

func (u *unpacker) Read(b []byte) (n int, err error) {
	for n == 0 && err == nil {
		if u.ended {
			return 0, io.EOF
		}
		n, err = u.z.Read(b)
		if u.held += int64(n); u.held > u.max {
			err = errPacked
		}
		end := err == io.EOF
		if end {
			err = u.z.Reset(u.from) // goes on to the next member, or is at the end
			u.z.Multistream(false)
		}
		switch {
		case err == nil || err == io.EOF:
		case u.in.err != nil:
			return n, u.in.err
		case end:
			u.trailing, err = true, io.EOF
		default:
			u.damage, err = err, io.EOF
		}
		u.ended = err == io.EOF
	}
	return n, err
}

// packing packs what is written to it in the same way as the source was packed.
type packing struct {
	io.Writer
	closers []io.Closer // innermost last
}

func pack(s *source, w io.Writer) *packing {
	p := &packing{Writer: w}
	add := func(w io.WriteCloser) { p.Writer, p.closers = w, append(p.closers, w) }
	for _, u := range s.layers {
		z := gzip.NewWriter(p.Writer)
		z.Header = u.header
		add(z)
	}
	if s.utf16 != nil {
		add(transform.NewWriter(p.Writer, s.utf16.NewEncoder()))
	}
	return p
}

// close writes the rest and ends the packing.
func (p *packing) close() error {
	for i := len(p.closers) - 1; i >= 0; i-- {
		if err := p.closers[i].Close(); err != nil {
			return err
		}
	}
	return nil
}

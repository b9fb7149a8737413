package accesslog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// What can be wrong with the packing of a log; an UnpackError wraps one of these.
var (
	ErrCut     = errors.New("it is cut off")
	ErrDamaged = errors.New("it is damaged, or something else follows")
	ErrWindow  = errors.New("its zstd window is larger than 32 MB")
)

// An UnpackError says why a log was not read to its end; what comes before that was read.
type UnpackError struct {
	Err     error  // one of the above
	Packing string // gzip or zstd
}

// Error says what is wrong.
func (e *UnpackError) Error() string { return fmt.Sprintf("%v (%s)", e.Err, e.Packing) }

// Unwrap returns Err.
func (e *UnpackError) Unwrap() error { return e.Err }

// unpacker reads a log of text, of any number of members of gzip, or of frames of zstd.
type unpacker struct {
	file  file
	text  io.Reader // the unpacked log; nil before the first Read
	is    string    // how it is packed; "" for not at all
	close func()
}

// file is a log as it is stored. It keeps its own error, as opposed to those of unpacking.
type file struct {
	io.Reader
	err error
}

func (f *file) Read(b []byte) (int, error) {
	n, err := f.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}

// Read reads the unpacked log. Its errors are those of the file, io.EOF and an UnpackError.
func (u *unpacker) Read(b []byte) (int, error) {
	if u.text == nil {
		if err := u.begin(); err != nil {
			return 0, u.error(err)
		}
	}
	n, err := u.text.Read(b)
	return n, u.error(err)
}

// begin recognizes the packing.
func (u *unpacker) begin() error {
	in := bufio.NewReader(&u.file)
	head, _ := in.Peek(4) // its error comes back with the first Read
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		u.is = "gzip"
		z, err := gzip.NewReader(in)
		if err == nil {
			u.text = z
		}
		return err
	case string(head) == "\x28\xb5\x2f\xfd":
		u.is = "zstd"
		// A window of 32 MB is more than any level below --ultra uses; two of them would exceed the
		// memory that this package promises to stay below.
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxWindow(32<<20), zstd.WithDecoderLowmem(true))
		if err == nil {
			u.text, u.close = z, z.Close
		}
		return err
	}
	u.text = in
	return nil
}

// error returns the UnpackError for an error of unpacking, any other as it is.
func (u *unpacker) error(err error) error {
	kind := ErrDamaged
	switch {
	case err == nil, u.file.err != nil, err == io.EOF && u.text != nil:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		kind = ErrCut
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		kind = ErrWindow
	}
	return &UnpackError{Err: kind, Packing: u.is}
}

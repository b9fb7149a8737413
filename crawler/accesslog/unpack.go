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

// ErrCut says that a packed log ends before its end: what came is read, and this is said.
var ErrCut = errors.New("the file is cut off")

// ErrWindow says that a log is packed by zstd with a larger window than is read.
var ErrWindow = errors.New("its zstd window is larger than 32 MB: unpack it first, as in zstd -dc --long=31 FILE | sitemend logs -")

// unpack returns what a log says, whatever it is packed with, which its first octets tell: gzip
// with any number of members (RFC 1952, 2.2), or zstd with any number of frames (RFC 8878, 3.1).
// The caller calls done when it has read enough.
func unpack(r io.Reader) (plain io.Reader, packed bool, done func(), err error) {
	b := bufio.NewReaderSize(r, 64<<10)
	head, err := b.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, true, nil, fmt.Errorf("%w: %v", ErrCut, err)
		}
		return z, true, func() { z.Close() }, nil
	case bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}), len(head) == 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:], []byte{0x2a, 0x4d, 0x18}):
		// A window of 32 MB is more than any level below --ultra writes; two of them would not
		// fit into what this package promises to need.
		z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(32<<20), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, true, nil, err
		}
		return z, true, z.Close, nil
	}
	return b, false, func() {}, nil
}

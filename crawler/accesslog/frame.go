package accesslog

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// frame reads the bytes of a single frame of zstd (RFC 8878, 3.1): a decoder would read on after
// the frame, and report damage where no other frame follows.
type frame struct {
	in    *bufio.Reader
	left  int64 // bytes left of the current piece
	begun bool  // the header was read, or is the current piece
	check bool  // a checksum of 4 bytes follows the last block
	last  bool  // the current piece is the last block
}

// Read reads octets of the frame.
func (f *frame) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if f.left == 0 {
		if err := f.piece(); err != nil {
			return 0, err
		}
	}
	n, err := f.in.Read(b[:min(int64(len(b)), f.left)])
	f.left -= int64(n)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// piece begins the next piece: the header, a block, or the checksum. After the last it returns
// io.EOF.
func (f *frame) piece() error {
	switch {
	case !f.begun:
		f.begun = true
		return f.header()
	case !f.last:
		return f.block()
	case f.check:
		f.check, f.left = false, 4
		return nil
	}
	return io.EOF
}

// whole reports whether the whole frame was read.
func (f *frame) whole() bool { return f.last && f.left == 0 && !f.check }

// peek returns the next n bytes, or an error where there are fewer.
func (f *frame) peek(n int) ([]byte, error) {
	b, err := f.in.Peek(n)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

// header determines the length of the header of a frame (3.1.1.1), or that of a skippable frame
// (3.1.2).
func (f *frame) header() error {
	b, err := f.peek(5)
	if err != nil {
		return err
	}
	if b[0]&0xf0 == 0x50 {
		if b, err = f.peek(8); err != nil {
			return err
		}
		f.last, f.left = true, 8+int64(binary.LittleEndian.Uint32(b[4:]))
		return nil
	}
	flags := b[4]
	single := flags>>5&1 == 1
	f.check = flags>>2&1 == 1
	f.left = 5 + [...]int64{0, 1, 2, 4}[flags&3] // magic, flags, dictionary
	if !single {
		f.left++ // window
	}
	switch size := flags >> 6; {
	case size > 0:
		f.left += 1 << size
	case single:
		f.left++
	}
	return nil
}

// block determines the length of a block (3.1.1.2).
func (f *frame) block() error {
	b, err := f.peek(3)
	if err != nil {
		return err
	}
	v := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
	f.last = v&1 == 1
	f.left = 3 + int64(v>>3)
	if v>>1&3 == 1 { // one byte, repeated
		f.left = 4
	}
	return nil
}

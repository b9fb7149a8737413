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
	ErrDamaged = errors.New("it is damaged")
	ErrWindow  = errors.New("its zstd window is larger than 32 MB")
	ErrRest    = errors.New("what follows is neither gzip, zstd nor text")
	ErrUnread  = errors.New("it is in a form that is not read")
)

// An UnpackError says why a log was not read to its end; what comes before that was read.
type UnpackError struct {
	Err     error   // ErrCut, ErrDamaged, ErrWindow, ErrRest or ErrUnread
	Packing Packing // of the part with the error, or of the part before ErrRest and ErrUnread
	From    int64   // offset in the file at which that part, or the rest, begins
	To      int64   // how many bytes of the file were read
	Cause   error   // the error of the unpacking; nil for ErrRest and ErrUnread
}

// Error says what is wrong, and in which part of the file.
func (e *UnpackError) Error() string {
	switch e.Err {
	case ErrUnread:
		return fmt.Sprintf("it is %s, which is not read", e.Packing)
	case ErrRest:
		return fmt.Sprintf("after its %s, at byte %d: %v", e.Packing, e.From, e.Err)
	case ErrCut:
		return fmt.Sprintf("%v: the %s that begins at byte %d does not end, the file does, at byte %d",
			e.Err, e.Packing, e.From, e.To)
	}
	return fmt.Sprintf("%v: the %s that begins at byte %d, before byte %d: %v",
		e.Err, e.Packing, e.From, e.To, e.Cause)
}

// Unwrap returns Err.
func (e *UnpackError) Unwrap() error { return e.Err }

// A Packing is how a part of a log is packed.
type Packing string

// The packings that are read.
const (
	Text Packing = "text"
	Gzip Packing = "gzip"
	Zstd Packing = "zstd"
)

// unpacker reads a log of text, gzip, zstd, or any sequence of these: members of gzip (RFC 1952,
// 2.2) and frames of zstd (RFC 8878, 3.1) may follow one another, and "cat access.log*"
// concatenates text and gzip. It recognizes a part by its first bytes.
type unpacker struct {
	from counted
	in   *bufio.Reader
	// note is called where the packing of a part differs from the one before.
	note   func(is, was Packing, at int64)
	now    Packing   // "" before the first part
	at     int64     // where the part begins
	part   io.Reader // nil between parts
	bol    bool      // the next byte of text begins a line
	gz     *gzip.Reader
	zs     *zstd.Decoder
	frame  *frame // nil outside of zstd
	failed error
}

// counted counts the bytes that are read, and keeps the error of the file, as opposed to one of
// unpacking.
type counted struct {
	r   io.Reader
	n   int64
	err error
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

func newUnpacker(r io.Reader, note func(is, was Packing, at int64)) *unpacker {
	u := &unpacker{from: counted{r: r}, note: note}
	u.in = bufio.NewReaderSize(&u.from, chunkSize)
	return u
}

// close releases the decoders.
func (u *unpacker) close() {
	if u.zs != nil {
		u.zs.Close()
	}
}

// offset returns how far the file was read.
func (u *unpacker) offset() int64 { return u.from.n - int64(u.in.Buffered()) }

// Read reads the unpacked log. Its errors are those of the file, io.EOF and an UnpackError.
func (u *unpacker) Read(b []byte) (n int, err error) {
	for n == 0 && u.failed == nil && len(b) > 0 {
		if u.part == nil {
			if u.failed = u.next(); u.failed != nil {
				break
			}
		}
		n, err = u.part.Read(b)
		switch {
		case errors.Is(err, io.EOF) && u.frame != nil && !u.frame.whole():
			u.failed = u.wrong(io.ErrUnexpectedEOF) // the decoder does not recognize a cut header
		case errors.Is(err, io.EOF):
			u.part, u.frame = nil, nil
		case err != nil:
			u.failed = u.wrong(err)
		}
	}
	if n > 0 {
		return n, nil
	}
	return 0, u.failed
}

// wrong returns the UnpackError for an error of unpacking.
func (u *unpacker) wrong(err error) error {
	if u.from.err != nil {
		return u.from.err
	}
	e := &UnpackError{Err: ErrDamaged, Packing: u.now, From: u.at, To: u.offset(), Cause: err}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Err = ErrCut
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		e.Err = ErrWindow
	}
	return e
}

// next begins the next part.
func (u *unpacker) next() error {
	if u.now == Gzip || u.now == Zstd {
		u.padding()
	}
	head, err := u.in.Peek(headSize)
	if len(head) == 0 {
		return err // io.EOF, or that of the file
	}
	was := u.now
	if p := unread(head); was == "" && p != "" {
		return &UnpackError{Err: ErrUnread, Packing: p}
	}
	is := packingOf(head)
	if is == Text && was != "" && was != Text && !u.textual() {
		return &UnpackError{Err: ErrRest, Packing: was, From: u.offset(), To: u.offset()}
	}
	u.now, u.at = is, u.offset()
	if was != "" && was != is && u.note != nil {
		u.note(is, was, u.at)
	}
	switch is {
	case Gzip:
		return u.gzip()
	case Zstd:
		return u.zstd()
	}
	u.part, u.bol = (*text)(u), false // its first bytes are text
	return nil
}

// headSize is how many bytes of a part are needed to recognize it: those of gzip's header.
const headSize = 10

// packingOf returns the packing of a part by its first bytes.
func packingOf(head []byte) Packing {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return Gzip
	case bytes.HasPrefix(head, zstdMagic),
		len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], skippable):
		return Zstd
	}
	return Text
}

var (
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	skippable = []byte{0x2a, 0x4d, 0x18} // after an octet of 0x50 to 0x5f
)

// padding skips the NULs that tapes and blocks leave after a packed part.
func (u *unpacker) padding() {
	for {
		b, err := u.in.ReadByte()
		if err == nil && b == 0 {
			continue
		}
		if err == nil {
			_ = u.in.UnreadByte() // it was just read
		}
		return
	}
}

// textual reports whether what follows looks like text: it has no control characters other than
// those of lines.
func (u *unpacker) textual() bool {
	head, _ := u.in.Peek(512) // fewer bytes are examined as they are
	return !bytes.ContainsFunc(head,
		func(c rune) bool { return c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != 0x1b })
}

// gzip begins a member.
func (u *unpacker) gzip() (err error) {
	if u.gz == nil {
		u.gz, err = gzip.NewReader(u.in)
	} else {
		err = u.gz.Reset(u.in)
	}
	if err != nil {
		u.gz = nil
		return u.wrong(err)
	}
	u.gz.Multistream(false)
	u.part = u.gz
	return nil
}

// zstd begins a frame.
func (u *unpacker) zstd() (err error) {
	f := &frame{in: u.in}
	u.frame = f
	if u.zs == nil {
		// A window of 32 MB is more than any level below --ultra uses; two of them would exceed the
		// memory that this package promises to stay below.
		u.zs, err = zstd.NewReader(f, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxWindow(32<<20), zstd.WithDecoderLowmem(true))
	} else {
		err = u.zs.Reset(f)
	}
	if err != nil {
		return u.wrong(err)
	}
	u.part = u.zs
	return nil
}

// text is an unpacker within text, which ends where a line begins like gzip or zstd.
type text unpacker

// Read reads text.
func (t *text) Read(b []byte) (int, error) {
	buf, err := t.in.Peek(max(t.in.Buffered(), headSize+1))
	if len(buf) == 0 {
		return 0, err
	}
	end := len(buf)
	if err == nil {
		end -= headSize // what begins there is examined with what follows
	}
	end = min(end, len(b))
	if i := t.packed(buf, end); i == 0 {
		return 0, io.EOF
	} else if i > 0 {
		end = i
	}
	n := copy(b, buf[:end])
	t.bol = buf[n-1] == '\n'
	_, _ = t.in.Discard(n) // they are buffered
	return n, nil
}

// packed returns where before end a line begins that is gzip or zstd; -1 for nowhere. It searches
// for their first bytes, which are rare in logs, rather than for lines. Within a line such bytes
// are what a client sent.
func (t *text) packed(buf []byte, end int) int {
	found := -1
	begins := func(i int) bool {
		return i == 0 && t.bol || i > 0 && buf[i-1] == '\n'
	}
	for i := 0; i < end; i++ {
		n := bytes.IndexByte(buf[i:end], 0x1f)
		if n < 0 {
			break
		}
		if i += n; begins(i) && gzipHeader(buf[i:]) {
			found, end = i, i
		}
	}
	for i := 3; i < min(end+3, len(buf)); i++ {
		n := bytes.IndexByte(buf[i:min(end+3, len(buf))], 0xfd)
		if n < 0 {
			break
		}
		if i += n; begins(i-3) && bytes.Equal(buf[i-3:i+1], zstdMagic) {
			return i - 3
		}
	}
	return found
}

// gzipHeader reports whether b begins like a member of gzip: deflate, no reserved flag.
func gzipHeader(b []byte) bool {
	return len(b) >= headSize && b[0] == 0x1f && b[1] == 0x8b && b[2] == 8 && b[3]&0xe0 == 0
}

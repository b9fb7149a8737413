package sitemap

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// UTF-16 is read as UTF-8 and written as UTF-16 again. To make that exact for any bytes, an
// unpaired surrogate is read as the three bytes that UTF-8 would have for it (WTF-8), and an odd
// last byte is kept separately.

// byteOrder is the part that both orders of encoding/binary share.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// utf16Order recognizes UTF-16 by its byte order mark, or by the zero bytes of two ASCII characters
// at the start; nil for none.
func utf16Order(b []byte) byteOrder {
	switch {
	case len(b) < 2 || bytes.HasPrefix(b, []byte{0xFF, 0xFE, 0, 0}): // the latter is UTF-32
		return nil
	case b[0] == 0xFF && b[1] == 0xFE:
		return binary.LittleEndian
	case b[0] == 0xFE && b[1] == 0xFF:
		return binary.BigEndian
	case len(b) < 4:
		return nil
	case b[0] != 0 && b[1] == 0 && b[2] != 0 && b[3] == 0:
		return binary.LittleEndian
	case b[0] == 0 && b[1] != 0 && b[2] == 0 && b[3] != 0:
		return binary.BigEndian
	}
	return nil
}

// fromUTF16 reads UTF-16 as UTF-8.
type fromUTF16 struct {
	transform.NopResetter
	order byteOrder
	total int64  // bytes that were read
	odd   []byte // after the end: a last byte that is no whole unit
}

// Transform implements transform.Transformer.
func (f *fromUTF16) Transform(dst, src []byte, atEOF bool) (wrote, read int, err error) {
	defer func() { f.total += int64(read) }()
	for len(src)-read >= 2 {
		b := src[read:]
		r, size := rune(f.order.Uint16(b)), 2
		if r >= 0xD800 && r < 0xDC00 {
			if len(b) < 4 && !atEOF {
				return wrote, read, transform.ErrShortSrc
			}
			if len(b) >= 4 {
				if pair := utf16.DecodeRune(r, rune(f.order.Uint16(b[2:]))); pair != utf8.RuneError {
					r, size = pair, 4
				}
			}
		}
		if len(dst)-wrote < utf8.UTFMax {
			return wrote, read, transform.ErrShortDst
		}
		wrote += len(appendWTF8(dst[wrote:wrote], r))
		read += size
	}
	switch {
	case len(src) == read:
		return wrote, read, nil
	case !atEOF:
		return wrote, read, transform.ErrShortSrc
	}
	f.odd = bytes.Clone(src[read:])
	return wrote, len(src), nil
}

// appendWTF8 is utf8.AppendRune that accepts unpaired surrogates, too.
func appendWTF8(out []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(out, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(out, r)
}

// toUTF16 writes what fromUTF16 returned as UTF-16.
type toUTF16 struct {
	transform.NopResetter
	from *fromUTF16
}

// Transform implements transform.Transformer.
func (t toUTF16) Transform(dst, src []byte, atEOF bool) (wrote, read int, err error) {
	order := t.from.order
	for read < len(src) {
		b := src[read:]
		if len(dst)-wrote < utf8.UTFMax {
			return wrote, read, transform.ErrShortDst
		}
		if !atEOF && (!utf8.FullRune(b) || b[0] == 0xED && len(b) < 3) {
			return wrote, read, transform.ErrShortSrc
		}
		r, n := utf8.DecodeRune(b)
		if b[0] == 0xED && len(b) >= 3 && b[1] >= 0xA0 {
			r, n = 0xD000|rune(b[1]&0x3F)<<6|rune(b[2]&0x3F), 3
		}
		out := dst[wrote:wrote]
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			out = order.AppendUint16(order.AppendUint16(out, uint16(high)), uint16(low))
		} else {
			out = order.AppendUint16(out, uint16(r))
		}
		wrote, read = wrote+len(out), read+n
	}
	return wrote, read, nil
}

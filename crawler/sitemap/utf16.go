package sitemap

import (
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// UTF-16 is read as UTF-8 and written as UTF-16 again. To make that exact for any bytes, an
// unpaired surrogate is read as the three bytes that UTF-8 would have for it (WTF-8), and an odd
// last byte is kept separately.

// byteOrder is the part that both orders of encoding/binary share.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// fromUTF16 reads UTF-16 as UTF-8.
type fromUTF16 struct {
	r     io.Reader
	order byteOrder
	in    [16 << 10]byte
	n     int    // bytes in in
	total int64  // bytes that were read
	out   []byte // decoded, not yet read
	err   error
	odd   []byte // after the end: a last byte that is no whole unit
	space []byte
}

func (f *fromUTF16) Read(b []byte) (int, error) {
	for len(f.out) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		n, err := f.r.Read(f.in[f.n:])
		f.n, f.err, f.total = f.n+n, err, f.total+int64(n)
		f.decode()
	}
	n := copy(b, f.out)
	f.out = f.out[n:]
	return n, nil
}

// decode decodes the complete units in f.in.
func (f *fromUTF16) decode() {
	b, out := f.in[:f.n], f.space[:0]
	for len(b) >= 2 {
		r := rune(f.order.Uint16(b))
		size := 2
		if r >= 0xD800 && r < 0xDC00 {
			if len(b) < 4 && f.err == nil {
				break
			}
			if len(b) >= 4 {
				if pair := utf16.DecodeRune(r, rune(f.order.Uint16(b[2:]))); pair != utf8.RuneError {
					r, size = pair, 4
				}
			}
		}
		out = appendWTF8(out, r)
		b = b[size:]
	}
	if f.err != nil {
		f.odd = append([]byte(nil), b...)
		b = nil
	}
	f.n = copy(f.in[:], b)
	f.out, f.space = out, out
}

// appendWTF8 is utf8.AppendRune that accepts unpaired surrogates, too.
func appendWTF8(out []byte, r rune) []byte {
	if r >= 0xD800 && r < 0xE000 {
		return append(out, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(out, r)
}

// toUTF16 writes what fromUTF16 returned as UTF-16.
type toUTF16 struct {
	w     io.Writer
	order byteOrder
	rest  []byte // the start of a character
	out   []byte
}

func (t *toUTF16) Write(b []byte) (int, error) {
	in := b
	if len(t.rest) > 0 {
		in = append(t.rest, b...)
	}
	out := t.out[:0]
	for len(in) > 0 {
		r, n := wtf8(in)
		if n == 0 {
			break
		}
		out = t.append(out, r)
		in = in[n:]
	}
	t.rest = append([]byte(nil), in...)
	t.out = out
	if _, err := t.w.Write(out); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (t *toUTF16) append(out []byte, r rune) []byte {
	if r < 0x10000 {
		return t.order.AppendUint16(out, uint16(r))
	}
	high, low := utf16.EncodeRune(r)
	return t.order.AppendUint16(t.order.AppendUint16(out, uint16(high)), uint16(low))
}

// wtf8 returns the first character of b and its length; 0 where b ends within it.
func wtf8(b []byte) (rune, int) {
	if b[0] < 0x80 {
		return rune(b[0]), 1
	}
	if b[0] == 0xED && len(b) >= 3 && b[1] >= 0xA0 {
		return 0xD000 | rune(b[1]&0x3F)<<6 | rune(b[2]&0x3F), 3
	}
	if b[0] == 0xED && len(b) < 3 || !utf8.FullRune(b) {
		return 0, 0
	}
	return utf8.DecodeRune(b)
}

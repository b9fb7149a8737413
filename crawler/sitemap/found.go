package sitemap

import (
	"bytes"
	"cmp"
	"unicode"
	"unicode/utf8"
)

// A form is how an address is written in a file, and so how another one is written in its place.
type form uint8

const (
	formPlain       form = iota // a line of a text file
	formText                    // XML text or an attribute's value
	formCDATA                   // in one CDATA section, or in several
	formTextToCDATA             // begins in text, ends in a CDATA section
	formCDATAToText
	formEmpty // there is a self-closing tag only
	formBare  // an attribute value without quotes
)

// A piece is a part of an address: text, or the content of a CDATA section.
type piece struct {
	Span
	cdata bool
}

// A found is an address that was found and is still in the window.
type found struct {
	line, column int
	tag          Span // <loc>...</loc>
	addr         Span
	form         form
	pieces       []piece // without outer white space
	ends         bool    // its start tag ended another <loc> that has no end tag
	before       rune    // white space outside ASCII before the address, or 0
	after        rune    // likewise behind it
	lang         string  // the hreflang of an xhtml:link
	kind         LinkKind
	of           int // with kind Image and so on: number of the block in the item, from 1
}

// fit determines the place of the address in the pieces between two tags, without their outer white
// space. inner is where the content starts, which is the place of an empty address.
func (f *found) fit(w *window, charset *charset, inner int64) {
	for len(f.pieces) > 0 {
		p := &f.pieces[0]
		b := w.bytes(p.Span)
		p.Start = p.End - int64(len(charset.trimLeft(b, p.cdata)))
		f.before = cmp.Or(f.before, wideIn(b[:len(b)-int(p.Len())], p.cdata, charset))
		if p.Len() > 0 {
			break
		}
		f.pieces = f.pieces[1:]
	}
	for len(f.pieces) > 0 {
		p := &f.pieces[len(f.pieces)-1]
		b := w.bytes(p.Span)
		p.End = p.Start + int64(len(charset.trimRight(b, p.cdata)))
		f.after = cmp.Or(f.after, wideIn(b[p.Len():], p.cdata, charset))
		if p.Len() > 0 {
			break
		}
		f.pieces = f.pieces[:len(f.pieces)-1]
	}
	f.addr, f.form = Span{inner, inner}, formText
	if n := len(f.pieces); n > 0 {
		f.addr = Span{f.pieces[0].Start, f.pieces[n-1].End}
		f.form = between(f.pieces[0].cdata, f.pieces[n-1].cdata)
	}
}

// wideIn returns the first character outside ASCII in white space; 0 for none.
func wideIn(b []byte, cdata bool, charset *charset) rune {
	if ascii(b) && (cdata || bytes.IndexByte(b, '&') < 0) {
		return 0
	}
	if b = charset.decode(b); !cdata {
		b = resolve(nil, b)
	}
	for _, r := range string(b) {
		if r >= utf8.RuneSelf {
			return r
		}
	}
	return 0
}

func between(first, last bool) form {
	switch {
	case first && last:
		return formCDATA
	case first:
		return formCDATAToText
	case last:
		return formTextToCDATA
	}
	return formText
}

// text appends the address to dst, decoded and with references resolved.
func (f *found) text(dst []byte, w *window, charset *charset) []byte {
	for _, p := range f.pieces {
		b := charset.decode(w.bytes(p.Span))
		if p.cdata || f.form == formPlain {
			dst = append(dst, b...)
		} else {
			dst = resolve(dst, b)
		}
	}
	return dst
}

// trimLeft removes white space from the start of a piece: that of ASCII, references to white space
// where the piece is not CDATA, and, where wide is set, any of Unicode.
func trimLeft(b []byte, cdata, wide bool) []byte {
	for len(b) > 0 {
		if c := b[0]; c < 0x80 && c != '&' && !asciiSpace(c) {
			return b
		}
		r, n := unit(b, cdata, wide)
		if !space(r) {
			return b
		}
		b = b[n:]
	}
	return b
}

// trimRight is trimLeft for the end of a piece.
func trimRight(b []byte, cdata, wide bool) []byte {
	for len(b) > 0 {
		switch c := b[len(b)-1]; {
		case asciiSpace(c):
			b = b[:len(b)-1]
		case c == ';' && !cdata:
			i := bytes.LastIndexByte(b, '&')
			if i < 0 {
				return b
			}
			if r, n := reference(b[i:]); n != len(b)-i || !space(r) {
				return b
			}
			b = b[:i]
		case c >= 0x80 && wide:
			r, n := utf8.DecodeLastRune(b)
			if !space(r) {
				return b
			}
			b = b[:len(b)-n]
		default:
			return b
		}
	}
	return b
}

// unit returns the first character of b, or the one it refers to, and its
// length in bytes.
func unit(b []byte, cdata, wide bool) (rune, int) {
	switch {
	case b[0] == '&' && !cdata:
		if r, n := reference(b); n > 0 {
			return r, n
		}
	case b[0] >= 0x80 && wide:
		return utf8.DecodeRune(b)
	}
	if b[0] >= 0x80 {
		return utf8.RuneError, 1
	}
	return rune(b[0]), 1
}

func asciiSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// space reports whether r is white space around an address: that of Unicode, a zero width space, or
// a byte order mark.
func space(r rune) bool {
	return unicode.IsSpace(r) || r == 0x200B || r == 0xFEFF
}

package sitemap

import (
	"bytes"
	"strings"
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
)

// A piece is a part of an address: text, or the content of a CDATA section.
type piece struct {
	Span
	cdata bool
}

// A found is an address that was found.
type found struct {
	line, column int
	tag          Span // <loc>...</loc>
	addr         Span // without outer white space
	form         form
	first, last  int  // its pieces are item.pieces[first:last]
	lang         Span // the hreflang of an xhtml:link; empty for none
	kind         LinkKind
}

// fit determines the place of the address in its pieces, without their outer white space. inner is
// where the content starts, which is the place of an empty address.
func (f *found) fit(it *item, w *window, c *charset, inner int64) {
	p := it.pieces
	for ; f.first < f.last; f.first++ {
		one := &p[f.first]
		one.Start = one.End - int64(len(trimLeft(w.bytes(one.Span), one.cdata, c == nil)))
		if one.Len() > 0 {
			break
		}
	}
	for ; f.first < f.last; f.last-- {
		one := &p[f.last-1]
		one.End = one.Start + int64(len(trimRight(w.bytes(one.Span), one.cdata, c == nil)))
		if one.Len() > 0 {
			break
		}
	}
	f.addr, f.form = Span{inner, inner}, formText
	if f.first == f.last {
		return
	}
	f.addr = Span{p[f.first].Start, p[f.last-1].End}
	switch first, last := p[f.first].cdata, p[f.last-1].cdata; {
	case first && last:
		f.form = formCDATA
	case first:
		f.form = formCDATAToText
	case last:
		f.form = formTextToCDATA
	}
}

// text appends the address to dst, decoded and with references resolved.
func (f *found) text(dst []byte, it *item, w *window, c *charset) []byte {
	from := len(dst)
	for _, p := range it.pieces[f.first:f.last] {
		b := c.decode(w.bytes(p.Span))
		if p.cdata {
			dst = append(dst, b...)
		} else {
			dst = resolve(dst, b)
		}
	}
	if c != nil { // the white space of a charset is known only once it is decoded
		return append(dst[:from], bytes.TrimFunc(dst[from:], space)...)
	}
	return dst
}

// trimLeft removes white space from the start of a piece: that of ASCII, references to white space
// where the piece is not CDATA, and, where wide is set, any of Unicode.
func trimLeft(b []byte, cdata, wide bool) []byte {
	for len(b) > 0 {
		r, n := rune(b[0]), 1
		switch {
		case r == '&' && !cdata:
			r, n = reference(b)
		case r >= utf8.RuneSelf && !wide:
			return b
		case r >= utf8.RuneSelf:
			r, n = utf8.DecodeRune(b)
		}
		if n == 0 || !space(r) {
			return b
		}
		b = b[n:]
	}
	return b
}

// trimRight is trimLeft for the end of a piece.
func trimRight(b []byte, cdata, wide bool) []byte {
	for len(b) > 0 {
		r, n := rune(b[len(b)-1]), 1
		switch {
		case r == ';' && !cdata:
			i := max(bytes.LastIndexByte(b, '&'), 0)
			if r, n = reference(b[i:]); n != len(b)-i {
				return b
			}
		case r >= utf8.RuneSelf && !wide:
			return b
		case r >= utf8.RuneSelf:
			r, n = utf8.DecodeLastRune(b)
		}
		if !space(r) {
			return b
		}
		b = b[:len(b)-n]
	}
	return b
}

// space reports whether r is white space around an address: that of Unicode, a zero width space, or
// a byte order mark.
func space(r rune) bool {
	return unicode.IsSpace(r) || r == 0x200B || r == 0xFEFF
}

// resolve appends b to dst with XML's five entities and the character references resolved (XML 1.0,
// 4.6 and 4.1). Any other reference stays as written.
func resolve(dst, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, '&')
		if i < 0 {
			return append(dst, b...)
		}
		dst = append(dst, b[:i]...)
		b = b[i:]
		r, n := reference(b)
		if n == 0 {
			dst, n = append(dst, '&'), 1
		} else {
			dst = utf8.AppendRune(dst, r)
		}
		b = b[n:]
	}
}

// reference returns the character that the reference at the start of b stands for, and its length
// in bytes; 0 for a reference that XML does not know without a DTD.
func reference(b []byte) (r rune, n int) {
	end := bytes.IndexByte(b[:min(len(b), 12)], ';')
	if end < 2 {
		return 0, 0
	}
	switch string(b[:end]) {
	case "&amp":
		r = '&'
	case "&apos":
		r = '\''
	case "&gt":
		r = '>'
	case "&lt":
		r = '<'
	case "&quot":
		r = '"'
	default:
		if r = number(b[:end]); r == 0 {
			return 0, 0
		}
	}
	return r, end + 1
}

// number reads a character reference, as "&#12354" or "&#x3042"; 0 for another one, or one to a
// character that XML does not allow (XML 1.0, 2.2).
func number(b []byte) rune {
	base, digits := rune(10), bytes.TrimPrefix(b, []byte("&#"))
	if len(digits) == len(b) {
		return 0
	}
	if len(digits) > 0 && digits[0] == 'x' {
		base, digits = 16, digits[1:]
	}
	r := rune(0)
	for _, c := range digits {
		d := rune(strings.IndexByte("0123456789abcdef", c|0x20))
		if c < '0' || d < 0 || d >= base || r > utf8.MaxRune {
			return 0
		}
		r = r*base + d
	}
	if !utf8.ValidRune(r) || r < 0x20 && !asciiSpace(byte(r)) || r == '\v' || r == '\f' || r == 0xFFFE || r == 0xFFFF {
		return 0
	}
	return r
}

// loose returns the first "&" in b that begins no reference, with what follows it, at most 12
// bytes; nil for none. named is set where it looks like an entity that a DTD might declare.
func loose(b []byte) (at int, ref []byte, named bool) {
	for {
		i := bytes.IndexByte(b[at:], '&')
		if i < 0 {
			return 0, nil, false
		}
		at += i
		if _, n := reference(b[at:]); n == 0 {
			break
		}
		at++
	}
	ref = b[at:min(len(b), at+12)]
	end := bytes.IndexByte(ref, ';')
	if end > 1 {
		ref = ref[:end+1]
	}
	return at, ref, end > 1 && nameStart[ref[1]]
}

var escaper = strings.NewReplacer("&", "&amp;", "'", "&apos;", "<", "&lt;", ">", "&gt;", `"`,
	"&quot;")

// write returns the text to write in place of f so that it reads as loc. tag is the self-closing
// tag of a formEmpty.
func (f form) write(loc string, tag []byte) string {
	switch f {
	case formText:
		return escaper.Replace(loc)
	case formTextToCDATA:
		return escaper.Replace(loc) + "<![CDATA["
	case formCDATA:
		return splitCDATA(loc)
	case formCDATAToText:
		return splitCDATA(loc) + "]]>"
	case formEmpty:
		open := strings.TrimSuffix(string(tag), "/>")
		return open + ">" + escaper.Replace(loc) + "</" + tagName(tag) + ">"
	}
	return loc
}

// splitCDATA splits each "]]>" in loc, so that it does not end the section it is written into.
func splitCDATA(loc string) string {
	return strings.ReplaceAll(loc, "]]>", "]]]]><![CDATA[>")
}

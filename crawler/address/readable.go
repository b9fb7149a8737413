package address

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is an address in readable form.
type Text struct {
	Text    string
	Charset string // of the escapes, by WHATWG name: "utf-8", ...; "" for ASCII or where none fits
	// Confidence is the confidence in Charset, 0 to 1: 1 for ASCII and for clear UTF-8, 0 where no
	// charset fits.
	Confidence float64
}

// Readable returns wire in readable form: its host in its own script (ToUnicodeHost) and its
// escapes decoded, as UTF-8 where they are valid, else in the legacy charset that gives the most
// plausible text; the top level domain has a little weight. Path segments and parameters may have
// different charsets. Escapes of spaces, control, bidi and invisible characters and of "%" stay,
// and so do those that are not text. The result is for display: it cannot be sent.
func Readable(wire string) Text {
	a := Wire(wire)
	head, target := a.Origin(), wire
	if !a.IsZero() {
		target = a.Target()
	}
	if host := ToUnicodeHost(a.Host()); host != a.Host() {
		head = a.Scheme() + "://" + host + a.wire[a.host:a.auth]
	}
	if isASCII(target) && strings.IndexByte(target, '%') < 0 {
		if head == a.Origin() {
			return Text{Text: wire, Confidence: 1}
		}
		return Text{Text: head + target, Confidence: 1}
	}
	pieces := cutReadable(target)
	c, confidence := chooseCharset(pieces, a.Host())
	var b strings.Builder
	b.WriteString(head)
	for _, p := range pieces {
		p.write(&b, c)
	}
	return Text{Text: b.String(), Charset: c.name, Confidence: confidence}
}

// A readablePiece is a path segment or a part of a parameter, or the delimiter
// between two.
type readablePiece struct {
	src   string
	bytes []byte // decoded
	at    []int  // where the spelling of each byte begins in src, and the end of the last
}

// cutReadable splits the text at its literal delimiters, except those that the shifts of
// ISO-2022-JP make part of characters.
func cutReadable(s string) (pieces []readablePiece) {
	start, shifted := 0, false
	for i := 0; i <= len(s); i++ {
		if in, ok := shiftAt(s[i:]); ok {
			shifted = in
		}
		if i < len(s) && (shifted || strings.IndexByte("/?&=;", s[i]) < 0) {
			continue
		}
		if start < i {
			pieces = append(pieces, newReadablePiece(s[start:i]))
		}
		if i < len(s) {
			pieces = append(pieces, newReadablePiece(s[i:i+1]))
		}
		start = i + 1
	}
	return pieces
}

// shiftAt reports whether s begins with a shift of ISO-2022-JP, and whether that selects characters
// of two bytes.
func shiftAt(s string) (in, ok bool) {
	if !strings.HasPrefix(s, "%1B") && !strings.HasPrefix(s, "%1b") {
		return false, false
	}
	s = decode(s[:min(len(s), len("%1B%24"))])
	if len(s) < 2 {
		return false, false
	}
	return s[1] == '$', s[1] == '$' || s[1] == '('
}

func newReadablePiece(src string) readablePiece {
	p := readablePiece{src: src}
	for i := 0; i < len(src); {
		t := tokenAt(src, i)
		p.bytes, p.at = append(p.bytes, t.value), append(p.at, i)
		i += int(t.len)
	}
	p.at = append(p.at, len(src))
	return p
}

// isUTF8 reports whether the piece contains characters of UTF-8 only.
func (p readablePiece) isUTF8() bool { return utf8.Valid(p.bytes) && !p.shifts() }

// shifts reports whether the piece contains shifts of ISO-2022-JP.
func (p readablePiece) shifts() bool {
	s := string(p.bytes)
	return strings.Contains(s, "\x1b$") && isASCII(s)
}

var utf8Charset = charset{name: "utf-8"}

// chooseCharset returns the charset of the pieces and the confidence. UTF-8 pieces count only where
// there are no others.
func chooseCharset(pieces []readablePiece, host string) (charset, float64) {
	var legacy [][]byte
	chars := 0
	for _, p := range pieces {
		if !p.isUTF8() {
			legacy = append(legacy, p.bytes)
		} else if !isASCII(string(p.bytes)) {
			chars += utf8.RuneCount(p.bytes)
		}
	}
	switch {
	case legacy != nil:
		return guess(legacy, host)
	case chars == 0:
		return charset{}, 1
	case chars == 1:
		return utf8Charset, 0.9 // two bytes may be a UTF-8 letter by coincidence
	}
	return utf8Charset, 1
}

// write writes the piece; bytes that are not UTF-8 in charset c.
func (p readablePiece) write(b *strings.Builder, c charset) {
	switch {
	case p.isUTF8() || c.enc == nil:
		p.writeChars(b, utf8Charset)
	case p.shifts():
		p.writeWhole(b, c)
	default:
		p.writeChars(b, c)
	}
}

// writeChars writes character by character; what cannot be displayed keeps its spelling.
func (p readablePiece) writeChars(b *strings.Builder, c charset) {
	for i := 0; i < len(p.bytes); {
		n := 1
		var text []byte
		if c.enc == nil {
			_, n = utf8.DecodeRune(p.bytes[i:])
			text = p.bytes[i : i+n]
		} else {
			n = c.size(p.bytes[i:])
			text, _ = c.decode(p.bytes[i : i+n])
		}
		spelt := p.src[p.at[i]:p.at[i+n]]
		if len(spelt) == n && isASCII(spelt) || !visible(text) {
			b.WriteString(spelt)
		} else {
			b.Write(text)
		}
		i += n
	}
}

// writeWhole writes a piece whose characters depend on what precedes them.
func (p readablePiece) writeWhole(b *strings.Builder, c charset) {
	if text, ok := c.decode(p.bytes); ok && visible(text) {
		b.Write(text)
		return
	}
	b.WriteString(p.src)
}

// visible reports whether a whole text can be displayed, and is not "%".
func visible(text []byte) bool {
	return len(text) > 0 &&
		!bytes.ContainsFunc(text, func(r rune) bool { return r == '%' || hidden(r) })
}

// hidden reports whether a character must not be displayed as it is: it is a control character or
// white space, changes direction, or is invisible.
func hidden(r rune) bool {
	switch {
	case r == utf8.RuneError, r == ' ', !unicode.IsGraphic(r), unicode.IsSpace(r),
		unicode.Is(unicode.Cf, r):
		return true
	}
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
		r == 0x2800
}

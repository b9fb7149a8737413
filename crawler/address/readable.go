package address

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A Text is a URL in readable form.
type Text struct {
	Text    string
	Charset string // of the escapes, by WHATWG name: "utf-8", ...; "" for ASCII, and where none is plausible
}

// Readable returns a URL or a part of one with its escapes as text: as UTF-8 where they are valid,
// else in the legacy charset in which they are the most plausible. Escapes of spaces, control, bidi
// and invisible characters and of "%" stay, and so do those that are not text. The result is for
// display: it cannot be sent.
func Readable(wire string) Text {
	if isASCII(wire) && strings.IndexByte(wire, '%') < 0 {
		return Text{Text: wire}
	}
	ts, charset := inUTF8(tokens(wire, false))
	raw := values(ts)
	var b []byte
	for i := 0; i < len(raw); {
		r, n := utf8.DecodeRune(raw[i:])
		if r == '%' || hidden(r) {
			b = write(b, ts[i:i+n])
		} else {
			b = append(b, raw[i:i+n]...)
		}
		i += n
	}
	return Text{string(b), charset}
}

// InUTF8 returns a with the text of path and query converted to UTF-8, where it is in a legacy
// charset, and the name of that charset. All other bytes keep their spelling. It returns a and ""
// where there is no such text or its charset is not known.
func InUTF8(a Address) (Address, string) {
	ts, charset := inUTF8(tokens(a.Target(), false))
	if charset == "" || charset == "utf-8" {
		return a, ""
	}
	return a.withTarget(ts), charset
}

// InForm returns a with the UTF-8 text of path and query composed (Unicode normal form C) or
// decomposed (D). All other bytes keep their spelling, and so does text that is not UTF-8.
func InForm(a Address, form norm.Form) Address {
	var out []token
	for _, piece := range pieces(tokens(a.Target(), false)) {
		out = append(out, inForm(piece, form)...)
	}
	return a.withTarget(out)
}

func (a Address) withTarget(ts []token) Address { return Wire(string(write([]byte(a.Origin()), ts))) }

// inUTF8 converts text in a legacy charset to UTF-8, and returns the charset: "utf-8" or "" where
// there is none.
func inUTF8(ts []token) (utf []token, name string) {
	var legacy [][]byte
	for _, piece := range pieces(ts) {
		if text := values(piece); !utf8.Valid(text) {
			legacy = append(legacy, text)
		} else if !isASCII(string(text)) {
			name = "utf-8"
		}
	}
	if legacy == nil {
		return ts, name
	}
	c, ok := guess(legacy)
	if !ok {
		return ts, ""
	}
	for _, piece := range pieces(ts) {
		if !utf8.Valid(values(piece)) {
			piece, _ = c.toUTF8(piece)
		}
		utf = append(utf, piece...)
	}
	return utf, c.name
}

// pieces returns the segments of a path and the names and values of a query, each with the delimiter
// behind it.
func pieces(ts []token) (all [][]token) {
	for len(ts) > 0 {
		n := 1 + slices.IndexFunc(ts, func(t token) bool {
			return !t.escaped && strings.IndexByte("/?&=;", t.value) >= 0
		})
		if n == 0 {
			n = len(ts)
		}
		all, ts = append(all, ts[:n]), ts[n:]
	}
	return all
}

// hidden reports whether a character must not be displayed as it is: it is a control character or
// white space, changes direction, or is invisible.
func hidden(r rune) bool {
	return r == utf8.RuneError || r == ' ' || r == 0x2800 || !unicode.IsGraphic(r) || unicode.IsSpace(r) ||
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Shown returns a URL as it is written, for display; in wire form where its host is not ASCII, since
// such a host may look like another one.
func Shown(text string) string {
	if isASCII(text) {
		return text
	}
	if a, err := Parse(text); err == nil && strings.Contains(a.Host(), "xn--") {
		return a.String()
	}
	return text
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

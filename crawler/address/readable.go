package address

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is an address for people to read.
type Text struct {
	Text       string
	Charset    string  // of the escapes: "utf-8", "euc-jp", ...; "" where all is ASCII or nothing fits
	Confidence float64 // 0..1, how sure Charset is
}

// Readable returns wire with its escapes decoded as text.
func Readable(wire string) Text {
	d := decode(wire)
	if !utf8.ValidString(d) {
		return Text{Text: wire}
	}
	return Text{Text: d, Charset: "utf-8", Confidence: 1}
}

// hidden tells whether a character must not be shown as it is: it is a control,
// steers direction, or cannot be seen.
func hidden(r rune) bool {
	return r == ' ' || r == utf8.RuneError || !unicode.IsGraphic(r) || unicode.IsSpace(r) || strings.ContainsRune("\u115f\u1160\u3164\uffa0\u034f\u2800", r)
}

package address

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A token is one byte of a path or query, and how it is spelt there.
type token struct {
	value   byte
	escaped bool
	depth   uint8   // how often the escape is escaped itself: 0 for %28, 1 for %2528
	hex     [2]byte // the digits of the escape; zero where no text has them: the byte was converted
}

// size returns how many bytes of a text the token takes.
func (t token) size() int {
	if t.escaped {
		return 3 + 2*int(t.depth)
	}
	return 1
}

// tokenAt returns the token at byte i of s. A % that begins no escape is a literal byte.
func tokenAt(s string, i int) token {
	c := s[i]
	if c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
		return token{value: byte(unhex[s[i+1]]<<4 | unhex[s[i+2]]), escaped: true, hex: [2]byte{s[i+1], s[i+2]}}
	}
	return token{value: c}
}

// tokens returns the tokens of s; with nested it reads %25XX as an escape of %XX, repeatedly.
func tokens(s string, nested bool) []token {
	ts := make([]token, 0, len(s))
	for i := 0; i < len(s); {
		t := tokenAt(s, i)
		i += t.size()
		for nested && t.escaped && t.value == '%' && t.depth < 255 && i+1 < len(s) && isHex(s[i]) && isHex(s[i+1]) {
			t = token{byte(unhex[s[i]]<<4 | unhex[s[i+1]]), true, t.depth + 1, [2]byte{s[i], s[i+1]}}
			i += 2
		}
		ts = append(ts, t)
	}
	return ts
}

// made returns the tokens of a text that was converted from tokens like t.
func made(text []byte, t token) []token {
	ts := make([]token, len(text))
	for i, c := range text {
		ts[i] = token{value: c, escaped: !isAlphanumeric(c), depth: t.depth}
	}
	return ts
}

// values returns the bytes that the tokens stand for.
func values(ts []token) []byte {
	b := make([]byte, len(ts))
	for i, t := range ts {
		b[i] = t.value
	}
	return b
}

// write appends the spelling of the tokens, converted ones with digits in upper case.
func write(b []byte, ts []token) []byte {
	for _, t := range ts {
		switch {
		case !t.escaped:
			b = append(b, t.value)
		case t.hex == [2]byte{}:
			b = appendEscape(b, t.value)
		default:
			b = append(b, '%', t.hex[0], t.hex[1])
		}
	}
	return b
}

// inForm returns the UTF-8 text of the tokens in a Unicode normal form. A mark behind a delimiter
// stays there: "=" and a stroke through it would become one character.
func inForm(ts []token, form norm.Form) []token {
	text := values(ts)
	if form.IsNormal(text) || !utf8.Valid(text) {
		return ts
	}
	var out []token
	for i := 0; i < len(text); {
		n := form.NextBoundary(text[i:], true)
		char := text[i : i+n]
		if normal := form.Bytes(char); bytes.Equal(normal, char) || char[0] < 0x80 && !isAlphanumeric(char[0]) {
			out = append(out, ts[i:i+n]...)
		} else {
			out = append(out, made(normal, ts[i])...)
		}
		i += n
	}
	return out
}

// lowered returns the text of the tokens with each letter in lower case, where that has as many
// bytes.
func lowered(ts []token) []token {
	out := bytes.Clone(values(ts))
	for i := 0; i < len(out); {
		r, n := utf8.DecodeRune(out[i:])
		if low := unicode.ToLower(r); utf8.RuneLen(low) == n {
			utf8.EncodeRune(out[i:], low)
		}
		i += n
	}
	folded := append([]token(nil), ts...)
	for i, c := range out {
		if c != folded[i].value {
			folded[i].value, folded[i].hex = c, [2]byte{}
		}
	}
	return folded
}

// unhex is the value of each hex digit; -1 for other bytes.
var unhex = func() (t [256]int8) {
	for c := range t {
		t[c] = int8(strings.IndexByte(upperHex, byte(unicode.ToUpper(rune(c)))))
	}
	return t
}()

func isHex(c byte) bool { return unhex[c] >= 0 }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isAlphanumeric(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || isDigit(c) }

// Unhex returns the value of a hex digit, upper or lower case; -1 for another byte.
func Unhex(c byte) int { return int(unhex[c]) }

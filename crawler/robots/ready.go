package robots

import (
	"strings"
)

// maxParsed is how many bytes of a line count (google/robotstxt, kMaxLineLen
// without the final NUL).
const maxParsed = 2083*8 - 1

// asciiSpace is what google/robotstxt calls white space
// (absl::StripAsciiWhitespace).
const asciiSpace = " \t\n\v\f\r"

// ready rewrites a line so that the parser reads it as google/robotstxt reads the original. The
// port turns the digits of escapes into control bytes where it converts them to upper case, treats
// everything that is white space in Unicode as white space, and reads on after a NUL. In the
// result, escapes are upper case, bytes above ASCII are escapes, and there is neither white space
// around key and value nor a NUL. In rules, such bytes count as escapes anyway; in the names of
// agents and keys neither form matches anything.
//
// The parser cuts a line that this makes longer than maxParsed: its pattern is then longer than any
// address that is requested.
func ready(line string) string {
	key, value, ok := cutLine(line)
	if !ok {
		return ""
	}
	return escapeHigh(upperHex(key + ":" + value))
}

// cutLine splits a line at its colon, or else at the space between two words, as google/robotstxt
// does (GetKeyAndValueFrom). A NUL ends the line, as in C.
func cutLine(line string) (key, value string, ok bool) {
	line = line[:min(len(line), maxParsed)]
	line, _, _ = strings.Cut(line, "\x00")
	line, _, _ = strings.Cut(line, "#")
	line = strings.Trim(line, asciiSpace)
	key, value, ok = strings.Cut(line, ":")
	if !ok {
		n := max(strings.IndexAny(line, " \t"), 0)
		key, value = line[:n], strings.TrimLeft(line[n:], " \t")
		ok = !strings.ContainsAny(value, " \t")
	}
	key = strings.Trim(key, asciiSpace)
	return key, strings.Trim(value, asciiSpace), ok && key != ""
}

// escapeHigh escapes bytes above ASCII.
func escapeHigh(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 }) {
		return s
	}
	const digits = "0123456789ABCDEF"
	b := make([]byte, 0, 2*len(s))
	for i := range len(s) {
		if c := s[i]; c >= 0x80 {
			b = append(b, '%', digits[c>>4], digits[c&0xF])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

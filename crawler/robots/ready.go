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

// ready returns a line in which the parser finds what google/robotstxt finds in
// the line as written. The port makes control bytes of the digits of escapes
// where it upper-cases these, takes all that Unicode calls white space for such,
// and reads on behind a NUL. In what it is given here escapes are upper case,
// octets above ASCII are escapes, and there is no white space around key and
// value, and no NUL. In rules such octets count as escapes anyway; in the names
// of agents and keys neither matches anything.
//
// A line that grows beyond maxParsed by this is cut by the parser: its pattern is
// longer than any address that is asked.
func ready(line string) string {
	key, value, ok := cutLine(line)
	if !ok {
		return ""
	}
	return escapeHigh(upperHex(key + ":" + value))
}

// cutLine cuts a line at its colon, or else at the space between two words, as
// google/robotstxt does (GetKeyAndValueFrom). A NUL ends it, as in C.
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

// escapeHigh writes octets above ASCII as escapes.
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

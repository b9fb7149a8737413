package fetch

import (
	"bytes"
	"io"
	"strings"
)

// passwordWatch is a reader that looks for a password field in what it reads from another one,
// without parsing: type=password in any spelling that HTML knows.
type passwordWatch struct {
	r     io.Reader
	err   error // of r; returned by every Read after it
	found bool
	tail  [carry]byte // the end of the previous chunk
	have  int
}

// carry is how many bytes of a chunk are searched again with the next one: more than the length of
// `type = "password`.
const carry = 48

func (w *passwordWatch) Read(b []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.r.Read(b)
	if w.err = err; n > 0 && !w.found {
		w.look(b[:n])
	}
	return n, err
}

func (w *passwordWatch) look(b []byte) {
	var seam [2 * carry]byte
	s := append(seam[:0], w.tail[:w.have]...)
	s = append(s, b[:min(len(b), carry)]...)
	w.found = hasPassword(s) || hasPassword(b)
	if len(b) < carry {
		b = s
	}
	w.have = copy(w.tail[:], b[max(0, len(b)-carry):])
}

// We search for the end of "password", because its w is rarer than its p.
var words = [][]byte{[]byte("word"), []byte("WORD")}

func hasPassword(b []byte) bool {
	for _, word := range words {
		for at := 0; ; at += len(word) {
			i := bytes.Index(b[at:], word)
			if i < 0 {
				break
			}
			at += i
			if start := at - len("pass"); start >= 0 && bytes.EqualFold(b[start:at], []byte("pass")) && afterType(b[:start]) {
				return true
			}
		}
	}
	return false
}

// afterType reports whether b ends in an attribute's `type=` with an optional
// quote.
func afterType(b []byte) bool {
	if n := len(b); n > 0 && (b[n-1] == '"' || b[n-1] == '\'') {
		b = b[:n-1]
	}
	b = bytes.TrimRight(b, htmlSpace)
	if !bytes.HasSuffix(b, []byte("=")) {
		return false
	}
	b = bytes.TrimRight(b[:len(b)-1], htmlSpace)
	n := len(b) - len("type")
	return n > 0 && bytes.EqualFold(b[n:], []byte("type")) &&
		strings.IndexByte(htmlSpace+`"'/`, b[n-1]) >= 0
}

// isJavaScript reports whether browsers run a script of this type.
func isJavaScript(kind string) bool {
	kind = strings.ToLower(kind)
	return kind == "" || kind == "module" || strings.Contains(kind, "javascript") ||
		strings.Contains(kind, "ecmascript")
}

// setsLocation reports whether a script sets the page's location: location=, location.href=,
// location.replace( or location.assign(. The script may do so only when a button is pressed; so
// this is a hint, never a redirect.
func setsLocation(script []byte) bool {
	word := []byte("location")
	for at := 0; ; {
		i := bytes.Index(script[at:], word)
		if i < 0 {
			return false
		}
		start := at + i
		at = start + len(word)
		if (start == 0 || !isNamePart(script[start-1])) && assigns(script[at:]) {
			return true
		}
	}
}

func assigns(b []byte) bool {
	b = bytes.TrimLeft(b, htmlSpace)
	for _, call := range []string{".replace", ".assign"} {
		if rest, ok := bytes.CutPrefix(b, []byte(call)); ok {
			return bytes.HasPrefix(bytes.TrimLeft(rest, htmlSpace), []byte("("))
		}
	}
	b = bytes.TrimLeft(bytes.TrimPrefix(b, []byte(".href")), htmlSpace)
	return len(b) > 1 && b[0] == '=' && b[1] != '='
}

// isNamePart reports whether a character next to "location" makes it part of another name or of a
// string.
func isNamePart(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || isDigit(c) || c == '_' || c == '$' || c == '-' ||
		c == '"' || c == '\''
}

package hosts

import (
	"bytes"
	"path"
	"strconv"
	"unicode/utf8"
)

// noText returns why it is unknown what a host reads in a rule file: it is not UTF-8, or contains
// NUL bytes, as UTF-16 does. It returns "" for text. A comment of _redirects and _headers may
// contain any bytes, because hosts skip it.
func noText(f File) string {
	if utf8.Valid(f.Text) && bytes.IndexByte(f.Text, 0) < 0 {
		return ""
	}
	comments := path.Base(f.Name)[0] == '_'
	n := 0
	for line := range bytes.SplitSeq(f.Text, []byte("\n")) {
		n++
		comment := comments && bytes.HasPrefix(bytes.TrimSpace(line), []byte("#"))
		if !comment && (!utf8.Valid(line) || bytes.IndexByte(line, 0) >= 0) {
			return "line " + strconv.Itoa(n) + " is not UTF-8"
		}
	}
	return ""
}

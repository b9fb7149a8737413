package sitemap

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// A charset is a legacy charset of a file. The nil charset is UTF-8.
type charset struct {
	name    string // as declared
	decoder *encoding.Decoder
}

var declaration = regexp.MustCompile(`^[ \t\r\n]*<\?xml[^>]*\sencoding\s*=\s*["']?([^\s"'?>]*)`)

// declared returns the charset that an XML declaration at the start of head names, of those that
// browsers know. It returns nil for UTF-8, also where a byte order mark says so, for no declaration,
// and for UTF-16, in which the declaration could not be read; and for names that are not known, or in
// which bytes below 0x80 are not always ASCII, which it returns as unknown.
func declared(head []byte) (c *charset, unknown string) {
	m := declaration.FindSubmatch(head)
	if m == nil || hasFold(m[1], "utf-16") {
		return nil, ""
	}
	e, err := htmlindex.Get(string(m[1]))
	if err != nil {
		return nil, strings.ToLower(string(m[1]))
	}
	switch name, _ := htmlindex.Name(e); name {
	case "utf-8":
		return nil, ""
	case "iso-2022-jp", "replacement":
		return nil, name
	default:
		return &charset{string(m[1]), e.NewDecoder()}, ""
	}
}

// decode returns b as UTF-8, or b itself where some of its bytes are not in the charset.
func (c *charset) decode(b []byte) []byte {
	if c == nil || ascii(b) {
		return b
	}
	out, err := c.decoder.Bytes(b)
	if err != nil || bytes.ContainsRune(out, utf8.RuneError) {
		return b
	}
	return out
}

func ascii[T string | []byte](s T) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

var utf8BOM = []byte("\xEF\xBB\xBF")

// utf16Of recognizes UTF-16 by its byte order mark, or by the zero bytes of two ASCII characters at
// the start; nil for none. It is read as UTF-8 and written as UTF-16 again.
func utf16Of(b []byte) (e encoding.Encoding, name string) {
	switch {
	case len(b) < 4:
		return nil, ""
	case b[0] == 0xFF && b[1] == 0xFE && b[2]|b[3] != 0, b[0] != 0 && b[1] == 0 && b[2] != 0 && b[3] == 0:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "utf-16le"
	case b[0] == 0xFE && b[1] == 0xFF, b[0] == 0 && b[1] != 0 && b[2] == 0 && b[3] != 0:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "utf-16be"
	}
	return nil, ""
}

package sitemap

import (
	"bytes"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// A charset is a legacy charset that a file declares. The nil charset is UTF-8.
type charset struct {
	name     string
	encoding encoding.Encoding
	decoder  *encoding.Decoder
	// spaces are wide white space in the charset.
	spaces []wideSpace
	// stateful is set where bytes below 0x80 are not always ASCII: then the
	// file can be read only as a whole, and not edited (ISO-2022-JP).
	stateful bool
}

// declared returns the charset that an XML declaration at the start of head
// names; nil for UTF-8, also where a byte order mark says so, for none, and for
// names that are not known (known is then false). A name as of a charset that the
// bytes cannot be in (UTF-16) counts as none.
func declared(head []byte) (c *charset, known bool) {
	if bytes.HasPrefix(head, utf8BOM) {
		return nil, true
	}
	head = bytes.TrimLeft(head, " \t\r\n")
	if !bytes.HasPrefix(head, []byte("<?xml")) {
		return nil, true
	}
	end := bytes.Index(head, []byte("?>"))
	if end < 0 {
		return nil, true
	}
	name, ok := pseudoAttribute(head[:end], "encoding")
	if !ok {
		return nil, true
	}
	if other, ok := aliases[strings.ToLower(name)]; ok {
		name = other
	}
	e, err := htmlindex.Get(name)
	if err != nil || e == encoding.Replacement {
		return nil, false
	}
	return byEncoding(e), true
}

// aliases are names that programs write and browsers do not know (IANA's character
// sets, and what Windows, Java and Perl call them).
var aliases = map[string]string{
	"cp932": "shift_jis", "windows-932": "shift_jis", "eucjp": "euc-jp", "euc_jp": "euc-jp", "eucjp-ms": "euc-jp", "cp51932": "euc-jp",
	"cp936": "gbk", "cp949": "euc-kr", "cp950": "big5",
}

func byEncoding(e encoding.Encoding) *charset {
	name, err := htmlindex.Name(e)
	if err != nil || name == "utf-8" || strings.HasPrefix(name, "utf-16") {
		return nil
	}
	c := &charset{name: name, encoding: e, decoder: e.NewDecoder(), stateful: name == "iso-2022-jp"}
	for _, s := range []string{"\u3000", "\u00a0"} {
		if b, ok := c.encode(s); ok && !c.stateful {
			c.spaces = append(c.spaces, wideSpace{s, []byte(b)})
		}
	}
	return c
}

// A wideSpace is white space that is not ASCII, and its bytes in a charset.
type wideSpace struct {
	text  string
	bytes []byte
}

// trimLeft removes white space from the start of a piece of an address.
func (c *charset) trimLeft(b []byte, cdata bool) []byte {
	for {
		b = trimLeft(b, cdata, c == nil)
		n := 0
		if c != nil {
			for _, s := range c.spaces {
				if bytes.HasPrefix(b, s.bytes) {
					n = len(s.bytes)
				}
			}
		}
		if n == 0 {
			return b
		}
		b = b[n:]
	}
}

// trimRight is trimLeft for the end of a piece. There the bytes of a space may
// belong to other characters: only decoding tells.
func (c *charset) trimRight(b []byte, cdata bool) []byte {
	for {
		b = trimRight(b, cdata, c == nil)
		n := 0
		if c != nil {
			for _, s := range c.spaces {
				if bytes.HasSuffix(b, s.bytes) && string(c.decode(b)) == string(c.decode(b[:len(b)-len(s.bytes)]))+s.text {
					n = len(s.bytes)
				}
			}
		}
		if n == 0 {
			return b
		}
		b = b[:len(b)-n]
	}
}

// pseudoAttribute returns a value out of a processing instruction.
func pseudoAttribute(pi []byte, name string) (string, bool) {
	tag := append(append([]byte("<"), bytes.TrimLeft(pi, "<?")...), '>')
	a, ok := find(tag, name)
	return string(a.value), ok
}

// decode returns b as UTF-8. Bytes that the charset does not have stay as they
// are, and with them all of b.
func (c *charset) decode(b []byte) []byte {
	if c == nil || c.stateful || ascii(b) {
		return b
	}
	out, err := c.decoder.Bytes(b)
	if err != nil || bytes.ContainsRune(out, '�') {
		return b
	}
	return out
}

// encode returns s in the charset; false where it has no place for a character.
func (c *charset) encode(s string) (string, bool) {
	if c == nil || ascii(s) {
		return s, true
	}
	out, err := c.encoding.NewEncoder().String(s)
	return out, err == nil
}

func ascii[T string | []byte](s T) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

var utf8BOM = []byte("\xEF\xBB\xBF")

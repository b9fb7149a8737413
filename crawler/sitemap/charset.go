package sitemap

import (
	"bytes"
	"cmp"
	"io"
	"mime"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode/utf32"
)

// A charset is a legacy charset that a file declares. The nil charset is UTF-8.
type charset struct {
	name     string
	encoding encoding.Encoding
	decoder  *encoding.Decoder
	// spaces are the white space characters of the charset outside ASCII.
	spaces []wideSpace
	// stateful is set where bytes below 0x80 are not always ASCII: then the file can be read only
	// as a whole, and not be edited (ISO-2022-JP, HZ; UTF-32 likewise).
	stateful bool
}

// declared returns the charset that an XML declaration at the start of head names. It returns nil
// for UTF-8, also where a byte order mark says so, for no declaration, and for names that are not
// known, which it returns as unknown. A declaration of a charset in which the declaration itself
// cannot be written (UTF-16, UTF-32, EBCDIC) is ignored.
func declared(head []byte) (c *charset, unknown string) {
	if bytes.HasPrefix(head, utf8BOM) {
		return nil, ""
	}
	head = bytes.TrimLeft(head, " \t\r\n")
	if !bytes.HasPrefix(head, []byte("<?xml")) {
		return nil, ""
	}
	before, _, ok := bytes.Cut(head, []byte("?>"))
	if !ok {
		return nil, ""
	}
	name, ok := pseudoAttribute(before, "encoding")
	if !ok {
		return nil, ""
	}
	name = strings.ToLower(strings.TrimSpace(name))
	if notASCII(name) {
		return nil, ""
	}
	e := encodingNamed(cmp.Or(aliases[name], name))
	if e == nil {
		return nil, name
	}
	return byEncoding(e), ""
}

// named returns the charset of a name; nil for UTF-8 and for names that are not known.
func named(name string) *charset {
	name = strings.ToLower(strings.TrimSpace(name))
	e := encodingNamed(cmp.Or(aliases[name], name))
	if name == "" || e == nil {
		return nil
	}
	return byEncoding(e)
}

// ServedCharset returns the charset to read a file in that was served with a Content-Type; "" where
// the file itself decides. That is where it has a byte order mark, declares a legacy charset, or is
// UTF-8. RFC 7303 lets the Content-Type win over the declaration of XML, but servers name a charset for
// all that they send, whatever it is: what somebody wrote into the file is more often true, and text
// in another charset is hardly ever UTF-8 by chance. For the same reason a file counts as UTF-8 in
// which only a little is damaged.
func ServedCharset(r io.Reader, contentType string) (string, error) {
	_, parameters, _ := mime.ParseMediaType(contentType)
	c := named(parameters["charset"])
	if c == nil {
		return "", nil
	}
	s := open(r, nil, "")
	if s.charset != nil || s.unknown != "" || s.utf16 != nil || bytes.HasPrefix(s.head, utf8BOM) {
		return "", s.in.err
	}
	var t octets
	_, err := io.Copy(&t, io.LimitReader(s, defaultMaxSize))
	if c.stateful && t.shifts || !c.stateful && t.bad > 0 && t.bad*8 >= t.good {
		return c.name, err
	}
	return "", err
}

// octets counts in a text what is UTF-8 beyond ASCII and the bytes that are no UTF-8.
type octets struct {
	good, bad int
	shifts    bool // it has what a stateful charset begins other characters with
	tail      []byte
}

func (o *octets) Write(b []byte) (int, error) {
	n := len(b)
	o.shifts = o.shifts || bytes.IndexByte(b, 0x1B) >= 0 || bytes.Contains(b, []byte("~{"))
	if b = append(o.tail, b...); ascii(b) {
		o.tail = o.tail[:0]
		return n, nil
	}
	for len(b) > 0 && utf8.FullRune(b) {
		switch r, size := utf8.DecodeRune(b); {
		case r == utf8.RuneError && size == 1:
			o.bad++
			b = b[1:]
		default:
			if size > 1 {
				o.good++
			}
			b = b[size:]
		}
	}
	o.tail = append([]byte(nil), b...)
	return n, nil
}

// notASCII reports whether name is a charset in which a declaration that reads as ASCII cannot be
// written.
func notASCII(name string) bool {
	return strings.HasPrefix(name, "utf-16") || strings.HasPrefix(name, "utf-32") ||
		strings.HasPrefix(name, "ucs-") || strings.HasPrefix(name, "iso-10646-ucs-")
}

// encodingNamed returns the encoding of a name: from the names that browsers know, else from IANA's
// list. It returns nil for unknown names, and for encodings that are not supersets of ASCII.
func encodingNamed(name string) encoding.Encoding {
	e, err := htmlindex.Get(name)
	if err != nil || e == encoding.Replacement {
		e, err = ianaindex.IANA.Encoding(name)
	}
	if err != nil || e == nil {
		return nil
	}
	if b, err := e.NewDecoder().Bytes([]byte("<?xml")); err != nil || string(b) != "<?xml" {
		return nil
	}
	return e
}

// stateful reports whether name is a charset that cannot be read and in which bytes below 0x80 are
// not always ASCII: such a file, read as ASCII, would list addresses that nobody wrote.
func stateful(unknown string) bool {
	switch unknown {
	case "iso-2022-kr", "csiso2022kr", "iso-2022-cn", "iso-2022-cn-ext", "iso-2022-jp-1",
		"iso-2022-jp-2", "csiso2022jp2", "iso-2022-jp-3", "iso-2022-jp-2004", "utf-7", "csutf7":
		return true
	}
	return false
}

// utf32Charset recognizes UTF-32 by its byte order mark, or by the zero bytes of its first
// character; nil for none. Such a file can be read, but not edited.
func utf32Charset(b []byte) *charset {
	order, name := utf32.LittleEndian, "utf-32le"
	switch {
	case len(b) < 8:
		return nil
	case bytes.HasPrefix(b, []byte{0xFF, 0xFE, 0, 0}),
		b[0] != 0 && string(b[1:4]) == "\x00\x00\x00":
	case bytes.HasPrefix(b, []byte{0, 0, 0xFE, 0xFF}), b[3] != 0 && string(b[:3]) == "\x00\x00\x00":
		order, name = utf32.BigEndian, "utf-32be"
	default:
		return nil
	}
	e := utf32.UTF32(order, utf32.UseBOM)
	return &charset{name: name, encoding: e, decoder: e.NewDecoder(), stateful: true}
}

// aliases are names that programs write and the lists do not have (those of Windows, Java and
// Perl).
var aliases = map[string]string{
	"cp932": "shift_jis", "windows-932": "shift_jis", "eucjp": "euc-jp", "euc_jp": "euc-jp",
	"eucjp-ms": "euc-jp", "cp51932": "euc-jp",
	"cp936": "gbk", "cp949": "euc-kr", "cp950": "big5", "hz": "hz-gb-2312",
}

func byEncoding(e encoding.Encoding) *charset {
	name, err := htmlindex.Name(e)
	if err != nil {
		name, err = ianaindex.IANA.Name(e)
	}
	if name = strings.ToLower(name); err != nil || name == "utf-8" || name == "us-ascii" {
		return nil
	}
	c := &charset{name: name, encoding: e, decoder: e.NewDecoder(),
		stateful: name == "iso-2022-jp" || name == "hz-gb-2312"}
	for _, s := range []string{"\u3000", "\u00a0"} {
		if b, ok := c.encode(s); ok && !c.stateful {
			c.spaces = append(c.spaces, wideSpace{s, []byte(b)})
		}
	}
	return c
}

// A wideSpace is a white space character outside ASCII, and its bytes in a charset.
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

// trimRight is trimLeft for the end of a piece. There the bytes of a space may belong to other
// characters: only a pass from the start can decide that, and trimRight makes a single one.
func (c *charset) trimRight(b []byte, cdata bool) []byte {
	b = trimRight(b, cdata, c == nil)
	if c == nil || !slices.ContainsFunc(c.spaces,
		func(s wideSpace) bool { return bytes.HasSuffix(b, s.bytes) }) {
		return b
	}
	if text := c.decode(b); bytes.Equal(text, b) {
		return b // not all of it is in this charset
	}
	end := 0
	for i := 0; i < len(b); {
		n, space := c.unit(b[i:], cdata)
		if i += n; !space {
			end = i
		}
	}
	return b[:end]
}

// unit returns the length of the character, or of the reference to one, that b begins with, and
// whether it is white space.
func (c *charset) unit(b []byte, cdata bool) (n int, isSpace bool) {
	if b[0] < 0x80 {
		r, n := unit(b, cdata, false)
		return n, space(r)
	}
	for _, s := range c.spaces {
		if bytes.HasPrefix(b, s.bytes) {
			return len(s.bytes), true
		}
	}
	var out [utf8.UTFMax]byte
	for n = 1; n <= min(4, len(b)); n++ {
		c.decoder.Reset()
		wrote, read, err := c.decoder.Transform(out[:], b[:n], true)
		if err == nil && read == n && utf8.RuneCount(out[:wrote]) == 1 &&
			string(out[:wrote]) != "\uFFFD" {
			return n, false
		}
	}
	return 1, false
}

// pseudoAttribute returns the value of a name in a processing instruction.
func pseudoAttribute(pi []byte, name string) (string, bool) {
	tag := append(append([]byte("<"), bytes.TrimLeft(pi, "<?")...), '>')
	a, ok := find(tag, name)
	return string(a.value), ok
}

// decode returns b as UTF-8, or b itself where some of its bytes are not in the charset.
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

// encode returns s in the charset; false where the charset lacks a character.
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

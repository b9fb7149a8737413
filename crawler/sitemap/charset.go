package sitemap

import (
	"bytes"
	"cmp"
	"io"
	"mime"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
)

// A charset is a legacy charset of a file. The nil charset is UTF-8.
type charset struct {
	name    string
	decoder *encoding.Decoder
}

var declaration = regexp.MustCompile(`^[ \t\r\n]*<\?xml[^>]*\sencoding\s*=\s*["']?([^\s"'?>]*)`)

// declared returns the charset that an XML declaration at the start of head names. It returns nil
// for UTF-8, also where a byte order mark says so, for no declaration, and for names that are not
// known, which it returns as unknown. A declaration of a charset in which the declaration itself
// cannot be written (UTF-16, UTF-32) is ignored.
func declared(head []byte) (c *charset, unknown string) {
	m := declaration.FindSubmatch(head)
	if m == nil {
		return nil, ""
	}
	name := strings.ToLower(string(m[1]))
	for _, wide := range []string{"utf-16", "utf-32", "ucs-", "iso-10646-ucs-"} {
		if strings.HasPrefix(name, wide) {
			return nil, ""
		}
	}
	e := encodingNamed(name)
	if e == nil {
		return nil, name
	}
	return charsetOf(e), ""
}

// charsetNamed returns the charset of a name; nil for UTF-8 and for names that are not known.
func charsetNamed(name string) *charset {
	if e := encodingNamed(strings.ToLower(strings.TrimSpace(name))); e != nil {
		return charsetOf(e)
	}
	return nil
}

// aliases are names that programs write and the lists do not have (those of Windows, Java and
// Perl).
var aliases = map[string]string{
	"cp932": "shift_jis", "windows-932": "shift_jis", "eucjp": "euc-jp", "euc_jp": "euc-jp",
	"eucjp-ms": "euc-jp", "cp51932": "euc-jp",
	"cp936": "gbk", "cp949": "euc-kr", "cp950": "big5",
}

// encodingNamed returns the encoding of a name: from the names that browsers know, else from IANA's
// list. It returns nil for unknown names, and for encodings that are not supersets of ASCII.
func encodingNamed(name string) encoding.Encoding {
	if name = cmp.Or(aliases[name], name); strange(name) {
		return nil
	}
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

func charsetOf(e encoding.Encoding) *charset {
	name, err := htmlindex.Name(e)
	if err != nil {
		name, err = ianaindex.IANA.Name(e)
	}
	if name = strings.ToLower(name); err != nil || name == "utf-8" || name == "us-ascii" {
		return nil
	}
	return &charset{name, e.NewDecoder()}
}

// strange reports whether name is a charset in which bytes below 0x80 are not always ASCII, as in
// ISO-2022-JP: such a file, read as ASCII, would list addresses that nobody wrote.
func strange(name string) bool {
	return strings.Contains(name, "2022") || strings.HasPrefix(name, "hz") || strings.HasSuffix(name, "utf-7") || name == "csutf7"
}

// ServedCharset returns the charset to read a file in that was served with a Content-Type; "" where
// the file itself decides. That is where it has a byte order mark, declares a legacy charset, or is
// UTF-8. RFC 7303 lets the Content-Type win over the declaration of XML, but servers name a charset
// for all that they send, whatever it is: what somebody wrote into the file is more often true, and
// text in another charset is hardly ever UTF-8 by chance. For the same reason a file counts as UTF-8
// in which only a little is damaged.
func ServedCharset(r io.Reader, contentType string) (string, error) {
	_, parameters, _ := mime.ParseMediaType(contentType)
	c := charsetNamed(parameters["charset"])
	if c == nil {
		return "", nil
	}
	s := open(r, nil, "")
	if s.charset != nil || s.unknown != "" || s.utf16 != nil || bytes.HasPrefix(s.head, utf8BOM) {
		return "", s.in.err
	}
	good, bad := 0, 0
	for range defaultMaxSize {
		r, size, err := s.ReadRune()
		switch {
		case err != nil && bad > 0 && bad*8 >= good:
			return c.name, s.in.err
		case err != nil:
			return "", s.in.err
		case r == utf8.RuneError && size == 1:
			bad++
		case size > 1:
			good++
		}
	}
	return "", nil
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

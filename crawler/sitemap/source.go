package sitemap

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/text/transform"
)

const sniffSize = 64 << 10

// A source is the text of a file: unpacked, and in UTF-8 where the file was UTF-16.
type source struct {
	*bufio.Reader
	in      *input
	layers  []*unpacker // outermost first
	utf16   *fromUTF16  // nil where the file is not UTF-16
	charset *charset
	unknown string // a declared charset that is not known
	head    []byte // the beginning of the text, up to sniffSize; valid until the first read
}

// open recognizes the format of r and unpacks it. It writes the unpacked bytes that are read to
// text, where that is not nil. served is the charset of a file that declares none, "" for UTF-8.
func open(r io.Reader, text io.Writer, served string) *source {
	s := &source{in: &input{r: r}}
	if by, ok := r.(*stoppable); ok {
		s.in.ctx = by.ctx
	}
	s.Reader = bufio.NewReaderSize(s.in, sniffSize)
	for len(s.layers) < maxLayers && s.unpack() {
	}
	if text != nil {
		s.through(io.TeeReader(s.Reader, text))
	}
	s.head, _ = s.Peek(sniffSize)
	if order := utf16Order(s.head); order != nil {
		s.utf16 = &fromUTF16{order: order}
		s.through(transform.NewReader(s.Reader, s.utf16))
		return s
	}
	marked := bytes.HasPrefix(s.head, utf8BOM)
	if !marked {
		s.charset, s.unknown = declared(s.head[:min(len(s.head), 1024)])
	}
	if s.charset == nil && s.unknown == "" && !marked {
		s.charset = charsetNamed(served)
	}
	return s
}

// through reads the text through r from now on.
func (s *source) through(r io.Reader) {
	s.Reader = bufio.NewReaderSize(r, sniffSize)
	s.head, _ = s.Peek(sniffSize)
}

// unpack adds a gzip reader, where the bytes are gzip.
func (s *source) unpack() bool {
	if magic, _ := s.Peek(3); !isGzip(magic) {
		return false
	}
	if n := len(s.layers); n > 0 {
		s.layers[n-1].max = maxPacked
	}
	u := &unpacker{in: s.in, from: s.Reader, max: math.MaxInt64}
	var err error
	if u.z, err = gzip.NewReader(s.Reader); err != nil {
		u.damage = err
	} else {
		u.z.Multistream(false)
		u.header = u.z.Header
	}
	s.layers = append(s.layers, u)
	s.Reader = bufio.NewReaderSize(u, sniffSize)
	return err == nil
}

// damage returns what is wrong with the packing, as far as it was read; nil for nothing.
func (s *source) damage() error {
	for _, u := range s.layers {
		if u.damage != nil {
			return u.damage
		}
		if u.wrongSum && u.trailing { // the packed data did not end there
			return gzip.ErrChecksum
		}
	}
	return nil
}

// wrongSum reports whether a checksum is wrong.
func (s *source) wrongSum() bool {
	return slices.ContainsFunc(s.layers, func(u *unpacker) bool { return u.wrongSum })
}

// trailing reports whether bytes that are not gzip follow the packed data.
func (s *source) trailing() bool {
	return slices.ContainsFunc(s.layers, func(u *unpacker) bool { return u.trailing })
}

// name returns the name of the charset of the file.
func (s *source) name() string {
	switch {
	case s.utf16 != nil && s.utf16.order == byteOrder(binary.LittleEndian):
		return "utf-16le"
	case s.utf16 != nil:
		return "utf-16be"
	case s.charset != nil:
		return s.charset.name
	}
	return "utf-8"
}

// noRoot returns the error for XML that has neither root nor entry: where the packing is damaged, that
// is the reason.
func (s *source) noRoot() *FormatError {
	if s.damage() != nil {
		return notDamaged
	}
	return notXML
}

// xml reports whether the text is XML, judging by its head. Where it is neither XML nor a list of
// addresses, it returns an error.
func (s *source) xml() (bool, *FormatError) {
	b := bytes.TrimLeft(bytes.TrimPrefix(s.head, utf8BOM), " \t\r\n\v\f")
	switch what := foreign(s.head); {
	case what != "":
		return false, notPlain(what)
	case strange(s.unknown):
		return false, notCharset(s.unknown)
	case len(b) == 0 && s.damage() != nil:
		return false, notDamaged
	case len(b) == 0 && len(s.head) < sniffSize:
		return false, notEmpty
	case len(b) == 0:
		return true, nil
	case hasFold(b, "<!doctype html") || hasFold(b, "<html"):
		return false, notHTML
	case b[0] == '<' || talksFirst(b):
		return true, nil
	case bytes.IndexByte(b, 0) >= 0 && !web(b): // a zero byte in a list is a fault, with its place
		return false, notBinary
	case listsAddress(b):
		return false, nil
	case !utf8.Valid(b[:min(len(b), 512)]):
		return false, notBinary
	}
	return false, notText
}

// magics are the beginnings of files that are packed in other ways than gzip, or are not text:
// their content may lie in them as it is (a ZIP may store its files unpacked), and reads like a
// sitemap, but is not one.
var magics = []struct {
	at          int
	magic, what string
}{
	{0, "\x1f\x8b\x08", "data packed with gzip more than twice"},
	{0, "PK\x03\x04", "a ZIP archive"},
	{0, "PK\x05\x06", "a ZIP archive"},
	{0, "PK\x07\x08", "a ZIP archive"},
	{0, "Rar!\x1a\x07", "a RAR archive"},
	{0, "7z\xbc\xaf\x27\x1c", "a 7z archive"},
	{256, "\x00ustar", "a tar archive"},
	{0, "BZh", "data packed with bzip2"},
	{0, "\xfd7zXZ\x00", "data packed with xz"},
	{0, "\x28\xb5\x2f\xfd", "data packed with zstd"},
	{0, "%PDF-", "a PDF"},
}

// foreign returns what a file is that begins like no sitemap; "" for others.
func foreign(head []byte) string {
	for _, m := range magics {
		if len(head) > m.at && bytes.HasPrefix(head[m.at:], []byte(m.magic)) {
			return m.what
		}
	}
	return ""
}

// talksFirst reports whether b is a sitemap with something else before it, such as the warnings of
// a PHP program.
func talksFirst(b []byte) bool {
	return slices.ContainsFunc([]string{"<urlset", "<url>", "<sitemapindex", "<sitemap>", "<rss",
		"<feed"},
		func(tag string) bool { return bytes.Contains(b, []byte(tag)) })
}

// listsAddress reports whether a line of b begins with http:// or https://.
func listsAddress(b []byte) bool {
	for len(b) > 0 {
		b = trimLeft(b, true, true)
		if web(b) {
			return true
		}
		i := bytes.IndexAny(b, "\r\n")
		if i < 0 {
			return false
		}
		b = b[i:]
	}
	return false
}

// web reports whether an address is absolute and http or https.
func web(b []byte) bool { return hasFold(b, "http://") || hasFold(b, "https://") }

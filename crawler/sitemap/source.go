package sitemap

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

const sniffSize = 64 << 10

// A source is the text of a file: unpacked, and in UTF-8 where the file was UTF-16.
type source struct {
	*bufio.Reader
	in      *input
	layers  []*unpacker // outermost first
	name    string      // of the file's charset
	utf16   encoding.Encoding
	charset *charset
	unknown string // a declared charset that is not known
	head    []byte // the beginning of the text, up to sniffSize; valid until the first read
}

// open recognizes the format of r and unpacks it. It writes the unpacked bytes that are read to
// text, where that is not nil.
func open(r io.Reader, text io.Writer) *source {
	s := &source{in: &input{r: r}, name: "utf-8"}
	s.Reader = bufio.NewReaderSize(s.in, sniffSize)
	for len(s.layers) < maxLayers && s.unpack() {
	}
	if text != nil {
		s.through(io.TeeReader(s.Reader, text))
	}
	s.head, _ = s.Peek(sniffSize)
	if e, name := utf16Of(s.head); e != nil {
		s.utf16, s.name = e, name
		s.through(transform.NewReader(s.Reader, e.NewDecoder()))
		return s
	}
	if s.charset, s.unknown = declared(s.head[:min(len(s.head), 1024)]); s.charset != nil {
		s.name = s.charset.name
	}
	return s
}

// through reads the text through r from now on.
func (s *source) through(r io.Reader) {
	s.Reader = bufio.NewReaderSize(r, sniffSize)
	s.head, _ = s.Peek(sniffSize)
}

// unpack adds a gzip reader, where the bytes are gzip (RFC 1952, 2.3.1).
func (s *source) unpack() bool {
	if magic, _ := s.Peek(3); !bytes.Equal(magic, []byte{0x1f, 0x8b, 8}) {
		return false
	}
	if n := len(s.layers); n > 0 {
		s.layers[n-1].max = maxPacked
	}
	u := &unpacker{in: s.in, from: s.Reader, max: math.MaxInt64}
	if u.z, u.damage = gzip.NewReader(s.Reader); u.damage == nil {
		u.z.Multistream(false)
		u.header = u.z.Header
	}
	u.ended = u.damage != nil
	s.layers = append(s.layers, u)
	s.Reader = bufio.NewReaderSize(u, sniffSize)
	return !u.ended
}

// damage returns what is wrong with the packing, as far as it was read; nil for nothing.
func (s *source) damage() error {
	for _, u := range s.layers {
		if u.damage != nil {
			return u.damage
		}
	}
	return nil
}

// trailing reports whether bytes that are not gzip follow the packed data.
func (s *source) trailing() bool {
	return slices.ContainsFunc(s.layers, func(u *unpacker) bool { return u.trailing })
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
// addresses, it returns an error: archives and other packed files have a zero byte near their start,
// though a sitemap may lie in them as it is.
func (s *source) xml() (bool, *FormatError) {
	b := bytes.TrimLeft(bytes.TrimPrefix(s.head, utf8BOM), " \t\r\n\v\f")
	start := b[:min(len(b), 512)]
	switch {
	case len(b) == 0 && s.damage() != nil:
		return false, notDamaged
	case len(b) == 0 && len(s.head) < sniffSize:
		return false, notEmpty
	case len(b) == 0:
		return true, nil
	case hasFold(b, "<!doctype html") || hasFold(b, "<html"):
		return false, notHTML
	case b[0] == '<':
		return true, nil
	case !web(b) && bytes.IndexByte(start, 0) >= 0:
		return false, notBinary
	case talksFirst(b):
		return true, nil
	case listsAddress(b):
		return false, nil
	case !utf8.Valid(start):
		return false, notBinary
	}
	return false, notText
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

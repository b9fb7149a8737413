package sitemap

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/klauspost/compress/gzip"
)

const (
	sniffSize = 64 << 10
	// maxLayers is how many times a file may be packed: a gzip of a gzip is an accident that
	// happens; deeper layers are not unpacked.
	maxLayers = 2
	// maxPacked is how many bytes lie between two layers at most.
	maxPacked = 64 << 20
	// maxEmpty is how many members in a row may be empty.
	maxEmpty = 10_000
)

// Errors that end the reading of a layer and count as damage.
var (
	errPacked = errors.New("it holds more than 64 MiB that are packed once more")
	errEmpty  = errors.New("it goes on with thousands of parts that hold nothing")
)

// Stoppable returns a reader for Read and Rewrite that returns ctx's error once ctx is done, even
// while a few packed bytes yield so much that r is not read for long. Its Close closes r, where r
// is a Closer.
func Stoppable(ctx context.Context, r io.Reader) io.ReadCloser { return &stoppable{ctx, r} }

type stoppable struct {
	ctx context.Context
	r   io.Reader
}

func (s *stoppable) Close() error {
	if c, ok := s.r.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

func (s *stoppable) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(b)
}

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
		s.utf16 = &fromUTF16{r: s.Reader, order: order}
		s.through(s.utf16)
		return s
	}
	if s.charset = utf32Charset(s.head); s.charset == nil {
		s.charset, s.unknown = declared(s.head[:min(len(s.head), 1024)])
	}
	if s.charset == nil && s.unknown == "" && !bytes.HasPrefix(s.head, utf8BOM) {
		s.charset = named(served)
	}
	if s.charset != nil && s.charset.stateful {
		s.through(s.charset.decoder.Reader(s.Reader))
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

// isGzip reports whether b begins like gzip (RFC 1952, 2.3.1).
func isGzip(b []byte) bool { return bytes.HasPrefix(b, []byte{0x1f, 0x8b, 8}) }

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

// notXML returns the error for XML that has neither root nor entry: where the packing is damaged,
// that is the reason.
func (s *source) notXML() *FormatError {
	if s.damage() != nil {
		return notDamaged()
	}
	return notXML()
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

// utf16Order recognizes UTF-16 by its byte order mark, or by the zero bytes of two
// ASCII characters at the start; nil for none.
func utf16Order(b []byte) byteOrder {
	if len(b) < 2 {
		return nil
	}
	switch {
	case bytes.HasPrefix(b, []byte{0xFF, 0xFE, 0, 0}):
		return nil // UTF-32
	case b[0] == 0xFF && b[1] == 0xFE:
		return binary.LittleEndian
	case b[0] == 0xFE && b[1] == 0xFF:
		return binary.BigEndian
	case len(b) < 4:
		return nil
	case b[0] != 0 && b[1] == 0 && b[2] != 0 && b[3] == 0:
		return binary.LittleEndian
	case b[0] == 0 && b[1] != 0 && b[2] == 0 && b[3] != 0:
		return binary.BigEndian
	}
	return nil
}

// input remembers the error of the caller's reader.
type input struct {
	r   io.Reader
	ctx context.Context // of a stoppable reader, else nil
	err error
}

// stopped reports whether the reading is to end; err then has the reason.
func (i *input) stopped() bool {
	if i.ctx != nil && i.err == nil {
		i.err = i.ctx.Err()
	}
	return i.err != nil
}

func (i *input) Read(b []byte) (int, error) {
	n, err := i.r.Read(b)
	if err != nil && err != io.EOF {
		i.err = err
	}
	return n, err
}

// unpacker unpacks gzip of one or more members. Damage ends the text like the end of the file; what
// came before it counts.
type unpacker struct {
	in       *input
	from     *bufio.Reader // what z reads
	z        *gzip.Reader
	header   gzip.Header
	damage   error
	trailing bool  // bytes other than zeros follow the last member
	wrongSum bool  // the checksum or the size of a member is not that of its text
	max      int64 // how many bytes it may yield
	held     int64
	empty    int // empty members in a row
}

func (u *unpacker) Read(b []byte) (int, error) {
	for u.damage == nil && !u.trailing {
		if u.in.stopped() {
			return 0, u.in.err
		}
		n, err := u.z.Read(b)
		if u.held += int64(n); n > 0 {
			u.empty = 0
		}
		if err == gzip.ErrChecksum { // all of the member came
			u.wrongSum, err = true, io.EOF
		}
		if err == io.EOF {
			err = u.member()
		}
		if u.held > u.max && (err == nil || err == io.EOF) {
			err = errPacked
		}
		switch {
		case n > 0 && (err == nil || err == io.EOF):
			return n, nil
		case err == nil:
		case err == io.EOF:
			return 0, io.EOF
		case u.in.err != nil:
			return n, u.in.err
		default:
			u.damage = err
			return n, io.EOF
		}
	}
	return 0, io.EOF
}

// member goes on to the next member; it returns io.EOF where there is none. Like gzip it skips
// zeros that pad a file.
func (u *unpacker) member() error {
	for {
		_, _ = u.from.Peek(1)
		b, _ := u.from.Peek(u.from.Buffered())
		if len(b) == 0 {
			return cmp.Or(u.in.err, io.EOF)
		}
		zeros := len(b) - len(bytes.TrimLeft(b, "\x00"))
		_, _ = u.from.Discard(zeros)
		if zeros < len(b) {
			break
		}
	}
	if b, _ := u.from.Peek(2); len(b) < 2 || b[0] != 0x1f || b[1] != 0x8b {
		u.trailing = true
		return cmp.Or(u.in.err, io.EOF)
	}
	if u.empty++; u.empty > maxEmpty {
		return errEmpty
	}
	if err := u.z.Reset(u.from); err != nil {
		return err
	}
	u.z.Multistream(false)
	return nil
}

// xml reports whether the text is XML, judging by its head. Where it is neither XML nor a list of
// addresses, it returns an error.
func (s *source) xml() (bool, *FormatError) {
	b := bytes.TrimLeft(bytes.TrimPrefix(s.head, utf8BOM), " \t\r\n\v\f")
	switch what := foreign(s.head); {
	case what != "":
		return false, notPlain(what)
	case stateful(s.unknown):
		return false, notCharset(s.unknown)
	case len(b) == 0 && s.damage() != nil:
		return false, notDamaged()
	case len(b) == 0 && len(s.head) < sniffSize:
		return false, notEmpty()
	case len(b) == 0:
		return true, nil
	case hasFold(b, "<!doctype html") || hasFold(b, "<html"):
		return false, notHTML()
	case b[0] == '<' || talksFirst(b):
		return true, nil
	case bytes.IndexByte(b, 0) >= 0 && !web(b): // a zero byte in a list is a fault, with its place
		return false, notBinary()
	case listsAddress(b):
		return false, nil
	case !printable(b):
		return false, notBinary()
	}
	return false, notText()
}

// magics are the beginnings of files that are packed in other ways than gzip, or are not text:
// their content may lie in them as it is (a ZIP may store its files unpacked), and reads like a
// sitemap, but is not one.
var magics = []struct {
	at          int
	magic, what string
}{
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
	if isGzip(head) {
		return "data packed with gzip more than twice"
	}
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

// printable reports whether few of the first bytes are control characters.
func printable(b []byte) bool {
	b = b[:min(len(b), 512)]
	controls := 0
	for _, c := range b {
		if c < 0x20 && !asciiSpace(c) || c == 0x7F {
			controls++
		}
	}
	return controls*10 <= len(b)
}

func hasFold(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && bytes.EqualFold(b[:len(prefix)], []byte(prefix))
}

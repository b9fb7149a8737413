package sitemap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"sitemend/crawler/audit"
)

// ErrDivide is the error for a file that cannot be divided because its entries cannot be separated
// reliably.
var ErrDivide = errors.New("the file cannot be divided")

// A Division divides a urlset or a text that lists too much for one file into several files. Each
// has what stands before the first entry and after the last one, and in between its own entries
// with everything between them, byte for byte and in order.
type Division struct {
	// Parts are how many entries each file to write has. A file with one part is not too large.
	Parts []int

	most       Share
	text       bool
	cuts       []int64 // where the parts begin, and where the last one ends
	head, foot []byte
}

// A Share is how much one file may contain.
type Share struct {
	Entries int
	Bytes   int64 // unpacked
}

// Most returns how much one file may contain (sitemaps.org, "XML tag definitions").
func Most() Share { return Share{maxURLs, maxBytes} }

// maxFrame is how many bytes may stand before the first entry, and after the last one.
const maxFrame = 64 << 10

// Divide divides a file so that no part has more than most. read calls its argument with the file,
// from its start; Divide calls read twice. The error is that of read, or ErrDivide for a file that
// is neither a urlset nor a text in UTF-8, that ends too early or has XML faults, or in which an
// entry has no element of its own or is too large for a part. Memory use does not depend on the size
// of the file.
func Divide(read func(func(io.Reader) error) error, most Share) (*Division, error) {
	d := &Division{most: most}
	var info Info
	first, end, pending := int64(-1), int64(0), 0 // of the element that is read: its end, and its entries
	err := read(func(r io.Reader) (err error) {
		info, err = Read(r, Options{}, func(e Entry) (err error) {
			switch {
			case e.Element.End == 0:
				return fmt.Errorf("%w: line %d", ErrDivide, e.Line)
			case first < 0:
				first = e.Element.Start
				d.cuts = []int64{first}
			case e.Element.End != end:
				err, pending = d.add(pending, end), 0
			}
			end = e.Element.End
			pending++
			return err
		})
		return err
	})
	if err == nil && info.divisible() {
		err = d.add(pending, end)
	}
	switch {
	case err != nil:
		return d, err
	case !info.divisible():
		return d, ErrDivide
	case first > maxFrame || info.Size-end > maxFrame:
		return d, fmt.Errorf("%w: too much stands before its first URL, or behind its last one", ErrDivide)
	}
	d.text = info.Kind == Text
	return d, read(func(r io.Reader) error { return d.frame(open(r, nil), first, end) })
}

// divisible reports whether a file can be divided.
func (i *Info) divisible() bool {
	broken := slices.ContainsFunc(i.Faults, func(f audit.SitemapFault) bool {
		return f.Name == parsingError && f.Severity == severe
	})
	return i.Entries > 0 && !i.Truncated && i.Charset == "utf-8" && (i.Kind == URLSet || i.Kind == Text) && !broken
}

// frame reads what stands before the first entry and after the last one. White space before the first
// entry belongs to that entry in XML, so that all entries begin alike.
func (d *Division) frame(s *source, first, last int64) (err error) {
	d.head = make([]byte, first)
	if _, err = io.ReadFull(s, d.head); err == nil {
		_, err = io.CopyN(io.Discard, s, last-first)
	}
	if err == nil {
		d.foot, err = io.ReadAll(s)
	}
	if !d.text {
		d.head = bytes.TrimRight(d.head, " \t\r\n")
	}
	d.cuts[0] = int64(len(d.head))
	return err
}

// add adds an element with some entries to the last part, or to another one where it does not fit.
func (d *Division) add(entries int, end int64) error {
	n := len(d.Parts) - 1
	size := end - d.cuts[max(n, 0)] + 2*maxFrame // of the last part, with head and foot
	if n < 0 || d.Parts[n]+entries > d.most.Entries || size > d.most.Bytes {
		d.Parts, d.cuts = append(d.Parts, 0), append(d.cuts, d.cuts[len(d.cuts)-1])
		n++
		size = end - d.cuts[n] + 2*maxFrame
	}
	d.Parts[n] += entries
	d.cuts[n+1] = end
	if d.Parts[n] > d.most.Entries || size > d.most.Bytes {
		return fmt.Errorf("%w: one URL alone is too large", ErrDivide)
	}
	return nil
}

// Write writes the parts of the file that Divide was called with. It calls part with n from 0 for
// the writer of the n-th part, after the part before was written. Each part is packed as the file
// is. The error is that of r, part or a writer.
func (d *Division) Write(r io.Reader, part func(n int) (io.Writer, error)) error {
	s := open(r, nil)
	if _, err := io.CopyN(io.Discard, s, d.cuts[0]); err != nil {
		return err
	}
	for n := range d.Parts {
		w, err := part(n)
		if err != nil {
			return err
		}
		p := pack(s, w)
		_, err = p.Write(d.head)
		if err == nil {
			_, err = io.CopyN(p, s, d.cuts[n+1]-d.cuts[n]-d.lineEnd(s, n))
		}
		if err == nil {
			_, err = p.Write(d.foot)
		}
		if err == nil {
			err = p.close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lineEnd reads the end of the line before a cut in a text, and returns its length in bytes.
func (d *Division) lineEnd(s *source, n int) int64 {
	if !d.text || n == 0 {
		return 0
	}
	b, _ := s.Peek(2)
	size := len(b) - len(bytes.TrimLeft(b, "\r\n"))
	if size == 2 && b[0] != '\r' { // an empty line follows
		size = 1
	}
	size, _ = s.Discard(size)
	return int64(size)
}

package sitemap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrDivide is the error for a file that cannot be divided because its entries cannot be separated
// reliably.
var ErrDivide = errors.New("the file cannot be divided")

// A Division divides a urlset or a text that lists too much for one file into several files. Each
// has what stands before the first entry and after the last one, and in between its own entries
// with everything between them, byte for byte and in order.
type Division struct {
	// Parts are the files to write, with their entries. A file with one part is not too large.
	Parts []Part

	most       Share
	text       bool
	cuts       []int64 // where the parts begin, and where the last one ends
	head, foot []byte
}

// A Part is one file of a Division.
type Part struct {
	Entries int
	Bytes   int64 // unpacked; an upper bound for a text
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
// from its start; Divide calls read three times. The error is that of read, or ErrDivide for a file
// that is neither a urlset nor a text in UTF-8, that ends too early or has XML faults, or in which
// an entry has no element of its own or is too large for a part. Memory use does not depend on the
// size of the file.
func Divide(read func(func(io.Reader) error) error, most Share) (*Division, error) {
	d := &Division{most: most}
	first, last := int64(-1), int64(0)
	err := read(func(r io.Reader) error {
		info, err := Read(r, Options{}, func(e Entry) error {
			if e.Element.End == 0 {
				return fmt.Errorf("%w: line %d", ErrDivide, e.Line)
			}
			if first < 0 {
				first = e.Element.Start
			}
			last = e.Element.End
			return nil
		})
		d.text = info.Kind == Text
		if err == nil {
			err = info.divisible()
		}
		return err
	})
	if err == nil {
		err = d.frame(read, first, last)
	}
	if err == nil {
		err = read(d.cut)
	}
	return d, err
}

// divisible returns nil where a file can be divided.
func (i *Info) divisible() error {
	severe := func(f Fault) bool {
		return f.Name == problemNames[parsingError] && f.Severity == severe
	}
	if i.Entries == 0 || i.Truncated || i.Charset != "utf-8" ||
		i.Kind != URLSet && i.Kind != Text || slices.ContainsFunc(i.Faults, severe) {
		return ErrDivide
	}
	return nil
}

// frame reads what stands before the first entry and after the last one. White space before the
// first entry belongs to that entry, so that all entries begin alike.
func (d *Division) frame(read func(func(io.Reader) error) error, first, last int64) error {
	if first > maxFrame {
		return fmt.Errorf("%w: %d bytes stand before its first entry", ErrDivide, first)
	}
	err := read(func(r io.Reader) error {
		s := open(r, nil, "")
		head := make([]byte, first)
		if _, err := io.ReadFull(s, head); err != nil {
			return err
		}
		d.head = head
		if _, err := io.CopyN(io.Discard, s, last-first); err != nil {
			return err
		}
		foot, err := io.ReadAll(io.LimitReader(s, maxFrame+1))
		d.foot = foot
		return err
	})
	if err == nil && len(d.foot) > maxFrame {
		return fmt.Errorf("%w: too much stands behind its last entry", ErrDivide)
	}
	if !d.text {
		d.head = bytes.TrimRight(d.head, " \t\r\n")
	}
	d.cuts = []int64{int64(len(d.head))}
	return err
}

// cut finds where the parts begin and end.
func (d *Division) cut(r io.Reader) error {
	at, part, open := d.cuts[0], d.begun(), int64(0) // open is where the element of pending ends
	pending := 0
	closeElement := func() error {
		if pending == 0 {
			return nil
		}
		if part.Entries > 0 && (part.Entries+pending > d.most.Entries ||
			part.Bytes+open-at > d.most.Bytes) {
			d.Parts, d.cuts, part = append(d.Parts, part), append(d.cuts, at), d.begun()
		}
		part.Entries += pending
		part.Bytes += open - at
		at, pending = open, 0
		if part.Entries > d.most.Entries || part.Bytes > d.most.Bytes {
			return fmt.Errorf("%w: one entry alone is too large", ErrDivide)
		}
		return nil
	}
	_, err := Read(r, Options{}, func(e Entry) error {
		if e.Element.End != open {
			if err := closeElement(); err != nil {
				return err
			}
			open = e.Element.End
		}
		pending++
		return nil
	})
	if err == nil {
		err = closeElement()
	}
	d.Parts, d.cuts = append(d.Parts, part), append(d.cuts, at)
	return err
}

// begun returns a part without entries.
func (d *Division) begun() Part { return Part{Bytes: int64(len(d.head) + len(d.foot))} }

// Write writes the parts of the file that Divide was called with. It calls part with n from 0 for
// the writer of the n-th part, after the part before was written. Each part is packed as the file
// is. The error is that of r, part or a writer.
func (d *Division) Write(r io.Reader, part func(n int) (io.Writer, error)) error {
	s := open(r, nil, "")
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
	size := 0
	switch b, _ := s.Peek(2); {
	case bytes.HasPrefix(b, []byte("\r\n")):
		size = 2
	case bytes.HasPrefix(b, []byte("\n")), bytes.HasPrefix(b, []byte("\r")):
		size = 1
	}
	size, _ = s.Discard(size)
	return int64(size)
}

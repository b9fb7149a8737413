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
	frame      int64   // bytes of head and foot
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
// from its start; Divide calls read twice. The error is that of read, or ErrDivide for a file that
// is neither a urlset nor a text in UTF-8, that ends too early or has XML faults, or in which an
// entry has no element of its own or is too large for a part. Memory use does not depend on the size
// of the file.
func Divide(read func(func(io.Reader) error) error, most Share) (*Division, error) {
	d := &Division{most: most}
	first, last := int64(-1), int64(0)
	var info Info
	err := read(func(r io.Reader) (err error) {
		info, err = Read(r, Options{}, func(e Entry) error {
			if e.Element.End == 0 {
				return fmt.Errorf("%w: line %d", ErrDivide, e.Line)
			}
			if first < 0 {
				first = e.Element.Start
			}
			last = e.Element.End
			return nil
		})
		return err
	})
	switch {
	case err != nil:
		return d, err
	case !info.divisible():
		return d, ErrDivide
	case first > maxFrame || info.Size-last > maxFrame:
		return d, fmt.Errorf("%w: too much stands before its first URL, or behind its last one", ErrDivide)
	}
	d.text = info.Kind == Text
	return d, read(func(r io.Reader) error { return d.cut(r, first, last, info.Size) })
}

// divisible reports whether a file can be divided.
func (i *Info) divisible() bool {
	broken := slices.ContainsFunc(i.Faults, func(f Fault) bool {
		return f.Name == parsingError && f.Severity == severe
	})
	return i.Entries > 0 && !i.Truncated && i.Charset == "utf-8" && (i.Kind == URLSet || i.Kind == Text) && !broken
}

// A section keeps the bytes of a text between two places.
type section struct {
	Span
	at   int64
	kept []byte
}

func (s *section) Write(b []byte) (int, error) {
	from, to := max(s.Start-s.at, 0), min(s.End-s.at, int64(len(b)))
	if from < to {
		s.kept = append(s.kept, b[from:to]...)
	}
	s.at += int64(len(b))
	return len(b), nil
}

// cut finds where the parts begin and end. White space before the first entry belongs to that entry
// in XML, so that all entries begin alike.
func (d *Division) cut(r io.Reader, first, last, size int64) error {
	head, foot := section{Span: Span{0, first}}, section{Span: Span{last, size}}
	end, pending := int64(0), 0 // of the element that is read
	_, err := Read(r, Options{Text: io.MultiWriter(&head, &foot)}, func(e Entry) (err error) {
		switch {
		case d.cuts == nil:
			d.head = head.kept
			if !d.text {
				d.head = bytes.TrimRight(d.head, " \t\r\n")
			}
			d.frame, d.cuts = int64(len(d.head))+size-last, []int64{int64(len(d.head))}
		case e.Element.End != end:
			err, pending = d.add(pending, end), 0
		}
		end = e.Element.End
		pending++
		return err
	})
	if err == nil {
		err = d.add(pending, end)
	}
	d.foot = foot.kept
	return err
}

// add adds an element with some entries to the last part, or to another one where it does not fit.
func (d *Division) add(entries int, end int64) error {
	at, n := d.cuts[len(d.cuts)-1], len(d.Parts)-1
	added := end - at
	if n < 0 || d.Parts[n].Entries+entries > d.most.Entries || d.Parts[n].Bytes+added > d.most.Bytes {
		d.Parts, d.cuts = append(d.Parts, Part{Bytes: d.frame}), append(d.cuts, at)
		n++
	}
	p := &d.Parts[n]
	p.Entries += entries
	p.Bytes += added
	d.cuts[len(d.cuts)-1] = end
	if p.Entries > d.most.Entries || p.Bytes > d.most.Bytes {
		return fmt.Errorf("%w: one URL alone is too large", ErrDivide)
	}
	return nil
}

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

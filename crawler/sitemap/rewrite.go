package sitemap

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/gzip"
)

// Action is what becomes of an entry.
type Action uint8

// The actions. Drop removes the whole element of the entry, with its line where
// nothing else stands on it. Where an element holds several entries and some
// stay, only the <loc> of a dropped one goes.
const (
	Keep Action = iota
	Replace
	Drop
)

// An Edit is what to do with one entry.
type Edit struct {
	Action Action
	Loc    string // the address to write, with Replace; escapes are added as the place needs them
}

// Result says what Rewrite did.
type Result struct {
	Entries  int // entries of the file
	Replaced int
	Dropped  int
	Links    int // href attributes that were replaced
	// Kept counts entries that were to be dropped and stay: all of them are Bound.
	Kept int
}

// Changed tells whether the file was changed.
func (r Result) Changed() bool { return r.Replaced+r.Dropped+r.Links > 0 }

// ErrCharset is returned for a file whose charset Rewrite cannot edit.
var ErrCharset = errors.New("a sitemap in this charset cannot be edited")

// Rewrite copies a sitemap, as it was served, from r to w with edits. It finds
// the entries that Read finds, asks edit for each, n counting from 0, and link
// for the href of each xhtml:link (nil: none), outer white space removed and
// references resolved; link returns what to write, and false to leave it.
//
// Every byte of the unpacked text outside the edited addresses, links and dropped
// elements is copied as it is; what was packed is packed again, UTF-16 stays
// UTF-16. What Read does not read, after a limit or damage, is copied (of a
// damaged gzip, what could be unpacked).
//
// The error is one of edit, r or w, or ErrCharset, and then w has a part of the
// file. A *FormatError says that r is no sitemap: then w has all of it, as it was.
func Rewrite(r io.Reader, w io.Writer, edit func(n int) (Edit, error), link func(href string) (string, bool)) (Result, error) {
	s := open(r)
	if s.charset != nil && s.charset.stateful {
		return Result{}, fmt.Errorf("%w: %s", ErrCharset, s.charset.name)
	}
	rw := &rewriting{edit: edit, linked: link, charset: s.charset}
	p := pack(s, w)
	rw.w = bufio.NewWriterSize(p, 64<<10)
	err := rw.walk(s)
	var format *FormatError
	if err != nil && !errors.As(err, &format) {
		return rw.result, err
	}
	if rest := rw.rest(s); rest != nil {
		return rw.result, rest
	}
	if failed := readError(s, rw.window); failed != nil {
		return rw.result, fmt.Errorf("read sitemap: %w", failed)
	}
	if closing := p.close(); closing != nil {
		return rw.result, closing
	}
	return rw.result, err
}

// rewriting is the consumer of Rewrite.
type rewriting struct {
	edit    func(n int) (Edit, error)
	linked  func(href string) (string, bool)
	charset *charset
	w       *bufio.Writer
	result  Result

	window  *window
	done    int64 // written up to here
	patches []patch
	space   []byte

	// Of the open item:
	dropped []dropped // its entries that are to be dropped
	from    int       // its first patch
	links   int
}

// dropped is the tag of an entry that is to be dropped; fast where it cannot go
// without its element (see found.ends).
type dropped struct {
	Span
	fast bool
}

// A patch is text that stands in place of a span.
type patch struct {
	Span
	text string
}

func (r *rewriting) walk(s *source) error {
	isXML, bad := s.xml()
	if bad != nil {
		return bad
	}
	w := newWindow(s, 0, defaultMaxSize)
	w.back, w.slide = lookBack, r.write
	if !isXML {
		t := &textWalk{out: r, window: w}
		r.window = &t.window
		return t.run()
	}
	x := &xmlWalk{out: r, charset: s.charset, links: r.linked != nil}
	x.window = w
	r.window = &x.window
	if err := x.run(); err != nil {
		return err
	}
	if !x.root && r.result.Entries == 0 {
		return s.notXML()
	}
	return nil
}

// write writes the text up to a place, with its patches.
func (r *rewriting) write(upTo int64) error {
	n := 0
	for ; n < len(r.patches) && r.patches[n].Start < upTo; n++ {
		p := r.patches[n]
		if err := r.copy(p.Start); err != nil {
			return err
		}
		if _, err := r.w.WriteString(p.text); err != nil {
			return err
		}
		r.done = p.End
	}
	r.patches = r.patches[:copy(r.patches, r.patches[n:])]
	r.from = max(r.from-n, 0)
	return r.copy(upTo)
}

// copy writes the text up to a place as it is.
func (r *rewriting) copy(upTo int64) error {
	if upTo <= r.done {
		return nil
	}
	_, err := r.w.Write(r.window.bytes(Span{r.done, upTo}))
	r.done = upTo
	return err
}

// rest writes what the walk left: the end of the window, and what was not read.
func (r *rewriting) rest(s *source) error {
	if w := r.window; w != nil {
		if err := r.write(w.off + int64(len(w.buf))); err != nil {
			return err
		}
		if _, err := r.w.Write(w.beyond); err != nil {
			return err
		}
	}
	if _, err := io.Copy(r.w, s); err != nil {
		return err
	}
	return r.w.Flush()
}

func (r *rewriting) opened(w *window, it *item) {
	r.dropped, r.from, r.links = r.dropped[:0], len(r.patches), 0
	it.hold = r.lineStart(w, it.start)
}

// lineStart returns where the line of an element begins, if only white space
// stands before it, else where the element begins.
func (r *rewriting) lineStart(w *window, at int64) int64 {
	first := max(w.off, r.done, at-lookBack)
	b := w.bytes(Span{first, at})
	for i := len(b) - 1; i >= 0; i-- {
		switch b[i] {
		case ' ', '\t':
		case '\n', '\r':
			return first + int64(i) + 1
		default:
			if first == 0 && i == 2 && string(b[:3]) == string(utf8BOM) {
				return 3
			}
			return at
		}
	}
	if first == 0 {
		return 0
	}
	return at
}

// lineEnd returns where the line of an element ends, its line end included, and
// false where something else stands on it.
func lineEnd(w *window, at int64) (int64, bool) {
	for i := int(at - w.off); ; i++ {
		for i >= len(w.buf) {
			off := w.off
			if int64(i)+off-at > lookBack || !w.more() {
				return at, false
			}
			i -= int(w.off - off)
		}
		switch w.buf[i] {
		case ' ', '\t':
		case '\n':
			return w.off + int64(i) + 1, true
		case '\r':
			return crEnd(w, w.off+int64(i)+1), true
		default:
			return at, false
		}
	}
}

// crEnd returns the end of a line end whose CR stands before a place.
func crEnd(w *window, at int64) int64 {
	if at == w.off+int64(len(w.buf)) && !w.more() {
		return at
	}
	if w.buf[at-w.off] == '\n' {
		at++
	}
	return at
}

func (r *rewriting) address(w *window, it *item, f *found) error {
	n := r.result.Entries
	r.result.Entries++
	e, err := r.edit(n)
	if err != nil {
		return err
	}
	switch e.Action {
	case Replace:
		r.result.Replaced++
		return r.replace(w, f, e.Loc)
	case Drop:
		r.dropped = append(r.dropped, dropped{f.tag, f.ends})
	}
	return nil
}

// replace puts an address in place of another.
func (r *rewriting) replace(w *window, f *found, loc string) error {
	var tag []byte
	if f.form == formEmpty {
		tag = w.bytes(f.tag)
	}
	text, ok := r.charset.encode(f.form.write(loc, tag))
	if !ok {
		return fmt.Errorf("write %q: %w: %s has no such character", loc, ErrCharset, r.charset.name)
	}
	r.patches = append(r.patches, patch{f.addr, text})
	return nil
}

func (r *rewriting) link(w *window, _ *item, f *found) error {
	r.space = f.text(r.space[:0], w, r.charset)
	to, ok := r.linked(string(r.space))
	if !ok {
		return nil
	}
	r.links++
	return r.replace(w, f, to)
}

func (r *rewriting) closed(w *window, it *item, end int64, whole bool) error {
	defer func() { r.result.Links += r.links }()
	switch n := len(r.dropped); {
	case n == 0:
	case !whole || end-it.hold > maxHeld:
		r.result.Kept += n
	case n == it.addresses:
		r.result.Dropped += n
		r.links = 0
		r.patches = append(r.patches[:r.from], patch{Span: r.line(w, Span{it.start, end}, it.hold)})
	default:
		for _, d := range r.dropped {
			r.dropTag(w, d)
		}
		slices.SortFunc(r.patches[r.from:], func(a, b patch) int { return cmp.Compare(a.Start, b.Start) })
	}
	return nil
}

// line returns an element with its line, where nothing else stands on it; start
// is what lineStart says of it.
func (r *rewriting) line(w *window, element Span, start int64) Span {
	if start == element.Start && start > 0 && !afterLineEnd(w, start) {
		return element
	}
	if end, ok := lineEnd(w, element.End); ok {
		return Span{start, end}
	}
	return element
}

// afterLineEnd tells whether a line, or the text, begins at a place.
func afterLineEnd(w *window, at int64) bool {
	if at <= w.off {
		return at == 0
	}
	c := w.buf[at-w.off-1]
	return c == '\n' || c == '\r' || at == 3 && w.off == 0 && string(w.buf[:3]) == string(utf8BOM)
}

// dropTag drops one <loc> of several.
func (r *rewriting) dropTag(w *window, d dropped) {
	if d.fast {
		r.result.Kept++
		return
	}
	r.result.Dropped++
	r.patches = append(r.patches, patch{Span: r.line(w, d.Span, r.lineStart(w, d.Start))})
}

// packing packs what is written to it as the source was packed.
type packing struct {
	io.Writer
	utf16   *toUTF16
	from    *fromUTF16
	writers []*gzip.Writer // outermost first
}

func pack(s *source, w io.Writer) *packing {
	p := &packing{Writer: w, from: s.utf16}
	for _, u := range s.layers {
		z := gzip.NewWriter(p.Writer)
		z.Header = u.header
		p.writers = append(p.writers, z)
		p.Writer = z
	}
	if s.utf16 != nil {
		p.utf16 = &toUTF16{w: p.Writer, order: s.utf16.order}
		p.Writer = p.utf16
	}
	return p
}

// close writes what is left, and the ends of the packing.
func (p *packing) close() error {
	if p.utf16 != nil {
		if _, err := p.utf16.w.Write(p.from.odd); err != nil {
			return err
		}
	}
	for i := len(p.writers) - 1; i >= 0; i-- {
		if err := p.writers[i].Close(); err != nil {
			return err
		}
	}
	return nil
}

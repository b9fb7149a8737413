package sitemap

import (
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/gzip"

	"sitemend/crawler/audit"
)

// Read reads a sitemap of any format and calls visit with its entries in the order of the file.
// What stands before damage counts: of a file that was cut off, or whose gzip is damaged, Read
// visits the entries that are complete.
//
// Info.Faults says what is wrong with the file. The error is the one that visit returned (which
// ends the reading), that of r, or a *FormatError where the file is not a sitemap; Info then has
// what was found until then.
func Read(r io.Reader, o Options, visit func(Entry) error) (Info, error) {
	rd := &reading{o: o, visit: visit, faults: &faults{}}
	s := open(r, o.Text, o.Charset)
	err := rd.walk(s)
	rd.close(s, err)
	if failed := readError(s, rd.window); err == nil && failed != nil {
		err = fmt.Errorf("read sitemap at byte %d: %w", rd.info.Size, failed)
	}
	return rd.info, err
}

// readError returns why the text could not be read to its end or its limit.
func readError(s *source, w *window) error {
	if s.in.err != nil {
		return s.in.err
	}
	if w == nil {
		return nil
	}
	switch w.err {
	case nil, io.EOF, errTooLarge, errRun:
		return nil
	}
	return w.err
}

// reading is the consumer of Read.
type reading struct {
	o      Options
	visit  func(Entry) error
	info   Info
	faults *faults
	notes  *notes
	place  *location

	charset *charset
	pending []Entry // of the open item
	own     []Entry // of the open item, where links are wanted
	links   []Link  // likewise
	count   linkCount
	dates   []string // the lastmods of the open item, where they are wanted; at most maxValues+1
	space   []byte
	origin  []byte // of the address that absolute checked, with a slash
	window  *window
}

// walk walks over the text of s.
func (r *reading) walk(s *source) error {
	r.info.Gzip, r.info.Charset, r.charset = len(s.layers) > 0, s.name(), s.charset
	r.place = locate(r.o)
	r.notes = newNotes(r.faults, &r.info, r.o.Now)
	r.notes.plain = s.charset != nil
	isXML, bad := s.xml()
	switch {
	case s.in.err != nil && len(s.head) == 0:
		return nil
	case bad != nil:
		return bad
	case isXML:
		return r.xml(s)
	}
	return r.text(s)
}

func (r *reading) limit() int64 {
	if r.o.MaxSize > 0 {
		return r.o.MaxSize
	}
	return defaultMaxSize
}

func (r *reading) xml(s *source) error {
	x := &xmlWalk{out: r, faults: r.faults, notes: r.notes, links: r.o.Links != nil,
		asset: assetWalk{wanted: r.o.Links != nil && r.o.Assets}, charset: s.charset,
		ext: xxhash.New(), unnamed: xxhash.New()}
	x.window = newWindow(s, r.o.scale, r.limit())
	x.fresh = r.notes.fresh
	r.window = &x.window
	r.info.Kind = URLSet
	if err := x.run(); err != nil {
		return r.noKind(x, err)
	}
	if !x.root && r.info.Entries == 0 {
		return r.noKind(x, s.notXML())
	}
	if !x.root {
		r.faults.whole(parsingError, severe, "no-root")
	}
	return nil
}

// noKind removes the kind of a file that turned out not to be a sitemap.
func (r *reading) noKind(x *xmlWalk, err error) error {
	if !x.root && r.info.Entries == 0 {
		r.info.Kind = ""
	}
	return err
}

func (r *reading) text(s *source) error {
	t := &textWalk{out: r, faults: r.faults, notes: r.notes}
	t.window = newWindow(s, r.o.scale, r.limit())
	t.fresh = r.notes.fresh
	r.window = &t.window
	r.info.Kind = Text
	return t.run()
}

// close sets what is known at the end.
func (r *reading) close(s *source, err error) {
	stopped := error(nil)
	if w := r.window; w != nil {
		r.info.Size, stopped = w.off+int64(len(w.buf)), w.err
		r.notes.bytesBefore(w, r.info.Size)
		if s.utf16 != nil && stopped == io.EOF {
			r.info.Size = s.utf16.total
		}
	}
	if r.info.Kind != "" {
		r.info.News = r.notes.news > 0 && 2*r.notes.news > r.info.Entries
		r.info.Generator = r.notes.clues.generator(r.o.URL)
	}
	r.wholeFaults(s, err, stopped)
	r.info.Faults = r.faults.all()
}

// wholeFaults adds the faults of the file as a whole.
func (r *reading) wholeFaults(s *source, err, stopped error) {
	var format *FormatError
	damage := s.damage()
	switch {
	case errors.As(err, &format):
		if damage == nil && s.wrongSum() {
			damage = gzip.ErrChecksum
		}
		r.notSitemap(format, damage)
		return
	case stopped == errTooLarge:
		r.info.Truncated = true
		r.faults.whole(fileSizeError, severe, "first-bytes", Thousands(int(r.limit())))
	case stopped == errRun:
		r.info.Truncated = true
		r.faults.whole(parsingError, severe, "endless-run", Thousands(int(r.window.here())))
	case r.info.Size > maxBytes:
		r.faults.whole(fileSizeError, severe, "too-large", Thousands(int(r.info.Size)),
			Thousands(maxBytes))
	}
	switch {
	case damage != nil:
		r.info.Truncated = true
		r.faults.whole(compressionError, severe, "gzip-damaged", damage.Error(),
			Thousands(int(r.info.Size)))
	case s.wrongSum():
		r.faults.whole(compressionError, severe, "gzip-checksum", Thousands(int(r.info.Size)))
	}
	if s.trailing() {
		r.faults.whole(compressionError, mild, "gzip-trailing")
	}
	if len(s.layers) > 1 {
		r.faults.whole(compressionError, mild, "packed-twice", Thousands(len(s.layers)))
	}
	r.charsetFaults(s)
	if n := r.notes.entities; n > 0 {
		r.faults.whole(parsingError, mild, "dtd-unread", Thousands(n))
	}
	r.notes.lastmodFaults()
	if r.info.Entries == 0 && err == nil && s.in.err == nil {
		r.faults.whole(emptySitemap, severe, "empty")
	}
}

func (r *reading) notSitemap(format *FormatError, damage error) {
	if damage != nil {
		r.info.Truncated = true
		r.faults.whole(compressionError, severe, "gzip-unreadable", damage.Error())
		return
	}
	if *format == *notEmpty() {
		r.faults.whole(emptySitemap, severe, "no-bytes")
		return
	}
	r.faults.whole(unsupportedFormat, severe, "no-sitemap", format.What)
}

func (r *reading) charsetFaults(s *source) {
	if s.unknown != "" {
		r.faults.whole(parsingError, severe, "unknown-charset", excerpt([]byte(s.unknown)))
	}
	if name := s.name(); name != "utf-8" {
		r.faults.whole(parsingError, mild, "legacy-charset", name)
	}
}

func (r *reading) opened(_ *window, it *item) {
	r.count = linkCount{}
	r.pending, r.own, r.links, r.dates = r.pending[:0], r.own[:0], r.links[:0], r.dates[:0]
	if r.o.Lastmods { // a value is read at its end, which may be in the next window
		it.hold = it.start
	}
}

func (r *reading) address(w *window, it *item, f *found) error {
	r.space = f.text(r.space[:0], w, r.charset)
	r.check(f, r.space)
	loc := kept(r.space)
	e := Entry{N: r.info.Entries + len(r.pending), Loc: string(loc), Line: f.line, Column: f.column, Addr: f.addr, Bound: f.ends,
		TooLong: len(loc) < len(r.space)}
	r.pending = append(r.pending, e)
	if r.o.Links != nil && len(r.own) < maxLinks {
		r.own = append(r.own, e)
	}
	if len(r.pending) >= maxPending {
		return r.give(Span{}, it)
	}
	return nil
}

// kept returns the part of an address in a file that is kept, as audit.Kept does.
func kept(loc []byte) []byte {
	if len(loc) > audit.MaxAddress {
		return loc[:audit.KeptAddress]
	}
	return loc
}

// link is called where links are wanted.
func (r *reading) link(w *window, _ *item, f *found) error {
	if r.count.keeps(f.kind) {
		r.space = f.text(r.space[:0], w, r.charset)
		href := ""
		if len(r.space) <= audit.MaxAddress {
			href = string(r.space)
		}
		r.links = append(r.links,
			Link{Href: href, Lang: f.lang, Line: f.line, Kind: f.kind, Of: f.of})
	}
	return nil
}

// lastmod is called where lastmods are wanted.
func (r *reading) lastmod(w *window, it *item, content Span, empty bool) {
	if !r.o.Lastmods || len(r.dates) > maxValues || content.End-it.start > w.scale.element() {
		return
	}
	value := ""
	if !empty {
		value = string(w.bytes(trimmed(w, content)))
	}
	r.dates = append(r.dates, value)
}

func (r *reading) closed(_ *window, it *item, end int64, whole bool) error {
	element := Span{it.start, end}
	if !whole {
		element = Span{}
	}
	if err := r.give(element, it); err != nil || len(r.links) == 0 {
		return err
	}
	return r.o.Links(r.own, r.links)
}

// give visits the entries of an item.
func (r *reading) give(element Span, it *item) error {
	langs := it.own()
	for i := range r.pending {
		e := &r.pending[i]
		e.Element, e.Ext, e.Media, e.Langs = element, it.ext, it.media, langs
		e.Bound = e.Bound || element.End == 0 || element.Len() > r.window.scale.element()
		if e.Sole = r.sole(e, it); e.Sole && len(r.dates) > 0 {
			e.Lastmod = r.dates[0]
		}
		r.info.Entries++
		if err := r.visit(*e); err != nil {
			return err
		}
	}
	r.pending = r.pending[:0]
	return nil
}

// sole reports whether the lastmod of an entry may be written.
func (r *reading) sole(e *Entry, it *item) bool {
	return r.o.Lastmods && !e.Bound && it.addresses == 1 && len(r.dates) <= maxValues &&
		(r.info.Kind == URLSet || r.info.Kind == Index)
}

package sitemap

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Action is what Rewrite does with an entry or a link.
type Action uint8

// The actions. Drop removes the whole element of the entry, with its line where nothing else stands
// on it. Where an element has several entries and some stay, Drop removes only the <loc>. Of a
// link, Drop removes its element, with its line in the same way.
const (
	Keep Action = iota
	Replace
	Drop
)

// An Edit is what to do with one entry or one link.
type Edit struct {
	Action Action
	Loc    string // the address to write, with Replace; escapes are added as its place requires
	// Lastmod is the date to write as the lastmod of the entry's element, with Keep or Replace; ""
	// leaves the lastmod as it is. It is written in a urlset or an index, where the entry is the
	// only one of its element and not Bound (Entry.Sole), in place of the existing one, else after
	// the <loc>.
	Lastmod string
	// More are addresses to add after the entry, each in a copy of its element, with Keep or
	// Replace, where Lastmod could be written. Where Lastmod is set, a copy has it in place of an
	// existing lastmod, too.
	More []string
}

// A Link is an xhtml:link of an element, or the address of an image or a video in it.
type Link struct {
	// Href is the address: outer white space removed and references resolved. Read sets "" for one
	// of more than audit.MaxAddress bytes.
	Href string
	// Lang is the hreflang, read in the same way; "" where it is missing or longer than 64 bytes.
	Lang string
	Line int // line of the tag, from 1
	// Bound is set where the link cannot be dropped: it has content, or no end of its own.
	Bound bool
	// Kind is the kind of address; images and videos are always Bound.
	Kind LinkKind
	// Of is the number of the image or video in the element, from 1; 0 for an Alternate.
	Of int
}

// Edits decides what Rewrite does.
type Edits struct {
	// Charset is as in Options.
	Charset string
	// Element is called at the start of an element that may contain entries and links; may be nil.
	Element func()
	// Entry returns the edit of the n-th entry of the file, n counting from 0. loc is Entry.Loc as
	// Read returns it, and valid during the call.
	Entry func(n int, loc []byte) (Edit, error)
	// Dated is called with the number of an entry whose lastmod is written, when its element ends
	// and before Entry is called for the next one; may be nil. Its error ends Rewrite.
	Dated func(n int) error
	// Links returns an Edit for each link of one element; the links are in the order of the file
	// and valid during the call. To drop a Bound one is an error. Links is called when the element
	// ends, after Entry was called for its entries, unless all of these are dropped. In elements
	// longer than 16 MiB or with more than 1,000 xhtml:links all links, images and videos included,
	// stay as they are. A nil Links keeps all links.
	Links func(links []Link) ([]Edit, error)
	// Gone is called with the links of an element that is removed, in the order of the file and
	// valid during the call, with the limits of Links; may be nil. Its error ends Rewrite.
	Gone func(links []Link) error
	// Assets adds the addresses of images and videos to the links; in elements with more than 5,000
	// of all of them these stay as they are.
	Assets bool
}

// Result is what Rewrite did.
type Result struct {
	Entries  int // entries of the file
	Replaced int
	Dropped  int
	Relinked int // links whose href was replaced
	Unlinked int // links that were dropped
	Dated    int // entries whose lastmod was written
	Added    int // copies of elements (Edit.More)
	// Kept counts entries that Edits dropped and that stay because they are Bound.
	Kept int
	// Unhanded counts the elements that stay with links that Edits.Links was not called with: those
	// beyond its limits.
	Unhanded int
}

// Changed reports whether the file was changed.
func (r Result) Changed() bool {
	return r.Replaced+r.Dropped+r.Relinked+r.Unlinked+r.Dated+r.Added > 0
}

// ErrCharset is returned for a file whose charset Rewrite cannot edit.
var ErrCharset = errors.New("a sitemap in this charset cannot be edited")

// Rewrite copies a sitemap, as it was served, from r to w with edits. It finds the same entries as
// Read, in the same order.
//
// Every byte of the unpacked text outside the edited addresses and links and the dropped elements
// is copied unchanged; a packed file is packed again, UTF-16 stays UTF-16. What Read does not read,
// after a limit or damage, is copied (of a damaged gzip, what could be unpacked).
//
// The error is that of edits, r or w, or ErrCharset or ErrEdits; then w has a part of the file. A
// *FormatError says that r is not a sitemap; then w has all of it, unchanged.
func Rewrite(r io.Reader, w io.Writer, edits Edits) (Result, error) {
	return rewrite(r, w, edits, fullScale)
}

// editable returns nil where Rewrite can edit the sitemap, and ErrCharset where its
// charset forbids that.
func (s *source) editable() error {
	if s.charset != nil && s.charset.stateful {
		return fmt.Errorf("%w: %s", ErrCharset, s.charset.name)
	}
	return nil
}

// rewrite is Rewrite at a scale.
func rewrite(r io.Reader, w io.Writer, edits Edits, size scale) (Result, error) {
	s := open(r, nil, edits.Charset)
	if err := s.editable(); err != nil {
		return Result{}, err
	}
	p := pack(s, w)
	rw := &rewriting{edits: edits, charset: s.charset}
	rw.w = bufio.NewWriterSize(p, 64<<10)
	err := rw.walk(s, size)
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
	edits   Edits
	charset *charset
	result  Result
	patching
	space []byte

	// Of the open item:
	dropped []dropped // its entries that are to be dropped
	links   []linked
	count   linkCount
	handed  []Link // the part of links that Edits sees
	first   int    // number of its first patch
	dating  dating

	xml *xmlWalk // nil for a text file
	run run
}

// A run is a sequence of removed elements on one line, so far with nothing else on it.
type run struct {
	open  bool
	first int // number of its first patch
	start lineStart
	end   int64 // of the last element
}

// goes reports whether an element that begins at a place continues the run, and the window still
// holds the run.
func (r *run) goes(w *window, at int64) bool {
	return r.open && at-r.end <= w.scale.line && r.held(w, w.here()) && w.blank(r.end, at)
}

// held reports whether the window holds the run when it has read up to a place.
func (r *run) held(w *window, here int64) bool { return here-r.start.before() <= w.scale.held }

// dropped is the tag of an entry that is dropped; it is fast where it cannot be removed without its
// element (see found.ends).
type dropped struct {
	Span
	fast bool
}

// linked is an xhtml:link of the open item.
type linked struct {
	Link
	tag, addr Span
	form      form
}

// maxLinks is how many links of one element are kept until its end. Google names no limit; fewer
// than 1,000 pairs of a language and a region are in use.
const maxLinks = 1_000

// maxAssets is the same for links, images and videos together: Google accepts 1,000 images.
const maxAssets = 5_000

// A linkCount counts the links of one element.
type linkCount struct{ all, alternates int }

// keeps counts a link, and reports whether it is kept: that is, up to and including the first one
// too many.
func (c *linkCount) keeps(kind LinkKind) bool {
	if c.tooMany() {
		return false
	}
	c.all++
	if kind == Alternate {
		c.alternates++
	}
	return true
}

// tooMany reports whether there are more alternates than maxLinks, or more links than maxAssets:
// the limit for alternates is the same with and without images and videos beside them.
func (c *linkCount) tooMany() bool { return c.alternates > maxLinks || c.all > maxAssets }

func (r *rewriting) walk(s *source, size scale) error {
	isXML, bad := s.xml()
	if bad != nil {
		return bad
	}
	w := newWindow(s, size, defaultMaxSize)
	w.back, w.slide = size.line, r.write
	if !isXML {
		t := &textWalk{out: r, window: w}
		r.window = &t.window
		return t.run()
	}
	x := &xmlWalk{out: r, charset: s.charset, links: r.edits.Links != nil,
		asset: assetWalk{wanted: r.edits.Links != nil && r.edits.Assets}}
	x.window = w
	r.window, r.xml = &x.window, x
	if err := x.run(); err != nil {
		return err
	}
	if !x.root && r.result.Entries == 0 {
		return s.notXML()
	}
	return nil
}

func (r *rewriting) opened(w *window, it *item) {
	r.count = linkCount{}
	r.dropped, r.links, r.first = r.dropped[:0], r.links[:0], r.patches.count()
	r.dating = dating{values: r.dating.values[:0]}
	if r.edits.Element != nil {
		r.edits.Element()
	}
	start := w.lineStart(it.start)
	it.hold = start.before()
	if !r.run.goes(w, it.start) {
		r.run, w.tail = run{start: start}, -1
	}
}

func (r *rewriting) address(w *window, _ *item, f *found) error {
	n := r.result.Entries
	r.result.Entries++
	r.space = f.text(r.space[:0], w, r.charset)
	e, err := r.edits.Entry(n, kept(r.space))
	if err != nil {
		return err
	}
	if e.Action != Drop && !f.ends && r.dates() {
		r.dating.ask(w, f, n, &e)
	}
	switch e.Action {
	case Replace:
		r.result.Replaced++
		var tag []byte
		if f.form == formEmpty {
			tag = w.bytes(f.tag)
		}
		return r.replace(f.addr, f.form, tag, e.Loc)
	case Drop:
		r.dropped = append(r.dropped, dropped{f.tag, f.ends})
	}
	return nil
}

// replace replaces an address; tag is that of a formEmpty.
func (r *rewriting) replace(at Span, form form, tag []byte, loc string) error {
	text, ok := r.charset.encode(form.write(loc, tag))
	if !ok {
		return fmt.Errorf("write %q: %w: %s has no such character", loc, ErrCharset, r.charset.name)
	}
	r.patches.add(patch{at, text})
	return nil
}

func (r *rewriting) link(w *window, _ *item, f *found) error {
	if r.count.keeps(f.kind) {
		r.space = f.text(r.space[:0], w, r.charset)
		r.links = append(r.links, linked{Link{Href: string(r.space), Lang: f.lang, Line: f.line,
			Kind: f.kind, Of: f.of}, f.tag, f.addr, f.form})
	}
	return nil
}

func (r *rewriting) closed(w *window, it *item, end int64, whole bool) error {
	held := end-it.hold <= w.scale.held
	switch n := len(r.dropped); {
	case !whole || !held:
		r.result.Kept += n
	case n > 0 && n == it.addresses:
		r.result.Dropped += n
		r.drop(w, Span{it.start, end})
		return r.gone(w, end)
	default:
		for _, d := range r.dropped {
			r.dropTag(d)
		}
	}
	if held && whole {
		if err := r.copies(w, it, end); err != nil {
			return err
		}
		// before drop: an insertion precedes a link that is removed from the same place
		if err := r.date(w, it, end); err != nil {
			return err
		}
	}
	if len(r.links) > 0 && (!held || r.count.tooMany()) {
		r.result.Unhanded++
	} else if err := r.relink(w, end); err != nil {
		return err
	}
	r.patches.sort(r.first)
	if held {
		r.takeLines(r.first)
	}
	r.run.open, w.tail = false, -1
	return nil
}

// drop removes an element, with its line where only removed elements stand on it and the window
// holds all of them.
func (r *rewriting) drop(w *window, element Span) {
	r.patches.cut(r.first)
	if !r.run.open {
		r.run.first = r.patches.count()
	}
	r.patches.add(patch{Span: element})
	r.run.open, r.run.end = false, element.End
	if !r.run.start.alone || !r.run.held(w, element.End) {
		w.tail = -1
		return
	}
	if end, ok := w.lineEnd(element.End); ok {
		r.patches.merge(r.run.first, r.patches.count()-1, patch{Span: Span{r.run.start.at, end}})
		w.tail = -1
		return
	}
	r.run.open, w.tail = true, r.run.start.before()
}

// dropTag drops one <loc> of several.
func (r *rewriting) dropTag(d dropped) {
	if d.fast {
		r.result.Kept++
		return
	}
	r.result.Dropped++
	r.patches.add(patch{Span: d.Span})
}

// relink edits the links of an item that ends at end.
func (r *rewriting) relink(w *window, end int64) error {
	if len(r.links) == 0 {
		return nil
	}
	edits, err := r.edits.Links(r.hand(w, end))
	if err != nil {
		return err
	}
	for i, e := range edits {
		if err := r.editLink(&r.links[i], e); err != nil {
			return err
		}
	}
	return nil
}

// gone hands over the links of a removed item that ends at end.
func (r *rewriting) gone(w *window, end int64) error {
	if r.edits.Gone == nil || len(r.links) == 0 || r.count.tooMany() {
		return nil
	}
	return r.edits.Gone(r.hand(w, end))
}

// hand returns the links of an item that ends at end, as Edits see them.
func (r *rewriting) hand(w *window, end int64) []Link {
	r.handed = r.handed[:0]
	for i := range r.links {
		l := &r.links[i]
		l.Bound = l.Kind != Alternate || !l.whole(w, end)
		r.handed = append(r.handed, l.Link)
	}
	return r.handed
}

func (r *rewriting) editLink(l *linked, e Edit) error {
	switch {
	case e.Action == Replace:
		r.result.Relinked++
		return r.replace(l.addr, l.form, nil, e.Loc)
	case e.Action == Drop && l.Bound:
		return fmt.Errorf("%w: the link on line %d cannot be dropped", ErrEdits, l.Line)
	case e.Action == Drop:
		r.result.Unlinked++
		r.patches.add(patch{Span: l.tag})
	}
	return nil
}

// whole makes tag the whole element of the link, which ends before end. It returns false where the
// element has content, or no end tag.
func (l *linked) whole(w *window, end int64) bool {
	tag := w.bytes(l.tag)
	if tag[len(tag)-2] == '/' {
		return true
	}
	name, _ := tagName(tag)
	rest := bytes.TrimLeft(w.bytes(Span{l.tag.End, end}), " \t\r\n")
	if !bytes.HasPrefix(rest, []byte("</")) || !bytes.HasPrefix(rest[2:], name) {
		return false
	}
	close := bytes.TrimLeft(rest[2+len(name):], " \t\r\n")
	if len(close) == 0 || close[0] != '>' {
		return false
	}
	l.tag.End = end - int64(len(close)) + 1
	return true
}

package sitemap

import (
	"bytes"
	"cmp"
	"io"
)

// A walk is one pass over a sitemap of any format. Over XML. It is lenient: an element that is not closed ends with the one
// around it, and an end tag that closes nothing is skipped; each is a fault.
type walk struct {
	tokens
	vocabulary
	item   item
	give   func(it *item) error // takes each item, or part of one, when it ends
	checks *checks              // nil where only addresses are wanted
	assets bool                 // images and videos are wanted

	source  *source
	given   int     // addresses
	href    []byte  // of the latest link that was handed out
	stack   []level // the open elements, the innermost last
	names   []byte  // of these
	deep    int     // how many deeper ones are open
	doctype bool
	ends    bool // the last start tag ended an element
	ended   bool // the text ended within the open elements

	loc     found // the open address
	reading bool  // it is open
	inner   int64 // where its text begins
	filled  bool  // it has text
	wrapped bool  // its text is in an element of its own
	lastmod openLastmod
	block   openBlock
}

// A level is one open element.
type level struct {
	el   element
	name int // where its name begins in walk.names
}

func newWalk(s *source, size scale, max int64) *walk {
	return &walk{tokens: tokens{window: newWindow(s, size, max)}, source: s}
}

// run walks over the text. Its error is a *FormatError, or that of give.
func (x *walk) run() error {
	isXML, bad := x.source.xml()
	switch {
	case x.source.in.err != nil && len(x.source.head) == 0:
		return nil
	case bad != nil:
		return bad
	}
	if !isXML {
		x.kind, x.marks = Text, "\r\n"
	}
	if x.need(3) && bytes.HasPrefix(x.buf, utf8BOM) {
		x.pos = 3
	}
	if !isXML {
		return x.lines()
	}
	err := x.elements()
	if err == nil && !x.root && x.given == 0 {
		return x.source.noRoot()
	}
	return err
}

// broken returns why the text could not be read to its end or its limit; nil for no reason.
func (x *walk) broken() error {
	switch x.err {
	case nil, io.EOF, errTooLarge, errRun:
		return x.source.in.err
	}
	return cmp.Or(x.source.in.err, x.err)
}

// elements walks over XML.
func (x *walk) elements() error {
	x.grown = x.part
	for {
		kind := x.next()
		x.checks.bytesBefore(&x.window, x.end)
		if err := x.token(kind); err != nil || kind == tokEnd {
			return err
		}
		if it := &x.item; it.open {
			if x.hold < 0 {
				x.hold = x.end
			}
			if x.end-x.hold > x.held || len(it.locs) >= maxAddresses {
				if err := x.part(); err != nil {
					return err
				}
				x.hold = x.end
			}
		}
	}
}

// token processes a token of XML.
func (x *walk) token(kind token) error {
	switch kind {
	case tokEnd:
		if (len(x.stack) > 0 || x.cut) && x.err == io.EOF {
			x.checks.cutOff(x)
		}
		x.ended = true
		return x.abandon(len(x.stack))
	case tokText:
		x.text()
	case tokCDATA:
		x.cdata()
	case tokOpen, tokEmpty:
		return x.tag(kind == tokEmpty)
	case tokClose:
		return x.endTag()
	case tokOther:
		return x.aside()
	}
	return nil
}

// part gives what an item has so far that goes on for longer than is held. An address that is open
// is lost.
func (x *walk) part() error {
	it := &x.item
	x.lastmod.open = false
	if x.reading {
		x.reading = false
		x.checks.lost(x)
	}
	err := x.offer(false)
	keep := *it
	it.begin(keep.start)
	it.split, it.addresses, it.media, it.ends = true, keep.addresses, keep.media, keep.ends
	it.line, it.column, it.images = keep.line, keep.column, keep.images
	x.hold = -1
	return err
}

// offer passes on the item, or a part of it.
func (x *walk) offer(whole bool) error {
	it := &x.item
	it.end = x.end
	it.whole = whole && !it.ends && !it.split && it.end-it.start <= x.held
	x.given += len(it.locs)
	return x.give(it)
}

func (x *walk) top() element {
	if len(x.stack) == 0 {
		return elOther
	}
	return x.stack[len(x.stack)-1].el
}

// inAddress reports whether the innermost element is that of the open address.
func (x *walk) inAddress() bool {
	switch x.top() {
	case elLoc:
		return x.reading && !x.wrapped
	case elWrap:
		return x.reading
	}
	return x.reading && x.loc.kind != Alternate
}

func (x *walk) text() {
	b := x.raw()
	el := x.top()
	if blank(b) && !x.reading && !x.lastmod.open {
		return
	}
	x.checks.text(x, b)
	if x.deep > 0 {
		return
	}
	if x.inAddress() {
		x.filled = x.filled || !blank(b)
		x.item.pieces = append(x.item.pieces, piece{Span{x.start, x.end}, false})
	}
	x.lastmod.add(b)
	if el == elExt && !blank(b) {
		x.hash(b)
	}
}

func blank(b []byte) bool {
	for _, c := range b {
		if !asciiSpace(c) {
			return false
		}
	}
	return true
}

func (x *walk) cdata() {
	raw := x.raw()
	if x.deep > 0 || raw == nil {
		return
	}
	if x.inAddress() {
		x.filled = true
		x.item.pieces = append(x.item.pieces, piece{Span{x.start + 9, x.end - 3}, true})
	}
	x.lastmod.add(raw[9 : len(raw)-3])
	if x.top() == elExt {
		x.hash(raw)
	}
}

// hash adds a part of a block of another namespace to the item.
func (x *walk) hash(b []byte) {
	if x.checks != nil {
		x.item.blocks = append(x.item.blocks, b...)
	}
}

// aside processes a comment, a processing instruction or a DOCTYPE.
func (x *walk) aside() error {
	if hasFold(x.intro, "<!DOCTYPE") {
		x.doctype = true
		fields := bytes.Fields(x.intro[9:])
		if !x.root && len(fields) > 0 && hasFold(fields[0], "html") {
			return notHTML
		}
	}
	x.checks.aside(x)
	return nil
}

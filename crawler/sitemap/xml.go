package sitemap

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// xmlWalk walks over an XML sitemap. It is lenient: an element that is not closed ends with the one
// around it, and an end tag that closes nothing is skipped; each is a fault.
type xmlWalk struct {
	tokens
	levels
	vocabulary
	out    consumer
	faults *faults
	notes  *notes // nil where only addresses are wanted
	links  bool   // out takes links
	asset  assetWalk

	charset *charset
	item    item
	loc     found  // the open address
	version found  // of an Atom entry: first link to the page in one language; tag.End is 0 for none
	value   []byte // of the open lastmod, changefreq or priority
	ext     *xxhash.Digest
	unnamed *xxhash.Digest // like ext, without the item's own address
	hashed  bool           // the hashes have some of the item's blocks
	blocks  []byte         // blocks that are not yet hashed
	self    []byte         // the item's one address as written; empty where there are several
	doctype bool
	ends    bool  // the last start tag ended an element
	ended   bool  // the text ended within the open elements
	filled  bool  // the open address has text
	wrapped bool  // the text of the open address is in an element of its own
	inner   int64 // where the text of the address begins

	valueLine, valueColumn int
	valueAt                int64 // where the content of the open value begins
}

func (x *xmlWalk) run() error {
	x.item.hold = -1
	if x.need(3) && bytes.HasPrefix(x.buf, utf8BOM) {
		x.pos = 3
	}
	for {
		kind := x.next(x.expected())
		x.notes.passed(x)
		var err error
		switch kind {
		case tokEnd:
			return x.finish()
		case tokBlank:
			if x.top() >= elLoc {
				x.text()
			}
		case tokText:
			x.text()
		case tokCDATA:
			x.cdata()
		case tokOpen, tokEmpty:
			err = x.tag(kind == tokEmpty)
		case tokMatch:
			err = x.closed()
		case tokClose:
			err = x.endTag()
		case tokOther:
			err = x.other()
		}
		if err != nil {
			return err
		}
	}
}

// finish ends the walk at the end of the text.
func (x *xmlWalk) finish() error {
	if (len(x.stack) > 0 || x.cut) && x.err == io.EOF {
		x.notes.cutOff(x)
	}
	x.ended = true
	return x.abandon(len(x.stack))
}

func (x *xmlWalk) text() {
	b := x.raw()
	el := x.top()
	if el < elLoc && blank(b) {
		return
	}
	if x.notes != nil {
		x.notes.text(x, b)
	}
	switch {
	case x.deep > 0:
	case el == elLoc && !x.wrapped, el == elWrap:
		x.filled = x.filled || !blank(b)
		x.addPiece(Span{x.start, x.end}, false)
	case el >= elLastmod:
		x.addValue(b)
	case el == elExt:
		x.hash(b)
		x.notes.extensionText(x, b)
		if x.asset.open {
			x.addPiece(Span{x.start, x.end}, false)
		}
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

func (x *xmlWalk) cdata() {
	defer func() { x.section = -1 }()
	el := x.top()
	if x.deep == 0 && (el == elLoc && !x.wrapped || el == elWrap) {
		x.filled = true
		x.addPiece(Span{x.start + 9, x.end - 3}, true)
		return
	}
	if x.deep == 0 && el == elExt && x.asset.open {
		x.addPiece(Span{x.start + 9, x.end - 3}, true)
	}
	if x.deep == 0 && x.end-x.start <= x.scale.run {
		if el >= elLastmod {
			x.addValue(x.bytes(Span{x.start + 9, x.end - 3}))
		} else if el == elExt {
			x.hash(x.raw())
			x.notes.extensionText(x, x.bytes(Span{x.start + 9, x.end - 3}))
		}
	}
}

// addValue keeps the beginning of a value that is to be checked.
func (x *xmlWalk) addValue(b []byte) {
	if x.notes != nil && len(x.value) < 64 {
		x.value = append(x.value, b[:min(len(b), 64)]...)
	}
}

// hash adds a part of a block of another namespace to the item's hash.
func (x *xmlWalk) hash(b []byte) {
	if x.notes == nil {
		return
	}
	if len(x.blocks)+len(b) > maxBlocks {
		x.digest()
	}
	x.blocks = append(x.blocks, b...)
	if len(b) > maxBlocks {
		x.digest()
	}
}

// maxBlocks is how many bytes of blocks are collected before they are hashed: most items have
// fewer.
const maxBlocks = 4 << 10

// digest hashes the collected blocks.
func (x *xmlWalk) digest() {
	if !x.hashed {
		x.ext.Reset()
		x.unnamed.Reset()
		x.hashed = true
	}
	_, _ = x.ext.Write(x.blocks)
	_, _ = x.unnamed.Write(x.withoutSelf())
	x.blocks = x.blocks[:0]
}

// sum returns Entry.Ext of the item's blocks; 0 for none.
func (x *xmlWalk) sum() uint64 {
	switch {
	case x.hashed:
		x.digest()
		return halves(x.ext.Sum64(), x.unnamed.Sum64())
	case len(x.blocks) > 0:
		ext := xxhash.Sum64(x.blocks)
		return halves(ext, xxhash.Sum64(x.withoutSelf()))
	}
	return 0
}

// halves combines the halves of two hashes into one number; neither half is 0.
func halves(upper, lower uint64) uint64 {
	return uint64(max(uint32(upper), 1))<<32 | uint64(max(uint32(lower), 1))
}

// withoutSelf returns the collected blocks with a NUL in place of each value that is the item's own
// address.
func (x *xmlWalk) withoutSelf() []byte {
	b, n := x.blocks, len(x.self)
	if n == 0 || !bytes.Contains(b, x.self) {
		return b
	}
	out := b[:0]
	for {
		i := bytes.Index(b, x.self)
		if i < 0 {
			return append(out, b...)
		}
		whole := i > 0 && strings.IndexByte(`"'>`, b[i-1]) >= 0 && i+n < len(b) &&
			strings.IndexByte(`"'<`, b[i+n]) >= 0
		out = append(out, b[:i]...)
		if whole {
			out = append(out, 0)
		} else {
			out = append(out, x.self...)
		}
		b = b[i+n:]
	}
}

// addPiece adds a piece to the open address. It drops an address that grows too long to be held.
func (x *xmlWalk) addPiece(s Span, cdata bool) {
	if x.end-x.loc.tag.Start <= x.scale.run {
		x.loc.pieces = append(x.loc.pieces, piece{s, cdata})
	}
}

// tag processes a start tag or a self-closing one.
func (x *xmlWalk) tag(empty bool) error {
	x.notes.markup(x)
	if x.deep > 0 {
		if !empty {
			x.deep++
		}
		return nil
	}
	x.ends = false
	if x.root && len(x.stack) == 0 {
		x.notes.secondRoot(x)
	}
	prefix, local := x.names()
	el, err := x.classify(prefix, local)
	if err != nil {
		return err
	}
	if el == elExt {
		x.hash(x.raw())
		x.item.media = x.item.media || x.top() == elItem && blockNamed(local) != noBlock
		x.notes.extensionTag(x, prefix, local, empty)
		if err := x.assetTag(prefix, local, empty); err != nil {
			return err
		}
	}
	if empty {
		return x.emptied(el)
	}
	if !x.push(x.name(), x.shape.plain, el) {
		x.notes.tooDeep(x)
		return nil
	}
	return x.entered(el)
}

// classify returns the role of a start tag, and closes the elements that it ends.
func (x *xmlWalk) classify(prefix, local []byte) (element, error) {
	top := x.top()
	switch {
	case top == elExt || top == elPlain:
		return top, nil
	case top == elWrap:
		return elPlain, nil
	case top == elOther:
		return x.around(prefix, local)
	case x.vocabulary.item(prefix, local):
		x.notes.at(x, parsingError, severe, "unclosed", x.raw())
		if top == elLoc && !x.filled && !x.wrapped {
			return elWrap, nil
		}
		x.ends = true
		return elItem, x.abandon(x.itemDepth())
	case top == elLoc && x.child(prefix, local) == elLoc:
		x.notes.at(x, parsingError, severe, "unclosed", x.raw())
		x.ends = true
		return elLoc, x.abandon(1)
	case top != elItem:
		return elPlain, nil
	}
	return x.inItem(prefix, local)
}

// itemDepth returns how many elements are open from the item on.
func (x *xmlWalk) itemDepth() int {
	for i := len(x.stack) - 1; i >= 0; i-- {
		if x.stack[i].el == elItem {
			return len(x.stack) - i
		}
	}
	return 0
}

// around processes an element outside items.
func (x *xmlWalk) around(prefix, local []byte) (element, error) {
	if kind, ok := roots[string(local)]; ok {
		if string(local) == "RDF" { // the items of RDF have a namespace of their own
			prefix = nil
		}
		x.rooted(kind, prefix)
		return elOther, nil
	}
	if !x.root && hasFold(local, "html") && len(local) == 4 {
		return elOther, notHTML()
	}
	if x.vocabulary.item(prefix, local) {
		x.guess(local)
		return elItem, nil
	}
	x.declare(true)
	if x.adopt(prefix, local) {
		return elItem, nil
	}
	x.notes.capitals(x, prefix, local)
	return elOther, nil
}

// guess determines the format from the first item, where there was no root.
func (x *xmlWalk) guess(local []byte) {
	if x.root || x.kind != "" {
		return
	}
	if x.kind = URLSet; string(local) == "sitemap" {
		x.kind = Index
	}
	x.notes.kindIs(x.kind)
}

// rooted processes the element that determines the format. Only the first one does; a later one of
// the same family may change the prefix.
func (x *xmlWalk) rooted(kind Kind, prefix []byte) {
	if x.root && kind.family() != x.kind.family() {
		return
	}
	if !x.root {
		x.kind, x.root = kind, true
	}
	if len(x.stack) == 0 {
		x.spaces = x.spaces[:0]
		x.notes.forget()
	}
	x.declare(true)
	x.own = append(x.own[:0], prefix...)
	x.notes.namespace(x, kind, prefix)
}

// inItem processes a child of an item.
func (x *xmlWalk) inItem(prefix, local []byte) (element, error) {
	el := x.child(prefix, local)
	switch {
	case el == elLoc && x.kind == Atom:
		return elPlain, x.atomLink()
	case el == elLoc && x.kind == RSS && x.item.addresses > 0:
		return elPlain, nil
	case el == elExt:
		x.notes.prefix(x, prefix)
		if string(local) == "link" && x.kind != RSS && x.kind != Atom && x.linkable(prefix) {
			return elExt, x.xhtmlLink(prefix)
		}
	}
	return el, nil
}

// entered begins an element that was opened.
func (x *xmlWalk) entered(el element) error {
	switch el {
	case elItem:
		x.openItem()
	case elLoc:
		line, column := x.place(x.start)
		x.loc = found{line: line, column: column, tag: Span{x.start, x.end},
			pieces: x.loc.pieces[:0], ends: x.ends}
		x.near, x.inner, x.filled, x.wrapped = x.start, x.end, false, false
	case elWrap:
		x.inner, x.wrapped = x.end, true
	case elLastmod, elChangefreq, elPriority:
		x.value, x.valueAt = x.value[:0], x.end
		if x.notes != nil {
			x.valueLine, x.valueColumn = x.place(x.start)
		}
	}
	return nil
}

func (x *xmlWalk) openItem() {
	x.asset = assetWalk{wanted: x.asset.wanted}
	x.item = item{open: true, start: x.start, hold: -1, ends: x.ends}
	x.item.line, x.item.column = x.place(x.start)
	x.declare(false)
	x.notes.misplaced(x)
	x.hashed, x.blocks, x.self = false, x.blocks[:0], x.self[:0]
	x.out.opened(&x.window, &x.item)
	x.hold = x.item.hold
}

// emptied processes a self-closing tag.
func (x *xmlWalk) emptied(el element) error {
	switch el {
	case elItem:
		x.openItem()
		return x.closeItem(true)
	case elLastmod, elChangefreq, elPriority:
		if err := x.entered(el); err != nil {
			return err
		}
		x.notes.checkValue(x, el)
		if el == elLastmod {
			x.out.lastmod(&x.window, &x.item, Span{x.start, x.end}, true)
		}
	case elLoc:
		line, column := x.place(x.start)
		all := Span{x.start, x.end}
		x.loc = found{line: line, column: column, tag: all, addr: all, form: formEmpty,
			pieces: x.loc.pieces[:0], ends: x.ends}
		return x.giveAddress()
	}
	return nil
}

// endTag processes an end tag: it closes its element, and the open elements within.
func (x *xmlWalk) endTag() error {
	if x.deep > 0 {
		x.deep--
		return nil
	}
	n := x.depthOf(x.name())
	switch n {
	case 0:
		x.notes.at(x, parsingError, severe, "closes-nothing", x.raw())
		return nil
	case 1:
	default:
		x.notes.at(x, parsingError, severe, "closes-too-much", x.raw())
	}
	if err := x.abandon(n - 1); err != nil {
		return err
	}
	return x.closed()
}

// closed closes the innermost element, whose end tag the last token is.
func (x *xmlWalk) closed() error {
	switch el := x.pop(); el {
	case elLoc:
		return x.closeLoc()
	case elItem:
		return x.closeItem(true)
	case elExt:
		x.hash(x.raw())
		x.notes.extensionEnd(x)
		return x.assetEnd()
	case elLastmod, elChangefreq, elPriority:
		x.notes.checkValue(x, el)
		if el == elLastmod {
			x.out.lastmod(&x.window, &x.item, Span{x.valueAt, x.start}, false)
		}
	}
	return nil
}

// abandon closes the n innermost elements, which have no end tag.
func (x *xmlWalk) abandon(n int) error {
	for ; n > 0; n-- {
		switch x.pop() {
		case elLoc:
			x.near = -1
		case elExt:
			x.assetDropped()
		case elItem:
			if err := x.closeItem(false); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *xmlWalk) closeLoc() error {
	if x.end-x.loc.tag.Start > x.scale.run {
		x.near = -1
		x.notes.at(x, invalidURL, severe, "endless-address", nil)
		return nil
	}
	x.loc.tag.End = x.end
	pieces := x.loc.pieces
	x.loc.fit(&x.window, x.charset, x.inner)
	err := x.giveAddress()
	x.loc.pieces = pieces
	return err
}

func (x *xmlWalk) giveAddress() error {
	x.item.addresses++
	x.self = x.self[:0]
	if x.notes != nil && x.item.addresses == 1 && len(x.loc.pieces) == 1 {
		x.self = append(x.self, x.bytes(x.loc.pieces[0].Span)...)
	}
	x.notes.entitiesIn(x)
	err := x.out.address(&x.window, &x.item, &x.loc)
	x.near = -1
	return err
}

func (x *xmlWalk) closeItem(whole bool) error {
	if err := x.closeAtom(); err != nil {
		return err
	}
	x.item.ext = x.sum()
	x.notes.itemClosed(x)
	err := x.out.closed(&x.window, &x.item, x.end, whole && !x.item.ends)
	x.item = item{hold: -1}
	x.hold = -1
	return err
}

// attributeAt returns the value of an attribute in the last token as an address.
func (x *xmlWalk) attributeAt(a attribute) *found {
	line, column := x.place(x.start)
	value := Span{x.start + int64(a.start), x.start + int64(a.end)}
	x.loc = found{line: line, column: column, tag: Span{x.start, x.end},
		pieces: append(x.loc.pieces[:0], piece{value, false})}
	x.loc.fit(&x.window, x.charset, value.Start)
	if a.bare {
		x.loc.addr, x.loc.form = value, formBare
	}
	return &x.loc
}

// xhtmlLink processes a link of a url to one of its alternates.
func (x *xmlWalk) xhtmlLink(prefix []byte) error {
	href, ok := x.attribute("href")
	if !ok {
		x.notes.at(x, missingAttribute, severe, "no-href", x.raw())
		return nil
	}
	if x.notes != nil {
		x.notes.info.Links = true
		x.notes.alternate(x, prefix)
		x.calledItself(href)
	}
	if !x.links {
		return nil
	}
	f := x.attributeAt(href)
	if a, ok := x.attribute("hreflang"); ok && len(a.value) <= maxLang {
		f.lang = langOf(a.value)
	}
	return x.out.link(&x.window, &x.item, f)
}

// calledItself records the language with which a link names its item's own address.
func (x *xmlWalk) calledItself(href attribute) {
	if len(x.self) == 0 || x.item.addresses != 1 || !bytes.Equal(href.value, x.self) {
		return
	}
	a, ok := x.attribute("hreflang")
	if !ok || len(a.value) > maxLang || len(x.item.langs) == maxOwnLangs {
		return
	}
	if lang := strings.ToLower(langOf(a.value)); lang != "" && lang != "x-default" {
		x.item.langs = append(x.item.langs, lang)
	}
}

// maxOwnLangs is how many languages of one page are recorded: a page for all English-speaking
// countries has some dozens.
const maxOwnLangs = 100

// own returns the codes for Entry.Langs.
func (it *item) own() string {
	if it.addresses != 1 || len(it.langs) == 0 {
		return ""
	}
	slices.Sort(it.langs)
	return strings.Join(slices.Compact(it.langs), " ")
}

// maxLang is how many bytes of a hreflang are read: no code has half as many.
const maxLang = 64

// langOf returns the value of a hreflang.
func langOf(v []byte) string {
	if bytes.IndexByte(v, '&') >= 0 {
		v = resolve(nil, v)
	}
	return string(bytes.TrimSpace(v))
}

// other processes a comment, a processing instruction or a DOCTYPE.
func (x *xmlWalk) other() error {
	if bytes.HasPrefix(x.intro, []byte("<!")) && !bytes.HasPrefix(x.intro, []byte("<!--")) {
		x.doctype = true
		fields := bytes.Fields(x.intro[9:])
		if !x.root && len(fields) > 0 && hasFold(fields[0], "html") {
			return notHTML()
		}
	}
	x.notes.aside(x)
	return nil
}

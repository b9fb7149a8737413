package sitemap

import (
	"bytes"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// checks finds what is wrong with a file besides its addresses, and signs of the program that wrote
// it. The nil checks finds nothing.
type checks struct {
	*faults
	info *Info
	now  time.Time

	bad       int64 // the first byte that is not UTF-8, or never
	nul       int64 // the first zero byte, or never
	tail      []byte
	plain     bool // any bytes are valid: a legacy charset
	clues     clues
	second    bool // the fault of a second root was added
	stray     bool // the fault of text outside all elements was added
	declared  int  // addresses with an entity that only a DTD may declare
	news      int
	languages map[string]bool // of links: whether they are right, for files contain few
}

// never is a place that no file reaches.
const never = int64(1<<63 - 1)

// fresh checks bytes as they come for zero bytes and for what is not UTF-8.
func (c *checks) fresh(b []byte, at int64) {
	c.clues.see(b)
	if c.nul == never {
		if i := bytes.IndexByte(b, 0); i >= 0 {
			c.nul = at + int64(i)
		}
	}
	if c.bad != never || c.plain || len(c.tail) == 0 && utf8.Valid(b) {
		return
	}
	at -= int64(len(c.tail))
	b = append(c.tail, b...)
	i := 0
	for i < len(b) {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		i += size
	}
	c.tail = append([]byte(nil), b[i:]...)
	if len(c.tail) > 0 && utf8.FullRune(c.tail) {
		c.bad, c.plain = at+int64(i), true
	}
}

// bytesBefore adds the faults of bad bytes before a place, once.
func (c *checks) bytesBefore(w *window, end int64) {
	if c == nil || c.nul >= end && c.bad >= end {
		return
	}
	for rule, place := range map[string]*int64{"zero-byte": &c.nul, "not-utf8": &c.bad} {
		if *place < end {
			line, column := w.place(max(*place, w.off))
			c.add(rule, line, column)
			*place = never - 1
		}
	}
}

// at adds a fault at the last token.
func (c *checks) at(x *walk, rule string, args ...any) { c.behind(x, 0, rule, args...) }

// behind adds a fault n bytes behind the start of the last token.
func (c *checks) behind(x *walk, n int, rule string, args ...any) {
	if c != nil {
		line, column := x.place(x.start + int64(n))
		c.add(rule, line, column, args...)
	}
}

func (c *checks) cutOff(x *walk) {
	if c == nil {
		return
	}
	c.info.Truncated = true
	if open := len(x.stack) + x.deep; open > 0 {
		c.behind(x, int(x.end-x.start), "cut-off", open)
		return
	}
	c.behind(x, int(x.end-x.start), "cut-off-aside")
}

// lost adds the fault of the open address, which is not read.
func (c *checks) lost(x *walk) {
	if c != nil {
		c.add("endless-address", x.loc.line, x.loc.column)
	}
}

func (c *checks) text(x *walk, b []byte) {
	if c == nil || len(b) == 0 {
		return
	}
	// where the file was cut off, a "<" at its end is no fault of its own
	if b[0] == '<' && !(x.err == io.EOF && x.pos == len(x.buf) && len(x.stack) > 0) {
		c.at(x, "bare-lt", b)
	}
	if len(x.stack) == 0 && !c.stray {
		c.stray = true
		c.at(x, "stray-text", bytes.TrimSpace(b))
	}
	c.ampersand(x, b)
}

// ampersand adds the fault of the first "&" in b that begins no reference, and counts what a DTD of
// the file may declare.
func (c *checks) ampersand(x *walk, b []byte) {
	if bytes.IndexByte(b, '&') < 0 {
		return
	}
	switch at, ref, named := loose(b); {
	case ref == nil:
	case named && x.doctype:
		c.declared++
	case named:
		c.behind(x, at, "unknown-entity", ref)
	default:
		c.behind(x, at, "bare-amp", ref)
	}
}

// tag checks a start tag. XML does not allow an attribute without a value, or without quotes around
// it (XML 1.0, 3.1), though HTML does; it has one element that holds all others (2.1).
func (c *checks) tag(x *walk) {
	if c == nil {
		return
	}
	if x.root && len(x.stack) == 0 && !c.second {
		c.second = true
		c.at(x, "second-root", x.raw())
	}
	if x.bare() {
		return
	}
	c.ampersand(x, x.raw())
	list := x.attributes()
	for i := range list {
		if list[i].value == nil || list[i].bare {
			c.at(x, "unquoted", x.raw())
			return
		}
	}
}

// itemClosed checks an item as a whole. What is open at the end of a cut-off file has the fault
// cut-off instead.
func (c *checks) itemClosed(x *walk) {
	if c == nil {
		return
	}
	switch it := &x.item; {
	case it.addresses == 0 && !x.ended && x.kind == RSS:
		c.add("no-address", it.line, it.column, "<link>")
	case it.addresses == 0 && !x.ended && x.kind == Atom:
		c.add("no-address", it.line, it.column, `<link href="...">`)
	case it.addresses == 0 && !x.ended:
		c.add("no-address", it.line, it.column, "<loc>")
	case it.addresses > 1:
		c.add("two-addresses", it.line, it.column, it.addresses)
	}
}

// counted counts the images of an item and the news of a file.
func (c *checks) counted(x *walk, is block) {
	switch is {
	case imageBlock:
		if x.item.images++; x.item.images == maxImages+1 {
			c.at(x, "too-many-images", maxImages)
		}
	case newsBlock:
		if c.news++; c.news == maxNews+1 {
			c.at(x, "too-many-news", maxNews)
		}
	}
}

// complete adds a fault for each required child that a block lacks; for an image, where the block
// ends.
func (c *checks) complete(x *walk) {
	b := &x.block
	name := blockNames[b.is] + ":"
	for _, one := range childrenOf[b.is] {
		switch {
		case b.has&one.bit != 0:
			continue
		case b.is == imageBlock:
			b.line, b.column = x.place(x.start)
		}
		b.has |= one.bit
		c.add(one.rule, b.line, b.column, "<"+name+blockNames[b.is]+">", "<"+name+one.name+">")
	}
}

// alternate checks the hreflang of an xhtml:link.
func (c *checks) alternate(x *walk, prefix []byte) {
	if c == nil {
		return
	}
	c.info.Links = true
	if s := x.space(prefix); s == nil || s.block != linkBlock {
		return
	}
	a, ok := x.attribute("hreflang")
	if !ok {
		// An alternate for small screens has media instead.
		if _, media := x.attribute("media"); !media {
			c.at(x, "no-hreflang", x.raw())
		}
		return
	}
	right, known := c.languages[string(a.value)]
	if !known {
		right = hreflang(string(a.value))
		if len(a.value) <= maxLang && len(c.languages) < 1000 {
			c.languages[string(a.value)] = right
		}
	}
	if !right {
		c.at(x, "hreflang", a.value)
	}
}

// sitemapNamespaces are the namespaces of the sitemaps protocol; the first is the current one.
var sitemapNamespaces = []string{
	"http://www.sitemaps.org/schemas/sitemap/0.9",
	"http://www.google.com/schemas/sitemap/0.84",
}

// namespace checks the namespace of a root's own elements.
func (c *checks) namespace(x *walk, kind Kind, prefix []byte) {
	if c == nil || !kind.protocol() {
		return
	}
	switch s := x.space(prefix); {
	case s == nil:
		c.at(x, "no-namespace")
	case s.uri == sitemapNamespaces[1]:
		c.at(x, "old-namespace", []byte(s.uri))
	case s.uri != sitemapNamespaces[0]:
		c.at(x, "other-namespace", []byte(s.uri))
	}
}

// misplaced adds the fault of a <sitemap> in a sitemap, and of a <url> in an index.
func (c *checks) misplaced(x *walk) {
	if c == nil || !x.root || !x.kind.protocol() {
		return
	}
	_, local := split(x.name())
	switch sitemap := string(local) == "sitemap"; {
	case sitemap && x.kind == URLSet:
		c.add("misplaced", x.item.line, x.item.column, string(local), "urlset")
	case !sitemap && x.kind == Index:
		c.add("misplaced", x.item.line, x.item.column, string(local), "sitemapindex")
	}
}

// prefix checks that the prefix of a block is declared.
func (c *checks) prefix(x *walk, prefix []byte) {
	if c == nil || len(prefix) == 0 || x.space(prefix) != nil {
		return
	}
	if _, ok := x.attribute("xmlns:" + string(prefix)); !ok && string(prefix) != "xml" {
		c.at(x, "prefix", x.raw())
	}
}

// aside examines a comment, a processing instruction or a DOCTYPE.
func (c *checks) aside(x *walk) {
	if c == nil {
		return
	}
	c.clues.aside(x.intro, len(x.stack))
	if len(x.intro) < 6 || string(x.intro[:5]) != "<?xml" || !asciiSpace(x.intro[5]) {
		return
	}
	before := string(c.clues.head[:min(x.start, int64(len(c.clues.head)))])
	before = strings.TrimPrefix(before, string(utf8BOM))
	switch {
	case before == "":
	case !x.root && blank([]byte(before)):
		c.at(x, "space-before")
	default:
		c.at(x, "xml-within")
	}
}

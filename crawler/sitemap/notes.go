package sitemap

import (
	"bytes"
	"io"
	"slices"
	"time"
	"unicode/utf8"
)

// notes collects what Read finds besides addresses: faults of the XML and of values, and signs of
// the program that wrote the file. The nil notes collects nothing.
type notes struct {
	*faults
	info *Info
	now  time.Time

	bad       int64 // the first byte that is not UTF-8, or -1
	nul       int64 // the first zero byte, or -1
	tail      []byte
	plain     bool // any bytes are valid: a legacy charset
	clues     clues
	lastKnown []byte // the last prefix that was found declared
	second    bool   // the fault of a second root was added
	stray     bool   // the fault of text outside all elements was added
	entities  int    // addresses with an entity that only a DTD may declare
	entity    bool   // the open address is one
	lastmods  lastmods
	extensions
}

func newNotes(f *faults, info *Info, now time.Time) *notes {
	return &notes{faults: f, info: info, now: now, bad: -1, nul: -1}
}

// fresh checks bytes as they come for zero bytes and for what is not UTF-8.
func (n *notes) fresh(b []byte, at int64) {
	n.clues.see(b)
	if n.nul < 0 {
		if i := bytes.IndexByte(b, 0); i >= 0 {
			n.nul = at + int64(i)
		}
	}
	if n.bad >= 0 || n.plain {
		return
	}
	if len(n.tail) > 0 {
		at -= int64(len(n.tail))
		b = append(n.tail, b...)
	}
	i := invalid(b)
	n.tail = append([]byte(nil), b[i:]...)
	if len(n.tail) > 0 && utf8.FullRune(n.tail) {
		n.bad = at + int64(i)
	}
}

// invalid returns the length of the valid UTF-8 at the start of b.
func invalid(b []byte) int {
	if utf8.Valid(b) {
		return len(b)
	}
	i := 0
	for i < len(b) {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
	return i
}

// passed adds the faults of bytes that the walk has passed.
func (n *notes) passed(x *xmlWalk) {
	if n == nil || n.bad < 0 && n.nul < 0 {
		return
	}
	n.bytesBefore(&x.window, x.end)
}

// bytesBefore adds the faults of bad bytes before a place, once.
func (n *notes) bytesBefore(w *window, end int64) {
	if n.nul >= 0 && n.nul < end {
		line, column := w.place(max(n.nul, w.off))
		n.add(parsingError, line, column, severe, "zero-byte")
		n.nul = 1<<63 - 1
	}
	if n.bad >= 0 && n.bad < end {
		line, column := w.place(max(n.bad, w.off))
		n.add(parsingError, line, column, severe, "not-utf8")
		n.bad = 1<<63 - 1
	}
}

// at adds a fault at the last token. b is what its sentence quotes; nil for nothing.
func (n *notes) at(x *xmlWalk, p problem, severity, key string, b []byte) {
	if n == nil || !n.wants(p, severity) {
		return
	}
	line, column := x.place(x.start)
	if b == nil {
		n.add(p, line, column, severity, key)
		return
	}
	n.add(p, line, column, severity, key, excerpt(b))
}

func (n *notes) cutOff(x *xmlWalk) {
	if n == nil {
		return
	}
	n.info.Truncated = true
	line, column := x.place(x.end)
	if open := len(x.stack) + x.deep; open > 0 {
		n.add(parsingError, line, column, severe, "cut-off", Thousands(open))
		return
	}
	n.add(parsingError, line, column, severe, "cut-off-aside")
}

func (n *notes) text(x *xmlWalk, b []byte) {
	if b[0] == '<' {
		n.bare(x, b)
	}
	if len(x.stack) == 0 && !n.stray && !blank(b) {
		n.stray = true
		n.at(x, parsingError, severe, "stray-text", bytes.TrimSpace(b))
	}
	if bytes.IndexByte(b, '&') >= 0 {
		n.ampersand(x, b)
	}
}

// bare adds the fault of a "<" that begins no tag, unless the file was cut off there.
func (n *notes) bare(x *xmlWalk, b []byte) {
	if x.err == io.EOF && x.pos == len(x.buf) && len(x.stack) > 0 {
		return
	}
	n.at(x, parsingError, severe, "bare-lt", b)
}

func (n *notes) ampersand(x *xmlWalk, b []byte) {
	at, ref, named := loose(b)
	if ref == nil {
		return
	}
	severity := severe
	if named && x.doctype {
		severity = mild
	}
	if !n.wants(parsingError, severity) {
		return
	}
	line, column := x.place(x.start + int64(at))
	if named {
		n.add(parsingError, line, column, severity, "unknown-entity", excerpt(ref))
		return
	}
	n.add(parsingError, line, column, severity, "bare-amp", excerpt(ref))
}

// entitiesIn counts the open address where it has an entity that a DTD of the file may declare.
func (n *notes) entitiesIn(x *xmlWalk) {
	if n == nil || !x.doctype {
		return
	}
	n.entity = slices.ContainsFunc(x.loc.pieces, func(p piece) bool {
		_, _, named := loose(x.bytes(p.Span))
		return named && !p.cdata
	})
	if n.entity {
		n.entities++
	}
}

func (n *notes) markup(x *xmlWalk) {
	if n == nil || x.bare() {
		return
	}
	tag := x.raw()
	if bytes.IndexByte(tag, '&') >= 0 {
		n.ampersand(x, tag)
	}
	if !x.shape.plain {
		n.unquoted(x, tag)
	}
}

// unquoted adds the fault of an attribute that XML does not allow (XML 1.0, 3.1), though
// HTML does: one without a value, or without quotes around it.
func (n *notes) unquoted(x *xmlWalk, tag []byte) {
	attributes(tag, func(a attribute) bool {
		whole := a.value != nil && !a.bare
		if !whole {
			n.at(x, parsingError, severe, "unquoted", tag)
		}
		return whole
	})
}

// farLink adds the fault of an Atom entry whose only link, to the page in one language, is not
// read.
func (n *notes) farLink(link *found) {
	if n != nil && n.wants(invalidURL, severe) {
		n.add(invalidURL, link.line, link.column, severe, "far-link")
	}
}

func (n *notes) tooDeep(x *xmlWalk) {
	if n != nil && x.deep == 1 {
		n.at(x, parsingError, severe, "too-deep", nil)
	}
}

// secondRoot adds the fault of an element after the root, once (XML 1.0, 2.1: there is exactly
// one).
func (n *notes) secondRoot(x *xmlWalk) {
	if n != nil && !n.second {
		n.second = true
		n.at(x, parsingError, severe, "second-root", x.raw())
	}
}

// itemClosed checks an item as a whole.
func (n *notes) itemClosed(x *xmlWalk) {
	if n == nil {
		return
	}
	it := &x.item
	n.extensions.open = openBlock{}
	n.images = 0
	// What is open at the end of a cut-off file has the fault cut-off instead.
	if it.addresses == 0 && !x.ended && n.wants(missingTag, severe) {
		n.add(missingTag, it.line, it.column, severe, "no-address", addressTag(x.kind))
	}
	if it.addresses > 1 && n.wants(tooManyTags, severe) {
		n.add(tooManyTags, it.line, it.column, severe, "two-addresses", Thousands(it.addresses))
	}
}

func addressTag(k Kind) string {
	switch k {
	case RSS:
		return "<link>"
	case Atom:
		return `<link href="...">`
	}
	return "<loc>"
}

func (n *notes) checkValue(x *xmlWalk, el element) {
	if n == nil {
		return
	}
	v := bytes.TrimSpace(x.value)
	if bytes.IndexByte(v, '&') >= 0 {
		v = resolve(nil, v)
	}
	switch el {
	case elLastmod:
		n.checkDate(x, v)
	case elChangefreq:
		if !changefreq(v) {
			n.value(x, invalidTagValue, mild, "changefreq", v)
		}
	case elPriority:
		if !priority(v) {
			n.value(x, invalidTagValue, mild, "priority", v)
		}
	}
}

// value adds the fault of a value, at its tag.
func (n *notes) value(x *xmlWalk, p problem, severity, key string, v []byte) {
	if n.wants(p, severity) {
		n.add(p, x.valueLine, x.valueColumn, severity, key, excerpt(v))
	}
}

func changefreq(v []byte) bool {
	switch string(v) {
	case "always", "hourly", "daily", "weekly", "monthly", "yearly", "never":
		return true
	}
	return false
}

// priority reports whether v is a decimal from 0.0 to 1.0 (sitemaps.org, XML schema).
func priority(v []byte) bool {
	whole, fraction, dot := bytes.Cut(v, []byte("."))
	if len(whole)+len(fraction) == 0 || dot && len(fraction) == 0 {
		return false
	}
	one := bytes.TrimLeft(whole, "0")
	if len(one) > 1 || len(one) == 1 && one[0] != '1' {
		return false
	}
	for _, c := range fraction {
		if c < '0' || c > '9' || len(one) == 1 && c != '0' {
			return false
		}
	}
	return true
}

func (n *notes) checkDate(x *xmlWalk, v []byte) {
	at, ok := parseDate(v)
	if ok {
		n.lastmods.see(v, at, n.now, x.valueLine, x.valueColumn)
	}
	switch {
	case !ok:
		n.value(x, invalidDate, severe, "lastmod", v)
	case !n.now.IsZero() && at > n.now.Unix()+daySeconds:
		n.value(x, invalidDate, mild, "lastmod-future", v)
	}
}

// sitemapNamespaces are the namespaces of the sitemaps protocol; the first is the current one.
var sitemapNamespaces = []string{
	"http://www.sitemaps.org/schemas/sitemap/0.9",
	"http://www.google.com/schemas/sitemap/0.84",
}

// kindIs records the format.
func (n *notes) kindIs(k Kind) {
	if n != nil {
		n.info.Kind = k
	}
}

// forget drops the namespaces of a root that has ended.
func (n *notes) forget() {
	if n != nil {
		n.known, n.lastKnown = n.known[:0], n.lastKnown[:0]
	}
}

// namespace checks the namespace of a root's own elements.
func (n *notes) namespace(x *xmlWalk, kind Kind, prefix []byte) {
	if n == nil {
		return
	}
	n.info.Kind = x.kind
	own, found := x.spaces.of(prefix)
	if kind != URLSet && kind != Index || own == sitemapNamespaces[0] {
		return
	}
	n.wrongNamespace(x, own, found)
}

// misplaced adds the fault of a <sitemap> in a sitemap, and of a <url> in an index.
func (n *notes) misplaced(x *xmlWalk) {
	if n == nil || !x.root || x.kind != URLSet && x.kind != Index {
		return
	}
	_, local := x.names()
	if (string(local) == "sitemap") == (x.kind == Index) {
		return
	}
	root := "urlset"
	if x.kind == Index {
		root = "sitemapindex"
	}
	if n.wants(parsingError, severe) {
		n.add(parsingError, x.item.line, x.item.column, severe, "misplaced", string(local), root)
	}
}

// capitals adds the fault of a <URL>, which is no <url>: XML compares names letter for letter (XML 1.0, 2.3).
func (n *notes) capitals(x *xmlWalk, prefix, local []byte) {
	if n == nil || x.kind != URLSet && x.kind != Index || !x.ours(prefix) {
		return
	}
	if bytes.EqualFold(local, []byte("url")) || bytes.EqualFold(local, []byte("sitemap")) {
		n.at(x, parsingError, severe, "capitals", x.raw())
	}
}

func (n *notes) wrongNamespace(x *xmlWalk, own string, found bool) {
	switch {
	case !found:
		n.at(x, incorrectNamespace, severe, "no-namespace", nil)
	case own == sitemapNamespaces[1]:
		n.at(x, incorrectNamespace, mild, "old-namespace", []byte(own))
	default:
		n.at(x, incorrectNamespace, severe, "other-namespace", []byte(own))
	}
}

// prefix checks that the prefix of a block is declared.
func (n *notes) prefix(x *xmlWalk, prefix []byte) {
	if n == nil || len(prefix) == 0 || bytes.Equal(prefix, n.lastKnown) {
		return
	}
	if _, ok := x.spaces.of(prefix); ok {
		n.lastKnown = append(n.lastKnown[:0], prefix...)
		return
	}
	if string(prefix) == "xml" || declares(x.raw(), prefix) {
		return
	}
	n.at(x, incorrectNamespace, severe, "prefix", x.raw())
}

// declares reports whether a tag itself declares a prefix.
func declares(tag, prefix []byte) bool {
	i := bytes.Index(tag, []byte("xmlns:"))
	return i >= 0 && bytes.Contains(tag[i:], append([]byte("xmlns:"), prefix...))
}

// aside examines a comment, a processing instruction or a DOCTYPE.
func (n *notes) aside(x *xmlWalk) {
	if n == nil {
		return
	}
	n.clues.aside(x.intro, len(x.stack))
	if !bytes.HasPrefix(x.intro, []byte("<?xml")) || len(x.intro) < 6 || !asciiSpace(x.intro[5]) {
		return
	}
	begin := int64(0)
	if bytes.HasPrefix(x.beginning(), utf8BOM) {
		begin = 3
	}
	switch {
	case x.start == begin:
	case !x.root && blank(x.beginning()[begin:min(x.start, int64(len(x.beginning())))]):
		n.at(x, leadingWhitespace, mild, "space-before", nil)
	default:
		n.at(x, parsingError, severe, "xml-within", nil)
	}
}

// beginning returns the first bytes of the text.
func (x *xmlWalk) beginning() []byte { return x.notes.clues.head }

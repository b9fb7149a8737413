package fetch

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/links"
)

// Limits of what is kept of a page, so that a hostile one fills no store.
const (
	maxTitle     = 300   // characters
	maxDirective = 1000  // bytes of robots directives
	maxTarget    = 8_192 // bytes of a canonical, base or refresh address
	maxType      = 200   // bytes of a content type
	prefixSize   = 4096  // bytes of a body that are looked at for charset and bot challenges
	readSize     = 16384 // bytes of a body that are read at once
)

// A pageReader reads what headers and HTML head of one answer say about
// indexing. The body is read once, as a stream, and no tree is made: the head
// ends at </head>, <body> or the first element that HTML does not allow in a
// head (HTML standard 13.2.6.4.4). After it count robots tags, which Google
// obeys in the body too, the first heading, a password field, and what there is to
// see without scripts.
//
// Elements inside noscript and template do not count: a crawler that runs
// scripts never sees them.
type pageReader struct {
	at     address.Address
	tokens []string // lower-case names of the robot in meta tags
	page   audit.Page
	robots []string // as many as are kept
	filled int      // bytes of them, with commas

	contentType string
	canonical   named // the first
	several     bool  // there are others
	base        string
	scanned     bool // the body is HTML, as far as is known

	encoding   encoding.Encoding // nil before it is wanted
	encodingOf int               // how many bytes of prefix it is told by

	scanning

	links *links.Reader // of the links of the page; nil where they are not wanted

	watch  passwordWatch
	skim   skimmer
	buf    *bufio.Reader
	prefix []byte
	html   *tokenizer
}

var pageReaders = sync.Pool{New: func() any {
	return &pageReader{buf: bufio.NewReaderSize(nil, readSize), prefix: make([]byte, 0, prefixSize),
		html: newTokenizer()}
}}

// tokenizer is an html.Tokenizer for one page after the other. The library's has
// no way to begin anew, and each takes a buffer of 4 KB; but a copy of one that
// has read nothing is one that has read nothing, with the same buffer.
type tokenizer struct {
	unread html.Tokenizer
	html.Tokenizer
	from struct{ io.Reader }
}

func newTokenizer() *tokenizer {
	t := new(tokenizer)
	t.unread = *html.NewTokenizer(&t.from)
	t.unread.SetMaxBuf(2 << 20)
	return t
}

// reset begins with r. A buffer that grew is let go.
func (t *tokenizer) reset(r io.Reader) { t.Tokenizer, t.from.Reader = t.unread, r }

// newPageReader returns a reader of the answer of an address for a robot that
// pages address as robots or by one of tokens (lower case). Release gives it back.
func newPageReader(at address.Address, tokens []string) *pageReader {
	p := pageReaders.Get().(*pageReader)
	*p = pageReader{at: at, tokens: tokens, buf: p.buf, prefix: p.prefix[:0], html: p.html,
		skim:     skimmer{buf: p.skim.buf[:0]},
		scanning: scanning{said: p.said[:0], heading: p.heading[:0]}}
	return p
}

// Release ends the use of p. What Page returned stays valid, Prefix does not.
func (p *pageReader) Release() {
	p.watch.r, p.skim.r = nil, nil
	if p.links != nil {
		linkReaders.Put(p.links)
		p.links, p.skim.links = nil, nil
	}
	if cap(p.skim.buf) > 4*skimSize {
		p.skim.buf = nil
	}
	p.buf.Reset(nil)
	p.html.reset(nil)
	pageReaders.Put(p)
}

// Page returns what was read so far.
func (p *pageReader) Page() audit.Page {
	page := p.page
	if !p.several {
		page.Canonical, page.CanonicalBase = p.canonical.href, p.canonical.base
	}
	page.Robots = cutBytes(strings.Join(p.robots, ", "), maxDirective)
	return page
}

// Prefix returns up to the first 4096 bytes of the body, for signs of a bot
// challenge.
func (p *pageReader) Prefix() []byte { return p.prefix }

// Header reads the headers: Content-Type, X-Robots-Tag, Link and Refresh.
func (p *pageReader) Header(h http.Header) {
	p.contentType = strings.TrimSpace(first(h, "Content-Type"))
	p.page.ContentType = cutBytes(strings.ToValidUTF8(p.contentType, "\uFFFD"), maxType)
	for _, v := range h["X-Robots-Tag"] {
		p.addRobots(robotsTag(v, p.tokens)...)
	}
	for _, v := range h["Link"] {
		for target, after := canonicalLink(v); target != ""; target, after = canonicalLink(after) {
			p.names(named{href: cutTarget(target), header: true})
		}
	}
	if r, ok := parseRefresh(first(h, "Refresh")); ok && len(r.target) <= maxTarget {
		p.page.RefreshHeader, p.page.RefreshHeaderDelay = r.target, r.delay
	}
}

// IsHTML reports whether the body is to be scanned: text/html and
// application/xhtml+xml. A body without a type is looked into by Body.
func (p *pageReader) IsHTML() bool {
	t, _, _ := strings.Cut(p.contentType, ";")
	t = strings.ToLower(strings.TrimSpace(t))
	return t == "" || t == "text/html" || t == "application/xhtml+xml"
}

// Body reads r to its end. Its error is r's own; what was read before it counts.
func (p *pageReader) Body(r io.Reader) error {
	p.watch.r = r
	p.buf.Reset(&p.watch)
	head, _ := p.buf.Peek(prefixSize) // an error comes again from the next read
	p.prefix = append(p.prefix[:0], head...)
	p.scanned = len(head) > 0 && (p.contentType != "" ||
		strings.HasPrefix(http.DetectContentType(head), "text/html"))
	if p.scanned {
		p.scan(p.decoded())
	}
	_, err := io.Copy(io.Discard, p.buf)
	p.page.Password = p.watch.found
	switch {
	case len(head) == 0 && err == nil:
		p.Nothing()
	case p.scanned:
		p.conclude(err == nil)
	}
	return err
}

// Nothing takes an answer whose body has no bytes.
func (p *pageReader) Nothing() { p.page.Empty = true }

// decoded is the body as the tokenizer can read it. Markup is ASCII in nearly
// every charset, so that only titles are decoded; UTF-16 and ISO-2022-JP are not
// of that kind.
func (p *pageReader) decoded() io.Reader {
	if !p.wide() {
		return p.buf
	}
	enc, _, _ := charset.DetermineEncoding(p.prefix, p.contentType)
	return transform.NewReader(p.buf, enc.NewDecoder())
}

func (p *pageReader) wide() bool {
	return bytes.HasPrefix(p.prefix, []byte("\xFF\xFE")) ||
		bytes.HasPrefix(p.prefix, []byte("\xFE\xFF")) ||
		bytes.Contains(p.prefix, []byte("\x1b$")) ||
		strings.Contains(strings.ToLower(p.contentType), "utf-16")
}

// text decodes a piece of the page. What is valid UTF-8 is taken for it.
func (p *pageReader) text(b []byte) string {
	s := string(b)
	if strings.ToValidUTF8(s, "") == s && !strings.Contains(s, "\x1b") {
		return s
	}
	if t, err := p.charset().NewDecoder().String(s); err == nil {
		s = t
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// charset is that of the page, as far as its beginning is known.
func (p *pageReader) charset() encoding.Encoding {
	if known := min(len(p.prefix), 1024); p.encoding == nil || p.encodingOf != known {
		p.encoding, _, _ = charset.DetermineEncoding(p.prefix[:known], p.contentType)
		p.encodingOf = known
	}
	return p.encoding
}

// foldTitle makes every run of white space one space and cuts to 300
// characters.
func foldTitle(s string) string {
	var b strings.Builder
	n := 0
	for i, word := range strings.Fields(s) {
		if i > 0 && n < maxTitle {
			b.WriteByte(' ')
			n++
		}
		for _, c := range word {
			if n == maxTitle {
				return strings.TrimSuffix(b.String(), " ")
			}
			b.WriteRune(c)
			n++
		}
	}
	return b.String()
}

// link reads a canonical tag. One with hreflang, lang, media or type does not count
// (Search docs, "consolidate-duplicate-urls").
func (p *pageReader) link(a attribute) {
	if !a.alternate && hasToken(a.rel, "canonical") {
		p.names(named{href: cutTarget(a.href), base: p.base})
	}
}

// named is what one tag or Link header names.
type named struct {
	href, base string // as written
	header     bool
}

// names takes note of a canonical. That of a tag goes before that of a header.
// Where a page names several addresses there is none: Google takes none of them for
// a hint (Search docs, "consolidate-duplicate-urls").
func (p *pageReader) names(c named) {
	switch {
	case c.href == "" || p.several:
	case p.canonical.href == "":
		p.canonical = c
	case (c.href != p.canonical.href || c.base != p.canonical.base) &&
		p.resolved(c) != p.resolved(p.canonical):
		p.several = true
	case p.canonical.header && !c.header:
		p.canonical = c
	}
}

// resolved is the address that a canonical names, as text; as written where it
// names none.
func (p *pageReader) resolved(c named) string {
	page := audit.Page{Canonical: c.href, CanonicalBase: c.base}
	if to := page.CanonicalURL(p.at.String()); to != "" {
		return to
	}
	return c.href
}

func (p *pageReader) meta(a attribute) {
	if strings.EqualFold(a.equiv, "refresh") {
		if p.body {
			return
		}
		r, ok := parseRefresh(a.content)
		if ok && p.page.Refresh == "" && len(r.target) <= maxTarget {
			p.page.Refresh, p.page.RefreshDelay = r.target, r.delay
		}
		return
	}
	if isRobotsName(a.name, p.tokens) {
		p.addRobots(directives(a.content)...)
	}
}

// addRobots keeps directives that are new. Where there is no room for more, one that
// keeps the page out of the index takes the place of others.
func (p *pageReader) addRobots(ds ...string) {
	for _, d := range ds {
		fits := p.filled+len(d) <= maxDirective
		if !fits && d != "noindex" && d != "none" || slices.Contains(p.robots, d) {
			continue
		}
		if fits {
			p.robots = append(p.robots, d)
		} else {
			p.robots = slices.Insert(p.robots, 0, d)
		}
		p.filled += len(d) + len(", ")
	}
}

// attribute holds what is needed of a tag's attributes; the first of a name
// counts.
type attribute struct {
	rel, href, name, content, equiv, kind, src, onload string
	alternate                                          bool // has hreflang, lang, media or type
	later                                              bool // has async or defer
	// has shadowrootmode: a template that is shown
	shadow bool
}

// attributes reads the attributes of the tag that z is at, once. The tokenizer writes U+FFFD for a
// zero byte, as HTML has it (13.2.5); but an address is octets here, so zeros stay: such a tag is
// read again with a byte that it does not have in the place of each.
func attributes(z *html.Tokenizer) (a attribute) {
	tag := z.Raw()
	mark, ok := zeroMark(tag)
	if !ok {
		a.read(z, func(value string) string { return value })
		return a
	}
	marked := html.NewTokenizer(bytes.NewReader(bytes.ReplaceAll(tag, []byte{0}, []byte{mark})))
	marked.Next()
	a.read(marked, func(value string) string {
		return strings.ReplaceAll(value, string([]byte{mark}), "\x00")
	})
	return a
}

// zeroMark returns a byte above ASCII that a tag does not have, where the tag has a zero and there
// is such a byte.
func zeroMark(tag []byte) (mark byte, ok bool) {
	if bytes.IndexByte(tag, 0) < 0 {
		return 0, false
	}
	for mark = 0xFF; mark >= 0x80; mark-- {
		if bytes.IndexByte(tag, mark) < 0 {
			return mark, true
		}
	}
	return 0, false
}

// read takes the attributes of the tag that z is at, their values as value returns them.
func (a *attribute) read(z *html.Tokenizer, value func(string) string) {
	for more := true; more; {
		var key, text []byte
		key, text, more = z.TagAttr()
		if at := a.field(string(key)); at != nil && *at == "" {
			*at = strings.TrimSpace(value(string(text)))
		}
	}
}

// field is where the value of a key goes, nil for nowhere.
func (a *attribute) field(key string) *string {
	switch key {
	case "rel":
		return &a.rel
	case "href":
		return &a.href
	case "name":
		return &a.name
	case "content":
		return &a.content
	case "http-equiv":
		return &a.equiv
	case "type":
		a.alternate = true
		return &a.kind
	case "src":
		return &a.src
	case "onload":
		return &a.onload
	case "async", "defer":
		a.later = true
	case "shadowrootmode":
		a.shadow = true
	case "hreflang", "lang", "media":
		a.alternate = true
	}
	return nil
}

func hasToken(list, token string) bool {
	for t := range strings.FieldsSeq(list) {
		if strings.EqualFold(t, token) {
			return true
		}
	}
	return false
}

// cutTarget drops an address that is too long to be one.
func cutTarget(s string) string {
	if len(s) > maxTarget {
		return ""
	}
	return s
}

func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// first is the first value of a header, "" for none.
func first(h http.Header, key string) string {
	if v := h[key]; len(v) > 0 {
		return v[0]
	}
	return ""
}

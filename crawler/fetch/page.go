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

// Limits on what is kept of a page, so that a hostile one cannot fill the store.
const (
	maxTitle     = 300   // characters
	maxDirective = 1000  // bytes of robots directives in total
	maxTarget    = 8_192 // bytes of a canonical, base or refresh address
	maxType      = 200   // bytes of a content type
	prefixSize   = 4096  // bytes of a body that are searched for charset and bot challenges
	readSize     = 16384 // bytes of a body per read
)

// A pageReader reads what the headers and the HTML of one answer say about indexing. It reads the
// body once, as a stream, and builds no tree. The head ends at </head>, <body> or the first element
// that HTML does not allow in a head (HTML standard 13.2.6.4.4). After the head it looks for robots
// tags, which Google obeys in the body, too, for the first heading, a password field, and what is
// visible without scripts.
//
// Elements inside noscript and template do not count: a crawler that runs scripts never sees them.
type pageReader struct {
	at     address.Address
	tokens []string // lower-case names of the robot in meta tags
	page   audit.Page
	robots []string // as many as are kept
	filled int      // length of robots in bytes, with commas

	contentType string
	canonical   named // the first canonical
	several     bool  // there are other canonicals, too
	base        string
	scanned     bool // the body is HTML, as far as is known

	encoding   encoding.Encoding // nil until it is needed
	encodingOf int               // how many bytes of prefix it was determined from

	scanning

	links *links.Reader // reads the links of the page; nil where they are not wanted

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

// tokenizer is an html.Tokenizer for one page after another. The library's has no Reset, and each
// allocates a buffer of 4 KB; but a copy of one that has read nothing can start anew with the same
// buffer.
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

// reset begins to read r. It drops a buffer that grew.
func (t *tokenizer) reset(r io.Reader) { t.Tokenizer, t.from.Reader = t.unread, r }

// newPageReader returns a reader for the answer of an address, for a robot that pages address as
// robots or by one of tokens (lower case). Release ends its use.
func newPageReader(at address.Address, tokens []string) *pageReader {
	p := pageReaders.Get().(*pageReader)
	*p = pageReader{at: at, tokens: tokens, buf: p.buf, prefix: p.prefix[:0], html: p.html,
		skim:     skimmer{buf: p.skim.buf[:0]},
		scanning: scanning{said: p.said[:0], heading: p.heading[:0]}}
	p.sum.Reset()
	return p
}

// Release makes p available for another page. The result of Page stays valid, that of Prefix does
// not.
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

// Header reads the headers: Content-Type, Content-Disposition, X-Robots-Tag, Link and Refresh.
func (p *pageReader) Header(h http.Header) {
	p.contentType = strings.TrimSpace(first(h, "Content-Type"))
	p.page.ContentType = cutBytes(strings.ToValidUTF8(p.contentType, "\uFFFD"), maxType)
	disposition, _, _ := strings.Cut(first(h, "Content-Disposition"), ";")
	p.page.Attachment = strings.EqualFold(strings.TrimSpace(disposition), "attachment")
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

// IsHTML reports whether the body is to be scanned: text/html and application/xhtml+xml. Where
// there is no type, Body looks at the body.
func (p *pageReader) IsHTML() bool {
	t, _, _ := strings.Cut(p.contentType, ";")
	t = strings.ToLower(strings.TrimSpace(t))
	return t == "" || t == "text/html" || t == "application/xhtml+xml"
}

// Body reads r to its end. Its error is that of r; what was read before the error counts.
func (p *pageReader) Body(r io.Reader) error {
	p.watch.r = r
	p.buf.Reset(&p.watch)
	head, _ := p.buf.Peek(prefixSize) // the next read returns an error again
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

// Nothing records that the body of the answer is empty.
func (p *pageReader) Nothing() { p.page.Empty = true }

// decoded returns the body in a form that the tokenizer can read. Markup is ASCII in nearly every
// charset, so only the title and the texts that are examined are decoded (text); UTF-16 and
// ISO-2022-JP are exceptions.
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

// text decodes a piece of the page. Valid UTF-8 counts as UTF-8 whatever the charset.
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

// charset returns the charset of the page, as far as the beginning of the body determines it.
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
	if isFolded(s) {
		return s
	}
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

// isFolded reports whether foldTitle would change nothing, as of most titles in ASCII. It says so of
// no other.
func isFolded(s string) bool {
	space := true // before the first word
	for i := range len(s) {
		if s[i] == ' ' && space || s[i] < ' ' || s[i] > '~' {
			return false
		}
		space = s[i] == ' '
	}
	return !space && len(s) <= maxTitle
}

// link reads a link tag. A canonical with hreflang, lang, media or type does not count (Search
// docs, "consolidate-duplicate-urls").
func (p *pageReader) link(a attribute) {
	if !a.alternate && hasToken(a.rel, "canonical") {
		p.names(named{href: cutTarget(a.href), base: p.base})
	}
}

// named is the canonical that one tag or Link header names.
type named struct {
	href, base string // as written
	header     bool
}

// names records a canonical. That of a tag takes precedence over that of a header. Where a page
// names several addresses it has no canonical: Google takes none of them for a hint (Search docs,
// "consolidate-duplicate-urls").
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

// resolved returns the absolute address that a canonical names, or the text as written where it
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
			p.page.Refresh, p.page.RefreshDelay = p.fromBase(r.target), r.delay
		}
		return
	}
	if isRobotsName(a.name, p.tokens) {
		p.addRobots(directives(a.content)...)
	}
}

// fromBase returns what a refresh names where a base stands before it: browsers resolve it when they
// read its tag, so that a base behind it does not count. A relative one leads nowhere for sure where
// the base is no http(s) address.
func (p *pageReader) fromBase(ref string) string {
	if p.base == "" {
		return ref
	}
	base, err := address.Resolve(p.at, p.base)
	if err != nil && !isAbsolute(ref) {
		return ""
	}
	if to, err := address.Resolve(base, ref); err == nil {
		return cutTarget(to.String())
	}
	return ref
}

// addRobots keeps directives that are new. Where there is no room for more, it still adds noindex
// and none, in front of the others.
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

// attribute holds the attributes of a tag that are needed; the first of a name counts.
type attribute struct {
	rel, href, name, content, equiv, kind, src, onload string
	alternate                                          bool // has hreflang, lang, media or type
	later                                              bool // has async or defer
	// has shadowrootmode: a template that is rendered
	shadow bool
}

// attributes reads the attributes of the current tag of z, once. The tokenizer replaces a zero byte
// with U+FFFD, as HTML requires (13.2.5); but an address is bytes here, so zeros stay: attributes
// reads such a tag again with each zero replaced by a byte that the tag does not contain.
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

// zeroMark returns a byte above ASCII that a tag does not contain. ok is false where the tag has no
// zero, or contains every such byte.
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

// read reads the attributes of the current tag of z, each value passed through value.
func (a *attribute) read(z *html.Tokenizer, value func(string) string) {
	for more := true; more; {
		var key, text []byte
		key, text, more = z.TagAttr()
		if at := a.field(string(key)); at != nil && *at == "" {
			*at = strings.TrimSpace(value(string(text)))
		}
	}
}

// field returns where the value of a key is stored; nil for a key that is not needed.
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

// first returns the first value of a header; "" for none.
func first(h http.Header, key string) string {
	if v := h[key]; len(v) > 0 {
		return v[0]
	}
	return ""
}

package crawler

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/transform"

	"sitemend/crawler/audit"
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

// A PageReader reads what headers and HTML head of one answer say about
// indexing. The body is read once, as a stream, and no tree is made: the head
// ends at </head>, <body> or the first element that HTML does not allow in a
// head (HTML standard 13.2.6.4.4), and after it only a password field is
// looked for.
//
// Elements inside noscript and template do not count: a crawler that runs
// scripts never sees them.
type PageReader struct {
	tokens []string // lower-case names of the robot in meta tags
	page   audit.Page
	robots []string

	contentType string
	linked      string // canonical of a Link header
	tagged      bool   // a canonical tag was seen
	base        string

	watch  passwordWatch
	buf    *bufio.Reader
	prefix []byte
	html   *tokenizer
}

var pageReaders = sync.Pool{New: func() any {
	return &PageReader{buf: bufio.NewReaderSize(nil, readSize), prefix: make([]byte, 0, prefixSize), html: newTokenizer()}
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

// NewPageReader returns a reader for a robot that pages address as robots or by
// one of tokens (lower case). Release gives it back.
func NewPageReader(tokens []string) *PageReader {
	p := pageReaders.Get().(*PageReader)
	*p = PageReader{tokens: tokens, buf: p.buf, prefix: p.prefix[:0], html: p.html}
	return p
}

// Release ends the use of p. What Page returned stays valid, Prefix does not.
func (p *PageReader) Release() {
	p.watch.r = nil
	p.buf.Reset(nil)
	p.html.reset(nil)
	pageReaders.Put(p)
}

// Page returns what was read so far.
func (p *PageReader) Page() audit.Page {
	page := p.page
	if !p.tagged {
		page.Canonical, page.CanonicalBase = p.linked, ""
	}
	page.Robots = cutBytes(strings.Join(p.robots, ", "), maxDirective)
	return page
}

// Prefix returns up to the first 4096 bytes of the body, for signs of a bot
// challenge.
func (p *PageReader) Prefix() []byte { return p.prefix }

// Header reads the headers: Content-Type, X-Robots-Tag, Link and Refresh.
func (p *PageReader) Header(h http.Header) {
	p.contentType = strings.TrimSpace(first(h, "Content-Type"))
	p.page.ContentType = cutBytes(strings.ToValidUTF8(p.contentType, "\uFFFD"), maxType)
	for _, v := range h["X-Robots-Tag"] {
		p.addRobots(robotsTag(v, p.tokens)...)
	}
	for _, v := range h["Link"] {
		if p.linked == "" {
			p.linked = cutTarget(canonicalLink(v))
		}
	}
	if r, ok := parseRefresh(first(h, "Refresh")); ok && len(r.target) <= maxTarget {
		p.page.RefreshHeader, p.page.RefreshHeaderDelay = r.target, r.delay
	}
}

// IsHTML tells whether the body is to be scanned: text/html and
// application/xhtml+xml. A body without a type is looked into by Body.
func (p *PageReader) IsHTML() bool {
	t, _, _ := strings.Cut(p.contentType, ";")
	t = strings.ToLower(strings.TrimSpace(t))
	return t == "" || t == "text/html" || t == "application/xhtml+xml"
}

// Body reads r to its end. Its error is r's own; what was read before it counts.
func (p *PageReader) Body(r io.Reader) error {
	p.watch.r = r
	p.buf.Reset(&p.watch)
	head, _ := p.buf.Peek(prefixSize) // an error comes again from the next read
	p.prefix = append(p.prefix[:0], head...)
	if len(head) > 0 && (p.contentType != "" || strings.HasPrefix(http.DetectContentType(head), "text/html")) {
		p.scan(p.decoded())
	}
	_, err := io.Copy(io.Discard, p.buf)
	p.page.Password = p.watch.found
	return err
}

// decoded is the body as the tokenizer can read it. Markup is ASCII in nearly
// every charset, so that only titles are decoded; UTF-16 and ISO-2022-JP are not
// of that kind.
func (p *PageReader) decoded() io.Reader {
	if !p.wide() {
		return p.buf
	}
	enc, _, _ := charset.DetermineEncoding(p.prefix, p.contentType)
	return transform.NewReader(p.buf, enc.NewDecoder())
}

func (p *PageReader) wide() bool {
	return bytes.HasPrefix(p.prefix, []byte("\xFF\xFE")) || bytes.HasPrefix(p.prefix, []byte("\xFE\xFF")) ||
		bytes.Contains(p.prefix, []byte("\x1b$")) || strings.Contains(strings.ToLower(p.contentType), "utf-16")
}

// scan reads the head.
func (p *PageReader) scan(r io.Reader) {
	p.html.reset(r)
	z := &p.html.Tokenizer
	templates := 0
	for {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.EndTagToken:
			name, _ := z.TagName()
			if string(name) == "head" {
				return
			}
			if string(name) == "template" && templates > 0 {
				templates--
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, attrs := z.TagName()
			if string(name) == "template" {
				templates++
			}
			if templates == 0 && !p.element(z, headElement(string(name)), attrs) {
				return
			}
		}
	}
}

// headElement names the elements that may stand in a head; "" is any other.
func headElement(name string) string {
	switch name {
	case "html", "head", "title", "base", "link", "meta", "script", "style", "noscript", "template",
		"basefont", "bgsound", "noframes":
		return name
	}
	return ""
}

// element reads one start tag; false ends the head.
func (p *PageReader) element(z *html.Tokenizer, name string, attrs bool) bool {
	switch name {
	case "":
		return false
	case "title":
		p.title(z)
	case "base":
		if a := attributes(z, attrs); p.base == "" {
			p.base = cutTarget(a.href)
		}
	case "link":
		p.link(attributes(z, attrs))
	case "meta":
		p.meta(attributes(z, attrs))
	case "script":
		p.script(z, attributes(z, attrs))
	}
	return true
}

func (p *PageReader) title(z *html.Tokenizer) {
	if z.Next() != html.TextToken || p.page.Title != "" {
		return
	}
	p.page.Title = foldTitle(p.text(z.Text()))
}

// text decodes a piece of the page. What is valid UTF-8 is taken for it.
func (p *PageReader) text(b []byte) string {
	s := string(b)
	if strings.ToValidUTF8(s, "") == s && !strings.Contains(s, "\x1b") {
		return s
	}
	enc, _, _ := charset.DetermineEncoding(p.prefix[:min(len(p.prefix), 1024)], p.contentType)
	if t, err := enc.NewDecoder().String(s); err == nil {
		s = t
	}
	return strings.ToValidUTF8(s, "\uFFFD")
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

// link reads a canonical tag. One with hreflang, lang, media or type is none
// (Search docs, "consolidate-duplicate-urls"); of several the first counts.
func (p *PageReader) link(a attribute) {
	if p.tagged || a.alternate || a.href == "" || !hasToken(a.rel, "canonical") {
		return
	}
	p.tagged = true
	p.page.Canonical, p.page.CanonicalBase = cutTarget(a.href), p.base
}

func (p *PageReader) meta(a attribute) {
	if strings.EqualFold(a.equiv, "refresh") {
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

// script looks into a script of the head for a redirect.
func (p *PageReader) script(z *html.Tokenizer, a attribute) {
	if z.Next() == html.TextToken && isJavaScript(a.kind) && setsLocation(z.Raw()) {
		p.page.Script = true
	}
}

func (p *PageReader) addRobots(ds ...string) {
	for _, d := range ds {
		if !contains(p.robots, d) {
			p.robots = append(p.robots, d)
		}
	}
}

// attribute holds what is needed of a tag's attributes; the first of a name
// counts.
type attribute struct {
	rel, href, name, content, equiv, kind string
	alternate                             bool // has hreflang, lang, media or type
}

func attributes(z *html.Tokenizer, more bool) attribute {
	var a attribute
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		if at := a.field(string(key)); at != nil && *at == "" {
			*at = strings.TrimSpace(string(value))
		}
	}
	return a
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
	case "hreflang", "lang", "media":
		a.alternate = true
	}
	return nil
}

func hasToken(list, token string) bool {
	for _, t := range strings.Fields(list) {
		if strings.EqualFold(t, token) {
			return true
		}
	}
	return false
}

func contains(list []string, s string) bool {
	for _, t := range list {
		if t == s {
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

package fetch

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/links"
)

// Limits on what is kept of a page, so that a hostile one cannot fill the store.
const (
	maxTitle     = 300   // characters
	maxDirective = 1000  // bytes of robots directives in total
	maxTarget    = 8_192 // bytes of a canonical, base or refresh address
	maxType      = 200   // bytes of a content type
	maxSpelt     = 100   // other spellings of a canonical
	prefixSize   = 4096  // bytes of a body that are searched for charset and bot challenges
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
	token  string // the name of the robot in meta tags, in lower case
	page   answers.Page
	robots []string // as many as are kept
	filled int      // length of robots in bytes, with commas

	canonical named // the first canonical
	several   bool  // there are other canonicals, too
	spelt     int   // how many spell the first one otherwise
	base      string
	root      address.Address   // what base names; zero for nothing
	scanned   bool              // the body is HTML, as far as is known
	encoding  encoding.Encoding // nil until it is needed
	declared  bool              // the page says that this is its encoding

	scanning

	links  *links.Reader // reads the links of the page; nil where they are not wanted
	tags   links.TagReader
	read   attributes // of the last tag
	prefix []byte     // up to the first 4096 bytes of the body
	html   markup
}

var pageReaders = sync.Pool{New: func() any { return &pageReader{prefix: make([]byte, 0, prefixSize), read: attributes{}} }}

// newPageReader returns a reader for the answer of an address, for a robot that pages address as
// robots or by a token (lower case). Release ends its use.
func newPageReader(at address.Address, token string) *pageReader {
	p := pageReaders.Get().(*pageReader)
	*p = pageReader{at: at, token: token, prefix: p.prefix[:0], read: p.read, tags: p.tags, html: markup{buf: p.html.buf},
		scanning: scanning{said: p.said[:0], heading: p.heading[:0]}}
	p.sum.Reset()
	return p
}

// Release makes p available for another page. The result of Page stays valid.
func (p *pageReader) Release() {
	if p.links != nil {
		linkReaders.Put(p.links)
		p.links = nil
	}
	if p.html.r = nil; cap(p.html.buf) > 4*markupSize {
		p.html.buf = nil
	}
	pageReaders.Put(p)
}

// Page returns what was read so far.
func (p *pageReader) Page() answers.Page {
	page := p.page
	if !p.several {
		page.Canonical, page.CanonicalBase = p.canonical.href, p.canonical.base
	}
	page.Robots = cutBytes(strings.Join(p.robots, ", "), maxDirective)
	return page
}

// Header reads the headers: Content-Type, Content-Disposition, X-Robots-Tag, Link and Refresh.
func (p *pageReader) Header(h http.Header) {
	p.page.ContentType = cutBytes(strings.ToValidUTF8(strings.TrimSpace(first(h, "Content-Type")), "\uFFFD"), maxType)
	disposition, _, _ := strings.Cut(first(h, "Content-Disposition"), ";")
	p.page.Attachment = strings.EqualFold(strings.TrimSpace(disposition), "attachment")
	for _, v := range h["X-Robots-Tag"] {
		p.addRobots(robotsTag(v, p.token)...)
	}
	for _, v := range h["Link"] {
		for _, target := range canonicalLinks(v) {
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
	t, _, _ := strings.Cut(p.page.ContentType, ";")
	t = strings.ToLower(strings.TrimSpace(t))
	return t == "" || t == "text/html" || t == "application/xhtml+xml"
}

// Body reads r to its end. Its error is that of r; what was read before the error counts.
func (p *pageReader) Body(r io.Reader) error {
	var err error
	for err == nil && len(p.prefix) < prefixSize {
		var n int
		n, err = r.Read(p.prefix[len(p.prefix):prefixSize])
		p.prefix = p.prefix[:len(p.prefix)+n]
	}
	if p.scanned = len(p.prefix) > 0 && (p.page.ContentType != "" || strings.HasPrefix(http.DetectContentType(p.prefix), "text/html")); p.scanned {
		p.html.begin(p.prefix, r, err)
		p.scan()
		err = p.html.err
	} else if err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	if err == io.EOF {
		err = nil
	}
	switch {
	case len(p.prefix) == 0 && err == nil:
		p.page.Empty = true
	case p.scanned:
		p.conclude(err == nil)
	}
	return err
}

// text decodes a piece of the page. Valid UTF-8 counts as UTF-8 whatever the charset.
func (p *pageReader) text(b []byte) string {
	if utf8.Valid(b) && bytes.IndexByte(b, '\x1b') < 0 {
		return string(b)
	}
	if p.encoding == nil {
		p.encoding, _, p.declared = charset.DetermineEncoding(p.prefix[:min(len(p.prefix), 1024)], p.page.ContentType)
	}
	s, err := p.encoding.NewDecoder().String(string(b))
	if err != nil {
		s = string(b)
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// reference returns a reference in the page ready to be resolved. Bytes that are not UTF-8 and stand
// before the query are text in the page's charset, which is sent as UTF-8 (WHATWG URL). They are sent as
// they are in a query, where the page does not declare its charset, and where they are no text in it.
func (p *pageReader) reference(ref string) string {
	if utf8.ValidString(ref) {
		return ref
	}
	path, query, asked := strings.Cut(ref, "?")
	if path = p.text([]byte(path)); !p.declared || strings.ContainsRune(path, utf8.RuneError) {
		return ref
	}
	if asked {
		path += "?" + query
	}
	return path
}

// foldTitle makes every run of white space one space and cuts to 300 characters.
func foldTitle(s string) string {
	s = strings.Join(strings.Fields(cutBytes(s, 1<<14)), " ")
	n := 0
	for i := range s {
		if n++; n > maxTitle {
			return strings.TrimSuffix(s[:i], " ")
		}
	}
	return s
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
	case (c.href != p.canonical.href || c.base != p.canonical.base) && p.another(c):
		p.several = true
	case p.canonical.header && !c.header:
		p.canonical = c
	}
}

// another reports whether a canonical names another address than the first one, as it does where the
// page has spelt that in more than maxSpelt ways.
func (p *pageReader) another(c named) bool {
	p.spelt++
	was, is := answers.Page{Canonical: p.canonical.href, CanonicalBase: p.canonical.base}, answers.Page{Canonical: c.href, CanonicalBase: c.base}
	return p.spelt > maxSpelt || is.CanonicalAt(p.at) != was.CanonicalAt(p.at)
}

// fromBase returns what a refresh names where a base stands before it: browsers resolve it when they
// read its tag, so that a base behind it does not count. A relative one leads nowhere for sure where
// the base is no http(s) address.
func (p *pageReader) fromBase(ref string) string {
	switch {
	case p.base == "":
		return ref
	case p.root.IsZero() && !isAbsolute(ref):
		return ""
	}
	if to, err := address.Resolve(p.root, ref); err == nil {
		return cutTarget(to.String())
	}
	return ref
}

// addRobots keeps directives that are new. Where there is no room for more, it still adds noindex
// and none, in front of the others.
func (p *pageReader) addRobots(ds ...string) {
	for _, d := range ds {
		fits := p.filled+len(d) <= maxDirective
		switch {
		case d == "" || slices.Contains(p.robots, d):
		case fits:
			p.robots = append(p.robots, d)
			p.filled += len(d) + len(", ")
		case d == "noindex" || d == "none":
			p.robots = slices.Insert(p.robots, 0, d)
		}
	}
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

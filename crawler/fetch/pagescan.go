package fetch

import (
	"bytes"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/links"
)

// Limits on what is examined while a page is scanned.
const (
	maxSaid    = 64   // bytes of visible text that are kept: a page with more is more than its scripts
	maxShell   = 32   // bytes of visible text of a page that waits for its scripts ("Loading...")
	maxHeading = 100  // characters of a heading that is kept: a phrase, not a sentence
	maxText    = 512  // bytes of visible text by which two pages are told apart
	maxPiece   = 8192 // bytes of one text that are looked at
)

// scanning is the state of the scan of a page.
type scanning struct {
	body      bool   // the head is over
	in        string // the element with text as its content that the next text belongs to
	templates int    // open templates
	// a script or the like closed itself, as XML and SVG allow: the structure after it is unknown
	lost bool

	said         []byte        // visible text, as far as it is examined
	sum          xxhash.Digest // of its beginning
	letters      int           // bytes of visible text, counted up to maxText
	seen, framed bool          // an image, a video, a field; a frame
	runs         bool          // there are scripts, not only data
	inline       bool          // the next text is an inline script that a browser runs
	heading      []byte        // of the first h1 that has text
	inHeading    bool
	headed       bool   // the heading is complete
	to           string // where the scripts lead, as written
	unsure       bool   // a script does something else, too, or leads elsewhere
	sets         bool   // a script sets location, certainly or not
	leadsInHead  bool   // one of the head does
}

// scan reads a page to its end.
func (p *pageReader) scan() {
	m := &p.html
	for {
		switch kind, b := m.next(p.wants(), p.links != nil || !p.body); kind {
		case pageEnd:
			return
		case textPiece:
			if p.templates == 0 {
				p.content(b)
			}
		case startTag:
			if p.templates == 0 && p.links != nil {
				p.links.Tag(b)
			}
			p.start(b, m.name)
			p.lost = p.lost || p.in != "" && bytes.HasSuffix(b, []byte("/>"))
		case endTag:
			if p.templates == 0 && p.links != nil {
				p.links.End(b)
			}
			p.end(m.name)
		}
	}
}

// wants reports whether the next visible text still counts: it no longer does where the page has said
// all by which pages are told apart.
func (p *pageReader) wants() bool {
	return p.templates == 0 && (len(p.said) <= maxSaid || p.letters < maxText || p.inHeading)
}

// attribute returns the first attribute of a name in a start tag, without white space around it.
func (p *pageReader) attribute(tag []byte, name string) string {
	value, _ := p.lookUp(tag, name)
	return value
}

func (p *pageReader) lookUp(tag []byte, name string) (value string, ok bool) {
	all := links.AttributesOf(tag)
	for key, value, ok := all.Next(); ok; key, value, ok = all.Next() {
		if len(key) == len(name) && strings.EqualFold(string(key), name) {
			return strings.TrimSpace(p.references.Resolved(value)), true
		}
	}
	return "", false
}

// has reports whether a start tag has one of some attributes.
func (p *pageReader) has(tag []byte, names ...string) bool {
	for _, name := range names {
		if _, ok := p.lookUp(tag, name); ok {
			return true
		}
	}
	return false
}

// start reads a start tag.
func (p *pageReader) start(tag []byte, name string) {
	p.in, p.inline = "", false
	if name == "template" && (p.templates > 0 || !p.has(tag, "shadowrootmode")) {
		p.templates++
	}
	if p.templates > 0 {
		return
	}
	switch name {
	case "html", "head", "basefont", "bgsound":
	case "title", "style", "noscript", "noframes":
		p.in = name
	case "base":
		p.rebase(tag)
	case "link":
		// A canonical of one language, medium or type does not count (Search docs,
		// "consolidate-duplicate-urls").
		if !p.body && hasToken(p.attribute(tag, "rel"), "canonical") && !p.has(tag, "hreflang", "lang", "media", "type") {
			p.names(named{href: cutTarget(p.attribute(tag, "href")), base: p.base})
		}
	case "meta":
		p.meta(tag)
	case "script":
		p.script(tag)
	default:
		p.body = true
		p.bodyTag(tag, name)
	}
}

func (p *pageReader) meta(tag []byte) {
	if isRobotsName(p.attribute(tag, "name"), p.tokens) {
		p.addRobots(directives(p.attribute(tag, "content"))...)
	}
	if p.body || p.page.Refresh != "" || !strings.EqualFold(p.attribute(tag, "http-equiv"), "refresh") {
		return
	}
	if r, ok := parseRefresh(p.attribute(tag, "content")); ok && len(r.target) <= maxTarget {
		p.page.Refresh, p.page.RefreshDelay = p.fromBase(r.target), r.delay
	}
}

// rebase reads a base element, of which the first with an address counts. A canonical before it that
// would be another address from there is none: Google does not say whether it reads it so.
func (p *pageReader) rebase(tag []byte) {
	if p.base != "" {
		return
	}
	if p.base = cutTarget(p.attribute(tag, "href")); !p.canonical.header {
		p.names(named{href: p.canonical.href, base: p.base})
	}
}

// bodyTag reads a tag that does not occur in a head.
func (p *pageReader) bodyTag(tag []byte, name string) {
	switch name {
	case "body":
		if script := p.attribute(tag, "onload"); script != "" {
			p.run([]byte(script))
		}
	case "h1":
		p.inHeading = !p.headed
	case "iframe", "noembed":
		p.in, p.framed = name, true
	case "frame":
		p.framed = true
	case "textarea":
		p.in, p.seen = name, true
	case "input":
		kind := p.attribute(tag, "type")
		p.page.Password = p.page.Password || strings.EqualFold(kind, "password")
		p.seen = p.seen || !strings.EqualFold(kind, "hidden")
	case "", "xmp", "plaintext": // their content is plain text
	default:
		p.seen = true
	}
}

// end reads an end tag.
func (p *pageReader) end(name string) {
	p.in, p.inline = "", false
	switch name {
	case "head":
		p.body = true
	case "template":
		p.templates = max(0, p.templates-1)
	case "h1":
		p.inHeading = false
		p.headed = p.headed || len(p.heading) > 0
	}
}

// content reads a text.
func (p *pageReader) content(b []byte) {
	switch p.in {
	case "title":
		if !p.body && p.page.Title == "" {
			p.page.Title = foldTitle(html.UnescapeString(p.text(b[:min(len(b), maxPiece)])))
		}
	case "script":
		if p.inline {
			p.run(b)
		}
	case "":
		p.visible(b)
	}
}

// visible records text that every visitor sees.
func (p *pageReader) visible(b []byte) {
	if b = bytes.TrimSpace(b); len(b) > maxPiece {
		b = b[:maxPiece]
	}
	if bytes.IndexByte(b, '&') >= 0 {
		b = bytes.TrimSpace([]byte(html.UnescapeString(string(b))))
	}
	if !hasText(b) {
		return
	}
	if left := maxText - p.letters; left > 0 {
		own := b[:min(len(b), left)]
		p.letters += len(own)
		_, _ = p.sum.Write(own) // a hash returns no error
	}
	if len(p.said) <= maxSaid {
		p.said = append(append(p.said, b[:min(len(b), maxSaid+1)]...), ' ')
	}
	if p.inHeading && len(p.heading) <= 4*maxHeading {
		p.heading = append(append(p.heading, b[:min(len(b), 4*maxHeading+1)]...), ' ')
	}
}

// hasText reports whether a text contains anything but white space and invisible characters.
func hasText(b []byte) bool {
	for len(b) > 0 {
		c, n := utf8.DecodeRune(b)
		if !unicode.IsSpace(c) && (c == utf8.RuneError || !unicode.Is(unicode.Cf, c)) {
			return true
		}
		b = b[n:]
	}
	return false
}

// script reads the start tag of a script.
func (p *pageReader) script(tag []byte) {
	p.in = "script"
	kind := strings.ToLower(p.attribute(tag, "type"))
	if kind != "" && kind != "module" && !strings.Contains(kind, "javascript") && !strings.Contains(kind, "ecmascript") {
		return // data
	}
	if p.inline = p.attribute(tag, "src") == ""; p.inline {
		return
	}
	p.runs = true
	if kind != "module" && !p.has(tag, "async", "defer") {
		p.unsure = true // whatever this script does, it does it first
	}
}

// run examines a script that runs when the page is opened.
func (p *pageReader) run(script []byte) {
	if script = withoutComments(script); len(script) == 0 {
		return
	}
	p.runs = true
	sets, to := locationIn(script)
	p.sets = p.sets || sets
	p.leadsInHead = p.leadsInHead || sets && !p.body
	if to == "" || p.to != "" && p.to != to {
		p.unsure = true
	}
	p.to = to
}

// conclude sets what the page is as a whole. whole reports whether all of it was read.
func (p *pageReader) conclude(whole bool) {
	whole = whole && !p.lost
	if heading := foldTitle(p.text(p.heading)); heading != p.page.Title && utf8.RuneCountInString(heading) <= maxHeading {
		p.page.Heading = heading
	}
	says := len(p.said) > 0
	silent := !says || p.runs && len(p.said) <= maxShell && len(p.heading) == 0
	p.page.Empty = whole && !says && !p.seen && !p.framed && !p.runs
	p.page.Shell = whole && silent && p.runs && !p.framed
	if says {
		p.page.Text = p.sum.Sum64()
	}
	sure := whole && !p.unsure && !says && !p.seen && !p.framed && (p.base == "" || isAbsolute(p.to))
	switch {
	case sure && p.to != "":
		p.page.ScriptTo = p.to
	case p.leadsInHead || silent && p.sets:
		p.page.Script = true
	}
}

// bare returns bare where the page has neither a title nor text without scripts.
func (p *pageReader) bare() on {
	if len(p.said) == 0 && p.page.Title == "" {
		return bare
	}
	return anything
}

// isAbsolute reports whether a reference names a host.
func isAbsolute(ref string) bool {
	ref = strings.ToLower(ref)
	return strings.HasPrefix(ref, "http://") || strings.HasPrefix(ref, "https://") ||
		strings.HasPrefix(ref, "//")
}

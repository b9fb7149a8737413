package fetch

import (
	"bytes"
	"html"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
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
			p.end(m.name)
		}
	}
}

// wants reports whether the next visible text still counts: it no longer does where the page has said
// all by which pages are told apart.
func (p *pageReader) wants() bool {
	return p.templates == 0 && (len(p.said) <= maxSaid || p.letters < maxText || p.inHeading)
}

// attributes are those of a start tag.
type attributes map[string]string

// get returns an attribute without white space around it.
func (a attributes) get(name string) string { return strings.TrimSpace(a[name]) }

// has reports whether there is one of some attributes.
func (a attributes) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { _, ok := a[name]; return ok })
}

// start reads a start tag.
func (p *pageReader) start(tag []byte, name string) {
	p.in, p.inline = "", false
	if name == "template" && (p.templates > 0 || !p.attributes(tag).has("shadowrootmode")) {
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
		p.rebase(p.attributes(tag))
	case "link":
		// A canonical of one language, medium or type does not count (Search docs,
		// "consolidate-duplicate-urls").
		if p.body {
			return
		}
		if a := p.attributes(tag); hasToken(a["rel"], "canonical") && !a.has("hreflang", "lang", "media", "type") {
			p.names(named{href: cutTarget(p.reference(a.get("href"))), base: p.base})
		}
	case "meta":
		p.meta(p.attributes(tag))
	case "script":
		p.script(p.attributes(tag))
	default:
		p.body = true
		p.bodyTag(tag, name)
	}
}

// attributes returns the attributes of a start tag, until the next call. A TagReader, which resolves
// references, takes three times as long.
func (p *pageReader) attributes(tag []byte) attributes {
	if bytes.ContainsAny(tag, "&\r\x00") {
		return p.tags.Attributes(tag)
	}
	clear(p.read)
	for key, value, at := attribute(tag, nameEnd(tag, 1)); key != nil; key, value, at = attribute(tag, at) {
		name := attributeNames.find(key)
		if _, twice := p.read[name]; name != "" && !twice {
			p.read[name] = string(value)
		}
	}
	return p.read
}

func (p *pageReader) meta(a attributes) {
	if isRobotsName(a["name"], p.token) {
		p.addRobots(directives(a["content"])...)
	}
	if p.body || p.page.Refresh != "" || !strings.EqualFold(a.get("http-equiv"), "refresh") {
		return
	}
	if r, ok := parseRefresh(a["content"]); ok && len(r.target) <= maxTarget {
		p.page.Refresh, p.page.RefreshDelay = p.fromBase(p.reference(r.target)), r.delay
	}
}

// rebase reads a base element, of which the first with an address counts. A canonical before it that
// would be another address from there is none: Google does not say whether it reads it so.
func (p *pageReader) rebase(a attributes) {
	if p.base != "" {
		return
	}
	p.base = cutTarget(p.reference(a.get("href")))
	if p.root, _ = address.Resolve(p.at, p.base); !p.canonical.header {
		p.names(named{href: p.canonical.href, base: p.base})
	}
}

// bodyTag reads a tag that does not occur in a head.
func (p *pageReader) bodyTag(tag []byte, name string) {
	switch name {
	case "body":
		if script := p.attributes(tag)["onload"]; script != "" {
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
		kind := p.attributes(tag).get("type")
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
func (p *pageReader) script(a attributes) {
	p.in = "script"
	kind := strings.ToLower(a.get("type"))
	if kind != "" && kind != "module" && !strings.Contains(kind, "javascript") && !strings.Contains(kind, "ecmascript") {
		return // data
	}
	if p.inline = a.get("src") == ""; p.inline {
		return
	}
	p.runs = true
	if kind != "module" && !a.has("async", "defer") {
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
	return 0
}

// isAbsolute reports whether a reference names a host.
func isAbsolute(ref string) bool {
	ref = strings.ToLower(ref)
	return strings.HasPrefix(ref, "http://") || strings.HasPrefix(ref, "https://") ||
		strings.HasPrefix(ref, "//")
}

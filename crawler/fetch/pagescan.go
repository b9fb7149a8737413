package fetch

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/net/html"
)

// Limits on what is examined while a page is scanned.
const (
	maxSaid    = 64  // bytes of visible text: a page with more says more than "please wait"
	maxHeading = 100 // characters of a heading that is kept: a phrase, not a sentence
	maxText    = 512 // bytes of visible text by which two pages are told apart
)

// scanning is the state of the scan of a page.
type scanning struct {
	body      bool   // the head is over
	in        string // the raw text element that the next text belongs to
	templates int    // open templates
	// a script or the like closed itself, as XML and SVG allow: the structure after it is unknown
	lost bool

	said         []byte        // visible text, as far as it is examined
	sum          xxhash.Digest // of its beginning
	letters      int           // bytes of visible text, counted up to maxText
	seen, framed bool          // an image, a video, a field; a frame
	runs         bool          // there are scripts that do something, not data or comments only
	inline       bool          // the next text is an inline script that a browser runs
	heading      []byte        // of the first h1 that has text
	inHeading    bool
	headed       bool // the heading is complete
	lead         scriptLead
	leadsInHead  bool // a script of the head sets location
	unskimmed    bool // every tag of the page is examined, as tests compare it
}

// scan reads a page to its end.
func (p *pageReader) scan(r io.Reader) {
	p.html.reset(r)
	z := &p.html.Tokenizer
	for {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.TextToken:
			if p.templates == 0 {
				p.content(z)
			}
			p.skimRest(z, r)
		case html.EndTagToken:
			if l := p.linked(); l != nil {
				l.End(z.Raw())
			}
			p.end(element(z.Raw()[2:]))
			p.skimRest(z, r)
		case html.StartTagToken, html.SelfClosingTagToken:
			if l := p.linked(); l != nil {
				l.Tag(z.Raw())
			}
			p.start(z, element(z.Raw()[1:]))
			p.lost = p.lost || p.in != "" && bytes.HasSuffix(z.Raw(), []byte("/>"))
		}
	}
}

// skimRest skims what z has not yet read of a page, where the page is settled. It may be called
// after a text or an end tag, where the tokenizer does not wait for an end tag.
func (p *pageReader) skimRest(z *html.Tokenizer, r io.Reader) {
	if !p.settled() {
		return
	}
	switch s := &p.skim; {
	case s.r == nil:
		s.begin(r, z.Buffered(), !p.headed)
		s.links = p.links
	case s.passing:
		s.again(z.Buffered(), !p.headed)
	default:
		return
	}
	p.html.reset(&p.skim)
}

// settled reports whether the page has more text than a request to wait, and all by which pages are
// told apart: then nothing that follows can make it an empty page, a shell or a script redirect. A
// skimmer passes on what still counts.
func (p *pageReader) settled() bool {
	return !p.unskimmed && p.body && len(p.said) > maxSaid && p.letters >= maxText && p.templates == 0 && !p.inHeading && p.in == ""
}

// element returns the name at the beginning of a tag, in lower case, if it is one of elements, else
// "". The tokenizer's method copies each name, and most are not needed here.
func element(tag []byte) string {
	n := 0
	for n < len(tag) && !isHTMLSpace(tag[n]) && tag[n] != '/' && tag[n] != '>' {
		if n++; n > maxElement {
			return ""
		}
	}
	if n > 0 && isLetter(tag[0]) {
		for _, known := range elements[tag[0]|0x20-'a'] {
			if len(known) == n && bytes.EqualFold(tag[:n], []byte(known)) {
				return known
			}
		}
	}
	return ""
}

const maxElement = len("plaintext")

// elements are the elements that the scan treats specially, by their first letter.
var elements = func() (known [26][]string) {
	for _, name := range []string{"html", "head", "title", "base", "link", "meta", "script",
		"style", "noscript", "template", "basefont",
		"bgsound", "noframes", "body", "h1", "textarea", "iframe", "frame", "noembed", "xmp",
		"plaintext",
		"img", "svg", "picture", "video", "audio", "canvas", "object", "embed", "input", "button",
		"select"} {
		known[name[0]-'a'] = append(known[name[0]-'a'], name)
	}
	return known
}()

// start reads a start tag.
func (p *pageReader) start(z *html.Tokenizer, name string) {
	p.in, p.inline = "", false
	if name == "template" && (p.templates > 0 || !attributes(z).shadow) {
		p.templates++
		p.skim.links = nil
	}
	if p.templates > 0 {
		return
	}
	switch name {
	case "html", "head", "basefont", "bgsound":
	case "title", "style", "noscript", "noframes":
		p.in = name
	case "base":
		p.rebase(attributes(z))
	case "link":
		if !p.body {
			p.link(attributes(z))
		}
	case "meta":
		p.meta(attributes(z))
	case "script":
		p.script(attributes(z))
	default:
		p.body = true
		p.bodyTag(z, name)
	}
}

// rebase reads a base element, of which the first with an address counts. A canonical before it that
// would be another address from there is none: Google does not say whether it reads it so.
func (p *pageReader) rebase(a attribute) {
	if p.base != "" {
		return
	}
	if p.base = cutTarget(a.href); !p.canonical.header {
		p.names(named{href: p.canonical.href, base: p.base})
	}
}

// bodyTag reads a tag that does not occur in a head.
func (p *pageReader) bodyTag(z *html.Tokenizer, name string) {
	switch name {
	case "body":
		if a := attributes(z); a.onload != "" {
			p.run([]byte(a.onload))
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
		a := attributes(z)
		p.seen = p.seen || !strings.EqualFold(a.kind, "hidden")
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
		p.skim.links = p.linked()
	case "h1":
		p.inHeading = false
		p.headed = p.headed || len(p.heading) > 0
	}
}

// content reads a text token.
func (p *pageReader) content(z *html.Tokenizer) {
	switch p.in {
	case "title":
		if !p.body && p.page.Title == "" {
			p.page.Title = foldTitle(p.text(z.Text()))
		}
	case "script":
		if p.inline {
			p.run(z.Raw())
		}
	case "":
		p.visible(z)
	}
}

// visible records text that every visitor sees.
func (p *pageReader) visible(z *html.Tokenizer) {
	room := len(p.said) <= maxSaid
	heading := p.inHeading && len(p.heading) <= 4*maxHeading
	if !room && !heading && p.letters >= maxText {
		return
	}
	text := z.Text()
	if !hasText(text) {
		return
	}
	text = bytes.TrimSpace(text)
	if left := maxText - p.letters; left > 0 {
		own := text[:min(len(text), left)]
		p.letters += len(own)
		_, _ = p.sum.Write(own) // a hash returns no error
	}
	if room {
		p.said = append(append(p.said, text[:min(len(text), maxSaid+1)]...), ' ')
	}
	if heading {
		p.heading = append(append(p.heading, text[:min(len(text), 4*maxHeading+1)]...), ' ')
	}
}

// hasText reports whether a text contains anything but white space and invisible characters.
func hasText(text []byte) bool {
	for len(text) > 0 {
		c, n := utf8.DecodeRune(text)
		if !unicode.IsSpace(c) && (c == utf8.RuneError || !unicode.Is(unicode.Cf, c)) {
			return true
		}
		text = text[n:]
	}
	return false
}

// script reads the start tag of a script.
func (p *pageReader) script(a attribute) {
	p.in = "script"
	if !isJavaScript(a.kind) {
		return
	}
	if p.inline = a.src == ""; p.inline {
		return
	}
	p.runs = true
	if !a.later && !strings.EqualFold(a.kind, "module") {
		p.lead.unsure = true // whatever this script does, it does it first
	}
}

// run examines a script that runs when the page is opened. One of comments only does nothing.
func (p *pageReader) run(script []byte) {
	sets, does := p.lead.add(script)
	p.runs = p.runs || does
	p.leadsInHead = p.leadsInHead || !p.body && sets
}

// conclude sets what the page is as a whole. whole reports whether all of it was read.
func (p *pageReader) conclude(whole bool) {
	whole = whole && !p.lost
	if heading := foldTitle(p.text(p.heading)); heading != p.page.Title && utf8.RuneCountInString(heading) <= maxHeading {
		p.page.Heading = heading
	}
	text := len(p.said) > 0
	silent := !text || p.runs && waits(p.text(p.said))
	p.page.Empty = whole && !text && !p.seen && !p.framed && !p.runs
	p.page.Shell = whole && silent && p.runs && !p.framed
	if text {
		p.page.Text = p.sum.Sum64()
	}
	to := p.lead.sure()
	if p.base != "" && !isAbsolute(to) {
		to = ""
	}
	switch {
	case whole && to != "" && !text && !p.seen && !p.framed:
		p.page.ScriptTo = to
	case p.leadsInHead || silent && p.lead.sets || p.lead.to != "":
		p.page.Script = true
	}
}

// bare reports whether the page has neither a title nor text without scripts.
func (p *pageReader) bare() bool { return len(p.said) == 0 && p.page.Title == "" }

// isAbsolute reports whether a reference names a host.
func isAbsolute(ref string) bool {
	ref = strings.ToLower(ref)
	return strings.HasPrefix(ref, "http://") || strings.HasPrefix(ref, "https://") ||
		strings.HasPrefix(ref, "//")
}

// waits reports whether a page's text only asks to wait until a script has filled it.
func waits(text string) bool {
	text = strings.ToLower(strings.TrimRight(strings.Join(strings.Fields(text), " "), ".… "))
	return slices.Contains(waiting, text)
}

// waiting are texts of pages that a script will fill, in the languages of their frameworks' users.
var waiting = []string{
	"loading", "please wait", "loading please wait", "loading, please wait", "just a moment",
	"one moment please", "starting", "読み込み中", "読み込み中です", "ロード中", "しばらくお待ちください", "お待ちください", "加载中",
	"正在加载", "載入中", "로딩 중", "로딩중", "lädt", "wird geladen", "laden", "bitte warten", "chargement",
	"chargement en cours", "cargando", "carregando", "caricamento", "загрузка", "ładowanie",
	"yükleniyor",
}

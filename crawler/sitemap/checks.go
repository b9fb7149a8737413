package sitemap

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"
)

// checks finds what is wrong with a file besides its addresses. The nil checks finds nothing.
type checks struct {
	faults
	info *Info
	now  time.Time

	bad    bool // the fault of a byte that is not UTF-8 was added
	second bool // the fault of a second root was added
	stray  bool // the fault of text outside all elements was added
}

// add adds a fault.
func (c *checks) add(rule string, line, column int, args ...any) {
	if c != nil {
		c.faults.add(rule, line, column, args...)
	}
}

// wholeIf adds a fault of the file as a whole where it has that.
func (c *checks) wholeIf(has bool, rule string, args ...any) {
	if has {
		c.whole(rule, args...)
	}
}

// bytesBefore adds the fault of a byte that is not UTF-8 before a place, once.
func (c *checks) bytesBefore(w *window, end int64) {
	if c == nil || !w.bad || c.bad || w.valid >= end {
		return
	}
	c.bad = true
	line, column := w.place(max(w.valid, w.off))
	c.add("not-utf8", line, column)
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
	if c != nil {
		c.info.Truncated = true
		c.behind(x, int(x.end-x.start), "cut-off")
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

// ampersand adds the fault of the first "&" in b that begins no reference.
func (c *checks) ampersand(x *walk, b []byte) {
	if bytes.IndexByte(b, '&') < 0 {
		return
	}
	if at, ref, named := loose(b); named {
		c.behind(x, at, "unknown-entity", ref)
	} else if ref != nil {
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
	if slices.ContainsFunc(x.attributes(), func(a attribute) bool { return a.value == nil }) {
		c.at(x, "unquoted", x.raw())
	}
}

// noAddress are the elements that an item lacks where it has no address.
var noAddress = map[Kind]string{RSS: "<link>", Atom: `<link href="...">`, URLSet: "<loc>", Index: "<loc>"}

// itemClosed checks an item as a whole. What is open at the end of a cut-off file has the fault
// cut-off instead.
func (c *checks) itemClosed(x *walk) {
	switch it := &x.item; {
	case len(it.locs) == 0 && !x.ended:
		c.add("no-address", it.line, it.column, noAddress[x.kind])
	case len(it.locs) > 1:
		c.add("two-addresses", it.line, it.column, len(it.locs))
	}
}

// ValidLang reports whether s is a value that Google accepts for hreflang (Search Central,
// "Localized versions"): a language of two letters, optionally with a script and a country, or
// x-default. en-UK and en-EU are wrong, since UK and EU are not countries of ISO 3166. Region
// numbers, as in es-419, are accepted: it does not mention them, but they are in wide use.
func ValidLang(s string) bool {
	m := langForm.FindStringSubmatch(s)
	if m == nil {
		return strings.EqualFold(s, "x-default")
	}
	_, err := language.ParseBase(m[1])
	if err == nil && m[2] != "" {
		_, err = language.ParseScript(m[2])
	}
	if err != nil || m[3] == "" {
		return err == nil
	}
	region, err := language.ParseRegion(m[3])
	number := m[3][0] <= '9'
	return err == nil && (number || region.IsCountry() && strings.EqualFold(region.Canonicalize().String(), m[3]))
}

var langForm = regexp.MustCompile(`(?i)^([a-z]{2})(?:-([a-z]{4}))?(?:-([a-z]{2}|[0-9]{3}))?$`)

// sitemapNamespaces are the namespaces of the sitemaps protocol; the first is the current one.
var sitemapNamespaces = []string{
	"http://www.sitemaps.org/schemas/sitemap/0.9",
	"http://www.google.com/schemas/sitemap/0.84",
}

// namespace checks the namespace of a root's own elements.
func (c *checks) namespace(x *walk, kind Kind, prefix []byte) {
	if !kind.protocol() {
		return
	}
	switch uri := x.spaces[string(prefix)]; uri {
	case sitemapNamespaces[0]:
	case "":
		c.at(x, "no-namespace")
	case sitemapNamespaces[1]:
		c.at(x, "old-namespace", []byte(uri))
	default:
		c.at(x, "other-namespace", []byte(uri))
	}
}

// misplaced adds the fault of a <sitemap> in a sitemap, and of a <url> in an index.
func (c *checks) misplaced(x *walk) {
	_, local := split(x.name())
	if x.root && x.kind.protocol() && (x.kind == Index) != (string(local) == "sitemap") {
		c.add("misplaced", x.item.line, x.item.column, string(local))
	}
}

// prefix checks that the prefix of a block, which no root declares, is declared by the block.
func (c *checks) prefix(x *walk, prefix []byte) {
	if c == nil || len(prefix) == 0 {
		return
	}
	if _, ok := x.attribute("xmlns:" + string(prefix)); !ok && string(prefix) != "xml" {
		c.at(x, "prefix", x.raw())
	}
}

// aside examines a processing instruction, or a DOCTYPE, which may have or name declarations of entities.
func (c *checks) aside(x *walk) {
	switch {
	case c == nil:
	case hasFold(x.intro, "<!DOCTYPE"):
		c.wholeIf(bytes.ContainsAny(x.intro[:min(int64(len(x.intro)), x.end-x.start)], "[\"'"), "dtd-unread")
	case len(x.intro) < 6 || string(x.intro[:5]) != "<?xml" || !asciiSpace(x.intro[5]):
	case x.root || c.stray:
		c.at(x, "xml-within")
	case x.start > x.begin:
		c.at(x, "space-before")
	}
}

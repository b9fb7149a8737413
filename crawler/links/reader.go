package links

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// Limits of what is kept of a page.
const (
	maxAddress = 2048    // bytes of an address: a sitemap may list no longer one
	maxTargets = 10_000  // addresses of a page
	maxPacked  = 1 << 20 // bytes of these addresses
	maxCached  = 8192    // cached tags of earlier pages, which are not parsed again
	maxHeld    = 1 << 20 // bytes of these, and of the addresses that they name
	maxRoom    = 1 << 16 // bytes of a packed page whose room the next page takes
)

// Context is the data that a Reader needs of a page besides its tags.
type Context struct {
	At address.Address // address of the page: references are resolved against it
	// Text decodes bytes of the page that are not UTF-8; nil to keep them as they are.
	Text func([]byte) string
	// Mapped returns a reference as an address of the audited site, where it names a host that
	// serves in its place; nil where there is no such host.
	Mapped func(ref string) string
}

// A Reader gathers the links of one page after another. The zero Reader is ready to use; it is not
// safe for concurrent use. It caches up to 8,192 tags of earlier pages, at most 1 MB: most pages of
// a site share most of their links.
type Reader struct {
	c       Context
	base    address.Address // of the base element; At before it
	rebased bool            // a base element with href was read
	early   earlyLinks
	open    landmarks
	foreign foreign
	page    uint32 // number of the page: shows whether a target belongs to the current one
	found   []*target
	size    int // of found, packed
	cut     bool
	packed  []byte // room

	origin string
	mapped bool
	tags   map[string]*anchor // a and area tags, by their bytes
	known  map[string]*target // by wire form
	held   int                // bytes of the keys of tags and known, and of bases that anchors refer to
	holds  bool               // the base is counted in held

	references References
}

// A target is a linked address, with the places and flags of its links on the current page.
type target struct {
	wire   string
	page   uint32
	places audit.LinkPlaces
	flags  byte
}

// Begin begins a new page.
func (r *Reader) Begin(c Context) {
	if r.known == nil || r.full() || len(r.known) > maxCached || r.mapped || c.Mapped != nil {
		r.tags, r.known, r.held = map[string]*anchor{}, map[string]*target{}, 0
	}
	r.origin, r.mapped, r.holds = c.At.Origin(), c.Mapped != nil, false
	r.c, r.base, r.rebased, r.cut, r.size = c, c.At, false, false, 0
	r.open, r.found = r.open[:0], r.found[:0]
	r.early.reset()
	r.foreign = r.foreign[:0]
	r.page++
}

// Tag reads the next start tag of the page, whole, from "<" to ">"; it does not modify it. Tags in
// a template, and in elements whose content is text, do not count as part of the page.
func (r *Reader) Tag(tag []byte) {
	name, html := nameOf(tag[1:]), true
	if len(r.foreign) > 0 || name == "svg" || name == "math" {
		html = r.foreign.start(tag)
	}
	switch name {
	case "", "svg", "math":
	case "div", "ul":
		if bytes.Contains(tag, []byte("role")) || bytes.Contains(tag, []byte("ROLE")) {
			r.open.open(name, firstRole(r.one(tag, "role")))
		} else if len(r.open) > 0 {
			r.open.nest(name)
		}
	case "a", "area":
		if a := r.anchor(tag); a.ref != "" {
			r.add(early{a: a, place: r.open.place(), flags: a.flags}, "")
		}
	case "base":
		if html {
			r.setBase(tag)
		}
	case "link":
		r.link(tag)
	case "form":
		r.form(tag)
	default:
		r.open.open(name, firstRole(r.one(tag, "role")))
	}
}

// End reads the next end tag, from "</" on.
func (r *Reader) End(tag []byte) {
	r.foreign.end(tag)
	if len(r.open) == 0 {
		return
	}
	if name := nameOf(tag[2:]); name != "" {
		r.open.close(name)
	}
}

// one returns the first attribute of that name in a tag; "" where there is none.
func (r *Reader) one(tag []byte, want string) string {
	value, _ := r.first(tag, want)
	return value
}

// first returns the first attribute of that name in a tag, and whether there is one.
func (r *Reader) first(tag []byte, want string) (string, bool) {
	attributes := AttributesOf(tag)
	for key, value, ok := attributes.Next(); ok; key, value, ok = attributes.Next() {
		if isKey(key, want) {
			return r.references.Resolved(value), true
		}
	}
	return "", false
}

// isKey reports whether a key is want, ignoring case. want is in lower case.
func isKey(key []byte, want string) bool {
	return len(key) == len(want) && (string(key) == want || bytes.EqualFold(key, []byte(want)))
}

// unfollowed reports whether a word of rel marks a link as not to be followed.
func unfollowed(word string) bool { return word == "nofollow" || word == "ugc" || word == "sponsored" }

// setBase reads a base element: the first one with href counts, for the links before it, too. Where
// its address is none, or one of data: or javascript:, that of the page is the base, not that of
// another base element (HTML Standard, "set the frozen base URL"). One with another scheme is the
// base, and a relative reference to no page.
func (r *Reader) setBase(tag []byte) {
	if r.rebased {
		return
	}
	ref, ok := r.first(tag, "href")
	if !ok {
		return
	}
	r.rebased = true
	ref = r.read([]byte(ref))
	base, err := address.Resolve(r.c.At, ref)
	if err != nil && !noPage(ref) || base.String() == r.base.String() {
		r.early.reset()
		return
	}
	r.base, r.holds = base, false
	r.again()
}

// noPage reports whether a reference that cannot be resolved is an address with a scheme that can be
// that of a base.
func noPage(ref string) bool {
	scheme, _, ok := strings.Cut(strings.ToLower(strings.TrimLeftFunc(ref, func(c rune) bool { return c <= ' ' })), ":")
	switch scheme = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(scheme); scheme {
	case "", "http", "https", "data", "javascript":
		return false
	}
	for i := range len(scheme) {
		c := scheme[i]
		ok = ok && ('a' <= c && c <= 'z' || i > 0 && ('0' <= c && c <= '9' || strings.IndexByte("+-.", c) >= 0))
	}
	return ok
}

// link reads a link element, where it refers to a page.
func (r *Reader) link(tag []byte) {
	href := r.one(tag, "href")
	if href == "" || !hasWord(r.one(tag, "rel"), namesPage) {
		return
	}
	if kind := r.one(tag, "type"); kind != "" && !strings.Contains(strings.ToLower(kind), "html") {
		return // a feed is no page
	}
	r.addRef(href, audit.InHead, 0)
}

// namesPage reports whether a word of a link element's rel means that it refers to a page.
func namesPage(word string) bool {
	switch word {
	case "canonical", "alternate", "next", "prev", "amphtml":
		return true
	}
	return false
}

// form reads a form: one with GET links to its action, whose query is replaced by the fields.
func (r *Reader) form(tag []byte) {
	switch strings.ToLower(strings.Trim(r.one(tag, "method"), htmlSpace)) {
	case "post", "dialog":
		return
	}
	if action := r.one(tag, "action"); action != "" {
		action, _, _ = strings.Cut(action, "?")
		r.addRef(action, r.open.place(), onlyForm)
	}
}

// addRef adds a reference whose character references are resolved.
func (r *Reader) addRef(ref string, place audit.LinkPlace, flags byte) {
	r.add(early{place: place, flags: flags}, ref)
}

// resolve returns the target of a reference; nil where that is no page.
func (r *Reader) resolve(ref string) *target {
	if len(ref) > maxAddress {
		return nil
	}
	to, err := address.Resolve(r.base, r.read([]byte(ref)))
	if err != nil || len(to.String()) > maxAddress {
		return nil
	}
	t := r.known[to.String()]
	if t == nil {
		t = &target{wire: strings.Clone(to.String())}
		if r.cut { // take leaves it out
			return t
		}
		r.known[t.wire] = t
		r.held += len(t.wire)
	}
	return t
}

// read returns a reference ready to be resolved. Bytes that are not UTF-8 and stand before the
// query are text in the page's charset, which is sent as UTF-8 (WHATWG URL); those in a query are
// sent as they are.
func (r *Reader) read(raw []byte) string {
	ref := string(raw)
	if r.c.Text != nil && !utf8.Valid(raw) {
		path, query, asked := strings.Cut(ref, "?")
		if ref = r.c.Text([]byte(path)); asked {
			ref += "?" + query
		}
	}
	if r.c.Mapped != nil {
		ref = r.c.Mapped(ref)
	}
	return ref
}

// take records a link to a target.
func (r *Reader) take(t *target, place audit.LinkPlace, flags byte) {
	if t == nil || t.wire == r.c.At.String() {
		return
	}
	if t.page == r.page {
		t.places |= place.Set()
		t.flags &= flags
		return
	}
	if r.cut || len(r.found) == maxTargets || r.size+len(t.wire) > maxPacked {
		r.cut = true
		return
	}
	t.page, t.places, t.flags = r.page, place.Set(), flags
	r.found = append(r.found, t)
	r.size += len(t.wire) + maxHead
}

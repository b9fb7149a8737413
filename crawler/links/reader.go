package links

import (
	"strings"
	"unicode/utf8"

	"sitemend/crawler/address"
)

// Limits of what is kept of a page.
const (
	maxAddress = 2048    // bytes of an address: a sitemap may list no longer one
	maxTargets = 10_000  // addresses of a page
	maxPacked  = 1 << 20 // bytes of these addresses
	maxCached  = 8192    // cached tags of earlier pages, which are not parsed again
	maxHeld    = 1 << 20 // bytes of these, and of the addresses that they lead to
)

// Context is the data that a Reader needs of a page besides its tags.
type Context struct {
	At address.Address // address of the page: references are resolved against it
	// Reference returns a reference of the page ready to be resolved; nil to keep it as it is.
	Reference func(ref string) string
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
	origin  string          // of base
	rebased bool            // a base element with href was read
	page    uint32          // number of the page: shows whether a target belongs to it
	found   []Link
	size    int // of found
	cut     bool
	packed  []byte // room

	tags  map[string]*anchor // a and area tags, by their bytes
	known map[string]*target // by wire form
	held  int                // bytes of these
	tag   TagReader
}

// A target is a linked address, with its place among the links of the page that links to it.
type target struct {
	wire string
	page uint32
	at   int
}

// An anchor is the content of an a or area tag. Where its reference begins with a slash or a scheme,
// target is what it leads to on pages of an origin: nil also on a page that is cut, behind which nothing
// is remembered (Begin).
type anchor struct {
	ref      string // "" where there is no link
	nofollow bool
	origin   string
	target   *target // nil for no page
}

// Begin begins a new page.
func (r *Reader) Begin(c Context) {
	if r.tags == nil || len(r.tags) >= maxCached || len(r.known) >= maxCached || r.held >= maxHeld {
		r.tags, r.known, r.held = map[string]*anchor{}, map[string]*target{}, 0
	}
	if len(r.found) > maxTargets/8 {
		r.found, r.packed = nil, nil
	}
	r.page++
	r.c, r.base, r.origin, r.rebased, r.cut, r.size = c, c.At, c.At.Origin(), false, false, 0
	r.found = r.found[:0]
}

// Tag reads the next start tag of the page, whole, from "<" to ">"; it does not modify it. Tags in
// a template, and in elements whose content is text, do not count as part of the page.
func (r *Reader) Tag(tag []byte) {
	switch string(nameOf(tag[1:])) {
	case "a", "area":
		if a := r.anchor(tag); a.ref != "" {
			r.add(r.leads(a), Link{Nofollow: a.nofollow})
		}
	case "base":
		r.setBase(tag)
	case "link":
		r.link(tag)
	case "form":
		r.form(tag)
	}
}

// anchor returns the anchor of an a or area tag. Most tags repeat those of earlier pages, byte for
// byte: these are not parsed again.
func (r *Reader) anchor(tag []byte) *anchor {
	if a := r.tags[string(tag)]; a != nil {
		return a
	}
	attributes := r.tag.Attributes(tag)
	a := &anchor{ref: strings.Trim(attributes["href"], htmlSpace), nofollow: hasWord(attributes["rel"], unfollowed)}
	if strings.HasPrefix(a.ref, "#") {
		a.ref = ""
	}
	if len(r.tags) < maxCached && r.held < maxHeld && len(tag) <= 2*maxAddress {
		r.tags[string(tag)] = a
		r.held += 2*len(tag) + len(a.ref)
	}
	return a
}

// leads returns the target of an anchor on the current page; nil where that is no page.
func (r *Reader) leads(a *anchor) *target {
	if a.origin == r.origin && r.c.Mapped == nil {
		return a.target
	}
	target := r.resolve(a.ref)
	whole := strings.HasPrefix(a.ref, "/") || strings.HasPrefix(a.ref, "http://") || strings.HasPrefix(a.ref, "https://")
	if whole && r.c.Mapped == nil && utf8.ValidString(a.ref) {
		a.origin, a.target = r.origin, target
	}
	return target
}

// unfollowed are the words of rel that mark a link as not to be followed.
var unfollowed = set("nofollow ugc sponsored")

// setBase reads a base element: the first one with href counts, for the links behind it.
func (r *Reader) setBase(tag []byte) {
	ref, ok := r.tag.Attributes(tag)["href"]
	if !ok || r.rebased {
		return
	}
	r.rebased = true
	if base, err := address.Resolve(r.c.At, r.read(ref)); err == nil {
		r.base, r.origin = base, base.Origin()
	}
}

// pageLinks are the words of a link element's rel which mean that it refers to a page.
var pageLinks = set("canonical alternate next prev amphtml")

// link reads a link element, where it refers to a page.
func (r *Reader) link(tag []byte) {
	a := r.tag.Attributes(tag)
	kind := strings.ToLower(a["type"])
	if a["href"] != "" && hasWord(a["rel"], pageLinks) && (kind == "" || strings.Contains(kind, "html")) { // a feed is no page
		r.add(r.resolve(a["href"]), Link{})
	}
}

// form reads a form: one with GET links to its action, whose query is replaced by the fields.
func (r *Reader) form(tag []byte) {
	a := r.tag.Attributes(tag)
	switch strings.ToLower(strings.Trim(a["method"], htmlSpace)) {
	case "post", "dialog":
		return
	}
	if action, _, _ := strings.Cut(a["action"], "?"); a["action"] != "" {
		r.add(r.resolve(action), Link{Form: true})
	}
}

// resolve returns the target of a reference; nil where that is no page.
func (r *Reader) resolve(ref string) *target {
	if len(ref) > maxAddress || r.cut {
		return nil
	}
	to, err := address.Resolve(r.base, r.read(ref))
	if err != nil || len(to.String()) > maxAddress {
		return nil
	}
	t := r.known[to.String()]
	if t == nil {
		t = &target{wire: to.String()}
		r.known[t.wire] = t
		r.held += len(t.wire)
	}
	return t
}

// read returns a reference ready to be resolved.
func (r *Reader) read(ref string) string {
	if r.c.Reference != nil {
		ref = r.c.Reference(ref)
	}
	if r.c.Mapped != nil {
		ref = r.c.Mapped(ref)
	}
	return ref
}

// add records a link to a target. What is said of all links to it holds where it holds for each.
func (r *Reader) add(t *target, l Link) {
	if t == nil || t.wire == r.c.At.String() {
		return
	}
	if t.page == r.page {
		had := &r.found[t.at]
		had.Nofollow, had.Form = had.Nofollow && l.Nofollow, had.Form && l.Form
		return
	}
	if r.cut = r.cut || len(r.found) == maxTargets || r.size+len(t.wire) > maxPacked; r.cut {
		return
	}
	l.Target, t.page, t.at = t.wire, r.page, len(r.found)
	r.found = append(r.found, l)
	r.size += len(t.wire)
}

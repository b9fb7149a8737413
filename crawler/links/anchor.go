package links

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// An anchor is the content of an a or area tag, with the target that it resolved to last.
type anchor struct {
	ref   string // as written, without the white space around it; "" where there is no link
	flags byte
	on    dependence
	in    string  // the part of a base that to depends on; "" where ref was not resolved yet
	to    *target // nil for no page
}

// A dependence is the part of the base that the target of a reference depends on: a folder, as its
// number of levels above the base's own folder, or one of these.
type dependence int

const (
	onAll    dependence = -1 - iota // the whole base, or not determined
	onOrigin                        // the base's scheme, host and port
)

// anchor returns the anchor of an a or area tag. Most tags repeat those of earlier pages, byte for
// byte: these are not parsed again.
func (r *Reader) anchor(tag []byte) *anchor {
	if a := r.tags[string(tag)]; a != nil {
		return a
	}
	href, flags := r.parse(tag)
	if href = bytes.Trim(href, htmlSpace); len(href) == 0 || href[0] == '#' {
		href = nil
	}
	a := &anchor{ref: string(href), flags: flags, on: onAll}
	if len(href) <= maxAddress && utf8.Valid(href) {
		a.on = dependsOn(a.ref)
	}
	if (a.on != onAll || a.ref == "") && !r.cut && !r.full() {
		r.tags[string(tag)] = a
		r.held += len(tag) + len(a.ref)
	}
	return a
}

// full reports whether the cache may hold no more.
func (r *Reader) full() bool { return len(r.tags) >= maxCached || r.held >= maxHeld }

// parse returns the reference in an a or area tag, and the flags of the link.
func (r *Reader) parse(tag []byte) (href []byte, flags byte) {
	linked, related := false, false
	attributes := AttributesOf(tag)
	for key, value, ok := attributes.Next(); ok; key, value, ok = attributes.Next() {
		switch {
		case !linked && isKey(key, "href"):
			href, linked = value, true
		case !related && isKey(key, "rel"):
			related = true
			if hasWord(r.references.Resolved(value), unfollowed) {
				flags = onlyNofollow
			}
		}
	}
	return href, flags
}

// leads returns the target of an anchor on the current page; nil where that is no page.
func (r *Reader) leads(a *anchor) *target {
	in := ""
	switch origin := r.base.Origin(); a.on {
	case onAll:
	case onOrigin:
		in = origin
	default:
		in = folder(r.base.String()[:len(origin)+len(r.base.Path())], len(origin), int(a.on))
	}
	if a.in == in && in != "" {
		return a.to
	}
	to := r.resolve(r.references.Resolved([]byte(a.ref)))
	if in == "" || r.cut {
		return to
	}
	if a.in, a.to = in, to; !r.holds {
		r.holds = true
		r.held += len(r.base.String())
	}
	return to
}

// folder returns the folder of an address without its query, up to its last slash, or the folder
// that is the given number of levels above it. The path of wire begins at auth.
func folder(wire string, auth, above int) string {
	wire = wire[:strings.LastIndexByte(wire, '/')+1]
	for ; above > 0 && len(wire) > auth+1; above-- {
		wire = wire[:auth+strings.LastIndexByte(wire[auth:len(wire)-1], '/')+1]
	}
	return wire
}

// dependsOn returns the part of the base that the target of a reference depends on. The reference
// is written as in an attribute.
func dependsOn(ref string) dependence {
	switch {
	case strings.HasPrefix(ref, "/"), strings.HasPrefix(ref, "http://"), strings.HasPrefix(ref, "https://"):
		return onOrigin
	case ref == "", ref[0] == '?':
		return onAll
	}
	first, _, _ := strings.Cut(ref, "/")
	letters := true // as in a scheme
	for i := range len(first) {
		c := first[i]
		switch {
		case c == '?' || c == '#':
			return 0
		case c == ':' && i > 0 && letters && ref[0]|0x20 != 'h':
			return onOrigin // neither http nor https
		case c <= ' ' || c == '\\' || c == '&' || c == ':': // may be, or hide, a scheme or a slash
			return onAll
		}
		letters = letters && 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	above := dependence(0)
	for strings.HasPrefix(ref[3*above:], "../") {
		above++
	}
	return above
}

package links

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// An anchor is what a tag of a or area says, and where it led last.
type anchor struct {
	ref   string // as written, without the white space around it; "" where there is no link
	flags byte
	on    dependence
	in    string  // what of a base to depends on; "" where ref was not resolved yet
	to    *target // nil for no page
}

// A dependence says on what of a base it depends where a reference leads: on a folder, by how many
// folders it is above that of the base, or on one of these.
type dependence int

const (
	onAll    dependence = -1 - iota // the base as it is, or nobody knows
	onOrigin                        // its scheme, host and port
)

// anchor returns what a tag of a or area says. Most tags are those of earlier pages, octet for
// octet: these are not taken apart again.
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

// full reports whether no more is to be held.
func (r *Reader) full() bool { return len(r.tags) >= maxCached || r.held >= maxHeld }

// parse returns what a tag of a or area refers to, and the flags of the link.
func (r *Reader) parse(tag []byte) (href []byte, flags byte) {
	linked, related := false, false
	attributes := attributesOf(tag)
	for key, value, ok := attributes.next(); ok; key, value, ok = attributes.next() {
		switch {
		case !linked && isKey(key, "href"):
			href, linked = value, true
		case !related && isKey(key, "rel"):
			related = true
			if hasWord(r.references.resolved(value), unfollowed) {
				flags = onlyNofollow
			}
		}
	}
	return href, flags
}

// leads returns the target of an anchor on the page that is read; nil where that is no page.
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
	to := r.resolve(r.references.resolved([]byte(a.ref)))
	if in == "" || r.cut {
		return to
	}
	if a.in, a.to = in, to; !r.holds {
		r.holds = true
		r.held += len(r.base.String())
	}
	return to
}

// folder returns the folder of an address without its query, whose path begins at auth, or one that
// is so many above it: up to its last slash.
func folder(wire string, auth, above int) string {
	wire = wire[:strings.LastIndexByte(wire, '/')+1]
	for ; above > 0 && len(wire) > auth+1; above-- {
		wire = wire[:auth+strings.LastIndexByte(wire[auth:len(wire)-1], '/')+1]
	}
	return wire
}

// dependsOn says on what it depends where a reference leads, which is written as in an attribute.
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
			return onOrigin // no address of the web
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

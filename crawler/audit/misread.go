package audit

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A Doubt says why the address of an entry may be another than was read.
type Doubt uint8

const (
	doubtFeed     Doubt = 1 << iota // a feed, where an address may be relative (RFC 4287, 4.2.7)
	doubtEntities                   // addresses use entities that its own DTD declares
	doubtOctets                     // it is not UTF-8, and its charset is not known
)

// doubts returns what is in doubt about the addresses of s.
func (s *Sitemap) doubts() (d Doubt) {
	if s.Kind == "atom" || s.Kind == "rss" {
		d |= doubtFeed
	}
	has := func(keys ...string) bool {
		return slices.ContainsFunc(s.Faults, func(f SitemapFault) bool { return slices.Contains(keys, f.Key) })
	}
	if has("dtd-unread") {
		d |= doubtEntities
	}
	if has("not-utf8", "unknown-charset") {
		d |= doubtOctets
	}
	return d
}

// about reports whether the wire form of an address that an index lists may be another.
func (d Doubt) about(wire string) bool {
	return d&doubtEntities != 0 && hasEntity(wire) || d&doubtOctets != 0 && strings.Contains(wire, "%")
}

// misread returns why what was answered says nothing about what an entry lists, for the address that
// its file lists may be another than was requested; "" where that is certain.
func (r *Rules) misread(e *Entry, v Verdict) Note {
	if e.Also != nil || e.Sitemap >= len(r.Doubts) {
		return ""
	}
	d := r.Doubts[e.Sitemap]
	switch {
	case d&doubtEntities != 0 && hasEntity(e.Loc):
		return HeldEntity
	case d&doubtFeed != 0 && v == Invalid:
		return HeldRelative
	case d&doubtOctets != 0 && strings.ContainsFunc(e.Loc, notASCII), !utf8.ValidString(e.Loc):
		return HeldOctets
	}
	return ""
}

// hasEntity reports whether loc has a reference to an entity that XML does not know by itself.
func hasEntity(loc string) bool {
	for {
		_, rest, found := strings.Cut(loc, "&")
		name, _, ends := strings.Cut(rest, ";")
		if !found {
			return false
		}
		if ends && name != "" && !strings.ContainsAny(name, "&#=/?% ") {
			return true
		}
		loc = rest
	}
}

func notASCII(r rune) bool { return r >= utf8.RuneSelf }

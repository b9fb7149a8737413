package audit

import (
	"strings"

	"sitemend/crawler/address"
)

// Nofollow reports whether the page's robots directives say that none of its links is to be
// followed: nofollow, or none.
func (p *Page) Nofollow() bool {
	for d := range strings.SplitSeq(p.Robots, ",") {
		if d = strings.TrimSpace(d); strings.EqualFold(d, "nofollow") || strings.EqualFold(d, "none") {
			return true
		}
	}
	return false
}

// noindex reports whether robots directives keep a page out of the index: noindex,
// or none, which means noindex and nofollow (Search docs, "robots-meta-tag").
func noindex(robots string) bool {
	for robots != "" {
		var d string
		d, robots, _ = strings.Cut(robots, ",")
		d = strings.TrimSpace(d)
		if strings.EqualFold(d, "noindex") || strings.EqualFold(d, "none") {
			return true
		}
	}
	return false
}

// canonical returns the address that a page names as its canonical; zero where
// it names none, or none that could be asked.
func canonical(at address.Address, p *Page) address.Address {
	if p.Canonical == "" {
		return address.Address{}
	}
	c, err := address.Resolve(p.base(at), p.Canonical)
	if err != nil {
		return address.Address{}
	}
	return c
}

// CanonicalURL returns the canonical that the page at an address names, resolved
// to its wire form; "" where it names none, or none that could be asked.
func (p *Page) CanonicalURL(at string) string {
	return canonical(address.Wire(at), p).String()
}

// Noindex reports whether the page's robots directives keep it out of the index.
func (p *Page) Noindex() bool { return noindex(p.Robots) }

package audit

import (
	"strings"

	"sitemend/crawler/address"
)

// Nofollow reports whether the page's robots directives say that none of its links is to be
// followed: nofollow, or none.
func (p *Page) Nofollow() bool { return p.says("nofollow") }

// Noindex reports whether the page's robots directives say noindex, or none.
func (p *Page) Noindex() bool { return p.says("noindex") }

// says reports whether a directive is among them, or none, which means noindex and nofollow.
func (p *Page) says(directive string) bool {
	for d := range strings.SplitSeq(p.Robots, ",") {
		if d = strings.TrimSpace(d); strings.EqualFold(d, directive) || strings.EqualFold(d, "none") {
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

package answers

import (
	"cmp"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
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

// CanonicalURL returns the address that a page which answers at an address names as its canonical; zero
// where it names none, or none that could be asked.
func (p *Page) CanonicalURL(at address.Address) address.Address {
	if p.Canonical == "" {
		return address.Address{}
	}
	base := at
	if p.CanonicalBase != "" {
		if b, err := address.Resolve(at, p.CanonicalBase); err == nil {
			base = b
		}
	}
	c, _ := address.Resolve(base, p.Canonical)
	return c
}

// CanonicalAt is CanonicalURL as text: as written where it could not be asked.
func (p *Page) CanonicalAt(at address.Address) string {
	return cmp.Or(p.CanonicalURL(at).String(), p.Canonical)
}

// MediaType is the content type of the page, in lower case and without its parameters.
func (p *Page) MediaType() string {
	kind, _, _ := strings.Cut(p.ContentType, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// Said is a hash of the title of a page and of the text that it begins with; 0 where it has no
// title, or needs JavaScript.
func (p *Page) Said() uint64 {
	if p.Title == "" || p.Shell {
		return 0
	}
	return sketch.Hash(p.Title+"\x00"+p.Heading) ^ p.Text
}

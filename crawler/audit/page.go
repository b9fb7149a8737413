package audit

import (
	"cmp"
	"path"
	"strings"

	"sitemend/crawler/address"
)

// Nofollow reports whether the page's robots directives say that none of its links is to be
// followed: nofollow, or none.
func (p *Page) Nofollow() bool { return p.says("nofollow") }

// noindex reports whether the page's robots directives say noindex, or none.
func (p *Page) noindex() bool { return p.says("noindex") }

// says reports whether a directive is among them, or none, which means noindex and nofollow.
func (p *Page) says(directive string) bool {
	for d := range strings.SplitSeq(p.Robots, ",") {
		if d = strings.TrimSpace(d); strings.EqualFold(d, directive) || strings.EqualFold(d, "none") {
			return true
		}
	}
	return false
}

// canonical returns the address that a page which answers at an address names as its canonical; zero
// where it names none, or none that could be asked.
func (p *Page) canonical(at address.Address) address.Address {
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

// CanonicalAt is canonical as text: as written where it could not be asked.
func (p *Page) CanonicalAt(at address.Address) string {
	return cmp.Or(p.canonical(at).String(), p.Canonical)
}

// mediaType is the content type of the page, in lower case and without its parameters.
func (p *Page) mediaType() string {
	kind, _, _ := strings.Cut(p.ContentType, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// sameKind reports whether what target answers is of the kind of what is listed: a page, as Google
// indexes it, or a file of the same extension. An answer without a content type is a page where it
// has a title, or the address no extension; one to be saved is none.
func sameKind(page *Page, target, listed address.Address) bool {
	is := extension(target)
	if is != "" && is == extension(listed) {
		return true
	}
	switch page.mediaType() {
	case "text/html", "application/xhtml+xml", "text/plain", "application/pdf":
		return !page.Attachment
	case "":
		return !page.Attachment && (is == "" || page.Title != "")
	}
	return false
}

// extension is that of an address's path, in lower case; "" for none.
func extension(a address.Address) string { return strings.ToLower(path.Ext(a.Path())) }

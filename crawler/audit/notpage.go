package audit

import (
	"path"
	"strings"

	"sitemend/crawler/address"
)

// sameKind reports whether what target answers is of the kind of what is listed: a page, as Google
// indexes it, or a file of the same extension. An answer without a content type is a page where it
// has a title, or the address no extension; one to be saved is none.
func sameKind(page *Page, target, listed address.Address) bool {
	is := extension(target)
	if is != "" && is == extension(listed) {
		return true
	}
	media, _, _ := strings.Cut(page.ContentType, ";")
	switch strings.ToLower(strings.TrimSpace(media)) {
	case "text/html", "application/xhtml+xml", "text/plain", "application/pdf":
		return !page.Attachment
	case "":
		return !page.Attachment && (is == "" || page.Title != "")
	}
	return false
}

// extension is that of an address's path, in lower case; "" for none.
func extension(a address.Address) string { return strings.ToLower(path.Ext(a.Path())) }

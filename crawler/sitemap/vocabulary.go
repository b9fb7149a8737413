package sitemap

import (
	"bytes"
	"strings"
)

// An element is the role of an XML element in a sitemap.
type element uint8

const (
	elOther element = iota // an ancestor of the items
	elPlain                // another of the format's own elements in an item, with its content
	elExt                  // a block in another namespace, with its content
	elItem                 // url, sitemap, item, entry
	elLoc                  // the element with the address
	elWrap                 // a <url> that contains the text of a <loc>, by mistake
	elLastmod
)

// A vocabulary is the set of elements that a file's format has.
type vocabulary struct {
	kind   Kind
	own    []byte // prefix of the sitemap's own elements
	root   bool   // an element has determined the format
	spaces []namespace
}

// A namespace is one that the roots of a file, the elements around them or its items declare. A
// declaration in an item counts to the end of the file: that is lenient, and we have seen no file
// in which it matters.
type namespace struct {
	prefix, uri string
	block       block // that it stands for
}

const maxNamespaces = 64 // of a file; a root has about five

// space returns the namespace that a prefix stands for; nil for none.
func (v *vocabulary) space(prefix []byte) *namespace {
	for i := len(v.spaces) - 1; i >= 0; i-- {
		if v.spaces[i].prefix == string(prefix) {
			return &v.spaces[i]
		}
	}
	return nil
}

// uri returns the address of the namespace that a prefix stands for; "" for none.
func (v *vocabulary) uri(prefix []byte) string {
	if s := v.space(prefix); s != nil {
		return s.uri
	}
	return ""
}

// declare adds the namespaces that the last tag declares; the default one only where whole is set.
func (x *walk) declare(whole bool) {
	if x.bare() || !bytes.Contains(x.raw(), []byte("xmlns")) {
		return
	}
	for _, a := range x.attributes() {
		prefix, local := split(a.name)
		if whole && string(a.name) == "xmlns" {
			prefix, local = a.name, nil
		}
		uri := strings.TrimSpace(string(a.value))
		if known := x.space(local); string(prefix) != "xmlns" || known != nil && known.uri == uri ||
			len(x.spaces) == maxNamespaces {
			continue
		}
		x.spaces = append(x.spaces, namespace{string(local), uri, blockOf(uri)})
	}
}

// roots are the elements that determine the format, by local name.
var roots = map[string]Kind{
	"urlset": URLSet, "sitemapindex": Index, "rss": RSS, "RDF": RSS, "feed": Atom,
}

// protocol reports whether k is a format of the sitemaps protocol, and so has its elements.
func (k Kind) protocol() bool { return k == URLSet || k == Index }

// feed reports whether k is a feed.
func (k Kind) feed() bool { return k == RSS || k == Atom }

// ours reports whether a prefix is that of the format's own elements. RSS 2.0 has no namespace: an
// element without a prefix belongs to it, whatever prefix others have.
func (v *vocabulary) ours(prefix []byte) bool {
	return bytes.Equal(prefix, v.own) || v.kind == RSS && len(prefix) == 0
}

// holds reports whether a local name is that of the elements that contain an address.
func (v *vocabulary) holds(local []byte) bool {
	switch v.kind {
	case RSS:
		return string(local) == "item"
	case Atom:
		return string(local) == "entry"
	}
	return string(local) == "url" || string(local) == "sitemap"
}

// adopt accepts the prefix of an item that differs from that of the root, where it stands for the
// same namespace; in a feed also where it stands for one of RSS's own, or for no namespace.
func (v *vocabulary) adopt(prefix []byte) bool {
	uri := v.uri(prefix)
	low := strings.ToLower(uri)
	feed := v.kind == RSS && (uri == "" || strings.Contains(low, "rss") || strings.Contains(low, "netscape"))
	if !v.root || !feed && (uri == "" || uri != v.uri(v.own)) {
		return false
	}
	v.own = append(v.own[:0], prefix...)
	return true
}

// child returns the role of a child of an item.
func (v *vocabulary) child(prefix, local []byte) element {
	switch {
	case !v.ours(prefix):
		return elExt
	case v.kind.feed() && string(local) == "link":
		return elLoc
	case v.kind.feed():
		return elPlain
	case string(local) == "loc":
		return elLoc
	case string(local) == "lastmod":
		return elLastmod
	case string(local) == "changefreq" || string(local) == "priority":
		return elPlain
	}
	return elExt
}

// linkable reports whether a prefix may be that of xhtml:link: it stands for XHTML, by any of its
// addresses, or for no known namespace.
func (v *vocabulary) linkable(prefix []byte) bool {
	if len(prefix) == 0 || string(prefix) == "xhtml" {
		return true
	}
	s := v.space(prefix)
	return s == nil || strings.Contains(strings.ToLower(s.uri), "xhtml")
}

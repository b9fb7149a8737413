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
	elLastmod
)

// A vocabulary is the set of elements that a file's format has.
type vocabulary struct {
	kind Kind
	own  []byte // prefix of the sitemap's own elements
	root bool   // an element has determined the format
	// spaces are the namespaces that the roots of a file, the elements around them or its items
	// declare, by prefix. A declaration in an item counts to the end of the file: that is lenient,
	// and we have seen no file in which it matters.
	spaces map[string]string
}

const maxNamespaces = 64 // of a file; a root has about five

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
		if string(prefix) != "xmlns" || len(x.spaces) == maxNamespaces {
			continue
		}
		if x.spaces == nil {
			x.spaces = map[string]string{}
		}
		x.spaces[string(local)] = strings.TrimSpace(string(a.value))
	}
}

// formats are the formats that an element determines, by its local name.
var formats = map[string]Kind{
	"urlset": URLSet, "sitemapindex": Index, "rss": RSS, "RDF": RSS, "feed": Atom,
}

// protocol reports whether k is a format of the sitemaps protocol, and so has its elements.
func (k Kind) protocol() bool { return k == URLSet || k == Index }

// feed reports whether k is a feed.
func (k Kind) feed() bool { return k == RSS || k == Atom }

// ours reports whether a prefix is that of the format's own elements.
func (v *vocabulary) ours(prefix []byte) bool { return bytes.Equal(prefix, v.own) }

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

// isXHTML reports whether a namespace is XHTML, by any of its addresses.
func isXHTML(uri string) bool {
	return strings.Contains(uri, "xhtml") || strings.Contains(strings.ToLower(uri), "xhtml")
}

// assets are the addresses of images and videos, by the local names of their block and of their element.
var assets = map[[2]string]LinkKind{
	{"image", "loc"}: Image, {"video", "thumbnail_loc"}: Thumbnail, {"video", "content_loc"}: Content,
	{"video", "player_loc"}: Player,
}

// mediaOf returns which of image, video and news a block is, by its local name; "" for another one.
func mediaOf(local []byte) string {
	switch string(local) {
	case "image":
		return "image"
	case "video":
		return "video"
	case "news":
		return "news"
	}
	return ""
}

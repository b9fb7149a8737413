package sitemap

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// An element is the role of an XML element in a sitemap.
type element uint8

const (
	elOther   element = iota // an ancestor of the items
	elPlain                  // a feed's own child of an item, with its content
	elExt                    // a block in another namespace, with its content
	elItem                   // url, sitemap, item, entry
	elLoc                    // the element with the address
	elWrap                   // a <url> that contains the text of a <loc>, by mistake
	elLastmod                // from here on: elements whose value is checked
	elChangefreq
	elPriority
)

// level is one open element.
type level struct {
	key   key
	plain bool // the name is that of a plain tag
	el    element
}

// A key stands for a name: the name itself where it has at most 16 bytes, else its hash.
type key struct {
	head, tail uint64
	length     int
}

func keyOf(name []byte) key {
	n := len(name)
	switch {
	case n > 16:
		return key{xxhash.Sum64(name), 0, n}
	case n >= 8:
		return key{binary.LittleEndian.Uint64(name), binary.LittleEndian.Uint64(name[n-8:]), n}
	case n >= 4:
		return key{uint64(binary.LittleEndian.Uint32(name)),
			uint64(binary.LittleEndian.Uint32(name[n-4:])), n}
	case n > 0:
		return key{uint64(name[0]), uint64(name[n/2])<<8 | uint64(name[n-1]), n}
	}
	return key{}
}

// endTag returns the length of the end tag of k at the start of b, if it is written in the usual
// way; otherwise, and for a nil k, 0.
func (k *key) endTag(b []byte) int {
	if k == nil {
		return 0
	}
	n := len("</>") + k.length
	if len(b) < n || b[n-1] != '>' || keyOf(b[2:n-1]) != *k {
		return 0
	}
	return n
}

// levels are the open elements, the innermost last. Those deeper than maxDepth are only counted.
type levels struct {
	stack []level
	deep  int
}

func (l *levels) top() element {
	if len(l.stack) == 0 {
		return elOther
	}
	return l.stack[len(l.stack)-1].el
}

// push returns false where the element is too deep to be kept.
func (l *levels) push(name []byte, plain bool, el element) bool {
	if l.deep > 0 || len(l.stack) == maxDepth {
		l.deep++
		return false
	}
	l.stack = append(l.stack, level{keyOf(name), plain, el})
	return true
}

// expected returns the key of the innermost element where its end tag can be recognized by the key
// alone; else nil.
func (l *levels) expected() *key {
	if n := len(l.stack) - 1; n >= 0 && l.deep == 0 && l.stack[n].plain {
		return &l.stack[n].key
	}
	return nil
}

// depthOf returns how many elements an end tag closes, 0 where it closes none.
func (l *levels) depthOf(name []byte) int {
	k := keyOf(name)
	for i := len(l.stack) - 1; i >= 0; i-- {
		if l.stack[i].key == k {
			return len(l.stack) - i
		}
	}
	return 0
}

func (l *levels) pop() element {
	el := l.top()
	l.stack = l.stack[:len(l.stack)-1]
	return el
}

// A vocabulary is the set of elements that a file's format has.
type vocabulary struct {
	kind Kind
	own  []byte // prefix of the sitemap's own elements
	root bool   // an element has determined the format

	spaces namespaces
}

// family returns the kind that stands for all formats with the same elements around their
// addresses.
func (k Kind) family() Kind {
	if k == Index {
		return URLSet
	}
	return k
}

// roots are the elements that determine the format, by local name.
var roots = map[string]Kind{
	"urlset": URLSet, "sitemapindex": Index, "rss": RSS, "RDF": RSS, "feed": Atom,
}

// item reports whether a name is that of the elements that contain an address.
func (v *vocabulary) item(prefix, local []byte) bool {
	return v.ours(prefix) && v.holds(local)
}

// ours reports whether a prefix is that of the format's own elements. RSS 2.0 has no namespace: an
// element without a prefix belongs to it, whatever prefix others have.
func (v *vocabulary) ours(prefix []byte) bool {
	return bytes.Equal(prefix, v.own) || v.kind == RSS && len(prefix) == 0
}

// adopt accepts the prefix of an item that differs from that of the root, where it stands for the
// same namespace; in a feed also where it stands for one of RSS's own, or for no namespace.
func (v *vocabulary) adopt(prefix, local []byte) bool {
	if !v.root || v.ours(prefix) || !v.holds(local) {
		return false
	}
	uri, known := v.spaces.of(prefix)
	own, _ := v.spaces.of(v.own)
	low := strings.ToLower(uri)
	feed := v.kind == RSS && (!known || strings.Contains(low, "rss") ||
		strings.Contains(low, "netscape"))
	if !feed && (uri == "" || uri != own) {
		return false
	}
	v.own = append(v.own[:0], prefix...)
	return true
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

// child returns the role of a child of an item.
func (v *vocabulary) child(prefix, local []byte) element {
	switch {
	case !v.ours(prefix):
		return elExt
	case v.kind == RSS || v.kind == Atom:
		if string(local) == "link" {
			return elLoc
		}
		return elPlain
	}
	switch string(local) {
	case "loc":
		return elLoc
	case "lastmod":
		return elLastmod
	case "changefreq":
		return elChangefreq
	case "priority":
		return elPriority
	}
	return elExt
}

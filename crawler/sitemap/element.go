package sitemap

import (
	"bytes"

	"github.com/cespare/xxhash/v2"
)

// An element is what an XML element means in a sitemap.
type element uint8

const (
	elOther   element = iota // around the items
	elPlain                  // a feed's own child of an item, and all in it
	elExt                    // a block in another namespace, and all in it
	elItem                   // url, sitemap, item, entry
	elLoc                    // the element with the address
	elWrap                   // a <url> that wraps the text of a <loc>, by mistake
	elLastmod                // from here on: elements whose value is checked
	elChangefreq
	elPriority
)

// level is one open element.
type level struct {
	name uint64 // hash of its whole name
	el   element
}

// levels are the open elements, the innermost last. Those deeper than maxDepth
// are only counted.
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

// push returns false where the element is too deep.
func (l *levels) push(name []byte, el element) bool {
	if l.deep > 0 || len(l.stack) == maxDepth {
		l.deep++
		return false
	}
	l.stack = append(l.stack, level{xxhash.Sum64(name), el})
	return true
}

// depthOf returns how many elements an end tag closes, 0 where it closes none.
func (l *levels) depthOf(name []byte) int {
	h := xxhash.Sum64(name)
	for i := len(l.stack) - 1; i >= 0; i-- {
		if l.stack[i].name == h {
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

// A vocabulary is which elements a file's format has.
type vocabulary struct {
	kind Kind
	own  []byte // prefix of the sitemap's own elements
	root bool   // an element has said what the file is
}

// roots are the elements that tell a format, by local name.
var roots = map[string]Kind{
	"urlset": URLSet, "sitemapindex": Index, "rss": RSS, "RDF": RSS, "feed": Atom,
}

// item tells whether a name is that of the elements that hold an address.
func (v *vocabulary) item(prefix, local []byte) bool {
	if !bytes.Equal(prefix, v.own) {
		return false
	}
	switch v.kind {
	case RSS:
		return string(local) == "item"
	case Atom:
		return string(local) == "entry"
	}
	return string(local) == "url" || string(local) == "sitemap"
}

// child says what a child of an item is.
func (v *vocabulary) child(prefix, local []byte) element {
	switch {
	case !bytes.Equal(prefix, v.own):
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

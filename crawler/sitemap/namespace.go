package sitemap

import (
	"bytes"
	"strings"
)

// namespaces are those that the roots of a file, the elements around them, and its items declare. A
// declaration in an item counts to the end of the file: that is lenient, and we have seen no file
// in which it matters.
type namespaces []namespace

type namespace struct{ prefix, uri string }

const maxNamespaces = 64 // of a file; a root has about five

// of returns the namespace that a prefix stands for.
func (l namespaces) of(prefix []byte) (uri string, ok bool) {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].prefix == string(prefix) {
			return l[i].uri, true
		}
	}
	return "", false
}

// add adds a namespace, and reports whether it was new.
func (l *namespaces) add(prefix []byte, uri string) bool {
	if known, ok := l.of(prefix); ok && known == uri || len(*l) == maxNamespaces {
		return false
	}
	*l = append(*l, namespace{string(prefix), uri})
	return true
}

// declare adds the namespaces that the last tag declares; the default one only where whole is set.
func (x *xmlWalk) declare(whole bool) {
	if x.bare() || !bytes.Contains(x.raw(), []byte("xmlns")) {
		return
	}
	attributes(x.raw(), func(a attribute) bool {
		p, local := split(a.name)
		if whole && string(a.name) == "xmlns" {
			p, local = a.name, nil
		}
		if string(p) == "xmlns" {
			if uri := strings.TrimSpace(string(a.value)); x.spaces.add(local, uri) {
				x.notes.declare(local, uri)
			}
		}
		return true
	})
}

// linkable reports whether a prefix may be that of xhtml:link: it stands for XHTML, by any of its
// addresses, or for no known namespace.
func (x *xmlWalk) linkable(prefix []byte) bool {
	if len(prefix) == 0 || string(prefix) == "xhtml" {
		return true
	}
	uri, ok := x.spaces.of(prefix)
	return !ok || strings.Contains(strings.ToLower(uri), "xhtml")
}

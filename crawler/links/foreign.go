package links

import (
	"bytes"
	"strings"
)

// maxForeign is the number of elements that are tracked in svg and math; deeper ones are ignored.
const maxForeign = 512

// A foreignElement is an open svg or math element, or one in it.
type foreignElement struct {
	name  string // in lower case
	space string // "svg" or "math"; "" for an element of HTML
	// html is set where what stands in it is of HTML (HTML Standard, "HTML integration point" and
	// "MathML text integration point").
	html bool
}

// foreign are the open elements from the outermost svg or math on, the innermost last. In these a
// base element is none of HTML ("The rules for parsing tokens in foreign content"). What is open
// around the outermost is not known.
type foreign []foreignElement

// start handles a start tag and reports whether its element is one of HTML.
func (f *foreign) start(tag []byte) bool {
	name := lowerName(tag[1:])
	if !f.inHTML(name) && breaksOut(name, tag) {
		f.toHTML()
	}
	space, closed := "", selfClosing(tag)
	switch {
	case !f.inHTML(name):
		space = (*f)[len(*f)-1].space
	case name == "svg" || name == "math":
		space = name
	default:
		closed = len(*f) == 0 || void[name]
	}
	if !closed && len(*f) < maxForeign {
		*f = append(*f, foreignElement{name, space, space == "" || integrates(name, space, tag)})
	}
	return space == ""
}

// integrates reports whether what stands in an svg or math element is of HTML.
func integrates(name, space string, tag []byte) bool {
	switch name {
	case "foreignobject", "desc", "title":
		return space == "svg"
	case "mi", "mo", "mn", "ms", "mtext":
		return space == "math"
	case "annotation-xml":
		tag = bytes.ToLower(tag)
		return space == "math" && (bytes.Contains(tag, []byte("text/html")) || bytes.Contains(tag, []byte("application/xhtml+xml")))
	}
	return false
}

// inHTML reports whether an element of that name which starts here is one of HTML, or svg or math
// in it.
func (f foreign) inHTML(name string) bool {
	if len(f) == 0 {
		return true
	}
	top := &f[len(f)-1]
	switch {
	case top.space != "math":
	case top.name == "annotation-xml" && name == "svg":
		return true
	case name == "mglyph" || name == "malignmark":
		return top.html && top.name == "annotation-xml"
	}
	return top.html
}

// toHTML closes elements as far as to one in which all is of HTML.
func (f *foreign) toHTML() {
	for len(*f) > 0 && !(*f)[len(*f)-1].html {
		*f = (*f)[:len(*f)-1]
	}
}

// end handles an end tag. One that closes nothing in the outermost svg or math is taken for that of
// an element around it, where it has the name of one that breaks out of it.
func (f *foreign) end(tag []byte) {
	if len(*f) == 0 {
		return
	}
	name := lowerName(tag[2:])
	html, barred := (*f)[len(*f)-1].space == "", false
	if !html && (name == "p" || name == "br") {
		f.toHTML()
		return
	}
	for i := len(*f) - 1; i >= 0; i-- {
		e := &(*f)[i]
		html = html || e.space == ""
		barred = barred || e.html && e.space != ""
		switch {
		case html && barred: // no end tag in it closes what is around it
			return
		case e.name == name && (e.space == "") == html:
			*f = (*f)[:i]
			return
		case blocks[e.name] && html && !leaves(name): // only its own end tag closes it
			return
		}
	}
	if leaves(name) && !barred {
		*f = (*f)[:0]
	}
}

// selfClosing reports whether a tag ends with "/>", of which the slash is none of a value.
func selfClosing(tag []byte) bool {
	attributes := AttributesOf(tag)
	end := attributes.at
	for _, _, ok := attributes.Next(); ok; _, _, ok = attributes.Next() {
		end = attributes.at
	}
	return bytes.HasSuffix(tag[end:], []byte("/>"))
}

// breaksOut reports whether a start tag closes the svg or math elements that it stands in.
func breaksOut(name string, tag []byte) bool {
	if name != "font" {
		return leaves(name)
	}
	attributes := AttributesOf(tag)
	for key, _, ok := attributes.Next(); ok; key, _, ok = attributes.Next() {
		if isKey(key, "color") || isKey(key, "face") || isKey(key, "size") {
			return true
		}
	}
	return false
}

// lowerName returns the name of an element that b begins with, in lower case, and no more than its
// first 64 bytes.
func lowerName(b []byte) string {
	n := 0
	for n < min(len(b), 64) && !endsName(b[n]) {
		n++
	}
	return strings.ToLower(string(b[:n]))
}

// leaves reports whether an element of HTML is none of svg and math.
func leaves(name string) bool { return blocks[name] || inline[name] }

// blocks and inline are such elements, void those without content.
var (
	blocks = set("blockquote body br center dd div dl dt embed h1 h2 h3 h4 h5 h6 head hr img li listing menu meta ol p pre table ul")
	inline = set("b big code em i nobr ruby s small span strong strike sub sup tt u var")
	void   = set("area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr")
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		m[word] = true
	}
	return m
}

package links

import (
	"strings"

	"sitemend/crawler/audit"
)

// maxOpen is the number of landmarks that may be open; deeper ones are ignored.
const maxOpen = 64

// An opened is an open element that determines, or may determine, the place of the links in it.
type opened struct {
	name  string
	place audit.LinkPlace
	inner int // elements of its name that are open in it and determine nothing
}

// landmarks are the open elements at the current tag, the innermost last.
type landmarks []opened

// places are those of elements, and of the landmark roles (HTML-AAM 1.0; WAI-ARIA 1.2, 5.3.4).
var places = map[string]audit.LinkPlace{
	"nav": audit.InNav, "header": audit.InHeader, "main": audit.InMain, "aside": audit.InAside, "footer": audit.InFooter,
	"navigation": audit.InNav, "banner": audit.InHeader, "complementary": audit.InAside, "contentinfo": audit.InFooter,
}

// place returns the place of a link at the current tag.
func (l landmarks) place() audit.LinkPlace {
	if len(l) == 0 {
		return audit.InBody
	}
	return l[len(l)-1].place
}

// open handles the start tag of an element: its place is that of its first role, else of its name.
// A header or footer is that of the page where nothing encloses it but others of these, and article
// and section have the place around them.
func (l *landmarks) open(name, roles string) {
	role := ""
	for word := range strings.FieldsSeq(strings.ToLower(roles)) {
		role = word
		break
	}
	place, ok := places[role]
	if !ok && (name == "div" || name == "ul") {
		l.nest(name)
		return
	}
	if !ok {
		place, ok = places[name]
		for _, o := range *l {
			ok = ok && (name != "header" && name != "footer" || o.name == "header" || o.name == "footer")
		}
	}
	if !ok {
		place = l.place()
	}
	if len(*l) < maxOpen {
		*l = append(*l, opened{name: name, place: place})
	}
}

// nest counts an element that is not a landmark itself, so that its end tag is not taken for that
// of an enclosing element of the same name.
func (l landmarks) nest(name string) {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].name == name {
			l[i].inner++
			return
		}
	}
}

// close handles an end tag. It also closes inner elements whose end tags were left out.
func (l *landmarks) close(name string) {
	for i := len(*l) - 1; i >= 0; i-- {
		if o := &(*l)[i]; o.name != name {
			continue
		} else if o.inner == 0 {
			*l = (*l)[:i]
		} else {
			o.inner--
		}
		return
	}
}

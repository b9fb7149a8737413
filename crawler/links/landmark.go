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
	role  bool // a div or ul that is one by its role
	inner int  // elements of its name that are open in it, where role is set
}

// landmarks are the open elements at the current tag, the innermost last.
type landmarks []opened

// place returns the place of a link at the current tag.
func (l landmarks) place() audit.LinkPlace {
	if len(l) == 0 {
		return audit.InBody
	}
	return l[len(l)-1].place
}

// open handles the start tag of an element whose name nameOf knows.
func (l *landmarks) open(name, role string) {
	place, ok := roles[role]
	switch name {
	case "div", "ul":
		if !ok {
			l.nest(name)
			return
		}
	case "nav":
		place = cmpPlace(ok, place, audit.InNav)
	case "main":
		place = cmpPlace(ok, place, audit.InMain)
	case "aside":
		place = cmpPlace(ok, place, audit.InAside)
	case "header", "footer":
		place = cmpPlace(ok, place, l.banner(name))
	default: // article, section
		place = cmpPlace(ok, place, l.place())
	}
	if len(*l) < maxOpen {
		*l = append(*l, opened{name: name, place: place, role: name == "div" || name == "ul"})
	}
}

func cmpPlace(is bool, a, b audit.LinkPlace) audit.LinkPlace {
	if is {
		return a
	}
	return b
}

// banner returns the place of a header or footer: that of the page where no article, section or
// landmark encloses it (HTML-AAM 1.0), else the place of the element that encloses it.
func (l landmarks) banner(name string) audit.LinkPlace {
	for _, o := range l {
		if o.name != "header" && o.name != "footer" {
			return l.place()
		}
	}
	if name == "header" {
		return audit.InHeader
	}
	return audit.InFooter
}

// nest counts an element that is not a landmark itself, so that its end tag is not taken for that
// of an enclosing element of the same name.
func (l landmarks) nest(name string) {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].role && l[i].name == name {
			l[i].inner++
			return
		}
	}
}

// close handles an end tag. It also closes inner elements whose end tags were left out.
func (l *landmarks) close(name string) {
	for i := len(*l) - 1; i >= 0; i-- {
		o := &(*l)[i]
		if o.name != name {
			continue
		}
		if o.inner > 0 {
			o.inner--
			return
		}
		*l = (*l)[:i]
		return
	}
}

// roles are the landmark roles that determine the place of a link (WAI-ARIA 1.2, 5.3.4).
var roles = map[string]audit.LinkPlace{
	"navigation": audit.InNav, "banner": audit.InHeader, "main": audit.InMain,
	"complementary": audit.InAside, "contentinfo": audit.InFooter,
}

// firstRole returns the first of a list of roles, in lower case; "" for an empty list.
func firstRole(list string) string {
	for word := range strings.FieldsSeq(list) {
		return strings.ToLower(word)
	}
	return ""
}

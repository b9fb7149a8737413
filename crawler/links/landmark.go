package links

import (
	"strings"

	"sitemend/crawler/audit"
)

// maxOpen is how many landmarks may be open; deeper ones are not looked at.
const maxOpen = 64

// An opened is an element that is open and says, or may say, where on the page its links stand.
type opened struct {
	name  string
	place audit.LinkPlace
	role  bool // a div or ul that is one by its role
	inner int  // elements of its name that are open in it, where role is set
}

// landmarks are the elements around what is read, the innermost last.
type landmarks []opened

// place is where on the page a link stands that is met now.
func (l landmarks) place() audit.LinkPlace {
	if len(l) == 0 {
		return audit.InBody
	}
	return l[len(l)-1].place
}

// open takes the start tag of an element of which nameOf knows the name.
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

// banner is the place of a header or footer: that of the page where no article, section or
// landmark is around it (HTML-AAM 1.0), else a part of what is around it.
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

// nest takes an element that is none by itself: its end tag must not be taken for that of one
// that is around it.
func (l landmarks) nest(name string) {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].role && l[i].name == name {
			l[i].inner++
			return
		}
	}
}

// close takes an end tag: with its element those in it end whose end tags were left out.
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

// roles are the landmark roles that say where a link stands (WAI-ARIA 1.2, 5.3.4).
var roles = map[string]audit.LinkPlace{
	"navigation": audit.InNav, "banner": audit.InHeader, "main": audit.InMain,
	"complementary": audit.InAside, "contentinfo": audit.InFooter,
}

// firstRole is the first of a list of roles, in lower case; "" for none.
func firstRole(list string) string {
	for word := range strings.FieldsSeq(list) {
		return strings.ToLower(word)
	}
	return ""
}

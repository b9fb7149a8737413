package links

import (
	"encoding/binary"
	"errors"
	"iter"
	"strings"

	"sitemend/crawler/audit"
)

// What is set of a link: in all places of the page where it stands.
const (
	onlyNofollow byte = 1 << iota // it is not to be followed
	onlyForm                      // it is the action of a form
)

// What is set of a page.
const (
	isPage     byte = 1 << iota // always: the links of a page are never no text
	isCut                       // it has more links than are kept, or is longer than is read
	isNofollow                  // its robots directives say nofollow
	isShell                     // it has no text without scripts
	isEarlier                   // an earlier audit read it, and the server said that it is as it was
	isWhole                     // of a target: it does not begin with the page's origin
)

// maxHead is how many bytes a target takes besides its text.
const maxHead = 2 + binary.MaxVarintLen16

// A Page is what is kept of a page besides its links.
type Page struct {
	Cut      bool // it has more links than are kept, or was not read to its end
	Nofollow bool // its robots directives say nofollow: no link of it is to be followed
	Shell    bool // it has no text without scripts, which may add links
	Earlier  bool // the links are those that an earlier audit read
}

// A Link is an address that a page links to, wherever and however often.
type Link struct {
	Target   string // wire form
	Places   audit.LinkPlaces
	Nofollow bool // each reference says so
	Form     bool // each is the action of a form
}

// Pack ends the page and returns its links as a store keeps them; never "". Of page it needs
// Cut, where it was not read to its end, Nofollow and Shell.
func (r *Reader) Pack(page Page) string {
	b := make([]byte, 0, 1+r.size)
	b = append(b, isPage|flag(isCut, r.cut || page.Cut)|flag(isNofollow, page.Nofollow)|flag(isShell, page.Shell))
	for _, t := range r.found {
		text, flags := t.wire, t.flags|isWhole
		if strings.HasPrefix(text, r.origin) && len(text) > len(r.origin) && text[len(r.origin)] == '/' {
			text, flags = text[len(r.origin):], t.flags
		}
		b = append(b, byte(t.places), flags)
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	return string(b)
}

func flag(bit byte, is bool) byte {
	if is {
		return bit
	}
	return 0
}

// AsEarlier returns packed links as those of an earlier audit.
func AsEarlier(packed string) string {
	if packed == "" {
		return ""
	}
	return string([]byte{packed[0] | isEarlier}) + packed[1:]
}

// errPacked is that links are not as Pack packs them.
var errPacked = errors.New("links: the links of a page are damaged")

// Unpack returns what Pack packed for the page of an origin (address.Address.Origin). The error
// says that it is not that; the links of the sequence then end early.
func Unpack(packed, origin string) (Page, iter.Seq[Link], error) {
	if packed == "" {
		return Page{}, func(func(Link) bool) {}, errPacked
	}
	head := packed[0]
	page := Page{Cut: head&isCut != 0, Nofollow: head&isNofollow != 0, Shell: head&isShell != 0, Earlier: head&isEarlier != 0}
	rest := packed[1:]
	var err error
	for at := rest; at != "" && err == nil; {
		_, _, at, err = cutTarget(at)
	}
	return page, func(yield func(Link) bool) {
		for at := rest; at != ""; {
			head, text, after, err := cutTarget(at)
			if err != nil {
				return
			}
			l := Link{Target: text, Places: audit.LinkPlaces(head[0]), Nofollow: head[1]&onlyNofollow != 0, Form: head[1]&onlyForm != 0}
			if head[1]&isWhole == 0 {
				l.Target = origin + text
			}
			if !yield(l) {
				return
			}
			at = after
		}
	}, err
}

// cutTarget parts the first target from those behind it.
func cutTarget(b string) (head, text, rest string, err error) {
	if len(b) < 3 {
		return "", "", "", errPacked
	}
	head = b[:2]
	n, size := uint64(0), 0
	for at := 2; ; at++ {
		if at == len(b) || size == binary.MaxVarintLen16 {
			return "", "", "", errPacked
		}
		n |= uint64(b[at]&0x7f) << (7 * size)
		if size++; b[at] < 0x80 {
			break
		}
	}
	start := 2 + size
	if n > uint64(len(b)-start) {
		return "", "", "", errPacked
	}
	return head, b[start : start+int(n)], b[start+int(n):], nil
}

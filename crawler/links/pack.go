package links

import (
	"encoding/binary"
	"errors"
)

// A Page is the data kept of a page besides its links.
type Page struct {
	Cut      bool // it has more links than are kept, or was not read to its end
	Nofollow bool // its robots directives say nofollow: no link of it is to be followed
	Shell    bool // it has no text without scripts, which may add links
}

// A Link is an address that a page links to, in one or more places.
type Link struct {
	Target   string // wire form
	Nofollow bool   // every reference is nofollow
	Form     bool   // every reference is the action of a form
}

// Flags of a page, and of a link.
const (
	isNofollow byte = 1 << iota
	isForm
	isCut
	isShell
	isPage // always set, so that packed links are never empty
)

func flag(bit byte, is bool) byte {
	if is {
		return bit
	}
	return 0
}

// Pack ends the page and returns its links in the form that a store keeps; never "". It uses three
// fields of page: Cut, where the page was not read to its end, Nofollow and Shell.
func (r *Reader) Pack(page Page) string {
	b := append(r.packed[:0], isPage|flag(isCut, r.cut || page.Cut)|flag(isNofollow, page.Nofollow)|flag(isShell, page.Shell))
	for i := range r.found {
		l := &r.found[i]
		b = append(b, 0, flag(isNofollow, l.Nofollow)|flag(isForm, l.Form))
		b = binary.BigEndian.AppendUint16(b, uint16(len(l.Target)))
		b = append(b, l.Target...)
	}
	r.packed = b
	return string(b)
}

// errPacked says that packed links are not in the format of Pack.
var errPacked = errors.New("links: the links of a page are damaged")

// Unpack calls fn with the links that Pack returned for a page. An error is that of fn, or says
// that packed is not in that format.
func Unpack(packed string, fn func(*Page, Link) error) (page Page, err error) {
	if packed == "" {
		return page, errPacked
	}
	is := func(bit byte) bool { return packed[0]&bit != 0 }
	page = Page{Cut: is(isCut), Nofollow: is(isNofollow), Shell: is(isShell)}
	for packed = packed[1:]; packed != "" && err == nil; {
		if len(packed) < 4 {
			return page, errPacked
		}
		head, end := packed[:4], 4+int(packed[2])<<8+int(packed[3])
		if end > len(packed) {
			return page, errPacked
		}
		err = fn(&page, Link{Target: packed[4:end], Nofollow: head[1]&isNofollow != 0, Form: head[1]&isForm != 0})
		packed = packed[end:]
	}
	return page, err
}

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
	head := isPage | flag(isCut, r.cut || page.Cut) | flag(isNofollow, page.Nofollow) | flag(isShell, page.Shell)
	b := append(r.packed[:0], head)
	for _, t := range r.found {
		text, flags := t.wire, t.flags|isWhole
		if strings.HasPrefix(text, r.origin) && len(text) > len(r.origin) && text[len(r.origin)] == '/' {
			text, flags = text[len(r.origin):], t.flags
		}
		b = append(b, byte(t.places), flags)
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	if r.packed = b; cap(b) > maxRoom {
		r.packed = nil
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
	page, all, err := unpack(packed)
	for left := all; err == nil; {
		if _, ok := left.next(); !ok {
			err = left.err
			break
		}
	}
	return page, func(yield func(Link) bool) {
		left := all
		for t, ok := left.next(); ok; t, ok = left.next() {
			l := t.link()
			if l.Target = t.text; !t.whole() {
				l.Target = origin + t.text
			}
			if !yield(l) {
				return
			}
		}
	}, err
}

// unpack returns what Pack packed. That it has a beginning is all that was looked at.
func unpack(packed string) (Page, packedTargets, error) {
	if packed == "" {
		return Page{}, packedTargets{}, errPacked
	}
	head := packed[0]
	return Page{Cut: head&isCut != 0, Nofollow: head&isNofollow != 0, Shell: head&isShell != 0, Earlier: head&isEarlier != 0},
		packedTargets{rest: packed[1:]}, nil
}

// packedTargets are the targets of a page that are still to be unpacked.
type packedTargets struct {
	rest string
	err  error
}

// A packedTarget is one of them.
type packedTarget struct {
	places audit.LinkPlaces
	flags  byte
	text   string // without the page's origin, where it is not whole
}

func (t *packedTarget) whole() bool { return t.flags&isWhole != 0 }

// link returns what t says besides its address.
func (t *packedTarget) link() Link {
	return Link{Places: t.places, Nofollow: t.flags&onlyNofollow != 0, Form: t.flags&onlyForm != 0}
}

// next parts the first target from those behind it; false where there is none, or p.err says that
// what is there is damaged.
func (p *packedTargets) next() (t packedTarget, ok bool) {
	b := p.rest
	if b == "" {
		return t, false
	}
	n, size := uint64(0), 0
	for at := 2; ; at++ {
		if at >= len(b) || size == binary.MaxVarintLen16 {
			return t, p.damaged()
		}
		n |= uint64(b[at]&0x7f) << (7 * size)
		if size++; b[at] < 0x80 {
			break
		}
	}
	start := 2 + size
	if n > uint64(len(b)-start) {
		return t, p.damaged()
	}
	end := start + int(n)
	p.rest = b[end:]
	return packedTarget{audit.LinkPlaces(b[0]), b[1], b[start:end]}, true
}

// damaged ends p with an error; it returns false.
func (p *packedTargets) damaged() bool {
	p.rest, p.err = "", errPacked
	return false
}

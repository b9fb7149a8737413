package links

import (
	"encoding/binary"
	"errors"
	"iter"
	"strings"

	"sitemend/crawler/audit"
)

// Flags of a link. Each is set only where it holds for all references of the page to that address.
const (
	onlyNofollow byte = 1 << iota // it is not to be followed
	onlyForm                      // it is the action of a form
)

// Flags of a page.
const (
	isPage     byte = 1 << iota // always set, so that packed links are never empty
	isCut                       // it has more links than are kept, or was not read to its end
	isNofollow                  // its robots directives say nofollow
	isShell                     // it has no text without scripts
	_
	isWhole // of a target: it does not begin with the page's origin
)

// maxHead is the most bytes that a target takes besides its text.
const maxHead = 2 + binary.MaxVarintLen16

// A Page is the data kept of a page besides its links.
type Page struct {
	Cut      bool // it has more links than are kept, or was not read to its end
	Nofollow bool // its robots directives say nofollow: no link of it is to be followed
	Shell    bool // it has no text without scripts, which may add links
}

// A Link is an address that a page links to, in one or more places.
type Link struct {
	Target   string // wire form
	Places   audit.LinkPlaces
	Nofollow bool // every reference is nofollow
	Form     bool // every reference is the action of a form
}

// Pack ends the page and returns its links in the form that a store keeps; never "". It uses three
// fields of page: Cut, where the page was not read to its end, Nofollow and Shell.
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

// errPacked says that packed links are not in the format of Pack.
var errPacked = errors.New("links: the links of a page are damaged")

// Unpack decodes the links that Pack returned for a page of an origin (address.Address.Origin). The
// error says that packed is not in that format; the sequence then ends early.
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

// unpack decodes the head of packed links. It does not check the rest.
func unpack(packed string) (Page, packedTargets, error) {
	if packed == "" {
		return Page{}, packedTargets{}, errPacked
	}
	head := packed[0]
	return Page{Cut: head&isCut != 0, Nofollow: head&isNofollow != 0, Shell: head&isShell != 0},
		packedTargets{rest: packed[1:]}, nil
}

// packedTargets are the targets of a page that are not decoded yet.
type packedTargets struct {
	rest string
	err  error
}

// A packedTarget is one target of packedTargets.
type packedTarget struct {
	places audit.LinkPlaces
	flags  byte
	text   string // without the page's origin, where it is not whole
}

func (t *packedTarget) whole() bool { return t.flags&isWhole != 0 }

// link returns the Link of t, without its address.
func (t *packedTarget) link() Link {
	return Link{Places: t.places, Nofollow: t.flags&onlyNofollow != 0, Form: t.flags&onlyForm != 0}
}

// next decodes the first target and removes it from p. It returns false at the end, and where the
// data is damaged, which p.err then says.
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

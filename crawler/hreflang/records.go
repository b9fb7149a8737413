package hreflang

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"sitemend/crawler/internal/sketch"
)

// All records of an address lie on the shelf under its hash, and so come together: that it is
// listed, what its own elements say, which links for a device name it, and both directions of each
// pair with an address that it names or that names it, one behind the other. At most one record of
// each is held in memory.
const (
	ofEntry   byte = iota // it is listed, or only crawled; holds the crawl result
	ofElement             // an element of its own with links
	ofPassed              // an element of its own whose links are not known (maxPairs)
	ofDevice              // a link for a device, which names it
	ofSelf                // a link of its own element that names it, and stays
	ofPair                // another address, which it names (ours) or which names it (theirs)
)

const (
	ours byte = iota
	theirs
)

// errRecord says that a record on the shelf is damaged.
var errRecord = errors.New("hreflang: a record on disk is damaged")

// key returns the key of an address, given in wire form.
func key(wire string) string {
	return string(binary.BigEndian.AppendUint64(nil, sketch.Hash(wire)))
}

// An entryRecord is the crawl result of a listed address, or of an alternate that no sitemap lists.
type entryRecord struct {
	listed bool
	merged bool // it is removed from the file with its element, in favour of another
	leads  bool // it redirects by language, as an x-default may
	wrong  kind // redirects, gone, blocked, noindex, otherCanonical; kinds for nothing
}

// The bits of an entryRecord.
const (
	isListed byte = 1 << iota
	isMerged
	isLeading
)

// fix is what becomes of a link where its file is rewritten.
type fix byte

const (
	fixNone      fix = iota
	fixed            // it is replaced by the address that it moved to, or removed
	handled          // it stays, and a fault of the file says why
	heldLanguage     // it stays: its address redirects to a page that names another language for itself
	heldDisputed     // it stays: links disagree on the language of that page
	heldSelf         // it stays: its address redirects back to the page that names it
	heldListed       // it stays: its address redirects to a page that is another entry
)

func (r entryRecord) append(b []byte) []byte {
	is := byte(0)
	if r.listed {
		is |= isListed
	}
	if r.merged {
		is |= isMerged
	}
	if r.leads {
		is |= isLeading
	}
	return append(b, ofEntry, byte(r.wrong), is)
}

// An elementRecord is the content of a page's own element.
type elementRecord struct {
	at  place
	set uint64 // hash of the addresses that it names
	own string // the codes of the page itself
}

func (r elementRecord) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(append(b, ofElement), r.set)
	return append(r.at.append(b), r.own...)
}

// A deviceRecord is a link without hreflang: it names the page for a kind of device.
type deviceRecord struct {
	at  place
	fix fix // what becomes of the link
}

func (r deviceRecord) append(b []byte) []byte {
	return append(r.at.append(append(b, ofDevice)), byte(r.fix))
}

// A selfRecord is a link by which a page names itself, and that stays though its entry is replaced.
type selfRecord struct {
	at  place
	fix fix // why it stays: heldLanguage or heldDisputed
}

func (r selfRecord) append(b []byte) []byte {
	return append(r.at.append(append(b, ofSelf)), byte(r.fix))
}

// A pairRecord says that one page names another. It belongs to the page that is named where theirs
// is set, else to the page that names it.
type pairRecord struct {
	other  string // key of the other page
	theirs bool
	codes  string // of the page that is named
	// The following fields are set only with theirs: the link, and what its element says of its own
	// page.
	at      place
	set     uint64
	own     string
	audited bool // the host that is named has entries in the audit
	fix     fix  // what becomes of the link
}

func (r *pairRecord) append(b []byte) []byte {
	b = append(append(b, ofPair), r.other...)
	if !r.theirs {
		return append(append(b, ours), r.codes...)
	}
	b = append(b, theirs)
	b = binary.BigEndian.AppendUint64(b, r.set)
	b = r.at.append(b)
	audited := byte(0)
	if r.audited {
		audited = 1
	}
	b = append(b, audited, byte(r.fix))
	return append(append(append(b, r.codes...), 0), r.own...)
}

func (p place) append(b []byte) []byte {
	for _, n := range []int{p.file, p.element, p.link} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

// A scanner decodes a record.
type scanner struct {
	rest string
	bad  bool
}

func (s *scanner) bytes(n int) string {
	if len(s.rest) < n {
		s.bad, s.rest = true, ""
		return strings.Repeat("\x00", n)
	}
	out := s.rest[:n]
	s.rest = s.rest[n:]
	return out
}

func (s *scanner) number() uint64 { return binary.BigEndian.Uint64([]byte(s.bytes(8))) }

func (s *scanner) place() (p place) {
	for _, n := range []*int{&p.file, &p.element, &p.link} {
		v, size := uint64(0), 0
		for size < len(s.rest) && size < binary.MaxVarintLen64 {
			c := s.rest[size]
			v |= uint64(c&0x7f) << (7 * size)
			size++
			if c < 0x80 {
				break
			}
		}
		s.bad = s.bad || size == 0
		*n, s.rest = int(v), s.rest[size:]
	}
	return p
}

// A passedRecord says that the links of one of a page's own elements are not known.
type passedRecord struct{}

// scan decodes a record: an entryRecord, an elementRecord, a passedRecord, a deviceRecord, a
// selfRecord or a *pairRecord.
func scan(value string) (any, error) {
	s := &scanner{rest: value}
	var out any
	switch s.bytes(1)[0] {
	case ofEntry:
		r := entryRecord{wrong: kind(s.bytes(1)[0])}
		is := s.bytes(1)[0]
		r.listed, r.merged, r.leads = is&isListed != 0, is&isMerged != 0, is&isLeading != 0
		out = r
	case ofElement:
		set := s.number()
		out = elementRecord{set: set, at: s.place(), own: s.rest}
	case ofPassed:
		out = passedRecord{}
	case ofDevice:
		r := deviceRecord{at: s.place()}
		r.fix = fix(s.bytes(1)[0])
		out = r
	case ofSelf:
		r := selfRecord{at: s.place()}
		r.fix = fix(s.bytes(1)[0])
		out = r
	case ofPair:
		r := &pairRecord{other: s.bytes(8)}
		if r.theirs = s.bytes(1)[0] == theirs; !r.theirs {
			r.codes = s.rest
			out = r
			break
		}
		r.set, r.at = s.number(), s.place()
		r.audited = s.bytes(1)[0] == 1
		r.fix = fix(s.bytes(1)[0])
		r.codes, r.own, _ = strings.Cut(s.rest, "\x00")
		out = r
	default:
		s.bad = true
	}
	if s.bad {
		return nil, errRecord
	}
	return out, nil
}

// codesOf joins the codes of an address: in lower case, sorted, without duplicates and x-default.
func codesOf(langs []string) string {
	var codes []string
	for _, l := range langs {
		if l = strings.ToLower(l); l != "" && l != xDefault {
			codes = append(codes, l)
		}
	}
	slices.Sort(codes)
	return strings.Join(slices.Compact(codes), " ")
}

// xDefault is the code of the page for users of all other languages (Search Central, "Localized
// versions").
const xDefault = "x-default"

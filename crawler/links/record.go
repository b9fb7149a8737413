package links

import (
	"encoding/binary"
	"errors"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/internal/sketch"
)

// The records of an address lie on one shelf under its spellingKey, so that its spellings come
// together; each record begins with its kind and the hash of the wire form.
const (
	ofEntry   byte = iota // a sitemap lists it; holds what was crawled
	ofWritten             // it is written as the replacement of an entry
	ofText                // the wire form
	ofTally               // counts of the links to it
)

// headSize is the length of the beginning of a record, in bytes.
const headSize = 1 + 8

// errRecord says that a record on a shelf is damaged.
var errRecord = errors.New("links: a record on disk is damaged")

func number(b []byte, n uint64) []byte { return binary.BigEndian.AppendUint64(b, n) }

// spellingKey returns a key that is the same for all spellings of an address: escapes are resolved.
func spellingKey(wire string) uint64 { return sketch.Hash(address.DecodeValue(wire)) }

// A pageRecord is a page that was read.
type pageRecord struct {
	n     int // its index among the pages
	plain bool
	url   string
}

func (p *pageRecord) append(b []byte) []byte {
	b = binary.AppendUvarint(append(b, flag(1, p.plain)), uint64(p.n))
	return append(b, p.url...)
}

// counts reports whether p is the reading of a page that counts, rather than o.
func (p *pageRecord) counts(o *pageRecord) bool {
	if p.plain != o.plain {
		return o.plain
	}
	return p.n > o.n
}

func scanPage(s string) (p pageRecord, err error) {
	r := scanner{rest: s}
	p.plain = r.byte()&1 != 0
	p.n = r.uint()
	p.url = r.rest
	return p, r.err
}

// An entryRecord is the crawl result of an entry.
type entryRecord struct {
	fine       bool // it answers 200 without a redirect, and its entry is unchanged
	verdict    audit.Verdict
	file, line int
	leadsTo    string // the address that an old one redirects to in the end
	linkTo     string // its verified replacement
	loc        string
}

func (e *entryRecord) append(b []byte) []byte {
	b = append(b, flag(1, e.fine))
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(e.file)), uint64(e.line))
	for _, s := range []string{string(e.verdict), e.leadsTo, e.linkTo} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return append(b, e.loc...)
}

func scanEntry(s string) (e entryRecord, err error) {
	r := scanner{rest: s}
	e.fine = r.byte() == 1
	e.file, e.line = r.uint(), r.uint()
	e.verdict = audit.Verdict(r.text())
	e.leadsTo, e.linkTo = r.text(), r.text()
	e.loc = r.rest
	return e, r.err
}

func (t *tally) append(b []byte) []byte {
	b = number(append(b, ofTally), t.wire)
	for _, n := range []uint32{t.pages, t.forms, t.nofollow} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for i, n := range t.places {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(n)), uint64(t.apart[i]))
	}
	for _, hash := range t.sample {
		if hash == 0 {
			break
		}
		b = number(append(b, 1), hash)
	}
	b = append(b, 0)
	for _, s := range t.sections {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(s.section)), uint64(s.n))
	}
	return b
}

// scanTally decodes a tally; s is its record without the beginning.
func scanTally(s string) (t tally, err error) {
	r := scanner{rest: s}
	t.pages, t.forms, t.nofollow = uint32(r.uint()), uint32(r.uint()), uint32(r.uint())
	for i := range t.places {
		t.places[i], t.apart[i] = uint32(r.uint()), uint32(r.uint())
	}
	for i := 0; r.byte() == 1; i++ {
		if i == len(t.sample) {
			return t, errRecord
		}
		t.sample[i] = r.number()
	}
	for r.rest != "" && r.err == nil {
		t.sections = append(t.sections, sectionCount{uint16(r.uint()), uint32(r.uint())})
	}
	return t, r.err
}

// A scanner decodes a record.
type scanner struct {
	rest string
	err  error
}

func (s *scanner) cut(n uint64) string {
	if n > uint64(len(s.rest)) {
		s.rest, s.err = "", errRecord
		return ""
	}
	out := s.rest[:n]
	s.rest = s.rest[n:]
	return out
}

func (s *scanner) byte() byte {
	if b := s.cut(1); b != "" {
		return b[0]
	}
	return 0
}

func (s *scanner) number() (n uint64) {
	for _, c := range []byte(s.cut(8)) {
		n = n<<8 | uint64(c)
	}
	return n
}

func (s *scanner) uint() int {
	n := uint64(0)
	for shift := 0; ; shift += 7 {
		c := s.byte()
		n |= uint64(c&0x7f) << shift
		if c < 0x80 || shift > 56 {
			return int(n)
		}
	}
}

func (s *scanner) text() string { return s.cut(uint64(s.uint())) }

package diff

import (
	"encoding/binary"
	"errors"

	"sitemend/crawler/audit"
)

// An Observation is what one audit saw at a URL, and what it decided.
type Observation struct {
	URL     string // wire form; as listed where it has none
	Verdict audit.Verdict
	Status  int    // the last one, 0 for none
	Target  string // where it ends, or its canonical; "" where that is nowhere else
	Fix     audit.Action
	Decide  bool // somebody has to decide about it
	// Sitemap and Line are the first place that lists it: the index of Seen.Sitemaps, and the line
	// from 1. Several is set where more than one sitemap does.
	Sitemap, Line int
	Several       bool

	spelling bool // its other spelling was seen
}

// observe returns what a row says.
func observe(r *audit.Row) Observation {
	o := Observation{URL: r.Address.String(), Verdict: r.Verdict, Status: r.Status, Fix: r.Fix.Action, Decide: r.Group() == audit.NeedsDecision,
		Sitemap: r.Entry.Sitemap, Line: r.Entry.Line, spelling: r.Other != nil}
	if r.Verdict == audit.Invalid || o.URL == "" {
		o.URL = r.Entry.Loc
	}
	if r.Verdict == audit.Noncanonical {
		o.Target = r.Trail.Last().Hop.Page.CanonicalAt(r.Address)
	} else if to := r.Final; !to.IsZero() && to != r.Address {
		o.Target = to.String()
	}
	return o
}

// seen reports whether the audit could see what stands at the URL.
func (o *Observation) seen() bool {
	return o.Verdict != audit.Skipped && o.Verdict != audit.Unverified
}

// join adds another place that lists the same URL; o is the first.
func (o *Observation) join(other *Observation) {
	decide, several := o.Decide || other.Decide, o.Several || o.Sitemap != other.Sitemap
	if o.Verdict == audit.Skipped {
		other.Sitemap, other.Line = o.Sitemap, o.Line
		*o = *other
	}
	o.Decide, o.Several = decide, several
}

// flags are the bits of an observation in a file, the lowest first.
func (o *Observation) flags() [3]*bool { return [3]*bool{&o.Decide, &o.Several, &o.spelling} }

// append appends all of o but its URL. Of two with the same URL the one that stands first is less.
func (o *Observation) append(b []byte) []byte {
	bits := byte(0)
	for i, is := range o.flags() {
		if *is {
			bits |= 1 << i
		}
	}
	b = binary.BigEndian.AppendUint32(b, uint32(o.Sitemap))
	b = binary.BigEndian.AppendUint32(b, uint32(o.Line))
	b = append(b, bits)
	b = binary.AppendUvarint(b, uint64(o.Status))
	for _, text := range []string{string(o.Verdict), string(o.Fix), o.Target} {
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	return b
}

var errCut = errors.New("what an audit saw is cut off")

// read reads what append wrote.
func (o *Observation) read(b []byte) error {
	if len(b) < 9 {
		return errCut
	}
	o.Sitemap, o.Line = int(binary.BigEndian.Uint32(b)), int(binary.BigEndian.Uint32(b[4:]))
	for i, is := range o.flags() {
		*is = b[8]>>i&1 != 0
	}
	b = b[9:]
	number := func() uint64 {
		n, size := binary.Uvarint(b)
		b = b[max(0, size):]
		return n
	}
	o.Status = int(number())
	var texts [3]string
	for i := range texts {
		n := number()
		if n > uint64(len(b)) {
			return errCut
		}
		texts[i], b = string(b[:n]), b[n:]
	}
	o.Verdict, o.Fix, o.Target = audit.Verdict(texts[0]), audit.Action(texts[1]), texts[2]
	return nil
}

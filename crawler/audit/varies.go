package audit

import (
	"slices"

	"sitemend/crawler/address"
)

// What Googlebot gets decides what is written, and it asks without a language, cookies or a
// browser. Where such a reader gets another answer, the one that was seen may be no more than one
// of several, and nobody has said that it is the one that is meant: so an address is not written
// for it, nor taken out (varies). That is asked of a sample, with the proof.

// Of each kind of edit, those of one verdict on one pair of hosts that are written, or taken out, so
// many are asked so; of a pair of hosts where one of these varies all are.
const (
	varyFirst  = 3
	varySpread = 7
)

// A reading is what is asked for other readers of what an entry is edited for.
type reading struct {
	requests []Request
	entry    Entry
	action   Action
	at       string // Row.readAt
}

// A readKind is a kind of edit.
type readKind struct {
	at      string // Row.readAt
	verdict Verdict
	merged  bool
}

// otherReaders are as whom they are asked.
var otherReaders = []Purpose{AsBrowser, AsForeign}

// variesStops returns Varies where another reader was asked for target, which would be written, and
// got what could not be written, though the robot did not.
func (j *judging) variesStops(target address.Address, as Purpose, known []Note) []Note {
	for _, reader := range otherReaders {
		hop, ok := j.mem.Hop(Request{URL: target.String(), Purpose: reader | as&WithoutSecrets})
		if !ok || unseen(&hop) {
			continue
		}
		now := j.answerStops(target, hop, as&WithoutSecrets != 0)
		if slices.ContainsFunc(now, func(n Note) bool { return n != TargetSoft404 && !slices.Contains(known, n) }) {
			return []Note{Varies}
		}
	}
	return nil
}

// listedVaries returns Varies where another reader was asked for the entry's own address, which
// would be replaced, or for one that it redirects through, and is led, or told to read, elsewhere than
// the robot, or nowhere.
func (j *judging) listedVaries() []Note {
	for _, step := range j.row.way() {
		for _, reader := range otherReaders {
			hop, ok := j.mem.Hop(step.Hop.by(reader))
			if from := address.Wire(step.Hop.URL); ok && !unseen(&hop) && leads(from, hop) != leads(from, step.Hop) {
				return []Note{Varies}
			}
		}
	}
	return nil
}

// unsteady reports whether the robot was asked again for the entry's own address, or for one that it
// redirects through, and got another answer than at first.
func (j *judging) unsteady() bool {
	for _, step := range j.row.way() {
		hop, ok := j.mem.Hop(step.Hop.by(AsProof))
		from := address.Wire(step.Hop.URL)
		if ok && !unseen(&hop) && (leads(from, hop) != leads(from, step.Hop) || noindex(&hop) != noindex(&step.Hop)) {
			return true
		}
	}
	return false
}

// way returns the steps of a row before the one that it ends with; its only one where it does not
// redirect.
func (r *Row) way() []Step { return r.Trail.Steps[:max(1, len(r.Trail.Steps)-1)] }

// by returns r asked by another reader.
func (r Request) by(reader Purpose) Request {
	return Request{URL: r.URL, Purpose: reader | r.Purpose&WithoutSecrets}
}

// leads returns where an answer leads: to where it redirects, or to what its page names as its
// canonical; at itself where it names none, and the zero address where it is no page.
func leads(at address.Address, hop Hop) address.Address {
	step := Step{Hop: hop}
	switch end := step.lead(at); {
	case end == EndUnknown:
		return step.Next
	case end != EndAnswer || !answers200(hop.Status):
		return address.Address{}
	}
	if c := canonical(at, &step.Hop.Page); !c.IsZero() {
		return c
	}
	return at
}

// dropVaries reports whether another reader was asked for the entry, which would be taken out, and
// got a page.
func (j *judging) dropVaries() bool {
	r := j.row
	if !r.variable() || j.rules.Lift[Varies] {
		return false
	}
	for _, reader := range otherReaders {
		hop, ok := j.mem.Hop(r.Trail.Steps[0].Hop.by(reader))
		if ok && !unseen(&hop) && answers200(hop.Status) && !noindex(&hop) {
			return true
		}
	}
	return false
}

// variable reports whether an entry would be taken out for what it answers itself, so that
// others may be answered otherwise.
func (r *Row) variable() bool {
	return (r.Verdict == Noindex || r.Verdict == NotFound) && len(r.Trail.Steps) == 1 && !r.Address.IsZero()
}

// varying returns what is asked of a row for other readers: its own address, which it takes out or
// replaces, with those that it redirects through, and the one that it writes.
func (r *Row) varying() (rs []Request) {
	for _, reader := range otherReaders {
		if r.Fix.Action == Replace || r.Fix.Action == Merge || r.Fix.Action == Drop && r.variable() {
			for _, step := range r.way() {
				rs = append(rs, step.Hop.by(reader))
			}
		}
		if r.Fix.Action == Replace {
			rs = append(rs, Request{URL: r.Fix.Loc, Purpose: reader | r.proof().Purpose&WithoutSecrets})
		}
	}
	return rs
}

// readAt names the hosts of which some are asked for other readers: that of a row's address with
// that where it ends.
func (r *Row) readAt() string { return r.Address.Origin() + " " + r.Final.Origin() }

// readers takes a row into the sample of those that are asked for other readers.
func (p *proving) readers(r *Row) {
	rs := r.varying()
	if len(rs) == 0 || p.t.info.Partial || p.t.rules.Lift[Varies] {
		return
	}
	at := r.readAt()
	p.reads.add(readKind{at, r.Verdict, r.Fix.Action == Merge}, rs[0], reading{rs, r.Entry, r.Fix.Action, at}, p.allReaders[at] || r.byLanguage())
}

// byLanguage reports whether a server on the way says that it answers by language: then the sample
// is no question.
func (r *Row) byLanguage() bool {
	return slices.ContainsFunc(r.Trail.Steps, func(s Step) bool { return s.Hop.ByLanguage })
}

// varied takes a row that varies into the sample of those that the robot is asked for once more: where
// it gets another answer than at first, that is no matter of who reads.
func (p *proving) varied(r *Row) {
	var rs []Request
	for _, step := range r.way() {
		if _, asked := p.t.src.Hop(step.Hop.by(AsBrowser)); asked {
			rs = append(rs, step.Hop.by(AsProof))
		}
	}
	if len(rs) > 0 && r.Fix.Action == Keep && r.Fix.Stop != HeldUnsteady {
		at := r.readAt()
		p.retried.add(readKind{at: at, verdict: r.Verdict}, rs[0], reading{rs, r.Entry, Keep, at}, false)
	}
}

// judgeReaders looks at what is remembered of the answers to other readers: where an entry is not
// edited any more for them, the audit is to be evaluated again, and all of the host are to be
// asked.
func (p *proving) judgeReaders() {
	for x := range p.reads.all() {
		if now := Judge(p.t.src, x.entry, p.t.rules, Want{}); now.Has(Varies) && now.Fix.Action != x.action {
			p.mixed[x.at] = true
			p.failed = true
		}
	}
	for x := range p.retried.all() {
		p.failed = p.failed || Judge(p.t.src, x.entry, p.t.rules, Want{}).Fix.Stop == HeldUnsteady
	}
}

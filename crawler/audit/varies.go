package audit

import (
	"slices"

	"sitemend/crawler/address"
)

// What Googlebot gets decides what is written, and it asks without a language, cookies or a
// browser. Where such a reader gets another answer, the one that was seen may be no more than one
// of several, and nobody has said that it is the one that is meant: so an address is not written
// for it, nor taken out (varies). That is asked of a sample, with the proof.

// varySample is how many edited addresses of each host are asked so; all of a host where one of
// these varies.
const varySample = 3

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

// dropVaries reports whether another reader was asked for the entry, which would be taken out, and
// got a page.
func (j *judging) dropVaries() bool {
	r := j.row
	if !r.variable() || j.rules.Lift[Varies] {
		return false
	}
	for _, reader := range otherReaders {
		hop, ok := j.mem.Hop(r.Entry.Request(r.Address, reader, j.rules))
		if ok && !unseen(&hop) && answers200(hop.Status) && !hop.Page.Noindex() {
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

// varying returns what is asked of a row for another reader: of the address that it writes, or of
// its own, which it takes out.
func (r *Row) varying(rules *Rules) (rs []Request) {
	for _, reader := range otherReaders {
		switch {
		case r.Fix.Action == Replace:
			rs = append(rs, Request{URL: r.Fix.Loc, Purpose: reader | r.proof().Purpose&WithoutSecrets})
		case r.Fix.Action == Drop && r.variable():
			rs = append(rs, r.Entry.Request(r.Address, reader, rules))
		}
	}
	return rs
}

// readers takes a row into the sample of those that are asked for other readers.
func (p *proving) readers(r *Row) {
	rs := r.varying(p.t.rules)
	if len(rs) == 0 || p.t.info.Partial || p.t.rules.Lift[Varies] || p.readersAsked[rs[0]] {
		return
	}
	origin := address.Wire(rs[0].URL).Origin()
	if !p.allReaders[origin] && p.varied[origin] >= varySample {
		return
	}
	p.varied[origin]++
	p.readersAsked[rs[0]] = true
	p.reads = append(p.reads, reading{rs, r.Entry, r.Fix.Action})
}

// A reading is what is asked for other readers of what an entry is edited for.
type reading struct {
	requests []Request
	entry    Entry
	action   Action
}

// judgeReaders looks at what is remembered of the answers to other readers: where an entry is not
// edited any more for them, the audit is to be evaluated again, and all of the host are to be asked.
func (p *proving) judgeReaders() {
	for _, x := range p.reads {
		if now := Judge(p.t.src, x.entry, p.t.rules, Want{}); now.Has(Varies) && now.Fix.Action != x.action {
			p.mixed[address.Wire(x.requests[0].URL).Origin()] = true
			p.failed = true
		}
	}
}

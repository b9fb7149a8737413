package audit

import (
	"context"

	"sitemend/crawler/address"
)

// So many written addresses of each host are asked once more before the sitemaps are written, the
// first ones and others from anywhere; all of a host where one answers otherwise.
const (
	proofFirst  = 10
	proofSpread = 10
)

// maxUnclean bounds the list of addresses that did not pass.
const maxUnclean = 100

// proving judges the corrected sitemaps: each entry left in them must be one to
// keep.
type proving struct {
	t       *evaluation
	base    Proof
	writes  sampled[string, writing] // by origin
	flagged map[string]bool          // origins of which all written addresses are asked
	shaken  map[string]bool          // origins of which an address did not pass: they are to be flagged
	failed  bool

	reads      sampled[readKind, reading]
	retried    sampled[readKind, reading] // what the robot is asked for once more, where other readers got another answer
	mixed      map[string]bool            // those that answer other readers otherwise, by Row.readAt
	allReaders map[string]bool            // those of them of which all edited addresses are asked

	lates    sampled[readKind, reading] // what the robot is asked for once more, as the asking of its origin ended so
	endings  map[string]*ending         // of the origins of these
	cameBack map[string]bool            // origins of which some of that got another answer
	allLate  map[string]bool            // those of them of which all of it is asked
}

// A writing is the proof of an address that is written, and the first entry that it is
// written for.
type writing struct {
	proof Request
	entry Entry
}

func newProving(t *evaluation) *proving {
	readings := func() sampled[readKind, reading] { return newSampled[readKind, reading](varyFirst, varySpread) }
	return &proving{t: t, writes: newSampled[string, writing](proofFirst, proofSpread),
		flagged: map[string]bool{}, shaken: map[string]bool{},
		reads: readings(), retried: readings(), mixed: map[string]bool{}, allReaders: map[string]bool{},
		lates: readings(), endings: map[string]*ending{}, cameBack: map[string]bool{}, allLate: map[string]bool{}}
}

// add counts a final row.
func (p *proving) add(r *Row) {
	if r.shaken != "" {
		p.shaken[r.shaken] = true
	}
	if r.Has(Varies) {
		p.mixed[r.readAt()] = true
		p.varied(r)
	}
	p.readers(r)
	p.late(r)
	switch r.Fix.Action {
	case Drop, Merge:
		return
	case Replace:
		p.base.Entries++
		p.base.Direct++
		p.sample(r)
		return
	}
	p.base.Entries++
	switch r.Group() {
	case Fine, OtherSpelling:
		p.base.Direct++
	case NeedsDecision:
		p.base.NeedDecision++
	case Settled:
		p.base.Settled++
	case LeftOut:
		p.base.LeftOut++
	default:
		p.base.NotChecked++
	}
}

// fine counts n final rows that are fine as they are.
func (p *proving) fine(n int) {
	p.base.Entries += n
	p.base.Direct += n
}

// sample takes the address that a row writes into the sample. With a rule lifted by --fix
// the address may be one that would be changed again, so then all are taken.
func (p *proving) sample(r *Row) {
	proof := r.proof()
	if p.t.info.Partial {
		return
	}
	origin := address.Wire(proof.URL).Origin()
	all := p.flagged[origin] || len(p.t.rules.Lift) > 0
	p.writes.add(origin, proof, writing{proof, r.Entry}, all)
}

// proof returns the question whose answer proves the address that r writes. It is
// asked as the address was before: what a stranger led to without secrets gets none
// for the proof.
func (r *Row) proof() Request {
	if r.withheld {
		return Request{URL: r.Fix.Loc, Purpose: AsProof | WithoutSecrets}
	}
	return Request{URL: r.Fix.Loc, Purpose: AsProof}
}

// result counts what is remembered of the sample's second answers.
func (p *proving) result() (Proof, error) {
	p.judgeReaders()
	p.failed = p.failed || p.judgeLate()
	out := p.base
	for w := range p.writes.all() {
		hop, ok := p.t.src.Hop(w.proof)
		if !ok {
			continue
		}
		out.Asked++
		row := p.again(w.proof, hop)
		switch row.Group() {
		case Fine, OtherSpelling:
			continue
		case NotChecked: // it answered 200 in this audit
			out.SeenOnce++
			continue
		}
		out.Direct--
		out.Uncleans++
		if len(out.Unclean) < maxUnclean {
			out.Unclean = append(out.Unclean, w.proof.URL)
		}
		p.shaken[address.Wire(w.proof.URL).Origin()] = true
		now := Judge(p.t.src, w.entry, p.t.rules, Want{})
		p.failed = p.failed || now.Fix.Action != Replace
	}
	return out, p.t.src.Err()
}

// again judges a written address as an entry of its own, with its second answer
// in place of the first.
func (p *proving) again(proof Request, hop Hop) Row {
	e := Entry{Loc: proof.URL, WithoutSecrets: proof.Purpose&WithoutSecrets != 0}
	first := e.Request(address.Wire(proof.URL), AsRobot, p.t.rules)
	return Judge(overlay{p.t.src, first, hop}, e, p.t.rules, Want{})
}

// overlay is a memory in which one answer is another.
type overlay struct {
	Answers
	at  Request
	hop Hop
}

func (o overlay) Hop(r Request) (Hop, bool) {
	if r == o.at {
		return o.hop, true
	}
	return o.Answers.Hop(r)
}

// Prove counts the proof again, from what is remembered now. Where a written address of a host did
// not pass, now or in the evaluation before, all of that host are to be asked; likewise for other
// readers, where one of a host varies. It returns an error only where the source of the audit does,
// and ctx's once that ends.
func (t *Result) Prove(ctx context.Context) error {
	p := t.proving
	var err error
	if t.Proof, err = p.result(); err != nil {
		return err
	}
	grown := false
	for origin := range p.shaken {
		grown = grown || !p.flagged[origin]
		p.flagged[origin] = true
	}
	for origin := range p.mixed {
		grown = grown || !p.allReaders[origin]
		p.allReaders[origin] = true
	}
	for origin := range p.cameBack {
		grown = grown || !p.allLate[origin]
		p.allLate[origin] = true
	}
	if !grown {
		return nil
	}
	for i := range t.Files {
		for row, err := range t.Edits(ctx, i) {
			if err != nil {
				return err
			}
			p.readers(row)
			p.late(row)
			if row.Fix.Action == Replace {
				p.sample(row)
			}
		}
	}
	for n := range t.Also {
		for row, err := range t.AlsoRows(ctx, n) {
			if err != nil {
				return err
			}
			p.also(&row)
		}
	}
	return nil
}

// Failed reports whether an address that is written did not pass the proof: Evaluate
// keeps its entries now, as that answer is remembered. Call it after Prove.
func (t *Result) Failed() bool { return t.proving.failed }

// ProofRequests returns what is still to be asked before the corrected sitemaps are proved: a
// second answer from 20 written addresses of each host, and from all of a host where one of those
// answered otherwise; and what both addresses of some edits of each kind answer to other
// readers, or of all of a host where one of these varies; and of a host that ended with what would be
// taken out, pages that were fine before, and then some of that ending. Ask them, call Prove, and repeat until there are
// none; where the proof Failed, tell the audit again first. It returns an error only where the
// source of the audit does.
func (t *Result) ProofRequests() ([]Request, error) {
	var rs []Request
	for w := range t.proving.writes.all() {
		if _, ok := t.proving.t.src.Hop(w.proof); !ok {
			rs = append(rs, w.proof)
		}
	}
	listed := map[Request]bool{} // many may be replaced by one
	for _, readings := range []*sampled[readKind, reading]{&t.proving.reads, &t.proving.retried} {
		for x := range readings.all() {
			for _, r := range x.requests {
				if _, ok := t.proving.t.src.Hop(r); !ok && !listed[r] {
					rs, listed[r] = append(rs, r), true
				}
			}
		}
	}
	return append(rs, t.proving.lateRequests()...), t.proving.t.src.Err()
}

package audit

import (
	"slices"

	"sitemend/crawler/address"
)

// An outcome is what Judge decided of an entry, apart from what its trail shows. Of entries that
// are not plain few differ: the survey notes which one each has, and the walks after it follow the
// trail and judge nothing again.
type outcome struct {
	decision
	reasons []address.Reason
	notes   []Note
}

// A decision is the part of an outcome that can be compared as a whole.
type decision struct {
	end          End // of the trail, with the status and the steps to it
	status       int
	steps        int
	verdict      Verdict
	fix          Fix  // without Loc
	writes       bool // Fix.Loc is the end of the trail
	shaken       string
	caught       bool
	onlyPassword bool
	withheld     bool
	gone         Why
	veiled       bool
	turned       bool
	unsure       Fault
}

// mostOutcomes is how many outcomes are kept. Entries with another one are judged in each walk.
const mostOutcomes = 40

// outcomes are those of the entries of an audit.
type outcomes struct {
	list []outcome
	of   []uint8 // by Entry.N: the place in list, from 1; 0 for none that is kept
}

// see notes the outcome of a row of Judge, of an audit of size entries. Not kept is that of a row
// that says more than its trail and an outcome: of a canonical, a second spelling, a panic, what no
// trail was followed of.
func (o *outcomes) see(r *Row, size int) {
	if len(r.Trail.Steps) == 0 || len(r.Needs) > 0 || r.Entry.Also != nil || r.Other != nil ||
		r.Syntax != "" || r.broken != "" || !r.named.IsZero() || !r.former.IsZero() {
		return
	}
	d := decision{end: r.Trail.End, status: r.Status, steps: len(r.Trail.Steps),
		verdict: r.Verdict, fix: r.Fix, writes: r.Fix.Loc != "", shaken: r.shaken,
		caught: r.caught, onlyPassword: r.onlyPassword, withheld: r.withheld,
		gone: r.gone, veiled: r.veiled, turned: r.turned, unsure: r.unsure}
	if d.fix.Loc = ""; d.writes && r.Fix.Loc != r.Final.String() {
		return
	}
	n := slices.IndexFunc(o.list, func(x outcome) bool {
		return x.decision == d && slices.Equal(x.reasons, r.Reasons) && slices.Equal(x.notes, r.Notes)
	})
	if n < 0 {
		if n = len(o.list); n == mostOutcomes {
			return
		}
		o.list = append(o.list, outcome{d, slices.Clip(slices.Clone(r.Reasons)),
			slices.Clip(slices.Clone(r.Notes))})
	}
	if o.of == nil {
		o.of = make([]uint8, size)
	}
	if r.Entry.N < len(o.of) {
		o.of[r.Entry.N] = uint8(n + 1)
	}
}

// judge makes row what Judge made it in the survey. It reports false where that was not kept, or
// the trail is another one by now: what is remembered may grow between two walks.
func (o *outcomes) judge(row *Row, mem Answers, e Entry, rules *Rules) bool {
	if e.N >= len(o.of) || o.of[e.N] == 0 {
		return false
	}
	row.trace(mem, e, rules)
	row.reach()
	x := &o.list[o.of[e.N]-1]
	if row.Trail.End != x.end || row.Status != x.status || len(row.Trail.Steps) != x.steps {
		return false
	}
	row.Verdict, row.Reasons, row.Notes, row.Fix = x.verdict, x.reasons, x.notes, x.fix
	if x.writes {
		row.Fix.Loc = row.Final.String()
	}
	row.shaken, row.caught, row.onlyPassword, row.withheld = x.shaken, x.caught, x.onlyPassword, x.withheld
	row.gone, row.veiled, row.turned, row.unsure = x.gone, x.veiled, x.turned, x.unsure
	return true
}

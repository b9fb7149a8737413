package audit

import "sitemend/crawler/internal/sketch"

// An Edited is what becomes of a URL for the links that name it; the zero one stays.
type Edited struct {
	Action  Action
	Loc     string // what is written in its place
	Verdict Verdict
	Also    bool // no sitemap lists it
}

// Edited returns what a final row makes of its URL.
func (r *Row) Edited() Edited {
	if r.Fix.Action == Keep || r.Fix.Loc == r.Address.String() {
		return Edited{}
	}
	return Edited{r.Fix.Action, r.Fix.Loc, r.Verdict, r.Entry.Also != nil}
}

// linkEdits knows what becomes of the addresses that links may name: see takes each final row, in any
// order.
type linkEdits struct {
	wanted bool // a file has links
	edits  bool // an address is edited that links may name
	action func(Verdict) (Action, string)
	at     map[uint64]Edited // by the hash of an edited address; the zero Edited if another entry with it stays
}

// mostLinked bounds the addresses that are known to be edited; links to others stay as they are.
const mostLinked = 1_000_000

func (x *linkEdits) see(r *Row) {
	if !x.wanted || r.Address.IsZero() {
		return
	}
	is := r.Edited()
	if wrong, _ := x.action(r.Verdict); is == (Edited{}) && (r.Entry.Also != nil || wrong == Keep) {
		return
	}
	hash := sketch.Hash(r.Address.String())
	had, known := x.at[hash]
	if !known && len(x.at) < mostLinked || known && had != (Edited{}) { // links follow where no entry with the address stays
		x.at[hash], x.edits = is, x.edits || is != (Edited{})
	}
}

package audit

import (
	"slices"
	"strconv"

	"sitemend/crawler/address"
)

// kindOf returns what is to be said of a row, whatever address it has; ok is false for rows without
// a cause: those that are fine, are to be left as they are, or were not asked.
func kindOf(r *Row) (k causeKind, ok bool) {
	group := r.Group()
	if group == Fine || group == LeftOut {
		return k, false
	}
	return causeKind{r.Verdict, group, r.StoppedBy(), r.trait(), r.label()}, true
}

// A Trait is what sets rows of one verdict apart, whatever rule they follow.
type Trait string

// The traits, the strongest first.
const (
	// Repeated: what would be written is listed already, so the entry is removed.
	Repeated Trait = "repeated"
	// Chained: longChain redirects or more stand on the way to a page.
	Chained Trait = "chained"
	// ToMissing: the entry redirects to a page that is not found, so the target may be mistyped.
	ToMissing Trait = "to-missing"
)

// longChain is how many redirects on the way to a page make a cause of their own.
const longChain = 3

// trait returns the trait of a row.
func (r *Row) trait() Trait {
	stop := r.StoppedBy()
	switch {
	case r.Fix.Action == Merge:
		return Repeated
	case r.Verdict == NotFound && r.Trail.Redirects() > 0 && (stop == "" || stop == Braked): // else that is what is to be said of it
		return ToMissing
	case r.Verdict.Facts().Leads == LeadAway && r.Trail.Redirects() >= longChain:
		return Chained
	}
	return ""
}

// target is the address that a row's finding leads to from the listed one; zero
// where it leads nowhere.
func (r *Row) target() (to address.Address) {
	if r.Verdict.Facts().Leads == LeadAway {
		to = r.Final
	}
	switch r.Verdict {
	case Soft404:
		to = r.Final
	case Noncanonical:
		if to = r.named; to.IsZero() && r.Fix.Loc != "" {
			to = address.Wire(r.Fix.Loc)
		}
	case SpellingBounce, SpellingConflict:
		if r.Other != nil && len(r.Other.Steps) > 0 {
			to = address.Wire(r.Other.Steps[0].Hop.URL)
		}
	case Loop:
		if len(r.Trail.Steps) > 0 {
			return r.Trail.Steps[0].Next
		}
	}
	if to == r.Address {
		return address.Address{}
	}
	return to
}

// label is what a finding's verdict leaves open: the status of an answer that is no
// page, why nothing was seen, the line of robots.txt that forbids. 404 and 410 say the
// same of a page.
func (r *Row) label() string {
	switch r.Verdict {
	case Error:
		if r.Status != 0 {
			return strconv.Itoa(r.Status)
		}
	case Unverified:
		return r.unseenBy()
	case Disallowed:
		return r.Trail.Last().Hop.Forbidden
	}
	return ""
}

// firstRule is the first rule of a build that answered on the way; zero for none.
func (t *Trail) firstRule() RuleAt {
	for i := range t.Steps {
		if at := t.Steps[i].Hop.Rule; at != (RuleAt{}) {
			return at
		}
	}
	return RuleAt{}
}

// otherAnswers are the statuses of the second spelling's trail; nil for none.
func (r *Row) otherAnswers() (out []int) {
	if r.Other == nil {
		return nil
	}
	for i := range r.Other.Steps {
		out = append(out, r.Other.Steps[i].Hop.Status)
	}
	return out
}

// decidingStatus is the status that says most of what is wrong: of what leads on the first that
// does (of a temporary redirect the first that is not permanent), else the last; 0 for
// none.
func (r *Row) decidingStatus() int {
	for i := range r.Trail.Steps {
		s := &r.Trail.Steps[i]
		if s.Kind == ByHTTP && (r.Verdict != Temporary || !s.Permanent) && r.Verdict != NotFound && r.Verdict != Error && r.Verdict != Unverified {
			return s.Hop.Status
		}
	}
	return r.Status
}

// exampleEnd is where an example is shown to lead, "" for nowhere.
func (r *Row) exampleEnd() string {
	switch r.Verdict {
	case SpellingBounce, SpellingConflict, Loop:
		return r.target().String()
	}
	if r.Fix.Loc != "" {
		return r.Fix.Loc
	}
	if to := r.target(); !to.IsZero() {
		return to.String()
	}
	return r.Final.String()
}

// rank is the place of a group's lane.
func rank(g Group) int { return slices.Index(Lanes(), g.Lane()) }

package audit

import (
	"cmp"
	"fmt"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/pattern"
)

// causeKey is what the rows of a cause have in common.
type causeKey struct {
	verdict Verdict
	group   Group
	stop    Note
	trait   Trait
	label   string
	rule    uint64
	place   pattern.Place
	folder  string // of siblings, which differ in nothing but where they lead: their source
	by      RuleAt // the rule of a build that answered; then no pattern is looked for
}

// A Trait is what sets rows of one verdict apart, whatever rule they follow.
type Trait string

// The traits, the strongest first.
const (
	// Repeated: what would be written is listed today, so the entry is removed. One whose address
	// is written for another entry has the cause of that one.
	Repeated Trait = "repeated"
	// MixedSignals: the page says noindex and names another page as canonical.
	MixedSignals Trait = "mixed-signals"
	// PasswordField: nothing but a field for a password says that the entry leads to a login.
	PasswordField Trait = "password-field"
	// Chained: LongChain redirects or more stand on the way to a page.
	Chained Trait = "chained"
	// Contrary: the entry redirects to a page that names the entry as its canonical.
	Contrary Trait = "contrary"
	// ToMissing: the entry redirects to a page that is not found, so the target may be mistyped.
	ToMissing Trait = "to-missing"
)

// LongChain is how many redirects on the way to a page make a cause of their own.
const LongChain = 3

// trait returns the trait of a row.
func (r *Row) trait() Trait {
	if r.Fix.Action == Merge && !r.Fix.Joined {
		return Repeated
	}
	// Where something else than the brake keeps the entry, that is what is to be said of it.
	stop, trait := r.StoppedBy(), r.seen()
	if stop == Gate && r.Fix.Why.Key == whyPassword {
		return PasswordField
	}
	if trait == ToMissing && stop != "" && stop != Braked {
		return ""
	}
	return trait
}

// seen is the trait of a row whatever is made of it: never Repeated.
func (r *Row) seen() Trait {
	switch r.Verdict {
	case Noindex:
		page := &r.Trail.last().Hop.Page
		if c := canonical(r.Address, page); !c.IsZero() && c != r.Address {
			return MixedSignals
		}
	case NotFound:
		if r.Trail.Redirects() > 0 {
			return ToMissing
		}
	}
	switch {
	case r.Verdict.Facts().Leads != LeadAway: // no redirects that lead to a page
	case r.Has(TargetNoncanonical) && r.namesBack():
		return Contrary
	case r.Trail.Redirects() >= LongChain:
		return Chained
	}
	return ""
}

// namesBack reports whether the page that the entry leads to names the entry as its
// canonical.
func (r *Row) namesBack() bool {
	return canonical(r.Final, &r.Trail.last().Hop.Page) == r.Address
}

// rest is the key under which findings count that no rule explains.
func (k causeKey) rest() causeKey { k.rule, k.place = 0, ""; return k }

// leftover reports whether the key says what is wrong and not where: findings of it that have no
// address in common have nothing else in common either. A line of robots.txt says where.
func (k causeKey) leftover() bool {
	return k.rule == 0 && k.place == "" && k.folder == "" && k.by == RuleAt{} && (k.verdict != Disallowed || k.label == "")
}

// wide is the key under which findings count that have no place of their own.
func (k causeKey) wide() causeKey { return causeKey{verdict: k.verdict, group: k.group} }

// key returns the key of a row's cause, with the rule it follows and where the row leads;
// ok is false for rows without one: those that are fine, are to be left as they are, or
// were not asked.
func (c *Causes) key(r *Row) (k causeKey, rule *pattern.Rule, to address.Address, ok bool) {
	group := r.Group()
	if group == Fine || group == LeftOut || group == Settled {
		return k, nil, to, false
	}
	c.end()
	k = causeKey{verdict: r.Verdict, group: group, stop: r.StoppedBy(), label: r.label()}
	to = r.target()
	k.trait = r.trait()
	if k.by = c.ruled.of(r); k.by != (RuleAt{}) {
		return k, nil, to, true
	}
	if k.label == string(FaultAbandoned) { // wherever they are: all of the host was not tried
		return k, nil, to, true
	}
	if !to.IsZero() {
		if rule, k.rule = c.rules.Explain(r.Address, to, r.Reasons); rule == nil {
			k.place = c.ways.At(r.Address, to)
		}
	} else if r.Verdict != Disallowed || k.label == "" { // a line of robots.txt says where
		k.place = c.places.At(r.Address, finding{r.Verdict, k.label})
	}
	return k, rule, to, true
}

// keyText writes what Cause.Key is.
func keyText(k causeKey, w *pattern.Rule) string {
	rule := string(k.place)
	switch {
	case k.folder != "":
		rule = "many " + k.folder
	case w != nil:
		rule = w.Key()
	}
	text := []string{string(k.verdict), string(k.group), string(k.stop), k.label, rule}
	if k.trait != "" {
		text = append(text, string(k.trait))
	}
	if k.by != (RuleAt{}) {
		text = append(text, fmt.Sprintf("%s:%d", k.by.File, k.by.Line))
	}
	return strings.Join(text, "|")
}

// termsOf says what the rows of a cause have in common.
func termsOf(k causeKey, w *pattern.Rule, lead *pattern.Prefix) (ts []pattern.Term) {
	if k.label != "" {
		name := map[Verdict]string{Unverified: "unseen", Disallowed: "robots"}[k.verdict]
		ts = append(ts, pattern.Term{Name: cmp.Or(name, "status"), From: k.label})
	}
	place := string(k.place)
	if k.folder != "" {
		place = k.folder
	}
	if place != "" {
		ts = append(ts, pattern.Term{Name: "place", From: place})
	}
	if w != nil {
		ts = append(ts, w.Terms(lead)...)
	}
	return ts
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
			return fmt.Sprint(r.Status)
		}
	case Unverified:
		return r.unseenBy()
	case Disallowed:
		return r.Trail.Last().Hop.Forbidden
	}
	return ""
}

package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// Hops is the note of a trail with n redirects, "hops-3".
func Hops(n int) Note { return Note(fmt.Sprintf("hops-%d", n)) }

// DefaultAction is what is done with an entry of verdict v where --fix says
// nothing else.
func DefaultAction(v Verdict) Action {
	switch v {
	case Invalid, NotFound, Noindex:
		return Drop
	case Respelled, Moved, Noncanonical:
		return Replace
	}
	return Keep
}

// Replaceable tells whether entries of verdict v have an address that could be
// written in their place.
func Replaceable(v Verdict) bool {
	switch v {
	case Offsite, Homepage, Temporary, Respelled, Moved, Noncanonical:
		return true
	}
	return false
}

// Liftable tells whether n is a rule of what may be written, which
// --fix NOTE=replace switches off.
func Liftable(n Note) bool {
	_, ok := stopped[n]
	return ok
}

// LiftableNotes returns the rules of what may be written, sorted.
func LiftableNotes() []Note { return slices.Sorted(maps.Keys(stopped)) }

// action says what is done with verdict v, and which --fix item decided.
func (r *Rules) action(v Verdict) (Action, string) {
	if a, ok := r.Fix[v]; ok {
		return a, string(v) + "=" + string(a)
	}
	if r.KeepAll {
		return Keep, "all=keep"
	}
	return DefaultAction(v), "default"
}

func (j *judging) fix() {
	r := j.row
	action, policy := j.rules.action(r.Verdict)
	switch {
	case action == Drop && r.Entry.Bound:
		r.Fix = Fix{Action: Keep, Policy: policy, Why: whyBound}
	case action == Drop:
		r.Fix = Fix{Action: Drop, Policy: policy, Why: whyDropped[r.Verdict]}
		if r.Fix.Why == "" {
			r.Fix.Why = whyDroppedAsTold
		}
	case action == Replace && Replaceable(r.Verdict):
		j.replace(policy)
	default:
		r.Fix = Fix{Action: Keep, Policy: policy, Why: whyKept[r.Verdict]}
		if r.Verdict == Unverified {
			r.Fix.Why = r.whyNotSeen()
		}
	}
}

// replace writes the end of the trail, or the canonical, in place of the entry,
// unless a rule of what may be written stops it.
func (j *judging) replace(policy string) {
	r := j.row
	target, why := r.Final, whyReplaced[r.Verdict]
	if r.Verdict == Noncanonical {
		target = r.named
	}
	stops := j.stops(target)
	if len(j.row.Needs) > 0 {
		return
	}
	lifted := ""
	for _, n := range stops {
		if j.rules.Lift[n] {
			lifted = string(n) + "=replace"
			continue
		}
		r.note(n)
		if r.Fix.Action == "" {
			r.Fix = Fix{Action: Keep, Policy: policy, Why: stopped[n]}
		}
	}
	if r.Fix.Action == Keep {
		return
	}
	if lifted != "" {
		policy = lifted
	}
	r.Fix = Fix{Action: Replace, Loc: target.String(), Policy: policy, Why: why}
	if other, seen := j.otherSpelling(target); seen {
		switch spelled(&other, target) {
		case secondBounces:
			r.note(Bounces)
		case secondHidden:
			r.note(SecondUnseen)
		}
	}
}

// stops returns the rules that forbid writing target in place of the entry, the
// most telling first.
func (j *judging) stops(target address.Address) []Note {
	var ns []Note
	if !target.SameSite(j.row.Address) {
		ns = append(ns, TargetOffsite)
		if !j.rules.Lift[TargetOffsite] {
			return ns // it will not be written: no reason to ask it
		}
	}
	ns = append(ns, j.targetStops(target)...)
	if holdsListed(target, j.row.Address) {
		ns = append(ns, Gate)
	}
	if addsSession(target, j.row.Address) {
		ns = append(ns, Session)
	}
	if onlyLocale(target, j.row.Address) {
		ns = append(ns, Locale)
	}
	if isHome(target) && j.swallowed() {
		ns = append(ns, Collapsed)
	}
	slices.Sort(ns)
	return slices.Compact(ns)
}

// swallowed tells whether a home page as the target looks like the fault of a
// template or a catch-all rule: everybody's canonical is the root, or every
// "/?p=1" is redirected to "/". One page is never in place of all.
func (j *judging) swallowed() bool {
	return j.row.has(address.Query) || j.row.Verdict == Noncanonical && j.row.has(address.Path)
}

// targetStops asks what target itself answers.
func (j *judging) targetStops(target address.Address) []Note {
	req := Request{URL: target.String()}
	hop, ok := j.mem.Hop(req)
	if !ok {
		j.need(req)
		return nil
	}
	step := Step{Hop: hop}
	end := step.lead(target)
	page := &step.Hop.Page
	switch {
	case end == EndForbidden || hop.Forbidden != "":
		return []Note{TargetDisallowed}
	case end != EndAnswer || !answers200(hop.Status):
		return []Note{TargetNot200}
	}
	var ns []Note
	if noindex(page.Robots) {
		ns = append(ns, TargetNoindex)
	}
	if c := canonical(target, page); !c.IsZero() && c != target {
		ns = append(ns, TargetNoncanonical)
	}
	if page.Password {
		ns = append(ns, Gate)
	}
	if soft, _ := j.soft404(target, page); soft {
		ns = append(ns, TargetSoft404)
	}
	return ns
}

// addsSession tells whether target has a session or campaign parameter that the
// listed address has not.
func addsSession(target, listed address.Address) bool {
	had := sessionNames(listed)
	for _, n := range sessionNames(target) {
		if !slices.Contains(had, n) {
			return true
		}
	}
	return false
}

func sessionNames(a address.Address) []string {
	var names []string
	for _, f := range parameters(a) {
		name, _, _ := strings.Cut(strings.ToLower(f), "=")
		if isSession(name) {
			names = append(names, name)
		}
	}
	return names
}

func isSession(name string) bool {
	switch name {
	case "jsessionid", "phpsessid", "sid", "cfid", "cftoken", "gclid", "fbclid":
		return true
	}
	return strings.HasPrefix(name, "aspsessionid") || strings.HasPrefix(name, "utm_")
}

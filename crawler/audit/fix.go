package audit

import (
	"fmt"
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
	r := &j.row
	action, policy := j.rules.action(r.Verdict)
	switch {
	case action == Drop:
		r.Fix = Fix{Action: Drop, Policy: policy, Why: whyDropped[r.Verdict]}
		if r.Fix.Why == "" {
			r.Fix.Why = "taken out as --fix says"
		}
	case action == Replace && Replaceable(r.Verdict):
		j.replace(policy)
	default:
		r.Fix = Fix{Action: Keep, Policy: policy, Why: whyKept[r.Verdict]}
	}
}

// replace writes the end of the trail, or the canonical, in place of the entry,
// unless a rule of what may be written stops it.
func (j *judging) replace(policy string) {
	r := &j.row
	target, why := r.Final, whyReplaced[r.Verdict]
	if r.Verdict == Noncanonical {
		target = j.canonical
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
	if other, seen := j.otherSpelling(target); seen && spelled(&other, target) == secondBounces {
		r.note(Bounces)
	}
}

// stops returns the rules that forbid writing target in place of the entry, the
// most telling first.
func (j *judging) stops(target address.Address) []Note {
	var ns []Note
	if target.Site() != j.row.Address.Site() {
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
	if j.row.Verdict == Noncanonical && isHome(target) && j.row.has(address.Path) {
		// Templates that name the root as everybody's canonical are a common
		// fault; one page is never in place of all.
		ns = append(ns, Collapsed)
	}
	slices.Sort(ns)
	return slices.Compact(ns)
}

// targetStops asks what target itself answers.
func (j *judging) targetStops(target address.Address) []Note {
	req := Request{URL: target.String()}
	hop, ok := j.mem.Hop(req)
	if !ok {
		j.need(req)
		return nil
	}
	step, end := lead(target, hop)
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

// holdsListed tells whether a parameter of target holds the listed address or
// its path, as pages do that stand before the page ("/login?next=/account").
func holdsListed(target, listed address.Address) bool {
	query, _ := target.Query()
	old, _ := listed.Query()
	path := unescape(listed.Path())
	whole := unescape(listed.String())
	for param := range strings.SplitSeq(query, "&") {
		if param == "" || slices.Contains(strings.Split(old, "&"), param) {
			continue
		}
		_, value, _ := strings.Cut(param, "=")
		value = unescape(value)
		for range 2 { // a value that was escaped once more on the way counts too
			if strings.Contains(value, whole) || len(path) > 1 && strings.Contains(value, path) || value == "/" {
				return true
			}
			value = unescape(value)
		}
	}
	return false
}

// unescape resolves the escapes of s once, for looking only.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			hi, lo := unhex(s[i+1]), unhex(s[i+2])
			if hi >= 0 && lo >= 0 {
				b.WriteByte(byte(hi<<4 | lo))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
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
	query, _ := a.Query()
	fields := strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' })
	if _, params, ok := strings.Cut(a.Path(), ";"); ok {
		fields = append(fields, strings.FieldsFunc(params, func(r rune) bool { return r == ';' || r == '/' })...)
	}
	for _, f := range fields {
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

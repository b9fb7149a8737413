// Package prove checks whether written rules do what they should: it requests each source as
// written and in other spellings, and each target, from a server or a model.
package prove

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/probe"
	"sitemend/crawler/rules"
	"sitemend/crawler/rules/write"
)

// An Answer is the answer to a request for a target.
type Answer struct {
	Status   int
	Location string // as received; "" for none
	Loops    bool   // the redirects are known to end in a loop
	Unseen   string // why there was no answer, "" where there was one
}

// redirects reports whether the answer is a redirect.
func (a *Answer) redirects() bool { return a.Status/100 == 3 && a.Status != 304 }

// Ask requests a target of a host.
type Ask func(ctx context.Context, host, target string) (Answer, error)

// A Failure is a rule that does not hold.
type Failure struct {
	Pair  write.Pair
	Line  int    // line of the written rules, from 1; 0 where they are not text
	Asked string // the spelling, or the target, that was requested
	What  string // the answer, in words
}

// A Proof is the result of a check.
type Proof struct {
	Rules, Held int
	Asked       int // requests
	Spellings   int // the largest number of spellings requested of a source
	Failures    []Failure
}

// prover is the state of one proof.
type prover struct {
	ctx     context.Context
	plan    *write.Plan
	ask     Ask
	host    string
	alone   bool
	ends    map[string][]string // targets by source, and by the common form of the spellings of sources
	targets map[string]string   // what refutes the target of a rule, by its request
	proof   Proof
}

// Rules requests every source and target of a plan. A rule holds where its source answers with one
// redirect, with the plan's status, to exactly its target; where each other spelling of the source
// redirects there as well, or nowhere; and where its target does not redirect. An error of
// ask ends the proof. alone is set where only the rules redirect: on a server or a model that has
// nothing else. Otherwise a spelling may be answered by something else as long as it does not loop.
func Rules(ctx context.Context, p *write.Plan, ask Ask, alone bool) (Proof, error) {
	v := &prover{ctx: ctx, plan: p, ask: ask, host: cmp.Or(p.Host, "rules.invalid"), alone: alone, ends: map[string][]string{}, targets: map[string]string{}}
	v.proof.Rules = len(p.Pairs)
	for _, x := range p.Pairs {
		v.ends[x.Source] = []string{x.Target}
		form := commonForm(x.Source)
		v.ends[form] = append(v.ends[form], x.Target)
	}
	for i, x := range p.Pairs {
		asked, what, err := v.rule(x)
		switch {
		case err != nil:
			return v.proof, err
		case what == "":
			v.proof.Held++
		default:
			v.proof.Failures = append(v.proof.Failures, Failure{Pair: x, Line: p.Line(i), Asked: asked, What: what})
		}
	}
	return v.proof, nil
}

// get requests a target. A Location on the host of rules without a host is its path.
func (v *prover) get(target string) (Answer, error) {
	v.proof.Asked++
	a, err := v.ask(v.ctx, v.host, target)
	if _, rest, _ := strings.Cut(a.Location, "://"); v.plan.Host == "" && strings.HasPrefix(rest, v.host+"/") {
		a.Location = rest[len(v.host):]
	}
	return a, err
}

// rule checks one rule. what is "" where it holds.
func (v *prover) rule(x write.Pair) (asked, what string, err error) {
	a, err := v.get(x.Source)
	switch {
	case err != nil:
	case a.Unseen != "":
		what = a.Unseen
	case !a.redirects():
		what = fmt.Sprintf("answers %d", a.Status)
	case !v.plan.SameEnd(a.Location, x.Target):
		what = "leads to " + a.Location
	case a.Status != v.plan.Status:
		what = fmt.Sprintf("answers %d, not %d", a.Status, v.plan.Status)
	}
	if what != "" || err != nil {
		return x.Source, what, err
	}
	if what, err = v.target(x.Target); what != "" || err != nil {
		return x.Target, what, err
	}
	others := probe.Spellings(address.Wire("http://" + v.host + x.Source))
	v.proof.Spellings = max(v.proof.Spellings, 1+len(others))
	for _, s := range others {
		if what, err = v.spelling(x, s.URL.Target()); what != "" || err != nil {
			return s.URL.Target(), what, err
		}
	}
	return "", "", nil
}

// target checks whether the target of a rule answers without a redirect. Each target is requested
// once.
func (v *prover) target(of string) (what string, err error) {
	own, ok := v.plan.Own(of)
	if !ok {
		return "", nil
	}
	what, known := v.targets[own]
	if !known {
		a, err := v.get(own)
		switch {
		case err != nil:
			return "", err
		case a.Unseen != "":
			what = "the target: " + a.Unseen
		case a.redirects():
			what = "the target is redirected to " + a.Location
		}
		v.targets[own] = what
	}
	return what, nil
}

// spelling checks another spelling of a source. Where two sources are spellings of one address, a
// third spelling belongs to either of them.
func (v *prover) spelling(x write.Pair, target string) (what string, err error) {
	if v.ends[target] != nil {
		return "", nil // it has a rule of its own
	}
	a, err := v.get(target)
	if err != nil || a.Unseen != "" {
		return "", err
	}
	own, isOwn := v.plan.Own(a.Location)
	switch {
	case a.Loops || a.redirects() && isOwn && own == target:
		return "leads to itself", nil
	case !a.redirects() || isOwn && own == x.Source || !v.alone || v.plan.SameEnd(a.Location, x.Target) || v.leads(commonForm(target), a.Location):
		return "", nil
	}
	return "leads to " + a.Location, nil
}

// leads reports whether location is one of the ends of a form.
func (v *prover) leads(form, location string) bool {
	return slices.ContainsFunc(v.ends[form], func(end string) bool { return v.plan.SameEnd(location, end) })
}

// commonForm returns the common form of the spellings of a target: without differences in letter
// case, escapes and the slash at the end of the path. It is no target itself.
func commonForm(target string) string {
	path, query, _ := strings.Cut(target, "?")
	path, _ = rules.DecodePath(path)
	query, _ = rules.DecodePath(query)
	return " " + strings.ToLower(strings.TrimSuffix(path, "/")+"?"+query)
}

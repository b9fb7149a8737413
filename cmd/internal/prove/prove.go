// Package prove checks whether written rules do what they should: it requests each source as
// written and in other spellings, and each target, from a server or a model.
package prove

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/probe"
	"sitemend/crawler/rules/write"
)

// An Answer is the answer to a request for a target.
type Answer struct {
	Status   int
	Location string // as received; "" for none
	Loops    bool   // the redirects are known to end in a loop
	Unseen   string // why there was no answer, "" where there was one
}

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
	Unseen      int // rules that could not be checked, because source or target gave no answer that counts
	Asked       int // requests
	Spellings   int // the largest number of spellings requested of a source
	Failures    []Failure
}

// Options are the conditions of a proof besides the plan.
type Options struct {
	// Alone is set where only the rules redirect: on a server or a model that has nothing else.
	// Otherwise a spelling may be answered by something else as long as it does not loop.
	Alone bool
}

// anyHost is the host of requests where the rules name none.
const anyHost = "rules.invalid"

// prover is the state of one proof.
type prover struct {
	plan    *write.Plan
	ask     Ask
	host    string
	o       Options
	sources map[string]string // source -> target
	targets map[string]target // by the request for a target on the plan's own host
	proof   Proof
}

// Rules requests every source and target of a plan. A rule holds where its source answers with one
// redirect, with the plan's status, to exactly its target; where each other spelling of the source
// redirects there as well, or nowhere; and where its target does not redirect. An error of ask ends
// the proof.
func Rules(ctx context.Context, p *write.Plan, ask Ask, o Options) (Proof, error) {
	v := &prover{plan: p, ask: ask, host: cmp.Or(p.Host, anyHost), o: o, sources: map[string]string{}, targets: map[string]target{}}
	for _, x := range p.Pairs {
		v.sources[x.Source] = x.Target
	}
	v.proof.Rules = len(p.Pairs)
	for i, x := range p.Pairs {
		asked, what, err := v.rule(ctx, x)
		if err != nil {
			return v.proof, err
		}
		if what == "" {
			v.proof.Held++
			continue
		}
		v.proof.Failures = append(v.proof.Failures, Failure{Pair: x, Line: p.Line(i), Asked: asked, What: what})
	}
	return v.proof, nil
}

func (v *prover) get(ctx context.Context, target string) (Answer, error) {
	v.proof.Asked++
	a, err := v.ask(ctx, v.host, target)
	for _, scheme := range []string{"http://", "https://"} {
		if rest, own := strings.CutPrefix(a.Location, scheme+v.host); own && v.plan.Host == "" &&
			strings.HasPrefix(rest, "/") {
			a.Location = rest
		}
	}
	return a, err
}

// rule checks one rule. what is "" where it holds.
func (v *prover) rule(ctx context.Context, x write.Pair) (asked, what string, err error) {
	a, err := v.get(ctx, x.Source)
	if err != nil {
		return "", "", err
	}
	switch {
	case a.Unseen != "":
		v.proof.Unseen++
		return x.Source, a.Unseen, nil
	case !redirects(a.Status):
		return x.Source, fmt.Sprintf("answers %d", a.Status), nil
	case !v.plan.SameEnd(a.Location, x.Target):
		return x.Source, "leads to " + a.Location, nil
	case a.Status != v.plan.Status:
		return x.Source, fmt.Sprintf("answers %d, not %d", a.Status, v.plan.Status), nil
	}
	to, err := v.target(ctx, x.Target)
	if to.unseen {
		v.proof.Unseen++
	}
	if to.what != "" || err != nil {
		return x.Target, to.what, err
	}
	others := probe.Spellings(address.Wire("http://" + v.host + x.Source))
	v.proof.Spellings = max(v.proof.Spellings, 1+len(others))
	for _, s := range others {
		if what, err = v.spelling(ctx, x, s.Target()); what != "" || err != nil {
			return s.Target(), what, err
		}
	}
	return "", "", nil
}

// A target is the check of a rule's target.
type target struct {
	what   string // why it does not hold, "" where it does
	unseen bool   // there was no answer
}

// target checks whether the target of a rule answers without a redirect. Each target is requested
// once.
func (v *prover) target(ctx context.Context, of string) (found target, err error) {
	own, ok := v.plan.Own(of)
	if !ok {
		return target{}, nil
	}
	if known, ok := v.targets[own]; ok {
		return known, nil
	}
	a, err := v.get(ctx, own)
	switch {
	case err != nil:
		return target{}, err
	case a.Unseen != "":
		found = target{"the target: " + a.Unseen, true}
	case redirects(a.Status):
		found.what = "the target is redirected to " + a.Location
	}
	v.targets[own] = found
	return found, nil
}

// spelling checks another spelling of a source.
func (v *prover) spelling(ctx context.Context, x write.Pair, target string) (what string, err error) {
	if _, other := v.sources[target]; other {
		return "", nil // it has a rule of its own
	}
	a, err := v.get(ctx, target)
	if err != nil || a.Unseen != "" {
		return "", err
	}
	own, isOwn := v.plan.Own(a.Location)
	switch {
	case a.Loops || redirects(a.Status) && isOwn && own == target:
		return "leads to itself", nil
	case !redirects(a.Status) || v.plan.SameEnd(a.Location, x.Target) || isOwn && own == x.Source || !v.o.Alone:
		return "", nil
	}
	return "leads to " + a.Location, nil
}

func redirects(status int) bool { return status >= 300 && status < 400 && status != 304 }

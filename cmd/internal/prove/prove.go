// Package prove asks whether rules that were written do what they should: each source as
// written and in other spellings, and each target, of whoever answers.
package prove

import (
	"context"
	"fmt"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/probe"
	"sitemend/crawler/rules/write"
)

// An Answer is what was answered to a target.
type Answer struct {
	Status   int
	Location string // as received; "" for none
	Loops    bool   // it is known to lead back to itself in the end
	Unseen   string // why there was no answer, "" where there was one
}

// Ask asks for the target of a host.
type Ask func(ctx context.Context, host, target string) (Answer, error)

// A Failure is a rule that does not hold.
type Failure struct {
	Pair  write.Pair
	Line  int    // of the written rules, from 1; 0 where they are no text
	Asked string // the spelling, or the target, that was asked
	What  string // what came, in words
}

// A Proof says what was found.
type Proof struct {
	Rules, Held int
	Unseen      int // rules for whose source no answer came that counts
	Asked       int // requests
	Spellings   int // the most in which a source was asked
	Failures    []Failure
}

// anyHost is asked where the rules name none.
const anyHost = "rules.invalid"

// prover is the state of one proof.
type prover struct {
	plan    *write.Plan
	ask     Ask
	host    string
	strict  bool
	sources map[string]string // source -> target
	targets map[string]string // own target -> why it does not hold, "" where it does
	proof   Proof
}

// Rules asks for every source and target of a plan. A rule holds where its source answers
// with one redirect, of the plan's status, to exactly its target; where each other spelling
// of the source leads there as well, or nowhere; and where its target is not redirected.
// Where strict is false there may be other redirects beside the rules: a spelling that one of
// those answers is fine as long as it does not loop. An error of ask ends it.
func Rules(ctx context.Context, p *write.Plan, ask Ask, strict bool) (Proof, error) {
	v := &prover{
		plan:    p,
		ask:     ask,
		host:    p.Host,
		strict:  strict,
		sources: map[string]string{},
		targets: map[string]string{},
	}
	if v.host == "" {
		v.host = anyHost
	}
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
		v.proof.Failures = append(v.proof.Failures, Failure{x, p.Line(i), asked, what})
	}
	return v.proof, nil
}

func (v *prover) get(ctx context.Context, target string) (Answer, error) {
	v.proof.Asked++
	a, err := v.ask(ctx, v.host, target)
	for _, scheme := range []string{"http://", "https://"} {
		if rest, own := strings.CutPrefix(
			a.Location,
			scheme+v.host,
		); own && v.plan.Host == "" &&
			strings.HasPrefix(rest, "/") {
			a.Location = rest
		}
	}
	return a, err
}

// rule asks for one rule. what is "" where it holds.
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
	if what, err = v.target(ctx, x.Target); what != "" || err != nil {
		return x.Target, what, err
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

// target asks whether the target of a rule answers itself. Each is asked once.
func (v *prover) target(ctx context.Context, target string) (what string, err error) {
	own, ok := v.plan.Own(target)
	if !ok {
		return "", nil
	}
	if what, known := v.targets[own]; known {
		return what, nil
	}
	a, err := v.get(ctx, own)
	if err != nil {
		return "", err
	}
	if a.Unseen == "" && redirects(a.Status) {
		what = "the target is redirected to " + a.Location
	}
	v.targets[own] = what
	return what, nil
}

// spelling asks for another spelling of a source.
func (v *prover) spelling(
	ctx context.Context,
	x write.Pair,
	target string,
) (what string, err error) {
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
	case !redirects(a.Status) || v.plan.SameEnd(a.Location, x.Target) || isOwn && own == x.Source || !v.strict:
		return "", nil
	}
	return "leads to " + a.Location, nil
}

func redirects(status int) bool { return status >= 300 && status < 400 && status != 304 }

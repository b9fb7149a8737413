package job

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/expect"
)

// mapHint says what a map looks like.
const mapHint = "a map has a line for each pair, old,new, or a line of _redirects: /old /new 301"

// MapRules reads a map of old and new addresses: CSV, with or without a header, or lines of
// words as in a _redirects file. An address may be a path. name is for errors. An old
// address twice with two ends, and one that leads to itself, are errors with their line;
// what is to be gone (no new address, or status 410), old addresses with a * at their end and
// temporary redirects are left out; these are rules like the others with the item
// temporary=replace in fix, which is as Spec.Fix.
func MapRules(name string, from io.Reader, fix []string) (*Redirects, error) {
	var written audit.Rules
	if err := (&Spec{Fix: fix}).written(&written, 1); err != nil {
		return nil, err
	}
	temporary := written.Fix[audit.Temporary] == audit.Replace
	r := &Redirects{}
	lines := expect.NewReader(from)
	for {
		l, err := lines.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, cli.WithHint(fmt.Errorf("%s %w", name, err), mapHint)
		}
		x, err := mapLine(&l)
		if err != nil {
			return nil, cli.WithHint(fmt.Errorf("%s line %d: %w", name, l.N, err), mapHint)
		}
		if x.Why == RuleMap && l.Temporary && !temporary {
			x.Why = mapTemporary
		}
		r.Rules = append(r.Rules, x)
	}
	r.Passed, r.FirstPassed = lines.Passed()
	if len(r.Rules) == 0 {
		return nil, cli.WithHint(fmt.Errorf("%s has no pair", name), mapHint)
	}
	if line, err := r.twice(); err != nil {
		return nil, cli.WithHint(fmt.Errorf("%s line %d: %w", name, line, err), mapHint)
	}
	r.Rules = slices.DeleteFunc(r.Rules, func(x Redirect) bool {
		if x.Why == RuleMap {
			return false
		}
		r.Left = append(
			r.Left,
			Unruled{Host: x.Host, Source: x.Source, Target: x.Target, Note: x.Why.String()},
		)
		return true
	})
	r.unite()
	return r, nil
}

// twice sorts the lines of a map and returns the first that has an old address of a line
// before it and another new one.
func (r *Redirects) twice() (line int, err error) {
	slices.SortFunc(r.Rules, func(a, b Redirect) int {
		return cmp.Or(
			strings.Compare(a.Host, b.Host),
			strings.Compare(a.Source, b.Source),
			cmp.Compare(a.line, b.line),
		)
	})
	for i := 1; i < len(r.Rules); i++ {
		a, b := &r.Rules[i-1], &r.Rules[i]
		if a.Host == b.Host && a.Source == b.Source && a.Target != b.Target &&
			(line == 0 || int(b.line) < line) {
			line, err = int(b.line), fmt.Errorf("%s leads elsewhere in line %d", b.Source, a.line)
		}
	}
	return line, err
}

// mapLine reads one pair.
func mapLine(l *expect.Line) (x Redirect, err error) {
	from, host, err := mapAddress(l.Old)
	if err != nil {
		return x, err
	}
	x = Redirect{Host: host, Source: strings.Clone(from.Target()), Why: RuleMap, Entries: 1, line: int32(l.N),
		HTTP: host != "" && from.Scheme() == "http"}
	switch {
	case l.Wild:
		x.Source, x.Target, x.Why = x.Source+"*", l.New, mapPattern
		return x, nil
	case l.New == "":
		x.Why = mapGone
		return x, nil
	}
	if x.Target, err = mapTarget(from, host, l.New); err == nil && x.Target == x.Source {
		err = fmt.Errorf("%s leads to itself", l.Old)
	}
	return x, err
}

// anyHost stands for the host of a path.
const anyHost = "https://path.invalid"

// mapAddress reads an address, or a path of whatever host it is for.
func mapAddress(text string) (a address.Address, host string, err error) {
	if expect.IsPath(text) {
		a, err = address.Parse(anyHost + text)
		return a, "", err
	}
	a, err = address.Parse(text)
	return a, a.HostPort(), err
}

// mapTarget is what stands in a rule for where a line leads. A fragment stays.
func mapTarget(from address.Address, host, text string) (string, error) {
	text, fragment, has := strings.Cut(text, "#")
	to, toHost, err := mapAddress(text)
	if err != nil {
		return "", err
	}
	target := to.String()
	if toHost == "" || toHost == host && to.Origin() == from.Origin() {
		target = strings.Clone(to.Target())
	}
	if has {
		target += "#" + fragment
	}
	return target, nil
}

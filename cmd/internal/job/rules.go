package job

import (
	"cmp"
	"context"
	"io"
	"iter"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/expect"
	"sitemend/crawler/rules/write"
	"sitemend/storage"
)

// A RuleReason says in one word why there is to be a rule.
type RuleReason string

// The reasons.
const (
	RuleChain    RuleReason = "chain"    // two redirects or more become one
	RuleSpelling RuleReason = "spelling" // another spelling leads to the listed one, or to its end
	RuleRedirect RuleReason = "redirect" // one redirect today, where all were asked for
	RuleMap      RuleReason = "map"      // a line of the user's map
)

// A RuleCause is what is known of a rule beside its pair.
type RuleCause struct {
	Why     RuleReason
	HTTP    bool  // the source is one over http alone, as far as that is known
	Before  int32 // redirects today, 0 where that is not known
	Entries int32 // of the audit, that lead through the source; 1 in a map
}

// An Unruled is an address that redirects, or is to be gone, and gets no rule. Note is the rule of
// what may be written that its end does not pass, its verdict, or what a map says of it.
type Unruled struct {
	Host, Source, Target string
	Before               int
	Note                 string
}

// notePattern is the Note of a line of a map with a *: it is no address.
const notePattern = "pattern"

// Redirects are the rules that an audit or a map asks for.
type Redirects struct {
	// Pairs are the rules of each host, with a port where it is not that of the scheme; "" is the
	// host of a map of paths. Each source with one target stands there once, sorted; N is the
	// place in Causes. A target is path and query where it is of the same origin, else the
	// whole address.
	Pairs  map[string][]write.Pair
	Causes []RuleCause
	Left   []Unruled // by host and source

	// Passed is how many lines of a map say nothing of one old and one new address (rewrites,
	// placeholders, conditions, fragments), and so give no rule; FirstPassed is the first of them.
	Passed, FirstPassed int

	result *audit.Result // nil for a map
}

// MapRules reads a map of old and new addresses, which may be paths; name is for errors. What is to
// be gone, old addresses with a * at their end and temporary redirects get no rule.
func MapRules(name string, from io.Reader) (*Redirects, error) {
	m, err := readMap(name, from, anyHost)
	if err != nil {
		return nil, err
	}
	r := &Redirects{Passed: m.Passed, FirstPassed: m.FirstPassed}
	for l, err := range m.lines() {
		if err == nil {
			err = r.addLine(&l)
		}
		if err != nil {
			return nil, err
		}
	}
	r.unite()
	return r, nil
}

// addLine adds the rule of one line. A fragment of its target stays.
func (r *Redirects) addLine(l *expect.Line) error {
	p, err := l.Pair(anyHost)
	if err != nil {
		return err
	}
	host, source, target, note := p.Old.HostPort(), p.Old.Target(), "", ""
	if p.Old.Origin() == anyHost {
		host = ""
	}
	switch {
	case l.Wild:
		source, target, note = source+"*", l.New, notePattern
	case l.New == "":
		note = "gone"
	default:
		if target = targetOf(p.Old, p.To); p.To.Origin() == anyHost {
			target = p.To.Target()
		}
		if _, fragment, has := strings.Cut(l.New, "#"); has {
			target += "#" + fragment
		}
		if l.Temporary {
			note = string(audit.Temporary)
		}
	}
	if note != "" {
		r.Left = append(r.Left, Unruled{Host: host, Source: source, Target: target, Note: note})
		return nil
	}
	r.put(host, source, target, RuleCause{Why: RuleMap, Entries: 1, HTTP: p.Old.Scheme() == "http"})
	return nil
}

func (r *Redirects) put(host, source, target string, c RuleCause) {
	if r.Pairs == nil {
		r.Pairs = map[string][]write.Pair{}
	}
	r.Pairs[host] = append(r.Pairs[host], write.Pair{Source: source, Target: target, N: len(r.Causes)})
	r.Causes = append(r.Causes, c)
}

// Plan makes the rules of one host, which Pairs has ("" where a map has only paths), in a format,
// with a status that it can say. The pairs of the host are the plan's from then on. An error is one
// of reading the audit, or ctx's.
func (r *Redirects) Plan(ctx context.Context, format *write.Format, host string, status int) (*write.Plan, error) {
	pairs := r.Pairs[host]
	if host != "" {
		pairs = append(pairs, r.Pairs[""]...)
	}
	for i := range pairs {
		x := &pairs[i]
		if format.PerHost && r.Causes[x.N].HTTP && strings.HasPrefix(x.Target, "/") { // https is the default
			x.Target = "http://" + host + x.Target
		}
	}
	var err error
	p := format.Plan(pairs, write.Options{Host: host, Status: status, Keep: r.others(ctx, host, &err)})
	return p, err
}

// others yields the addresses of a host that no rule of another may answer, as path and query: the
// listed ones that answer 200 at once, and those of Left. It stops at the first error, which goes to
// err.
func (r *Redirects) others(ctx context.Context, host string, err *error) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range r.Left {
			u := &r.Left[i]
			if (u.Host == host || u.Host == "") && u.Note != notePattern && !yield(u.Source) {
				return
			}
		}
		if r.result == nil {
			return
		}
		for row, e := range ruleRows(ctx, r.result) {
			if e != nil {
				*err = cmp.Or(*err, e)
				return
			}
			direct := row.Trail.End == audit.EndAnswer && len(row.Trail.Steps) == 1 && row.Status/100 == 2
			if direct && row.Address.HostPort() == host && !yield(row.Address.Target()) {
				return
			}
		}
	}
}

// ruleRows yields the rows of all sitemaps of an audit, each valid until the next.
func ruleRows(ctx context.Context, t *audit.Result) iter.Seq2[*audit.Row, error] {
	return func(yield func(*audit.Row, error) bool) {
		for file := range t.Files {
			for row, err := range t.Rows(ctx, file) {
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
}

// AuditRules returns the rules that audit id of the store asks for: every address on a
// trail of two permanent redirects or more, to its end; one that ends in another spelling
// of itself; the second spelling of a spelling-conflict; with all, every redirect.
// What may not be written into a sitemap, by the fixes of the audit, is no target of a rule either.
func AuditRules(ctx context.Context, store *storage.Store, id string, all bool) (*Redirects, error) {
	a, err := OpenAudit(store, id)
	if err != nil {
		return nil, err
	}
	info := a.Info()
	info.Rules.KeepAll, info.Rules.MaxDrop = false, 1 // the safety limit is for sitemaps
	result, err := Evaluate(ctx, a, info)
	if err != nil {
		return nil, err
	}
	r := &Redirects{result: result}
	for row, err := range ruleRows(ctx, result) {
		if err != nil {
			return nil, err
		}
		r.addRow(row, &info.Rules, all)
	}
	r.unite()
	return r, nil
}

// addRow adds the rules of one entry.
func (r *Redirects) addRow(row *audit.Row, rules *audit.Rules, all bool) {
	if row.Verdict == audit.SpellingConflict {
		r.add(rules.Second(row.Address), row.Address, RuleSpelling, row.Other.Redirects())
		return
	}
	n := row.Trail.Redirects()
	if n == 1 && !all && !address.OnlyEncoding(row.Reasons) && row.Verdict != audit.Loop {
		return
	}
	for i := range row.Trail.Steps {
		step, before := &row.Trail.Steps[i], n-i
		if step.Next.IsZero() || i > 0 && before == 1 && !all {
			continue
		}
		at, why := address.Wire(step.Hop.URL), RuleChain
		switch {
		case row.Fix.Action != audit.Replace && row.Fix.Action != audit.Merge:
			r.leave(at, row, before)
			continue
		case before == 1 && address.OnlyEncoding(address.Compare(at, row.Final)):
			why = RuleSpelling
		case before == 1:
			why = RuleRedirect
		}
		r.add(at, row.Final, why, before)
	}
}

// add adds a rule, but none that would lead to itself: one host has the same rules for
// http and https, so a change of the scheme is not a rule.
func (r *Redirects) add(from, to address.Address, why RuleReason, before int) {
	if from.HostPort() != to.HostPort() || from.Target() != to.Target() {
		r.put(from.HostPort(), from.Target(), targetOf(from, to), RuleCause{why, from.Scheme() == "http", int32(before), 1})
	}
}

// targetOf is what stands in a rule for from that leads to to.
func targetOf(from, to address.Address) string {
	if from.Origin() == to.Origin() {
		return to.Target()
	}
	return to.String()
}

// leave remembers what gets no rule, and why.
func (r *Redirects) leave(at address.Address, row *audit.Row, before int) {
	u := Unruled{Host: at.HostPort(), Source: at.Target(), Before: before, Note: cmp.Or(string(row.StoppedBy()), string(row.Verdict))}
	if !row.Final.IsZero() {
		u.Target = targetOf(at, row.Final)
	}
	r.Left = append(r.Left, u)
}

// unite sorts the rules and makes one of those that say the same.
func (r *Redirects) unite() {
	for host, pairs := range r.Pairs {
		slices.SortFunc(pairs, func(a, b write.Pair) int {
			return cmp.Or(strings.Compare(a.Source, b.Source), strings.Compare(a.Target, b.Target), cmp.Compare(a.N, b.N))
		})
		out := pairs[:0]
		for _, x := range pairs {
			if n := len(out) - 1; n >= 0 && out[n].Source == x.Source && out[n].Target == x.Target {
				r.Causes[out[n].N].join(&r.Causes[x.N])
			} else {
				out = append(out, x)
			}
		}
		r.Pairs[host] = out
	}
	bySource := func(a, b Unruled) int {
		return cmp.Or(strings.Compare(a.Host, b.Host), strings.Compare(a.Source, b.Source))
	}
	slices.SortStableFunc(r.Left, bySource)
	r.Left = slices.CompactFunc(r.Left, func(a, b Unruled) bool { return bySource(a, b) == 0 })
	r.Left = slices.DeleteFunc(r.Left, func(u Unruled) bool { // it is ruled by another trail
		_, ruled := slices.BinarySearchFunc(r.Pairs[u.Host], u.Source, func(x write.Pair, source string) int {
			return strings.Compare(x.Source, source)
		})
		return ruled
	})
}

// join adds what is known of a rule that says the same.
func (c *RuleCause) join(other *RuleCause) {
	c.Entries += other.Entries
	c.HTTP = c.HTTP && other.HTTP
	if other.Before > c.Before {
		c.Before, c.Why = other.Before, other.Why
	}
}

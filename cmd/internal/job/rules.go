package job

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/rules/write"
	"sitemend/storage"
)

// A RuleReason says why there is to be a rule.
type RuleReason uint8

// The reasons.
const (
	RuleChain    RuleReason = iota // two redirects or more become one
	RuleSpelling                   // another spelling leads to the listed one, or to its end
	RuleRedirect                   // one redirect today, where all were asked for
	RuleMap                        // a line of the user's map
	mapGone                        // a line that says that the address is to be gone
	mapPattern                     // a line whose old address ends with *
	mapTemporary                   // a line with the status of a temporary redirect
	mapFragment                    // a line whose old address has a fragment
)

// String is the word for a reason in files: chain, spelling, redirect, map.
func (r RuleReason) String() string {
	return [...]string{"chain", "spelling", "redirect", "map", "gone", "pattern", "temporary", "fragment"}[r]
}

// A RuleCause is what is known of a rule beside its pair. There may be a million: it is small.
type RuleCause struct {
	Why     RuleReason
	HTTP    bool  // the source is one over http alone, as far as that is known
	Before  int32 // redirects today, 0 where that is not known
	Entries int32 // of the audit, that lead through the source; 1 in a map
	line    int32 // of a map, from 1
}

// An Unruled is an address that redirects and gets no rule. Note is the rule of what may
// be written that its end does not pass, or its verdict.
type Unruled struct {
	Host, Source, Target string
	Before               int
	Note                 string
}

// Redirects are the rules that an audit or a map asks for.
type Redirects struct {
	// Pairs are the rules of each host, with a port where it is not that of the scheme; "" is the
	// host of a map of paths. Each source with one target stands there once, sorted; N is the
	// place in Causes. A target is path and query where it is of the same origin, else the
	// whole address.
	Pairs  map[string][]write.Pair
	Causes []RuleCause
	Left   []Unruled // by host and source

	// Bounces is how many entries answer 200 as listed, and send another spelling back to it: no
	// rule mends that, for the redirect leads to where it should.
	Bounces int

	// Passed is how many lines of a _redirects file say nothing of one old and one new address
	// (rewrites, placeholders, conditions), and so give no rule; FirstPassed is the first of them.
	Passed, FirstPassed int

	result *audit.Result // nil for a map
	texts  texts
}

// put adds a rule. It holds none of the texts that it is given.
func (r *Redirects) put(host, source, target string, c RuleCause) {
	if r.Pairs == nil {
		r.Pairs = map[string][]write.Pair{}
	}
	list, known := r.Pairs[host]
	if !known {
		host = strings.Clone(host)
	}
	text := r.texts.keep(source, target)
	r.Pairs[host] = append(list, write.Pair{
		Source: text[:len(source)], Target: text[len(source):], N: len(r.Causes),
	})
	r.Causes = append(r.Causes, c)
}

// texts keeps many short texts in a few large ones.
type texts struct{ b strings.Builder }

// textsBlock is how long those are, or as long as one that is longer.
const textsBlock = 64 << 10

// keep returns two texts as one.
func (t *texts) keep(a, b string) string {
	if n := len(a) + len(b); t.b.Cap()-t.b.Len() < n {
		t.b = strings.Builder{}
		t.b.Grow(max(n, textsBlock))
	}
	from := t.b.Len()
	t.b.WriteString(a)
	t.b.WriteString(b)
	return t.b.String()[from:]
}

// Keep yields the addresses of a host that no rule of another may answer, as path and query:
// the listed ones that answer 200 at once, and those of Unruled. It stops at the first error,
// which goes to err.
func (r *Redirects) Keep(ctx context.Context, host string, err *error) iter.Seq[string] {
	return func(yield func(string) bool) {
		for target := range r.Unruled(host) {
			if !yield(target) {
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
			direct := row.Trail.End == audit.EndAnswer && len(row.Trail.Steps) == 1 &&
				row.Status/100 == 2
			if direct && row.Address.HostPort() == host && !yield(row.Address.Target()) {
				return
			}
		}
	}
}

// Unruled yields the addresses of a host, as path and query, that redirect or are to be gone and
// get no rule; "" is the host of a map of paths.
func (r *Redirects) Unruled(host string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range r.Left {
			u := &r.Left[i]
			ours := u.Host == host || u.Host == ""
			asked := u.Note != mapPattern.String() && u.Note != mapFragment.String()
			if ours && asked && !yield(u.Source) {
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
	if id == storage.Latest {
		var err error
		if id, err = Latest(store); err != nil {
			return nil, err
		}
	}
	a, err := store.Audit(id)
	if err != nil {
		return nil, cli.WithHint(err, "sitemend list shows the audits of a store")
	}
	info := a.Info()
	temporary := info.Rules.Fix[audit.Temporary] == audit.Replace
	fix := map[audit.Verdict]audit.Action{}
	maps.Copy(fix, info.Rules.Fix)
	fix[audit.Temporary] = audit.Replace // what follows a temporary redirect may last
	info.Rules.Fix, info.Rules.KeepAll = fix, false
	info.Rules.MaxDrop = 1 // the safety limit is for sitemaps
	result, err := Evaluate(ctx, a, info)
	if err != nil {
		return nil, err
	}
	r := &Redirects{result: result}
	for row, err := range ruleRows(ctx, result) {
		if err != nil {
			return nil, err
		}
		r.addRow(row, &info.Rules, all, temporary)
	}
	r.unite()
	return r, nil
}

// addRow adds the rules of one entry. Without temporary an address from which a temporary redirect
// follows gets none; one behind the last of these does.
func (r *Redirects) addRow(row *audit.Row, rules *audit.Rules, all, temporary bool) {
	if row.Verdict == audit.SpellingConflict {
		source := rules.Second(row.Address)
		r.add(source, row.Address, RuleSpelling, row.Other.Redirects())
		return
	}
	if row.Verdict == audit.SpellingBounce {
		r.Bounces++
		return
	}
	n := row.Trail.Redirects()
	spelling := n > 0 && address.OnlyEncoding(row.Reasons)
	if n == 0 || n == 1 && !all && !spelling && row.Verdict != audit.Loop {
		return
	}
	passes := row.Fix.Action == audit.Replace || row.Fix.Action == audit.Merge
	lasting := 0 // from this step on all is permanent
	if !temporary && (row.Verdict == audit.Temporary || row.Verdict == audit.Skipped) {
		for lasting = n; lasting > 0 && row.Trail.Steps[lasting-1].Permanent; lasting-- {
		}
	}
	for i := range row.Trail.Steps {
		step := &row.Trail.Steps[i]
		before := n - i
		if step.Next.IsZero() || i > 0 && before == 1 && !all {
			continue
		}
		at := address.Wire(step.Hop.URL)
		if i < lasting {
			r.leave(at, row, before, string(audit.Temporary))
			continue
		}
		if !passes {
			r.leave(at, row, before, unruledBy(row))
			continue
		}
		why := RuleChain
		switch {
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
	if from.HostPort() == to.HostPort() && from.Target() == to.Target() {
		return
	}
	r.put(from.HostPort(), from.Target(), targetOf(from, to), RuleCause{
		Why:     why,
		HTTP:    from.Scheme() == "http",
		Before:  int32(before),
		Entries: 1,
	})
}

// targetOf is what stands in a rule for from that leads to to.
func targetOf(from, to address.Address) string {
	if from.Origin() == to.Origin() {
		return to.Target()
	}
	return to.String()
}

// unruledBy says why what leads to the end of a row gets no rule. A row that redirects and is
// skipped is a temporary one of whose end the audit has not asked all that a rule wants to know.
func unruledBy(row *audit.Row) string {
	switch stop := row.StoppedBy(); {
	case row.Verdict == audit.Skipped:
		return string(audit.Temporary)
	case stop != "":
		return string(stop)
	}
	return string(row.Verdict)
}

// leave remembers what gets no rule, and why.
func (r *Redirects) leave(at address.Address, row *audit.Row, before int, note string) {
	u := Unruled{Host: at.HostPort(), Source: at.Target(), Before: before, Note: note}
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
				continue
			}
			out = append(out, x)
		}
		r.Pairs[host] = out
	}
	slices.SortStableFunc(r.Left, func(a, b Unruled) int {
		return cmp.Or(strings.Compare(a.Host, b.Host), strings.Compare(a.Source, b.Source))
	})
	r.Left = slices.CompactFunc(
		r.Left,
		func(a, b Unruled) bool { return a.Host == b.Host && a.Source == b.Source },
	)
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

package job

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
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

// A Redirect is an address that is to have a rule, or gets none.
type Redirect struct {
	Host           string // with a port where it is not that of the scheme; "" for a path of a map
	Source, Target string // path and query; of a target on another origin the whole address
	Why            RuleReason
	// Note says why there is no rule: the rule of what may be written that the end does not pass,
	// its verdict, or what a map says of it; "" where there is one.
	Note    string
	Before  int // redirects today, 0 where that is not known
	Entries int // of the audit, that lead through the source; 1 in a map
}

// Redirects are the rules that an audit or a map asks for.
type Redirects struct {
	// List is sorted; each source of a host with one target stands there once, and without a rule
	// only where it has none at all.
	List []Redirect

	// Passed is how many lines of a map say nothing of one old and one new address (rewrites,
	// placeholders, conditions, fragments, a * at the end), and so give no rule; FirstPassed is the first of them.
	Passed, FirstPassed int

	result *audit.Result // nil for a map
}

// MapRules reads a map of old and new addresses, which may be paths; name is for errors. What is to
// be gone, and temporary redirects, get no rule.
func MapRules(name string, text []byte) (*Redirects, error) {
	m, err := readMap(name, text, anyHost)
	if err != nil {
		return nil, err
	}
	r := &Redirects{Passed: m.Passed, FirstPassed: m.FirstPassed}
	for l, err := range m.Lines() {
		if err == nil && l.Wild {
			r.Passed, r.FirstPassed = r.Passed+1, cmp.Or(r.FirstPassed, l.N)
		} else if err == nil {
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
	x := Redirect{Why: RuleMap}
	switch {
	case l.New == "":
		x.Note = "gone"
	case l.Temporary:
		x.Note = string(audit.Temporary)
	}
	r.add(p.Old, p.To, x)
	if at := strings.IndexByte(l.New, '#'); at >= 0 {
		r.List[len(r.List)-1].Target += l.New[at:]
	}
	return nil
}

// Plan makes the rules of one host ("" where a map has only paths) in a format, with a status that it
// can say. List keeps what is of that host, or of any, and the N of the pairs are places in it. An error
// is one of reading the audit, or ctx's.
func (r *Redirects) Plan(ctx context.Context, format *write.Format, host string, status int) (*write.Plan, error) {
	r.List = slices.DeleteFunc(r.List, func(x Redirect) bool { return x.Host != host && x.Host != "" })
	var pairs []write.Pair
	for n, x := range r.List {
		if x.Note == "" {
			pairs = append(pairs, write.Pair{Source: x.Source, Target: x.Target, N: n})
		}
	}
	var err error
	p := format.Plan(pairs, write.Options{Host: host, Status: status, Keep: r.others(ctx, host, &err)})
	return p, err
}

// others yields the addresses of a host that no rule of another may answer, as path and query: the
// listed ones that answer 200 at once, and those that get no rule. It stops at the first error, which
// goes to err.
func (r *Redirects) others(ctx context.Context, host string, err *error) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, x := range r.List {
			if x.Note != "" && !yield(x.Source) {
				return
			}
		}
		for row, e := range ruleRows(ctx, r.result) {
			if e != nil {
				*err = e
				return
			}
			direct := row.Trail.End == answers.EndAnswer && len(row.Trail.Steps) == 1 && row.Status/100 == 2
			if direct && row.Address.HostPort() == host && !yield(row.Address.Target()) {
				return
			}
		}
	}
}

// ruleRows yields the rows of all sitemaps of an audit, each valid until the next; none of a map.
func ruleRows(ctx context.Context, t *audit.Result) iter.Seq2[*audit.Row, error] {
	return func(yield func(*audit.Row, error) bool) {
		for file := 0; t != nil && file < len(t.Files); file++ {
			for row, err := range t.Rows(ctx, file) {
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
}

// AuditRules returns the rules that an audit of the store asks for: every address on a
// trail of two permanent redirects or more, to its end; one that ends in another spelling
// of itself; the second spelling of a spelling-conflict; with all, every redirect.
// What may not be written into a sitemap, by the fixes of the audit, is no target of a rule either.
func AuditRules(ctx context.Context, a *storage.Audit, all bool) (*Redirects, error) {
	info := a.Info()
	info.Rules.KeepAll, info.Rules.MaxDrop = false, 1 // the safety limit is for sitemaps
	result, err := evaluate(ctx, a, info, nil)
	if err != nil {
		return nil, err
	}
	r := &Redirects{result: result}
	for row, err := range ruleRows(ctx, result) {
		if err != nil {
			return nil, err
		}
		r.addRow(row, all)
	}
	r.unite()
	return r, nil
}

// addRow adds the rules of one entry.
func (r *Redirects) addRow(row *audit.Row, all bool) {
	if row.Verdict == audit.SpellingConflict {
		r.add(address.Wire(row.Other.Steps[0].Hop.URL), row.Address, Redirect{Why: RuleSpelling, Before: row.Other.Redirects()})
		return
	}
	n := row.Trail.Redirects()
	if n == 1 && !all && !address.OnlyEncoding(row.Reasons) && row.Verdict != audit.Loop {
		return
	}
	note := ""
	if row.Fix.Action != audit.Replace && row.Fix.Action != audit.Merge {
		note = cmp.Or(string(row.Fix.Stop), string(row.Verdict))
	}
	for i := range row.Trail.Steps {
		step, before := &row.Trail.Steps[i], n-i
		if step.Next.IsZero() || i > 0 && before == 1 && !all {
			continue
		}
		at, why := address.Wire(step.Hop.URL), RuleChain
		switch {
		case before == 1 && address.OnlyEncoding(address.Compare(at, row.Final)):
			why = RuleSpelling
		case before == 1:
			why = RuleRedirect
		}
		r.add(at, row.Final, Redirect{Why: why, Before: before, Note: note})
	}
}

// add adds a redirect, but none of an audit that would lead to itself: one host has the same rules for
// http and https, so a change of the scheme is not a rule.
func (r *Redirects) add(from, to address.Address, x Redirect) {
	x.Host, x.Source, x.Entries = from.HostPort(), from.Target(), 1
	if x.Why != RuleMap && x.Note == "" && x.Host == to.HostPort() && x.Source == to.Target() {
		return
	}
	if from.Origin() == anyHost {
		x.Host = ""
	}
	switch {
	case to.IsZero():
	case from.Origin() == to.Origin(), to.Origin() == anyHost:
		x.Target = to.Target()
	default:
		x.Target = to.String()
	}
	r.List = append(r.List, x)
}

// unite sorts the redirects and makes one of those that say the same. A source with a rule is not listed
// without one, too.
func (r *Redirects) unite() {
	slices.SortStableFunc(r.List, func(a, b Redirect) int { // what has a rule, and so no note, comes first
		return cmp.Or(strings.Compare(a.Host, b.Host), strings.Compare(a.Source, b.Source), strings.Compare(a.Note, b.Note), strings.Compare(a.Target, b.Target))
	})
	list := r.List[:0]
	for _, x := range r.List {
		n := len(list) - 1
		if n < 0 || list[n].Host != x.Host || list[n].Source != x.Source || x.Note == "" && list[n].Target != x.Target {
			list = append(list, x)
			continue
		}
		if same := &list[n]; x.Note == "" {
			same.Entries += x.Entries
			if x.Before > same.Before {
				same.Before, same.Why = x.Before, x.Why
			}
		}
	}
	r.List = list
}

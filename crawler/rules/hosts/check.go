package hosts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/rules"
)

// A Fault is the name of what is wrong with a rule, or with a rule file.
type Fault string

// The faults. Those of lines that the host ignores, and of rules that lead into a loop or to a
// missing page, are errors; the others are warnings.
const (
	Unread      Fault = "rule-unread"      // the host ignores the line, or the file
	Loop        Fault = "rule-loop"        // it leads to itself, or into a loop
	Missing     Fault = "rule-missing"     // its target does not answer 200
	Unreached   Fault = "rule-unreached"   // another rule, or a file, always answers first
	Chain       Fault = "rule-chain"       // its target redirects again
	Temporary   Fault = "rule-temporary"   // it has no status, and the host's default is temporary
	Decoded     Fault = "rule-decoded"     // the host never compares this spelling
	Wider       Fault = "rule-wider"       // it matches more addresses than it seems to
	Conditional Fault = "rule-conditional" // it depends on more than the address
)

// IsError reports whether a fault is an error; otherwise it is a warning.
func (f Fault) IsError() bool { return f == Unread || f == Loop || f == Missing }

// A Finding is a fault of a rule, or of a line that is no rule.
type Finding struct {
	Fault Fault
	File  string
	Line  int         // from 1; 0 for the whole file
	Rule  *rules.Rule // nil for a line that the host ignores
	Text  string      // of such a line
	// Why is a key of the message catalogue: the name of the fault, or that with its subject.
	Why  string
	Args []string // arguments of the message
}

const (
	maxFollowed = 10 // how many redirects Google follows
	maxWalked   = 30 // how many are followed from a rule, to see whether they lead in a circle
)

// Rules returns the rules that the host accepts, in the order of its files, and within each file in
// the order in which they are tried.
func (m *Model) Rules() []*rules.Rule {
	var all []*rules.Rule
	for _, s := range []*rules.Set{m.bulkSet, m.set} {
		for i := range s.Rules {
			all = append(all, &s.Rules[i])
		}
	}
	return all
}

// maxWork limits the work of trying the rules, counted in comparisons of a pattern with a short address:
// some seconds. A host with so many rules whose first segment is a placeholder would be as slow.
const maxWork = 40_000_000

// short is the length of an address with which a comparison counts once, in bytes.
const short = 128

// Check calls found for each fault in the rules of the site at an origin: first for ignored lines,
// then for each rule, the gravest fault first. own reports whether the build answers for a host, so
// that a redirect there can be followed. Check returns how many rules it did not try because too
// many rules with placeholders precede them. It ends early where ctx does.
func (m *Model) Check(ctx context.Context, origin address.Address, own func(host string) bool, found func(Finding)) (untried int) {
	for _, f := range m.unread {
		found(Finding{Fault: Unread, File: f.Name, Why: "rule-unread-file", Args: []string{f.Unread}})
	}
	for _, f := range slices.Concat(m.set.Faults, m.bulkSet.Faults, m.headers.Faults) {
		why := string(Unread)
		if f.Fails {
			why = "rule-unread-fails"
		}
		found(Finding{Fault: Unread, File: f.File, Line: f.Line, Text: f.Text, Why: why, Args: []string{f.Why}})
	}
	work := maxWork
	sources := m.sources()
	for _, s := range []*rules.Set{m.bulkSet, m.set} {
		for i := range s.Rules {
			if ctx.Err() != nil {
				return untried
			}
			c := checking{m: m, set: s, rule: &s.Rules[i], origin: origin, own: own, sources: sources}
			if c.tried = work > 0; !c.tried {
				untried++
			}
			c.check()
			work -= c.work
			for _, x := range c.found {
				found(x)
			}
		}
	}
	return untried
}

// checking is the state of the check of one rule.
type checking struct {
	m      *Model
	set    *rules.Set
	rule   *rules.Rule
	origin address.Address
	own    func(string) bool
	found  []Finding

	tried   bool     // the model may be asked for an answer
	work    int      // of its answers, as in maxWork
	sources []string // of all rules, decoded and sorted
}

func (c *checking) answer(q rules.Request) Answer {
	tries := 1 + c.m.rules.Tries(q) + c.m.bulk.Tries(q) + c.m.headers.Tries()
	c.work += tries * (1 + len(q.Target)/short)
	return c.m.Answer(q)
}

// sources returns the sources of all rules, decoded and sorted.
func (m *Model) sources() []string {
	var all []string
	for _, r := range m.Rules() {
		source, _ := rules.DecodePath(r.Source)
		all = append(all, source)
	}
	slices.Sort(all)
	return all
}

func (c *checking) add(f Fault, why string, args ...string) {
	r := c.rule
	c.found = append(c.found, Finding{Fault: f, File: r.File, Line: r.Line, Rule: r, Why: why, Args: args})
}

// check checks one rule.
func (c *checking) check() {
	r := c.rule
	examples, pattern := c.set.Examples(r, c.origin.Scheme(), c.origin.Host())
	switch {
	case len(r.Conditions) > 0:
		c.add(Conditional, string(Conditional), r.Conditions[0])
	case len(examples) > 0 && c.tried:
		c.answers(examples, pattern)
	}
	if r.Wider != "" && !slices.ContainsFunc(c.found, func(f Finding) bool { return f.Fault == Unreached }) {
		why := "rule-wider-placeholder"
		if r.Wider[0] == '?' {
			why = "rule-wider-query"
		}
		c.add(Wider, why, r.Wider)
	}
	if !r.Stated && r.Redirects() && r.Status != 301 && r.Status != 308 {
		c.add(Temporary, string(Temporary), fmt.Sprint(r.Status))
	}
}

// answers gets the model's answers to the examples of a rule, and follows their redirects. What
// holds for a pattern holds for each of its examples.
func (c *checking) answers(examples []rules.Request, pattern bool) {
	var firsts []*rules.Rule
	reached := false
	var ends []end
	for _, q := range examples {
		a := c.answer(q)
		if a.Unmodelled != "" {
			return
		}
		firsts = append(firsts, a.Rule)
		if a.Rule == c.rule {
			reached = true
			ends = append(ends, c.follow(q, a))
		} else if a.Rule == nil && pattern { // a file at one example says nothing about the others
			return
		}
		if a.Rule == nil && !pattern {
			c.silent(a)
			return
		}
	}
	if !reached {
		if other := firsts[0]; !slices.ContainsFunc(firsts, func(r *rules.Rule) bool { return r != other }) {
			c.add(Unreached, "rule-unreached-rule", at(other))
		}
		return
	}
	c.ends(ends, pattern)
}

// silent adds the fault of a literal rule that does not answer its own source, with the reason.
func (c *checking) silent(a Answer) {
	switch {
	case a.Location != "":
		c.add(Unreached, "rule-unreached-slash", a.Location)
	case a.Status == 200:
		c.add(Unreached, "rule-unreached-file", a.File)
	default:
		c.add(Decoded, string(Decoded))
	}
}

// An end is where a rule leads in the end.
type end struct {
	loop    bool
	onAndOn bool // it is redirected more often than is followed, by the same rules
	hops    int
	known   bool   // the build answered there
	status  int    // of it
	url     string // of it
	through *rules.Rule
}

// ends adds the faults of the targets of a rule: a loop of any example counts; the rest counts only
// where all examples end in the same way.
func (c *checking) ends(ends []end, pattern bool) {
	for _, e := range ends {
		switch {
		case e.loop:
			c.add(Loop, string(Loop), e.url)
			return
		case e.onAndOn:
			c.add(Loop, "rule-loop-on", e.url)
			return
		}
	}
	first := ends[0]
	for _, e := range ends[1:] {
		if e.url != first.url { // it depends on the request: the entries show the targets
			first.known = false
		}
		first.hops = min(first.hops, e.hops)
	}
	if pattern && len(ends) == 1 && captures(c.rule) {
		first.known = false
	}
	if folder := c.emptyFolder(ends, pattern); folder != "" {
		c.add(Missing, "rule-missing-folder", folder)
		return
	}
	switch {
	case first.known && first.status != 200 && c.rule.Status/100 != 4:
		c.add(Missing, string(Missing), first.url, fmt.Sprint(first.status))
	case first.hops > maxFollowed:
		c.add(Chain, "rule-chain-many", first.url)
	case first.hops > 1 && first.through != nil:
		c.add(Chain, "rule-chain-rule", at(first.through))
	case first.hops > 1 && first.known:
		c.add(Chain, string(Chain), first.url)
	}
}

// emptyFolder returns the folder that contains all targets of a pattern and has neither a file nor
// a rule, so that none of them can be a page; "" where there is no such folder.
func (c *checking) emptyFolder(ends []end, pattern bool) string {
	if !pattern || c.m.opts.Prefix != "" || !strings.HasPrefix(c.rule.Target, "/") {
		return ""
	}
	for _, e := range ends {
		if !e.known || e.status != 404 || e.through != nil {
			return ""
		}
	}
	literal, _, placeholders := strings.Cut(c.rule.Target, ":")
	folder, ok := rules.DecodePath(literal[:strings.LastIndexByte(literal, '/')+1])
	// Netlify ignores case.
	if !placeholders || !ok || folder == "/" || folder != strings.ToLower(folder) || c.m.site.dir(folder) {
		return ""
	}
	if at, _ := slices.BinarySearch(c.sources, folder); at < len(c.sources) && strings.HasPrefix(c.sources[at], folder) {
		return ""
	}
	return folder
}

// captures reports whether the target of a rule has placeholders.
func captures(r *rules.Rule) bool {
	_, pattern := (&rules.Set{Format: rules.CloudflarePages}).Examples(&rules.Rule{Source: r.Target}, "", "")
	return pattern
}

// follow follows a redirect through the build.
func (c *checking) follow(q rules.Request, a Answer) end {
	from, err := address.Parse(q.Scheme + "://" + q.Host + q.Target)
	if err != nil {
		return end{}
	}
	e := end{url: from.String(), status: a.Status, known: true}
	if a.Location == "" { // a rewrite: its answer is a single page
		e.url, e.known = c.rule.Target, !captures(c.rule)
		return e
	}
	seen := map[string]bool{from.String(): true}
	by := map[*rules.Rule]bool{}
	for a.Location != "" {
		e.hops++
		if a.Rule != nil && a.Rule != c.rule {
			e.through = a.Rule
		}
		again := a.Rule != nil && by[a.Rule]
		by[a.Rule] = true
		if e.hops > maxWalked || len(a.Location) > rules.MaxAddress {
			e.known, e.onAndOn = false, again
			return e
		}
		next, err := address.Resolve(from, a.Location)
		if err != nil || !c.own(next.Host()) || next.Port() != c.origin.Port() {
			return end{hops: e.hops, url: a.Location}
		}
		e.url = next.String()
		if seen[e.url] {
			e.loop = true
			return e
		}
		seen[e.url], from = true, next
		a = c.answer(rules.Request{Scheme: next.Scheme(), Host: next.Host(), Target: next.Target()})
		if a.Unmodelled != "" {
			return end{hops: e.hops, url: e.url}
		}
		e.status = a.Status
	}
	return e
}

// at returns the place of a rule, as in messages.
func at(r *rules.Rule) string { return fmt.Sprintf("%s:%d", r.File, r.Line) }

package hosts

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

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
	Conditional Fault = "rule-conditional" // it depends on more than the address
)

// IsError reports whether a fault is an error; otherwise it is a warning.
func (f Fault) IsError() bool { return f == Unread || f == Loop || f == Missing }

// A Finding is a fault, with what it is about.
type Finding struct {
	Fault Fault
	Args  []string
}

// A Line is a rule, or a line that the host ignores.
type Line struct {
	File     string
	Line     int         // from 1; 0 for the whole file
	Rule     *rules.Rule // nil for a line that the host ignores
	Text     string      // of such a line
	Findings []Finding   // the gravest first
}

const (
	maxFollowed = 10 // how many redirects Google follows
	maxWalked   = 30 // how many are followed from a rule, to see whether they lead in a circle
	// maxWork limits the work of trying the rules, counted in comparisons of a pattern with an address
	// of at most short bytes: some seconds. A host with so many rules whose first segment is a
	// placeholder would be as slow.
	maxWork = 40_000_000
	short   = 128
)

// Check calls each for the rules that the host accepts and the lines that it ignores, in the order
// of their files, with what is wrong with them for the site at an origin. own reports whether the
// build answers for a host, so that a redirect there can be followed. Rules that too many rules with
// placeholders precede are not tried. Check ends early where ctx does. A Line is valid in its call.
func (m *Model) Check(ctx context.Context, origin address.Address, own func(host string) bool, each func(Line)) {
	c := &checking{Model: m, origin: origin, own: own, left: maxWork}
	for _, set := range []*rules.Set{m.set, m.bulk} {
		order := func(a, b Line) int {
			return cmp.Or(slices.Index(m.files, a.File)-slices.Index(m.files, b.File), a.Line-b.Line)
		}
		var ignored []Line
		for _, f := range set.Faults {
			ignored = append(ignored, Line{File: f.File, Line: f.Line, Text: f.Text, Findings: []Finding{{Unread, []string{f.Why}}}})
		}
		slices.SortStableFunc(ignored, order)
		for i := range set.Rules {
			l := Line{File: set.Rules[i].File, Line: int(set.Rules[i].Line), Rule: &set.Rules[i]}
			for ; len(ignored) > 0 && order(ignored[0], l) < 0; ignored = ignored[1:] {
				each(ignored[0])
			}
			if ctx.Err() != nil {
				return
			}
			c.check(set, l.Rule)
			l.Findings = c.found
			each(l)
		}
		for _, l := range ignored {
			each(l)
		}
	}
}

// checking is the state of the check of one rule.
type checking struct {
	*Model
	origin address.Address
	own    func(string) bool
	work   int // of the last answer
	left   int // work that may be done
	// folders are the hashes of all folders in which sources are, decoded; nil until they are needed
	folders map[uint64]bool

	rule  *rules.Rule
	found []Finding
}

func (c *checking) answer(q rules.Request) Answer {
	c.work = 1 + c.set.HeaderRules()
	q.Work = &c.work
	a := c.Answer(q)
	c.left -= c.work * (1 + len(q.Target)/short)
	return a
}

func (c *checking) add(f Fault, args ...string) { c.found = append(c.found, Finding{f, args}) }

// check checks one rule of a set.
func (c *checking) check(set *rules.Set, r *rules.Rule) {
	c.rule, c.found = r, c.found[:0]
	if conditions := r.Conditions; conditions != nil {
		c.add(Conditional, conditions[0])
	} else if examples, pattern := set.Examples(r, c.origin.Scheme(), c.origin.Host()); len(examples) > 0 && c.left > 0 {
		c.answers(examples, pattern)
	}
	if !r.Stated && r.Redirects() && r.Status != 301 && r.Status != 308 {
		c.add(Temporary, fmt.Sprint(r.Status))
	}
}

// answers gets the model's answers to the examples of a rule, and follows their redirects. What
// holds for a pattern holds for each of its examples.
func (c *checking) answers(examples []rules.Request, pattern bool) {
	var first *rules.Rule
	var ends []end
	several := false
	for i, q := range examples {
		a := c.answer(q)
		switch {
		case a.Unmodelled != "":
			return
		case a.Rule == c.rule:
			ends = append(ends, c.follow(q, a))
		case a.Rule == nil && pattern: // a file at one example says nothing about the others
			continue
		case a.Rule == nil && (a.Location != "" || a.Status == 200):
			c.add(Unreached, a.Location+a.File)
			return
		case a.Rule == nil:
			c.add(Decoded)
			return
		}
		several = several || i > 0 && a.Rule != first
		first = a.Rule
	}
	switch {
	case len(ends) > 0:
		c.ends(ends, pattern)
	case !several:
		c.add(Unreached, at(first))
	}
}

// An end is where a rule leads in the end.
type end struct {
	loop    bool // it leads in a circle, or is redirected more often than is followed, by the same rules
	hops    int
	known   bool   // the build answered there
	status  int    // of it
	url     string // of it
	through *rules.Rule
}

// ends adds the faults of the targets of a rule: a loop of any example counts; the rest counts only
// where all examples end in the same way.
func (c *checking) ends(ends []end, pattern bool) {
	first := ends[0]
	for _, e := range ends {
		switch {
		case e.loop:
			c.add(Loop, e.url)
			return
		case e.url != first.url: // it depends on the request: the entries show the targets
			first.known = false
		}
		first.hops = min(first.hops, e.hops)
	}
	captures := strings.HasPrefix(c.rule.Target(), "/") && strings.Contains(c.rule.Target(), ":") || strings.Contains(c.rule.Target(), "$")
	if pattern && len(ends) == 1 && captures {
		first.known = false
	}
	folder := ""
	if pattern && !slices.ContainsFunc(ends, func(e end) bool { return !e.known || e.status != 404 || e.through != nil }) {
		folder = c.emptyFolder()
	}
	switch {
	case folder != "":
		c.add(Missing, folder)
	case first.known && first.status != 200 && c.rule.Status/100 != 4:
		c.add(Missing, first.url, strconv.Itoa(first.status))
	case first.hops > 1 && first.hops <= maxFollowed && first.through != nil:
		c.add(Chain, at(first.through))
	case first.hops > maxFollowed || first.hops > 1 && first.known:
		c.add(Chain, first.url)
	}
}

// emptyFolder returns the folder that contains all targets of a pattern and has neither a file nor
// a rule, so that none of them can be a page; "" where there is no such folder.
func (c *checking) emptyFolder() string {
	literal, _, placeholders := strings.Cut(c.rule.Target(), ":")
	folder, ok := rules.DecodePath(literal[:strings.LastIndexByte(literal, '/')+1])
	if !placeholders || !ok || c.opts.Prefix != "" || !strings.HasPrefix(folder, "/") || folder == "/" ||
		folder != strings.ToLower(folder) || c.site.dir(folder) { // Netlify ignores case
		return ""
	}
	if c.folders == nil {
		c.folders = map[uint64]bool{}
		for _, set := range []*rules.Set{c.set, c.bulk} {
			for i := range set.Rules {
				source, _ := rules.DecodePath(set.Rules[i].Source())
				for at := strings.LastIndexByte(source, '/') + 1; at > 0 && !c.folders[xxhash.Sum64String(source[:at])]; at = strings.LastIndexByte(source[:at-1], '/') + 1 {
					c.folders[xxhash.Sum64String(source[:at])] = true
				}
			}
		}
	}
	if c.folders[xxhash.Sum64String(folder)] {
		return ""
	}
	return folder
}

// follow follows a redirect through the build.
func (c *checking) follow(q rules.Request, a Answer) end {
	if a.Location == "" { // a rewrite: its answer is a single page
		return end{url: c.rule.Target(), status: a.Status, known: !strings.ContainsAny(c.rule.Target(), ":$")}
	}
	e := end{known: true}
	from := address.Wire(q.Scheme + "://" + q.Host + q.Target) // an example is written as a browser writes it
	seen, by := []address.Address{from}, []*rules.Rule(nil)
	for a.Location != "" {
		e.hops++
		if a.Rule != nil && a.Rule != c.rule {
			e.through = a.Rule
		}
		again := a.Rule != nil && slices.Contains(by, a.Rule)
		by = append(by, a.Rule)
		if e.hops > maxWalked || len(a.Location) > rules.MaxAddress {
			e.known, e.loop = false, again
			return e
		}
		next, err := address.Resolve(from, a.Location)
		if err != nil || !c.own(next.Host()) || next.Port() != c.origin.Port() {
			return end{hops: e.hops, url: a.Location}
		}
		e.url = next.String()
		if e.loop = slices.Contains(seen, next); e.loop {
			return e
		}
		seen, from = append(seen, next), next
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

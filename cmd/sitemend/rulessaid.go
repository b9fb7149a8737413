package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/engine"
	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/prove"
	"sitemend/crawler"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/probe"
	"sitemend/crawler/rules/write"
	"sitemend/report/messages"
)

// rulesSaid is the summary of written rules.
type rulesSaid struct {
	plan  *write.Plan
	asked *job.Redirects
}

// text returns the summary, with instructions where the rules cannot contain them.
func (s *rulesSaid) text() string {
	var b strings.Builder
	p := s.plan
	fmt.Fprintf(&b, "%s: %s\n", cli.Plural(len(p.Pairs), "rule", "rules"), s.kinds())
	notes := map[string]int{}
	for i := range s.asked.Left {
		notes[s.asked.Left[i].Note]++
	}
	for i := range p.Left {
		notes[string(p.Left[i].Note)]++
	}
	if n := len(s.asked.Left) + len(p.Left); n > 0 {
		hint := "    (--for csv lists them)"
		if p.Format.Name == "csv" {
			hint = ""
		}
		fmt.Fprintf(&b, "%s left out: %s%s\n", messages.Number(n), noteList(notes, p.Format.Name), hint)
	}
	if notes[string(write.Limit)] > 0 && p.Format.Limit == 0 && p.Format.Line == 0 {
		fmt.Fprintf(&b, "%s takes no URL with a part that is longer than a name of a file may be (255 octets)\n", p.Format.Name)
	} else if notes[string(write.Limit)] > 0 {
		room := cli.Plural(p.Format.Limit, "rule", "rules")
		if p.Format.Line > 0 {
			room = fmt.Sprintf("lines of %s octets at most", messages.Number(p.Format.Line))
		}
		fmt.Fprintf(&b, "%s takes %s: %s\n", p.Format.Name, room, larger[p.Format.Name])
	}
	if n := s.asked.Passed; n > 0 {
		which := fmt.Sprintf("%s lines of the map left out, the first is line %d", messages.Number(n), s.asked.FirstPassed)
		if n == 1 {
			which = fmt.Sprintf("line %d of the map left out", s.asked.FirstPassed)
		}
		fmt.Fprintf(&b, "%s: rewrites, pages for 404, placeholders and conditions are no pairs\n", which)
	}
	if n := s.asked.Bounces; n > 0 {
		fmt.Fprintf(&b, "%s another spelling back to the listed one: no rule mends that, let the server answer both (sitemend probe)\n",
			cli.Plural(n, "URL sends", "URLs send"))
	}
	if !p.Format.Comments {
		for _, x := range p.Setup("") {
			fmt.Fprintf(&b, "to use it: %s\n", x.Where)
		}
	}
	return b.String()
}

// larger says, for a format with too little room, which format has more.
var larger = map[string]string{
	"apache":           "htaccess takes longer ones",
	"cloudflare-pages": "cloudflare-bulk takes more",
	"vercel":           "vercel-bulk takes a million",
	"gitlab-pages":     "the others need pages of their own (--for html)",
}

// kinds returns the kinds of the rules in words.
func (s *rulesSaid) kinds() string {
	count := map[job.RuleReason]int{}
	before := 0
	for _, x := range s.plan.Pairs {
		r := &s.asked.Causes[x.N]
		count[r.Why]++
		if r.Why == job.RuleChain {
			before += int(r.Before)
		}
	}
	var parts []string
	if n := count[job.RuleChain]; n > 0 {
		parts = append(
			parts,
			fmt.Sprintf(
				"%s %s (%.1f -> 1 redirects on average)",
				messages.Number(n),
				verb(n, "shortens a chain", "shorten a chain"),
				float64(before)/float64(n),
			),
		)
	}
	for _, k := range []struct {
		why       job.RuleReason
		one, many string
	}{
		{job.RuleSpelling, "leads one spelling of a URL to another", "lead one spelling of a URL to another"},
		{job.RuleRedirect, "is one redirect today", "are one redirect today"},
		{job.RuleMap, "of the map", "of the map"},
	} {
		if n := count[k.why]; n > 0 {
			parts = append(parts, messages.Number(n)+" "+verb(n, k.one, k.many))
		}
	}
	if parts == nil {
		return "none can be written"
	}
	return strings.Join(parts, " · ")
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// noteWords are the reasons why something is left out, in words for one and for several.
var noteWords = map[string][2]string{
	"loop":  {"loop", "loops"},
	"loops": {"loop", "loops"},
	"conflict": {
		"with two ends",
		"with two ends",
	},
	"gone":      {"to be gone", "to be gone"},
	"limit":     {"beyond its limit", "beyond its limit"},
	"pattern":   {"with a * (rules are exact pairs)", "with a * (rules are exact pairs)"},
	"fragment":  {"with a # (no server sees what follows it)", "with a # (no server sees what follows it)"},
	"shadowed":  {"where something else answers", "where something else answers"},
	"offsite":   {"that leads to another site", "that lead to another site"},
	"homepage":  {"that leads to the home page", "that lead to the home page"},
	"not-found": {"that ends at 404 or 410", "that end at 404 or 410"},
	"error": {
		"that ends with an error",
		"that end with an error",
	},
	"unverified":         {"whose end could not be seen", "whose end could not be seen"},
	"disallowed":         {"whose end robots.txt forbids", "whose end robots.txt forbids"},
	"too-many-redirects": {"with too many redirects", "with too many redirects"},
	"gate": {
		"that leads to a login or a question",
		"that lead to a login or a question",
	},
	"soft-404":            {"that ends at a soft 404", "that end at a soft 404"},
	"target-noindex":      {"target that is noindex", "targets that are noindex"},
	"target-not-200":      {"target that does not answer 200", "targets that do not answer 200"},
	"target-soft-404":     {"target that is a soft 404", "targets that are soft 404s"},
	"target-noncanonical": {"target with another canonical", "targets with another canonical"},
	"varies":              {"target that answers others otherwise", "targets that answer others otherwise"},
	"target-offsite":      {"target on another site", "targets on another site"},
	"target-disallowed":   {"target that robots.txt forbids", "targets that robots.txt forbids"},
}

// cannot are the notes that mean that the format cannot have a rule.
var cannot = []string{
	string(write.Spelling),
	string(write.SourceQuery),
	string(write.SourceLiteral),
	string(write.TargetLiteral),
}

// noteList counts notes in words; those that mean that the format cannot have a rule
// together.
func noteList(notes map[string]int, format string) string {
	counts := map[[2]string]int{}
	for note, n := range notes {
		words, known := noteWords[note]
		switch {
		case format != "" && slices.Contains(cannot, note):
			words = [2]string{
				"that " + format + " cannot express",
				"that " + format + " cannot express",
			}
		case !known:
			words = [2]string{note, note}
		}
		counts[words] += n
	}
	var parts []string
	for _, words := range slices.SortedFunc(maps.Keys(counts), func(a, b [2]string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a[1], b[1])) }) {
		n := counts[words]
		parts = append(parts, messages.Number(n)+" "+verb(n, words[0], words[1]))
	}
	return strings.Join(parts, " · ")
}

var rulesColumns = []string{"source", "target", "status", "why", "redirects_before", "written", "note", "entries"}

// writeRulesCSV writes every requested rule, with its outcome.
func writeRulesCSV(w io.Writer, p *write.Plan, asked *job.Redirects) error {
	return writeRows(w, []ruleRows{writtenRows(p, asked), leftRows(p, asked), unruledRows(asked)})
}

// ruleRows are rows in the order of their sources, each made only when it is written, because there
// may be a million.
type ruleRows struct {
	n      int
	source func(i int) string
	row    func(i int) []string
}

// writeRows merges rows by their sources.
func writeRows(w io.Writer, lists []ruleRows) error {
	c := csv.NewWriter(w)
	if err := c.Write(rulesColumns); err != nil {
		return err
	}
	at := make([]int, len(lists))
	for {
		next := -1
		for k := range lists {
			if at[k] < lists[k].n && (next < 0 || lists[k].source(at[k]) < lists[next].source(at[next])) {
				next = k
			}
		}
		if next < 0 {
			c.Flush()
			return c.Error()
		}
		if err := c.Write(lists[next].row(at[next])); err != nil {
			return err
		}
		at[next]++
	}
}

// writtenRows returns the rows of written rules.
func writtenRows(p *write.Plan, asked *job.Redirects) ruleRows {
	return ruleRows{
		len(p.Pairs),
		func(i int) string { return p.Pairs[i].Source },
		func(i int) []string { return pairRow(p, asked, p.Pairs[i], "yes", "") },
	}
}

// leftRows returns the rows that the plan leaves out.
func leftRows(p *write.Plan, asked *job.Redirects) ruleRows {
	return ruleRows{
		len(p.Left),
		func(i int) string { return p.Left[i].Source },
		func(i int) []string {
			l := &p.Left[i]
			return pairRow(p, asked, l.Pair, "no", string(l.Note))
		},
	}
}

// unruledRows returns the rows of sources that were left out before.
func unruledRows(asked *job.Redirects) ruleRows {
	return ruleRows{
		len(asked.Left),
		func(i int) string { return asked.Left[i].Source },
		func(i int) []string {
			u := &asked.Left[i]
			return []string{u.Source, u.Target, "", "", cell(u.Before), "no", u.Note, ""}
		},
	}
}

// pairRow returns the row of a pair of a plan.
func pairRow(p *write.Plan, asked *job.Redirects, x write.Pair, written, note string) []string {
	r := &asked.Causes[x.N]
	return []string{
		x.Source, x.Target, strconv.Itoa(p.Status), r.Why.String(),
		cell(int(r.Before)), written, note, strconv.Itoa(int(r.Entries)),
	}
}

// cell returns a count as text, "" for 0.
func cell(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// prove checks the rules: on ORIGIN, on a real server, or with a model. by names which.
func (f *rulesFlags) prove(ctx context.Context, p *write.Plan) (proof prove.Proof, by string, err error) {
	if f.verify != verifyHere {
		return f.proveLive(ctx, p)
	}
	o := prove.Options{Alone: true}
	if p.Format.Server != "" {
		s, err := engine.Start(ctx, p)
		if err != nil {
			return proof, "", cli.WithHint(
				err,
				"the rules are written; how the server is set up stands in their first lines",
			)
		}
		proof, err = prove.Rules(ctx, p, prove.Server(s), o)
		return proof, "a real " + s.Name, errors.Join(err, s.Stop())
	}
	ask, name, err := prove.Model(p)
	if err != nil {
		return proof, "", err
	}
	proof, err = prove.Rules(ctx, p, ask, o)
	return proof, name, err
}

// triesOfLive is how many requests one source or target may take, redirects included.
const triesOfLive = 15

// proveLive checks the rules on a live origin.
func (f *rulesFlags) proveLive(ctx context.Context, p *write.Plan) (proof prove.Proof, by string, err error) {
	origin, err := address.Parse(f.verify)
	if err != nil {
		return proof, "", err
	}
	audited := &fetch.Audited{}
	audited.Add(origin)
	ask, err := f.Options([]address.Address{origin}, audited)
	if err != nil {
		return proof, "", err
	}
	ask.Parallel = 1
	rules := audit.Rules{MaxHops: f.MaxHops, Robots: f.Robots, Spelling: address.None}
	if len(ask.Headers) > 0 || f.User != "" {
		rules.Secret = audited.Origins()
	}
	prober := probe.New(
		crawler.Options{Rules: rules, Ask: ask, Rate: f.Rate, GivenRate: true, Parallel: 1},
		triesOfLive,
	)
	defer prober.Close()
	proof, err = prove.Rules(ctx, p, prove.Origin(prober, origin), prove.Options{})
	return proof, origin.Origin(), err
}

// unproved returns the progress of a proof of so many rules that was interrupted.
func unproved(p *prove.Proof, rules int) string {
	asked := p.Held + len(p.Failures)
	return fmt.Sprintf("sitemend: interrupted: the rules are written; %s of %s %s checked (%s do not hold), "+
		"the others are not\nhint: the same command writes them again and checks them from the first one on\n",
		messages.Number(asked), cli.Plural(rules, "rule", "rules"), verb(asked, "is", "are"),
		messages.Number(len(p.Failures)))
}

// unseenOrigin returns the hint where a live origin gave no usable answer.
func unseenOrigin(origin string) string {
	scheme, host, _ := strings.Cut(origin, "://")
	hint := "no answer of " + origin + " counts: look whether it answers; --allow-private is for a private address, --resolve HOST:PORT:ADDR for a name that does not resolve, --robots ignore for a robots.txt that forbids"
	if strings.EqualFold(scheme, "https") {
		hint += ", --ca FILE trusts a certificate; where its port speaks plain HTTP: --verify http://" + host
	}
	return cli.OneLine(hint)
}

// shownFailures is how many failed rules are named.
const shownFailures = 20

// proofText returns the result of a proof, with the rules that do not hold.
func proofText(proof prove.Proof, by string) string {
	var b strings.Builder
	spellings := ""
	if proof.Spellings > 1 {
		spellings = fmt.Sprintf(", each in up to %d spellings", proof.Spellings)
	}
	fmt.Fprintf(
		&b,
		"proved: %s of %s%s, %s, by %s\n",
		messages.Number(proof.Held),
		messages.Number(proof.Rules),
		spellings,
		cli.Plural(proof.Asked, "request", "requests"),
		by,
	)
	for i, x := range proof.Failures {
		if i == shownFailures {
			fmt.Fprintf(&b, "and %s more\n", messages.Number(len(proof.Failures)-i))
			break
		}
		asked := ""
		if x.Asked != x.Pair.Source {
			asked = "asked as " + x.Asked + ": "
		}
		fmt.Fprintf(
			&b,
			"line %d  %s -> %s    %s\n",
			x.Line,
			x.Pair.Source,
			x.Pair.Target,
			cli.OneLine(asked+x.What),
		)
	}
	return b.String()
}

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
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p, f := s.plan, s.plan.Format
	say("%s: %s", cli.Plural(len(p.Pairs), "rule", "rules"), s.kinds())
	notes, n := map[string]int{}, len(p.Left)
	for _, x := range s.asked.Of(p.Host) {
		if x.Note != "" {
			notes[x.Note]++
			n++
		}
	}
	for i := range p.Left {
		notes[string(p.Left[i].Note)]++
	}
	if n > 0 {
		hint := "    (--for csv lists them)"
		if f.Name == "csv" {
			hint = ""
		}
		say("%s left out: %s%s", messages.Number(n), noteList(notes, f.Name), hint)
	}
	if notes[string(write.Limit)] > 0 {
		say("%s takes %s", f.Name, cmp.Or(room[f.Name], "no URL as long"))
	}
	if n := s.asked.Passed; n > 0 {
		say("%s left out, the first is line %d: rewrites, pages for 404, placeholders, conditions and URLs with a # are no pairs",
			cli.Plural(n, "line of the map", "lines of the map"), s.asked.FirstPassed)
	}
	if !f.Comments {
		for _, x := range p.Setup("") {
			say("to use it: %s", x.Where)
		}
	}
	return b.String()
}

// room says, for a format with too little of it, which format has more.
var room = map[string]string{
	"apache":           "lines of 1,023 octets at most: htaccess takes longer ones",
	"cloudflare-pages": "2,000 rules: cloudflare-bulk takes more",
	"vercel":           "2,048 rules: vercel-bulk takes a million",
	"gitlab-pages":     "1,000 rules and 64 KB: the others need pages of their own (--for html)",
	"html":             "no URL with a part that is longer than a name of a file may be (255 octets)",
	"htaccess":         "no URL with a part that is longer than a name of a file may be (255 octets)",
}

// kinds returns the kinds of the rules in words.
func (s *rulesSaid) kinds() string {
	count := map[job.RuleReason]int{}
	before := 0
	for _, x := range s.plan.Pairs {
		r := &s.asked.List[x.N]
		if count[r.Why]++; r.Why == job.RuleChain {
			before += r.Before
		}
	}
	var parts []string
	add := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, cli.Plural(n, one, many))
		}
	}
	chains := count[job.RuleChain]
	average := fmt.Sprintf(" (%.1f -> 1 redirects on average)", float64(before)/float64(max(1, chains)))
	add(chains, "shortens a chain"+average, "shorten a chain"+average)
	add(count[job.RuleSpelling], "leads one spelling of a URL to another", "lead one spelling of a URL to another")
	add(count[job.RuleRedirect], "is one redirect today", "are one redirect today")
	add(count[job.RuleMap], "of the map", "of the map")
	if parts == nil {
		return "none can be written"
	}
	return strings.Join(parts, " · ")
}

// noteWords are the reasons why something is left out, in words for one and, behind a bar, for
// several.
var noteWords = map[string]string{
	"loop":                "loop|loops",
	"loops":               "loop|loops",
	"conflict":            "with two ends",
	"gone":                "to be gone",
	"limit":               "beyond its limit",
	"pattern":             "with a * (rules are exact pairs)",
	"shadowed":            "where something else answers",
	"offsite":             "leading to another site",
	"homepage":            "leading to the home page",
	"gate":                "leading to a login or a question",
	"not-found":           "ending at 404 or 410",
	"error":               "ending with an error",
	"soft-404":            "ending at a soft 404",
	"unverified":          "whose end could not be seen",
	"disallowed":          "whose end robots.txt forbids",
	"too-many-redirects":  "whose end lies beyond --max-hops",
	"target-noindex":      "target that is noindex|targets that are noindex",
	"target-not-200":      "target that does not answer 200|targets that do not answer 200",
	"target-soft-404":     "target that is a soft 404|targets that are soft 404s",
	"target-noncanonical": "target with another canonical|targets with another canonical",
	"target-offsite":      "target on another site|targets on another site",
	"target-disallowed":   "target that robots.txt forbids|targets that robots.txt forbids",
	"varies":              "target that answers others otherwise|targets that answer others otherwise",
}

// cannot are the notes that mean that the format cannot have a rule.
var cannot = []write.Note{write.Spelling, write.SourceQuery, write.SourceLiteral, write.TargetLiteral}

// noteList counts notes in words; those that mean that the format cannot have a rule together.
func noteList(notes map[string]int, format string) string {
	counts := map[string]int{}
	for note, n := range notes {
		words := cmp.Or(noteWords[note], note)
		if format != "" && slices.Contains(cannot, write.Note(note)) {
			words = "that " + format + " cannot express"
		}
		counts[words] += n
	}
	var parts []string
	for _, words := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) }) {
		one, many, _ := strings.Cut(words, "|")
		parts = append(parts, cli.Plural(counts[words], one, cmp.Or(many, one)))
	}
	return strings.Join(parts, " · ")
}

// writeRulesCSV writes every requested rule with its outcome: those that are written, those that the
// plan leaves out, those that were left out before.
func writeRulesCSV(w io.Writer, p *write.Plan, asked *job.Redirects) error {
	c := csv.NewWriter(w)
	count := func(n int) string { return strings.TrimPrefix(strconv.Itoa(n), "0") }
	row := func(x write.Pair, written, note string) error {
		r := &asked.List[x.N]
		return c.Write([]string{x.Source, x.Target, strconv.Itoa(p.Status), string(r.Why), count(r.Before), written, note, count(r.Entries)})
	}
	err := c.Write([]string{"source", "target", "status", "why", "redirects_before", "written", "note", "entries"})
	for i := range p.Pairs {
		err = cmp.Or(err, row(p.Pairs[i], "yes", ""))
	}
	for i := range p.Left {
		err = cmp.Or(err, row(p.Left[i].Pair, "no", string(p.Left[i].Note)))
	}
	for _, x := range asked.Of(p.Host) {
		if x.Note != "" {
			err = cmp.Or(err, c.Write([]string{x.Source, x.Target, "", "", count(x.Before), "no", x.Note, ""}))
		}
	}
	c.Flush()
	return cmp.Or(err, c.Error())
}

// prove checks the rules: on ORIGIN, on a real server, or with a model. by names which.
func (f *rulesFlags) prove(ctx context.Context, p *write.Plan) (proof prove.Proof, by string, err error) {
	if f.verify != verifyHere {
		return f.proveLive(ctx, p)
	}
	o := prove.Options{Alone: true}
	if p.Format.Server == "" {
		ask, name, err := prove.Model(p)
		if err != nil {
			return proof, "", err
		}
		proof, err = prove.Rules(ctx, p, ask, o)
		return proof, name, err
	}
	s, err := engine.Start(ctx, p)
	if err != nil {
		return proof, "", cli.WithHint(err, "the rules are written; how the server is set up stands in their first lines")
	}
	proof, err = prove.Rules(ctx, p, prove.Server(s), o)
	return proof, "a real " + s.Name, errors.Join(err, s.Stop())
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
	return fmt.Sprintf("sitemend: interrupted: the rules are written; %s of %s checked (%s do not hold), the others are not\n"+
		"hint: the same command writes them again and checks them from the first one on\n",
		messages.Number(p.Held+len(p.Failures)), cli.Plural(rules, "rule", "rules"), messages.Number(len(p.Failures)))
}

// unseenOrigin returns the hint where a live origin gave no usable answer.
func unseenOrigin(origin string) string {
	hint := "no answer of " + origin + " counts: look whether it answers; --allow-private is for a private address, --resolve HOST:PORT:ADDR for a name that does not resolve, --robots ignore for a robots.txt that forbids"
	if scheme, host, _ := strings.Cut(origin, "://"); strings.EqualFold(scheme, "https") {
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
	fmt.Fprintf(&b, "proved: %s of %s%s, %s, by %s\n", messages.Number(proof.Held), messages.Number(proof.Rules), spellings,
		cli.Plural(proof.Asked, "request", "requests"), by)
	for i, x := range proof.Failures {
		asked := ""
		if x.Asked != x.Pair.Source {
			asked = "asked as " + x.Asked + ": "
		}
		if i == shownFailures {
			fmt.Fprintf(&b, "and %s more\n", messages.Number(len(proof.Failures)-i))
			break
		}
		fmt.Fprintf(&b, "line %d  %s -> %s    %s\n", x.Line, x.Pair.Source, x.Pair.Target, cli.OneLine(asked+x.What))
	}
	return b.String()
}

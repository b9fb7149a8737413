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
	"sitemend/crawler/address"
	"sitemend/crawler/probe"
	"sitemend/crawler/rules/write"
	"sitemend/report/messages"
)

// ruleKinds are the kinds of rules in words, for one and for several.
var ruleKinds = []struct {
	why       job.RuleReason
	one, many string
}{
	{job.RuleChain, "shortens a chain", "shorten a chain"},
	{job.RuleSpelling, "leads another spelling to the listed one", "lead another spelling to the listed one"},
	{job.RuleRedirect, "is one redirect today", "are one redirect today"},
	{job.RuleMap, "of the map", "of the map"},
}

// account returns the account of written rules, with instructions where the rules cannot contain
// them.
func account(p *write.Plan, asked *job.Redirects) string {
	var b strings.Builder
	count, notes, left := map[job.RuleReason]int{}, map[string]int{}, len(p.Left)
	for _, x := range p.Pairs {
		count[asked.List[x.N].Why]++
	}
	for _, x := range asked.List {
		if x.Note != "" {
			notes[x.Note]++
			left++
		}
	}
	for i := range p.Left {
		note := string(p.Left[i].Note)
		if slices.Contains(cannot, p.Left[i].Note) {
			note = "that " + p.Format.Name + " cannot express"
		}
		notes[note]++
	}
	var kinds []string
	for _, k := range ruleKinds {
		if n := count[k.why]; n > 0 {
			kinds = append(kinds, cli.Plural(n, k.one, k.many))
		}
	}
	fmt.Fprintf(&b, "%s: %s\n", cli.Plural(len(p.Pairs), "rule", "rules"), cmp.Or(strings.Join(kinds, " · "), "none can be written"))
	if left > 0 {
		fmt.Fprintf(&b, "%s left out: %s    (--for csv lists them)\n", messages.Number(left), noteList(notes))
	}
	if n := asked.Passed; n > 0 {
		fmt.Fprintf(&b, "%s of the map left out, the first is line %d: rewrites, pages for 404, placeholders, conditions, URLs with a # or a * are no pairs\n",
			cli.Plural(n, "line", "lines"), asked.FirstPassed)
	}
	if !p.Format.Comments {
		for _, x := range p.Setup("") {
			fmt.Fprintf(&b, "to use it: %s\n", x.Where)
		}
	}
	return b.String()
}

// cannot are the notes that mean that the format cannot have a rule.
var cannot = []write.Note{write.Spelling, write.SourceQuery, write.SourceLiteral, write.TargetLiteral}

// noteList counts notes in words, the most first.
func noteList(notes map[string]int) string {
	var parts []string
	for _, note := range slices.SortedFunc(maps.Keys(notes), func(a, b string) int { return cmp.Or(cmp.Compare(notes[b], notes[a]), cmp.Compare(a, b)) }) {
		text := note
		if !strings.Contains(note, " ") { // a name, as "too-many-redirects"
			text = strings.ReplaceAll(note, "-", " ")
		}
		parts = append(parts, messages.Number(notes[note])+" "+text)
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
	for _, x := range asked.List {
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
	if p.Format.Server == "" {
		ask, name, err := prove.Model(p)
		if err != nil {
			return proof, "", err
		}
		proof, err = prove.Rules(ctx, p, ask, true)
		return proof, name, err
	}
	s, err := engine.Start(ctx, p)
	if err != nil {
		return proof, "", cli.WithHint(err, "the rules are written; how the server is set up stands in their first lines")
	}
	proof, err = prove.Rules(ctx, p, prove.Server(s), true)
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
	o, err := single(&f.Asking, origin)
	if err != nil {
		return proof, "", err
	}
	prober := probe.New(o, triesOfLive)
	defer prober.Close()
	proof, err = prove.Rules(ctx, p, prove.Origin(prober, origin), false)
	return proof, origin.Origin(), err
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

package conclude

import (
	"cmp"
	"path/filepath"
	"slices"

	"sitemend/crawler/audit"
	"sitemend/report/command"
	"sitemend/report/messages"
)

// An Expected is what becomes of the old addresses of a map: a sentence, and a row for each
// reason why some do not lead where they should.
type Expected struct {
	Label, ForgottenLabel Sentence
	Headline              Sentence
	Forgotten             Sentence // zero where nothing was forgotten
	Remarks               []Sentence
	Ends                  []ExpectedEnd // those that an address has, the most frequent first
	Heads                 ExpectedHeads
}

// ExpectedHeads are the heads of the columns.
type ExpectedHeads struct{ Count, End, Do, Line, Old, To, Why, Suggestion Sentence }

// An ExpectedEnd is a reason with how many addresses have it.
type ExpectedEnd struct {
	Why   audit.Unmet
	Count int
	Title Sentence
	Part  Sentence // the count with a few words
	Text  Sentence // what is to be done
}

// ExpectedOf concludes what becomes of a map; nil where the audit has none.
func ExpectedOf(result *audit.Result) *Expected {
	list := result.Expected
	if list == nil {
		return nil
	}
	x := &Expected{Label: say("x-label"), ForgottenLabel: say("x-label-forgotten"), Headline: say("x-lead", "m", list.Met, "n", list.Addresses),
		Heads: ExpectedHeads{say("x-head-count"), say("x-head-end"), say("x-head-do"), say("x-head-line"), say("x-head-old"), say("x-head-to"), say("x-head-why"), say("x-head-suggestion")}}
	if list.Addresses == 0 {
		x.Headline = say("x-lead-none")
	}
	for _, why := range audit.Unmets() {
		n := list.Why[why]
		if n == 0 {
			continue
		}
		part := say("x-part-"+string(why), "n", n)
		if why == audit.UnmetNotFound && list.Suggested > 0 {
			part = say("x-part-not-found-suggested", "n", n, "k", list.Suggested)
		}
		x.Ends = append(x.Ends, ExpectedEnd{Why: why, Count: n, Title: say("x-" + string(why)), Part: part, Text: say("x-" + string(why) + "-text")})
	}
	slices.SortStableFunc(x.Ends, func(a, b ExpectedEnd) int { return cmp.Compare(b.Count, a.Count) })
	x.Forgotten = forgotten(list)
	x.remark(list)
	return x
}

// ExpectedWhy says of an address in a few words why it does not lead where it should, or that
// it was forgotten.
func ExpectedWhy(r *audit.ExpectedRow) Sentence {
	switch {
	case r.Forgotten:
		return say("x-why-forgotten")
	case r.Why == audit.UnmetHops:
		return say("x-why-hops", "n", r.Hops)
	case r.Met():
		return Sentence{}
	}
	return say("x-why-" + string(r.Why))
}

// blind reports whether most of the old addresses could not be checked.
func blind(x *audit.ExpectedList) bool {
	return audit.MostlyUnseen(x.Why[audit.UnmetUnverified], x.Addresses)
}

// expectedHeadline says where the old addresses lead, where nothing else was audited.
func (c *concluding) expectedHeadline() Sentence {
	x := c.result.Expected
	switch {
	case x.Unmet() == 0:
		return say("h-expected", "n", x.Addresses)
	case blind(x):
		return say("h-expected-unseen")
	}
	return say("h-unmet", "k", x.Unmet(), "n", x.Addresses)
}

// mapFirst puts before a headline where the old addresses of a map lead; in its place, where the audit
// has the old sitemap, too: what share of both is fine says nothing.
func (c *concluding) mapFirst(headline Sentence) Sentence {
	x := c.result.Expected
	if x == nil || x.Addresses == 0 || !slices.Contains([]State{Redirects, Mixed, OtherSpelling, Partly, Fine, FileFaults, Clean}, c.state) {
		return headline
	}
	first := c.expectedHeadline()
	if en := messages.Of("en"); first.In(en) == headline.In(en) {
		return headline
	}
	return join("", first, say("p-more", "what", headline))
}

// expectedProof is the line under expectedHeadline.
func (c *concluding) expectedProof() Sentence {
	x := c.result.Expected
	only := say("p-expected", "host", c.host())
	switch unseen := x.Why[audit.UnmetUnverified]; {
	case blind(x):
		return join("", say("p-expected-blind", "k", unseen, "n", x.Addresses), say("p-not-google", "n", unseen))
	case unseen > 0:
		return join("", only, say("p-unseen", "n", unseen))
	}
	return only
}

// redirects is to lead the old addresses where the map says; nil where they do, or there is
// no map.
func (c *concluding) redirects() *Action {
	x := ExpectedOf(c.result)
	if x == nil || c.result.Expected.Unmet() == 0 {
		return nil
	}
	if n := c.result.Expected.Why[audit.UnmetUnverified]; n == c.result.Expected.Unmet() {
		return c.checkAgain(DoExpected, n)
	}
	a := &Action{Kind: DoExpected, Title: say("a-expect", "n", c.result.Expected.Unmet()), Text: say("a-expect-text"),
		Button: say("a-expect-open"), Target: "#expected"}
	list := c.result.Expected
	if missing := list.Why[audit.UnmetNotFound] + list.Why[audit.UnmetNoRedirect]; missing > 0 {
		if missing == list.Unmet() {
			a.Title = say("a-expect-missing", "n", missing)
		}
		a.If, a.Command = say("a-expect-rules"), "sitemend rules "+mapFile(list)+" --for FORMAT"
	}
	for _, e := range x.Ends {
		a.Evidence = append(a.Evidence, Evidence{e.Count, e.Title})
	}
	a.Evidence = fewest(a.Evidence, "a-expect-more")
	return a
}

// mapFile is the map as a word of a command, without the folder where it lies.
func mapFile(list *audit.ExpectedList) string {
	if list.Name == "" || list.Name == "-" {
		return "FILE"
	}
	return command.Word(filepath.Base(list.Name))
}

// checkAgain is to check n addresses again, none of which could be.
func (c *concluding) checkAgain(kind ActionKind, n int) *Action {
	return &Action{Kind: kind, Who: say("role-auditor"), Title: say("a-again", "n", n), Text: say("a-again-text"),
		Button: say("a-copy"), Target: copied + command.Audit(&c.result.Info, nil)}
}

// fewest adds up the evidence that has no room under an action, in the words of key.
func fewest(all []Evidence, key string) []Evidence {
	if len(all) <= evidences {
		return all
	}
	rest := 0
	for _, e := range all[evidences-1:] {
		rest += e.Count
	}
	return append(all[:evidences-1:evidences-1], Evidence{rest, say(key, "n", len(all)-evidences+1)})
}

// forgotten says how many addresses of old sitemaps the map does not name, and what of them.
func forgotten(list *audit.ExpectedList) Sentence {
	if list.Forgotten == 0 {
		return Sentence{}
	}
	parts := []Sentence{say("x-forgotten", "n", list.Forgotten)}
	if list.Leading > 0 {
		parts = append(parts, say("x-forgotten-leading", "n", list.Leading))
	}
	if list.ForgottenSuggested > 0 {
		parts = append(parts, say("x-forgotten-suggested", "n", list.ForgottenSuggested))
	}
	return join("r-dot", parts...)
}

// remark says what of the map does not count as it stands.
func (x *Expected) remark(list *audit.ExpectedList) {
	for _, f := range list.Faults {
		what := word(func(c *messages.Catalogue) string {
			_, text := c.SitemapFault(f)
			return text
		})
		x.Remarks = append(x.Remarks, say("r-fault", "name", filepath.Base(list.Name), "what", what))
	}
	if list.Idle > 0 {
		x.Remarks = append(x.Remarks, say("x-idle", "n", list.Idle))
	}
	if list.Unasked > 0 {
		x.Remarks = append(x.Remarks, say("x-unasked", "n", list.Unasked))
	}
}

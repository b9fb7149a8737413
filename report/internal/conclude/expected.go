package conclude

import (
	"cmp"
	"path/filepath"
	"slices"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// An Expected is what becomes of the old addresses of a map: a sentence, and a row for each
// reason why some do not lead where they should.
type Expected struct {
	Headline  Sentence
	Forgotten Sentence // zero where nothing was forgotten
	Remarks   []Sentence
	Ends      []ExpectedEnd // those that an address has, the most frequent first
}

// An ExpectedEnd is a reason with how many addresses have it.
type ExpectedEnd struct {
	Why   audit.Unmet
	Count int
	Title Sentence
	Text  Sentence // what is to be done
}

// ExpectedOf concludes what becomes of a map; nil where the audit has none.
func ExpectedOf(result *audit.Result) *Expected {
	list := result.Expected
	if list == nil {
		return nil
	}
	x := &Expected{Headline: say("h-expected", "k", list.Met, "n", list.Addresses)}
	if list.Forgotten > 0 {
		x.Forgotten = say("x-forgotten", "n", list.Forgotten, "k", list.ForgottenSuggested)
	}
	for _, why := range audit.Unmets() {
		n := list.Why[why]
		if n == 0 {
			continue
		}
		x.Ends = append(x.Ends, ExpectedEnd{Why: why, Count: n, Title: say("x-" + string(why)), Text: say("x-" + string(why) + "-text")})
	}
	slices.SortStableFunc(x.Ends, func(a, b ExpectedEnd) int { return cmp.Compare(b.Count, a.Count) })
	x.Remarks = faultsOf(list.Name, list.Faults)
	if list.Idle > 0 {
		x.Remarks = append(x.Remarks, say("x-idle", "n", list.Idle))
	}
	if list.Unasked > 0 {
		x.Remarks = append(x.Remarks, say("x-unasked", "n", list.Unasked))
	}
	return x
}

// ExpectedWhy says of a URL in a few words why it does not lead where it should, or that it was
// forgotten; zero where it does.
func ExpectedWhy(r *audit.ExpectedRow) Sentence {
	switch {
	case r.Forgotten:
		return say("x-forgotten-row")
	case r.Met():
		return Sentence{}
	}
	return say("x-" + string(r.Why))
}

// faultsOf are the faults of a file that the user named.
func faultsOf(file string, faults []audit.SitemapFault) (out []Sentence) {
	for _, f := range faults {
		what := word(func(c *messages.Catalogue) string {
			_, text := c.SitemapFault(f)
			return text
		})
		out = append(out, say("r-fault", "name", filepath.Base(file), "what", what))
	}
	return out
}

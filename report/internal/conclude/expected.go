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
	Headline  messages.Sentence
	Forgotten messages.Sentence // zero where nothing was forgotten
	Remarks   []messages.Sentence
	Ends      []ExpectedEnd // those that an address has, the most frequent first
}

// An ExpectedEnd is a reason with how many addresses have it.
type ExpectedEnd struct {
	Why   audit.Unmet
	Count int
	Title messages.Sentence
	Text  messages.Sentence // what is to be done
}

// ExpectedOf concludes what becomes of a map; nil where the audit has none.
func ExpectedOf(result *audit.Result) *Expected {
	list := result.Expected
	if list == nil {
		return nil
	}
	x := &Expected{Headline: messages.Say("h-map", "k", list.Met, "n", list.Addresses)}
	if list.Forgotten > 0 {
		x.Forgotten = messages.Say("x-forgotten", "n", list.Forgotten, "k", list.ForgottenSuggested)
	}
	for _, why := range audit.Unmets() {
		n := list.Why[why]
		if n == 0 {
			continue
		}
		x.Ends = append(x.Ends, ExpectedEnd{Why: why, Count: n, Title: unmetOf(why)[0], Text: unmetOf(why)[1]})
	}
	slices.SortStableFunc(x.Ends, func(a, b ExpectedEnd) int { return cmp.Compare(b.Count, a.Count) })
	x.Remarks = faultsOf(list.Name, list.Faults)
	return x
}

// unmets are what each reason is called, and what is to be done.
var unmets = map[audit.Unmet][2]messages.Sentence{
	audit.UnmetUnverified: {messages.Say("lane-unseen"), doOf(audit.Unverified)},
	audit.UnmetNotFound:   {nameOf(audit.NotFound), messages.Say("x-add")},
	audit.UnmetNoRedirect: {messages.Say("x-not-redirected"), messages.Say("x-add")},
	audit.UnmetTarget:     {messages.Say("x-wrong-target"), messages.Say("x-wrong-target-text")},
	audit.UnmetTemporary:  {nameOf(audit.Temporary), doOf(audit.Temporary)},
	audit.UnmetHops:       {messages.Say("x-hops"), doOf(audit.TooManyRedirects)},
	audit.UnmetSpelling:   {messages.Say("x-spelling"), messages.Say("x-spelling-text")},
}

func unmetOf(why audit.Unmet) [2]messages.Sentence {
	if v := why.Verdict(); v != "" {
		return [2]messages.Sentence{messages.Say("line", "what", messages.Say("x-target"), "pattern", nameOf(v)), messages.Say("x-target-text")}
	}
	return unmets[why]
}

// nameOf is the name of a verdict, doOf what to do about it in a sentence.
func nameOf(v audit.Verdict) messages.Sentence {
	return messages.Words(func(c *messages.Catalogue) string { return c.Verdict(v).Name })
}

func doOf(v audit.Verdict) messages.Sentence {
	return first(func(c *messages.Catalogue) string { return c.Verdict(v).Do })
}

// ExpectedDo says what is to be done for a reason.
func ExpectedDo(why audit.Unmet) messages.Sentence { return unmetOf(why)[1] }

// ExpectedWhy says of a URL in a few words why it does not lead where it should, or that it was
// forgotten; zero where it does.
func ExpectedWhy(r *audit.ExpectedRow) messages.Sentence {
	switch {
	case r.Forgotten:
		return messages.Say("x-forgotten-row")
	case r.Met():
		return nil
	}
	return unmetOf(r.Why)[0]
}

// faultsOf are the faults of a file that the user named.
func faultsOf(file string, faults []audit.SitemapFault) (out []messages.Sentence) {
	for _, f := range faults {
		out = append(out, messages.Say("line", "what", filepath.Base(file), "pattern", faultText(f)))
	}
	return out
}

package conclude

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// An End is what becomes of some addresses that were asked for beside the sitemaps: in a few words, and
// what is to be done. Kind is that of a Segment, "quiet" where nothing is.
type End struct {
	ID, Kind    string // ID is the audit.Upshot of what an export reports
	Count       int
	Title, Text messages.Sentence
}

// An Aside is what becomes of addresses beside the sitemaps: the old ones of a map, or those that Search
// Console reports.
type Aside struct {
	Lead, Remarks []messages.Sentence
	Ends          []End               // those that an address has
	Exports       []messages.Sentence // the files that the addresses are from
}

// ExpectedOf concludes what becomes of a map, a row for each reason why some do not lead where they should,
// the most frequent first; nil where the audit has none.
func ExpectedOf(result *audit.Result) *Aside {
	list := result.Expected
	if list == nil {
		return nil
	}
	x := &Aside{Lead: []messages.Sentence{messages.Say("h-map", "k", list.Met, "n", list.Addresses)}, Remarks: faultsOf(list.List.URL, list.List.Faults)}
	if list.Forgotten > 0 {
		x.Lead = append(x.Lead, messages.Say("x-forgotten", "n", list.Forgotten, "k", list.ForgottenSuggested))
	}
	for _, why := range slices.Sorted(maps.Keys(list.Why)) {
		e := unmetOf(why)
		e.Count = list.Why[why]
		x.Ends = append(x.Ends, e)
	}
	slices.SortStableFunc(x.Ends, func(a, b End) int { return cmp.Compare(b.Count, a.Count) })
	return x
}

// unmets are what each reason is called, and what is to be done.
var unmets = map[audit.Note]End{
	audit.UnmetUnverified: {Kind: "unseen", Title: messages.Say("lane-unseen"), Text: doOf(audit.Unverified)},
	audit.UnmetNotFound:   {Title: nameOf(audit.NotFound), Text: messages.Say("x-add")},
	audit.UnmetNoRedirect: {Title: messages.Say("x-not-redirected"), Text: messages.Say("x-add")},
	audit.UnmetTarget:     {Title: messages.Say("x-wrong-target"), Text: messages.Say("x-wrong-target-text")},
	audit.UnmetTemporary:  {Title: nameOf(audit.Temporary), Text: doOf(audit.Temporary)},
	audit.UnmetHops:       {Title: messages.Say("x-hops"), Text: doOf(audit.TooManyRedirects)},
	audit.UnmetSpelling:   {Title: messages.Say("x-spelling"), Text: messages.Say("x-spelling-text")},
}

func unmetOf(why audit.Note) End {
	e := unmets[why]
	e.Kind = cmp.Or(e.Kind, "decide")
	if v := why.Target(); v != "" {
		e.Title, e.Text = messages.Say("line", "what", messages.Say("x-target"), "pattern", nameOf(v)), messages.Say("x-target-text")
	}
	return e
}

// nameOf is the name of a verdict, doOf what to do about it in a sentence.
func nameOf(v audit.Verdict) messages.Sentence {
	return func(c *messages.Catalogue) string { return c.Verdict(v).Name }
}

// fewOf is what n of what key names are called.
func fewOf(key string, n int) messages.Sentence {
	return messages.Words(func(w *messages.Catalogue) string { return w.Few(key, n) })
}

func doOf(v audit.Verdict) messages.Sentence {
	return first(func(c *messages.Catalogue) string { return c.Verdict(v).Do })
}

// ExpectedDo says what is to be done for a reason.
func ExpectedDo(why audit.Note) messages.Sentence { return unmetOf(why).Text }

// ExpectedWhy says of a URL in a few words why it does not lead where it should, or that it was
// forgotten; nil where it does.
func ExpectedWhy(r *audit.ExpectedRow) messages.Sentence {
	if r.Forgotten {
		return messages.Say("x-forgotten-row")
	}
	return unmetOf(r.Why).Title
}

// faultsOf are the faults of a file that the user named.
func faultsOf(file string, faults []audit.SitemapFault) (out []messages.Sentence) {
	for _, f := range faults {
		out = append(out, messages.Say("line", "what", filepath.Base(file), "pattern", faultText(f)))
	}
	return out
}

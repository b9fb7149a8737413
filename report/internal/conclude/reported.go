package conclude

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"

	"sitemend/crawler/audit"
	"sitemend/report/internal/plain"
	"sitemend/report/messages"
)

// A Reported is what the addresses that Search Console reports come to: a sentence, a row for
// each kind of end, and the same by the reason that Google gives.
type Reported struct {
	Headline messages.Sentence // how many the upload corrects
	Remarks  []messages.Sentence
	Ends     []End               // those that an address has
	Reasons  []ReportedReason    // the most frequent first
	Exports  []messages.Sentence // the files that the addresses are from
}

// A ReportedReason is how many addresses are reported for a reason, in all and by Ends.
type ReportedReason struct {
	Name   messages.Sentence
	Count  int
	Counts []int
}

// ReportedOf concludes what is reported; nil where the audit has no export.
func ReportedOf(result *audit.Result) *Reported {
	sc := result.SearchConsole
	if sc == nil {
		return nil
	}
	r := &Reported{Headline: messages.Say("r-lead", "k", sc.Upshots[audit.UpshotFixed], "n", sc.Addresses)}
	for _, u := range audit.Upshots() {
		if e := upshots[u]; sc.Upshots[u] > 0 {
			e.ID, e.Kind, e.Count = string(u), cmp.Or(e.Kind, "quiet"), sc.Upshots[u]
			r.Ends = append(r.Ends, e)
		}
	}
	for _, label := range slices.Sorted(maps.Keys(sc.Reasons)) {
		reason := ReportedReason{Name: reasonName(label)}
		for _, e := range r.Ends {
			n := sc.Reasons[label][audit.Upshot(e.ID)]
			reason.Count, reason.Counts = reason.Count+n, append(reason.Counts, n)
		}
		r.Reasons = append(r.Reasons, reason)
	}
	slices.SortStableFunc(r.Reasons, func(a, b ReportedReason) int { return b.Count - a.Count })
	remark := func(when bool, key string, n int) {
		if when {
			r.Remarks = append(r.Remarks, messages.Say(key, "n", n))
		}
	}
	remark(sc.NoSitemap, "r-no-sitemap", 0) // one that could not be read is none, and no part of one
	remark(!sc.NoSitemap && sc.Unread > 0, "r-unread", sc.Unread)
	remark(sc.Spelling > 0, "r-spelling", sc.Spelling)
	remark(sc.OtherSite > 0, "r-other-site", sc.OtherSite)
	for _, x := range sc.Exports {
		r.Exports = append(r.Exports, messages.Say("line", "what", filepath.Base(x.Name), "pattern", x.Addresses))
		r.Remarks = append(r.Remarks, faultsOf(x.Name, x.Faults)...)
	}
	return r
}

// upshots are what each kind of end is called, and what is to be done.
var upshots = map[audit.Upshot]End{
	audit.UpshotFixed:   {Kind: "fix", Title: messages.Say("lane-upload")},
	audit.UpshotDecide:  {Kind: "decide", Title: messages.Say("lane-decide")},
	audit.UpshotServer:  {Kind: "decide", Title: messages.Say("lane-spelling"), Text: messages.Say("a-encoding")},
	audit.UpshotBroken:  {Title: messages.Say("r-broken"), Text: messages.Say("r-broken-text")},
	audit.UpshotAnswers: {Title: messages.Say("r-answers"), Text: messages.Say("r-answers-text")},
	audit.UpshotUnseen:  {Kind: "unseen", Title: messages.Say("lane-unseen"), Text: doOf(audit.Unverified)},
	audit.UpshotNothing: {Title: messages.Say("r-nothing"), Text: messages.Say("r-nothing-text")},
}

// widestReason is how many characters of a reason are shown: those of Search Console have some
// forty, and an export of anybody's may have thousands.
const widestReason = 120

// reasonName is a reason in the words of Search Console, where it is known.
func reasonName(label audit.Label) messages.Sentence {
	switch label {
	case audit.LabelRest:
		return messages.Say("r-reason-rest")
	case "":
		return messages.Say("r-reason-none")
	}
	return messages.Words(func(c *messages.Catalogue) string { return plain.Middle(c.Label(string(label)), widestReason) })
}

package conclude

import (
	"maps"
	"path/filepath"
	"slices"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// A Reported is what the addresses that Search Console reports come to: a sentence, a row for
// each kind of end, and the same by the reason that Google gives.
type Reported struct {
	Headline messages.Sentence // how many the upload corrects
	Remarks  []messages.Sentence
	Ends     []ReportedEnd       // those that an address has
	Reasons  []ReportedReason    // the most frequent first
	Exports  []messages.Sentence // the files that the addresses are from
}

// A ReportedEnd is a kind of end.
type ReportedEnd struct {
	Upshot audit.Upshot
	Count  int
	Title  messages.Sentence
	Text   messages.Sentence // what is to be done
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
		if n := sc.Upshots[u]; n > 0 {
			r.Ends = append(r.Ends, ReportedEnd{Upshot: u, Count: n, Title: upshots[u][0], Text: upshots[u][1]})
		}
	}
	for _, label := range slices.Sorted(maps.Keys(sc.Reasons)) {
		reason := ReportedReason{Name: reasonName(label)}
		for _, e := range r.Ends {
			n := sc.Reasons[label][e.Upshot]
			reason.Count, reason.Counts = reason.Count+n, append(reason.Counts, n)
		}
		r.Reasons = append(r.Reasons, reason)
	}
	slices.SortStableFunc(r.Reasons, func(a, b ReportedReason) int { return b.Count - a.Count })
	r.remark(sc)
	return r
}

// upshots are what each kind of end is called, and what is to be done.
var upshots = map[audit.Upshot][2]messages.Sentence{
	audit.UpshotFixed:   {messages.Say("lane-upload"), nil},
	audit.UpshotDecide:  {messages.Say("lane-decide"), nil},
	audit.UpshotServer:  {messages.Say("lane-spelling"), messages.Say("a-encoding")},
	audit.UpshotBroken:  {messages.Say("r-broken"), messages.Say("r-broken-text")},
	audit.UpshotAnswers: {messages.Say("r-answers"), messages.Say("r-answers-text")},
	audit.UpshotUnseen:  {messages.Say("lane-unseen"), doOf(audit.Unverified)},
	audit.UpshotNothing: {messages.Say("r-nothing"), messages.Say("r-nothing-text")},
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
	return messages.Words(func(c *messages.Catalogue) string { return middle(c.Label(string(label)), widestReason) })
}

// remark says what is not known, and which files the addresses are from.
func (r *Reported) remark(sc *audit.SearchConsole) {
	switch {
	case sc.NoSitemap: // one that could not be read is none, and no part of one
		r.Remarks = append(r.Remarks, messages.Say("r-no-sitemap"))
	case sc.Unread > 0:
		r.Remarks = append(r.Remarks, messages.Say("r-unread", "n", sc.Unread))
	}
	if sc.Spelling > 0 {
		r.Remarks = append(r.Remarks, messages.Say("r-spelling", "n", sc.Spelling))
	}
	if sc.OtherSite > 0 {
		r.Remarks = append(r.Remarks, messages.Say("r-other-site", "n", sc.OtherSite))
	}
	for _, x := range sc.Exports {
		r.Exports = append(r.Exports, messages.Say("line", "what", filepath.Base(x.Name), "pattern", x.Addresses))
		r.Remarks = append(r.Remarks, faultsOf(x.Name, x.Faults)...)
	}
}

package conclude

import (
	"path/filepath"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// A Reported is what the addresses that Search Console reports come to: a sentence, a row for
// each kind of end, and the same by the reason that Google gives.
type Reported struct {
	Headline Sentence // how many the upload corrects, or need nothing
	Rest     Sentence // what of the others, to be read on; zero where there is nothing to add
	Remarks  []Sentence
	Ends     []ReportedEnd    // those that an address has
	Reasons  []ReportedReason // the most frequent first
	Exports  []Sentence       // the files that the addresses are from
	Heads    ReportedHeads
}

// ReportedHeads are the heads of the columns, and of the table by reason.
type ReportedHeads struct{ Count, End, Do, Reason, ByReason Sentence }

// A ReportedEnd is a kind of end.
type ReportedEnd struct {
	Upshot audit.Upshot
	Count  int
	Title  Sentence
	Short  Sentence // for the head of a column
	Part   Sentence // the count with a few words
	Text   Sentence // what is to be done
}

// A ReportedReason is how many addresses are reported for a reason, in all and by Ends.
type ReportedReason struct {
	Name   Sentence
	Count  int
	Counts []int
}

// ReportedOf concludes what is reported; nil where the audit has no export.
func ReportedOf(result *audit.Result) *Reported {
	sc := result.SearchConsole
	if sc == nil {
		return nil
	}
	r := &Reported{Heads: ReportedHeads{Count: say("r-head-count"), End: say("r-head-end"), Do: say("r-head-do"),
		Reason: say("r-head-reason"), ByReason: say("r-by-reason")}}
	r.Headline, r.Rest = reportedLead(sc)
	for _, u := range audit.Upshots() {
		if n := sc.Upshots[u]; n > 0 {
			r.Ends = append(r.Ends, ReportedEnd{Upshot: u, Count: n, Title: say(unlisted(sc, "r-", u)),
				Short: say("r-short-" + string(u)), Part: say(unlisted(sc, "r-part-", u), "n", n), Text: reportedText(sc, u)})
		}
	}
	for _, x := range sc.Reasons() {
		reason := ReportedReason{Name: reasonName(x), Count: x.Addresses}
		for _, e := range r.Ends {
			reason.Counts = append(reason.Counts, x.Upshots[e.Upshot])
		}
		r.Reasons = append(r.Reasons, reason)
	}
	r.remark(sc)
	return r
}

// Lead is the headline with what is said of the others.
func (r *Reported) Lead() Sentence { return join("", r.Headline, r.Rest) }

// Parts is the count of each end in a line, with " · " between them.
func (r *Reported) Parts() Sentence {
	var parts []Sentence
	for _, e := range r.Ends {
		parts = append(parts, e.Part)
	}
	return join("r-dot", parts...)
}

// unlisted is the key of an end's text. That no sitemap lists addresses is said otherwise
// where one could not be read, or there is none.
func unlisted(sc *audit.SearchConsole, key string, u audit.Upshot) string {
	key += string(u)
	if u == audit.UpshotBroken && (sc.Unread > 0 || sc.NoSitemap) {
		key += "-unread"
	}
	return key
}

// reportedLead says how many the upload corrects, and what of the others.
func reportedLead(sc *audit.SearchConsole) (headline, rest Sentence) {
	n, fixed := sc.Addresses, sc.Upshots[audit.UpshotFixed]
	decide, unseen := sc.Upshots[audit.UpshotDecide], sc.Upshots[audit.UpshotUnseen]
	server := sc.Upshots[audit.UpshotServer]
	other := n - fixed - decide - unseen - server
	headline = say("r-lead", "k", fixed, "n", n)
	switch nothing := sc.Upshots[audit.UpshotNothing]; {
	case fixed > 0:
	case nothing > 0:
		headline = say("r-lead-nothing", "k", nothing, "n", n)
	default:
		headline = say("r-lead-none", "n", n)
	}
	var parts []Sentence
	if decide > 0 {
		parts = append(parts, say("r-lead-decide", "n", decide))
	}
	if server > 0 {
		parts = append(parts, say("r-lead-server", "n", server))
	}
	if unseen > 0 {
		parts = append(parts, say("r-lead-unseen", "n", unseen))
	}
	if fixed > 0 && other > 0 && sc.Unread == 0 {
		parts = append(parts, say("r-lead-other", "n", other))
	}
	return headline, join("", parts...)
}

// reportedText says what is to be done about an end.
func reportedText(sc *audit.SearchConsole, u audit.Upshot) Sentence {
	switch u {
	case audit.UpshotAnswers:
		switch sc.WhoAsks {
		case 0:
			return say("r-answers-text")
		case sc.Upshots[u]:
			return say("r-answers-refused")
		}
		return say("r-answers-both", "n", sc.WhoAsks)
	case audit.UpshotNothing:
		redirect, fine := sc.Classes[audit.RedirectsAsItShould], sc.Classes[audit.FineNow]
		switch {
		case fine == 0:
			return say("r-nothing-redirect")
		case redirect == 0:
			return say("r-nothing-fine")
		}
		return say("r-nothing-text", "r", redirect, "f", fine)
	}
	return say("r-" + string(u) + "-text")
}

// look is to look at the addresses that need something, where nothing but an export was audited;
// nil where none does.
func (c *concluding) look() *Action {
	r, n := ReportedOf(c.result), 0
	a := &Action{Kind: DoReported, Text: say("a-reported-text"), Button: say("a-reported-open"), Target: "#reported"}
	for _, e := range r.Ends {
		if e.Upshot != audit.UpshotNothing && e.Upshot != audit.UpshotFixed {
			n += e.Count
			a.Evidence = append(a.Evidence, Evidence{e.Count, e.Title})
		}
	}
	switch n {
	case 0:
		return nil
	case c.result.SearchConsole.Upshots[audit.UpshotUnseen]:
		return c.checkAgain(DoReported, n)
	}
	a.Title, a.Evidence = say("a-reported", "n", n), fewest(a.Evidence, "a-expect-more")
	return a
}

// widestReason is how many characters of a reason are shown: those of Search Console have some
// forty, and an export of anybody's may have thousands.
const widestReason = 120

// reasonName is a reason in the words of Search Console, where it is known.
func reasonName(x audit.ReportedReason) Sentence {
	switch {
	case x.Rest:
		return say("r-reason-rest")
	case x.Reason == "":
		return say("r-reason-none")
	}
	return say("as-it-is", "text", word(func(c *messages.Catalogue) string { return middle(c.Why(x.Reason), widestReason) }))
}

// remark says what is not known, and which files the addresses are from.
func (r *Reported) remark(sc *audit.SearchConsole) {
	switch {
	case sc.NoSitemap: // one that could not be read is none, and no part of one
		r.Remarks = append(r.Remarks, say("r-no-sitemap"))
	case sc.Unread > 0:
		r.Remarks = append(r.Remarks, say("r-unread", "n", sc.Unread))
	}
	if sc.Spelling > 0 {
		r.Remarks = append(r.Remarks, say("r-spelling", "n", sc.Spelling))
	}
	if sc.OtherSite > 0 {
		r.Remarks = append(r.Remarks, say("r-other-site", "n", sc.OtherSite))
	}
	for _, x := range sc.Exports {
		name := filepath.Base(x.Name)
		r.Exports = append(r.Exports, say("r-export", "name", name, "n", x.Addresses))
		for _, f := range x.Faults {
			what := word(func(c *messages.Catalogue) string {
				_, text := c.SitemapFault(f)
				return text
			})
			r.Remarks = append(r.Remarks, say("r-fault", "name", name, "what", what))
		}
	}
}

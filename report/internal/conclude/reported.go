package conclude

import (
	"path/filepath"

	"sitemend/crawler/audit"
)

// A Reported is what the addresses that Search Console reports come to: a sentence, and a row
// for each kind of end.
type Reported struct {
	Headline Sentence // how many the upload corrects
	Remarks  []Sentence
	Ends     []ReportedEnd // those that an address has
	Exports  []Sentence    // the files that the addresses are from
}

// A ReportedEnd is a kind of end.
type ReportedEnd struct {
	Upshot audit.Upshot
	Count  int
	Title  Sentence
	Text   Sentence // what is to be done
}

// ReportedOf concludes what is reported; nil where the audit has no export.
func ReportedOf(result *audit.Result) *Reported {
	sc := result.SearchConsole
	if sc == nil {
		return nil
	}
	r := &Reported{Headline: say("r-lead", "k", sc.Upshots[audit.UpshotFixed], "n", sc.Addresses)}
	for _, u := range audit.Upshots() {
		if n := sc.Upshots[u]; n > 0 {
			r.Ends = append(r.Ends, ReportedEnd{Upshot: u, Count: n, Title: upshots[u][0], Text: upshots[u][1]})
		}
	}
	r.remark(sc)
	return r
}

// upshots are what each kind of end is called, and what is to be done.
var upshots = map[audit.Upshot][2]Sentence{
	audit.UpshotFixed:   {say("lane-upload"), Sentence{}},
	audit.UpshotDecide:  {say("lane-decide"), Sentence{}},
	audit.UpshotServer:  {say("lane-spelling"), say("a-encoding")},
	audit.UpshotBroken:  {say("r-broken"), say("r-broken-text")},
	audit.UpshotAnswers: {say("r-answers"), say("r-answers-text")},
	audit.UpshotUnseen:  {say("lane-unseen"), doOf(audit.Unverified)},
	audit.UpshotNothing: {say("r-nothing"), say("r-nothing-text")},
}

// remark says what is not known, and which files the addresses are from.
func (r *Reported) remark(sc *audit.SearchConsole) {
	switch {
	case sc.NoSitemap: // one that could not be read is none, and no part of one
		r.Remarks = append(r.Remarks, say("r-no-sitemap"))
	case sc.Unread > 0:
		r.Remarks = append(r.Remarks, say("r-unread", "n", sc.Unread))
	}
	if sc.OtherSite > 0 {
		r.Remarks = append(r.Remarks, say("r-other-site", "n", sc.OtherSite))
	}
	for _, x := range sc.Exports {
		r.Exports = append(r.Exports, say("line", "what", filepath.Base(x.Name), "pattern", x.Addresses))
		r.Remarks = append(r.Remarks, faultsOf(x.Name, x.Faults)...)
	}
}

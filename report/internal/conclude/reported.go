package conclude

import (
	"cmp"
	"path/filepath"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// ReportedOf concludes what Search Console reports, a row for each kind of end; nil where the audit has no export.
func ReportedOf(result *audit.Result) *Aside {
	sc := result.SearchConsole
	if sc == nil {
		return nil
	}
	r := &Aside{}
	for _, u := range audit.Upshots() {
		if e := upshots[u]; sc.Upshots[u] > 0 {
			e.ID, e.Kind, e.Count = string(u), cmp.Or(e.Kind, "quiet"), sc.Upshots[u]
			r.Ends = append(r.Ends, e)
		}
	}
	remark := func(when bool, key string, n int) {
		if when {
			r.Remarks = append(r.Remarks, messages.Say(key, "n", n))
		}
	}
	remark(sc.NoSitemap, "r-no-sitemap", 0) // one that could not be read is none, and no part of one
	remark(!sc.NoSitemap && sc.Unread > 0, "r-unread", sc.Unread)
	remark(sc.OtherSite > 0, "r-other-site", sc.OtherSite)
	for _, x := range sc.Exports {
		r.Exports = append(r.Exports, messages.Say("line", "what", filepath.Base(x.URL), "pattern", x.Entries))
		r.Remarks = append(r.Remarks, faultsOf(x.URL, x.Faults)...)
	}
	return r
}

// upshots are what each kind of end is called, and what is to be done.
var upshots = map[audit.Upshot]End{
	audit.UpshotFixed:   {Kind: "fix", Title: messages.Say("lane-upload")},
	audit.UpshotDecide:  {Kind: "decide", Title: messages.Say("lane-decide")},
	audit.UpshotServer:  {Kind: "decide", Title: messages.Say("brief-step-encoding"), Text: messages.Say("a-encoding")},
	audit.UpshotBroken:  {Title: messages.Say("r-broken"), Text: messages.Say("r-broken-text")},
	audit.UpshotAnswers: {Title: messages.Say("r-answers"), Text: messages.Say("r-answers-text")},
	audit.UpshotUnseen:  {Kind: "unseen", Title: messages.Say("lane-unseen"), Text: doOf(audit.Unverified)},
	audit.UpshotNothing: {Title: messages.Say("r-nothing"), Text: messages.Say("r-nothing-text")},
}

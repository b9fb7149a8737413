package serve

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// firstAudits is how many audits stand open on the list; the rest is behind a
// button.
const firstAudits = 100

// A listPage is the list of audits.
type listPage struct {
	layout
	Audits *page.Table // nil for none
}

// shares are what the entries of an audit came to; nothing of one that did not end.
func (a *Audit) shares() conclude.Shares {
	if a.Counts == nil {
		return conclude.Shares{}
	}
	return conclude.SharesOf(func(g audit.Group) int { return a.Counts.Groups[g] })
}

// list shows the audits, the newest first.
func (s *Site) list(v *visit) error {
	all, err := s.listed()
	if err != nil {
		return err
	}
	p := listPage{layout: s.newLayout(v, messages.Say("audits"))}
	p.Sub = page.Visible(s.o.Store)
	if len(all) > 0 {
		p.Audits = auditsTable(all)
	}
	return s.send(v, http.StatusOK, "list", p)
}

func auditsTable(all []Audit) *page.Table {
	t := &page.Table{Name: messages.Say("audits"), Class: "audits", Columns: page.Texts(messages.Say("col-audit"), messages.Say("chip-clean"))}
	for _, key := range []string{"urls", "lane-upload", "lane-decide", "lane-unseen"} {
		t.Columns = append(t.Columns, page.Column{Name: messages.Say(key), Num: true})
	}
	t.Columns = append(t.Columns, page.Column{Name: messages.Say("files"), Screen: true})
	for _, a := range slices.Backward(all) {
		s, at := a.shares(), minute(a.Info.Started)
		unknown := s.Unseen + s.LeftOut
		facts := messages.Say("n-requests", "n", a.Info.Requests)
		clean := page.TextCell(messages.Say("stopped"))
		switch {
		case s.Checked() > 0:
			clean.Text, clean.Bar = conclude.Figure(s), page.Bar(map[string]int{"clean": s.Clean, "fix": s.Fix, "decide": s.Decide, "unseen": unknown}, s.Entries)
		case a.Counts != nil:
			clean.Text = messages.Verbatim("–")
		case a.Running:
			clean.Text = messages.Say("running")
		}
		entries := 0
		if a.Counts != nil {
			facts, entries = messages.Join(" · ", messages.Took(a.Info.Duration), facts), a.Counts.Entries
		}
		name := page.TextCell(nil)
		for _, target := range a.Info.Targets {
			name.Small = append(name.Small, messages.Code(messages.Middle(page.Visible(address.Shown(target)), 120)))
		}
		name.Small = append(name.Small, facts)
		name.Links = []page.Link{{Href: "audits/" + a.Info.ID + "/", Text: messages.Verbatim(at + " UTC")}}
		t.Add(name, clean, page.CountCell(entries), page.CountCell(s.Fix), page.CountCell(s.Decide), page.CountCell(unknown),
			page.Cell{Links: []page.Link{{Href: "audits/" + a.Info.ID + "/files", Text: messages.Say("downloads"), Of: at}}})
	}
	t.Fold(firstAudits)
	return t
}

func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

// name is how an audit is called in a title.
func name(a *Audit) string {
	return messages.Middle(page.Visible(strings.Join(a.Info.Targets, ", ")), 80) + " · " + minute(a.Info.Started) + " UTC"
}

package serve

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/page"
)

// firstAudits is how many audits stand open on the list; the rest is behind a
// button.
const firstAudits = 100

// lastList is the list as last read: it is shown while an audit locks the store.
type lastList struct {
	mu     sync.Mutex
	audits []Audit
	at     time.Time
}

// listed reads the list. Where that fails and the list was read before, it returns both the earlier
// list and the error.
func (s *Site) listed() ([]Audit, error) {
	all, err := s.o.Library.List()
	s.last.mu.Lock()
	defer s.last.mu.Unlock()
	if err != nil {
		return s.last.audits, err
	}
	s.last.audits, s.last.at = all, time.Now()
	return all, nil
}

// A listPage is the list of audits.
type listPage struct {
	layout
	listView
}

// A listView is the table of audits, the newest first.
type listView struct {
	Columns []page.Phrase // of Cells
	Audits  []auditView
	More    []auditView
	Asked   string // when it was read, where that was not now
}

// An auditView is one line of it.
type auditView struct {
	ID, At, Report, Files string
	Targets               []string
	Counted               bool // else it was stopped, or is being made
	Running               bool
	Entries, Requests     int
	Took                  page.Phrase
	Clean                 page.Phrase // in percent of what was checked
	Bar                   []barPart
	Cells                 []countCell
}

// A barPart is a part of the bar that shows what became of the entries that were crawled.
type barPart struct{ Kind, X, W string }

// A countCell is how many entries came to the same.
type countCell struct {
	Name  page.Phrase
	Count int
}

// A share is what entries came to, its column and its colour in the bar.
type share struct {
	column, kind string
	of           func(conclude.Shares) int
}

// shares are the columns of the list besides what is clean. Only those that an audit has
// are shown, but for the first two.
var shares = []share{
	{"col-fix", "fix", func(s conclude.Shares) int { return s.Fix }},
	{"col-to-decide", "decide", func(s conclude.Shares) int { return s.Decide }},
	{"col-unseen", "unseen", func(s conclude.Shares) int { return s.Unseen }},
	{"col-left", "", func(s conclude.Shares) int { return s.LeftOut }},
}

// shares are what the entries of an audit came to.
func (c *Counts) shares() conclude.Shares {
	return conclude.SharesOf(func(g audit.Group) int { return c.Groups[g] })
}

// bar lays out what the crawled entries came to.
func bar(s conclude.Shares) (parts []barPart) {
	if s.Crawled() == 0 {
		return nil
	}
	at := 0.0
	add := func(kind string, n int) {
		if w := 100 * float64(n) / float64(s.Crawled()); n > 0 && kind != "" {
			parts = append(parts, barPart{kind, fmt.Sprintf("%.2f%%", at), fmt.Sprintf("%.2f%%", w)})
			at += w
		}
	}
	add("clean", s.Clean)
	for _, x := range shares {
		add(x.kind, x.of(s))
	}
	return parts
}

func (s *Site) list(v *visit) error {
	all, err := s.listed()
	if err != nil {
		return err
	}
	p := listPage{layout: s.newLayout(v, say("audits")), listView: newListView(all, "")}
	p.Sub = page.Visible(s.o.Store)
	return s.send(v, http.StatusOK, "list", p)
}

// lastView is the list as it was read last, nil where it never was.
func (s *Site) lastView(v *visit) *listView {
	s.last.mu.Lock()
	defer s.last.mu.Unlock()
	if s.last.audits == nil {
		return nil
	}
	view := newListView(s.last.audits, s.newLayout(v, page.Phrase{}).Root)
	view.Asked = s.last.at.UTC().Format("2006-01-02 15:04 UTC")
	return &view
}

// newListView makes the table; root leads from the page to the list.
func newListView(all []Audit, root string) listView {
	var v listView
	var columns []share
	for i, x := range shares {
		if i < 2 || slices.ContainsFunc(all, func(a Audit) bool { return a.Counts != nil && x.of(a.Counts.shares()) > 0 }) {
			columns = append(columns, x)
			v.Columns = append(v.Columns, say(x.column))
		}
	}
	for _, a := range slices.Backward(all) {
		v.Audits = append(v.Audits, newAuditView(&a, columns, root))
	}
	cut := min(firstAudits, len(v.Audits))
	v.Audits, v.More = v.Audits[:cut], v.Audits[cut:]
	return v
}

func newAuditView(a *Audit, columns []share, root string) auditView {
	in := &a.Info
	v := auditView{ID: in.ID, At: minute(in.Started), Report: root + "audits/" + in.ID + "/", Files: root + "audits/" + in.ID + "/files",
		Requests: in.Requests, Clean: page.Raw("–"), Took: page.Took(in.Duration)}
	for _, t := range in.Targets {
		v.Targets = append(v.Targets, page.Middle(page.Visible(address.Shown(t)), 120))
	}
	var s conclude.Shares
	if a.Counts != nil {
		s = a.Counts.shares()
	}
	for _, x := range columns {
		v.Cells = append(v.Cells, countCell{say(x.column), x.of(s)})
	}
	v.Running = a.Running
	if a.Counts == nil {
		return v
	}
	v.Counted, v.Entries, v.Bar = true, a.Counts.Entries, bar(s)
	if s.Crawled() > 0 {
		v.Clean = page.Marked(conclude.Figure(s).In)
	}
	return v
}

func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

// name is how an audit is called in a title.
func name(a *Audit) string {
	return page.Middle(page.Visible(strings.Join(a.Info.Targets, ", ")), 80) + " · " + minute(a.Info.Started) + " UTC"
}

package serve

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/page"
)

// firstAudits is how many audits stand open on the list; the rest is behind a
// button.
const firstAudits = 100

// lastList is the list as it was read last: shown while an audit is at work.
type lastList struct {
	mu     sync.Mutex
	audits []Audit
	at     time.Time
}

// listed reads the list. Where that fails and it was read before, both that list
// and the error are returned.
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
	Groups []audit.Group
	Audits []auditView
	More   []auditView
	Asked  string // when it was read, where that was not now
}

// An auditView is one line of it.
type auditView struct {
	ID, At, Report, Files string
	Targets               []string
	State                 page.Phrase
	Stopped               bool
	Counted               bool
	Entries, Requests     int
	Cells                 []countCell
	Bar                   []share
	Dirt                  string
	Dirty                 bool
}

// A share is a part of the bar that shows what became of the entries.
type share struct {
	Group audit.Group
	X, W  int // of 1000
}

// bar lays the groups out beside one another; what is there at all is seen.
func bar(c *Counts) (parts []share) {
	if c.Entries == 0 {
		return nil
	}
	at := 0
	for _, g := range audit.Groups() {
		if n := c.Groups[g]; n > 0 {
			w := max(n*1000/c.Entries, 6)
			parts = append(parts, share{g, at, w})
			at += w
		}
	}
	return parts
}

type countCell struct {
	Group audit.Group
	Count int
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
	counted := func(g audit.Group) bool {
		return slices.ContainsFunc(all, func(a Audit) bool { return a.Counts != nil && a.Counts.Groups[g] > 0 })
	}
	v := listView{Groups: page.Columns(counted)}
	for _, a := range slices.Backward(all) {
		v.Audits = append(v.Audits, newAuditView(&a, v.Groups, root))
	}
	cut := min(firstAudits, len(v.Audits))
	v.Audits, v.More = v.Audits[:cut], v.Audits[cut:]
	return v
}

func newAuditView(a *Audit, groups []audit.Group, root string) auditView {
	in := &a.Info
	v := auditView{
		ID: in.ID, At: minute(in.Started), Report: root + "audits/" + in.ID + "/", Files: root + "audits/" + in.ID + "/files",
		Requests: in.Requests, Dirt: "–", Stopped: in.Ended.IsZero(), State: page.Took(in.Duration),
	}
	for _, t := range in.Targets {
		v.Targets = append(v.Targets, page.Middle(page.Visible(address.Shown(t)), 120))
	}
	if v.Stopped {
		v.State = say("stopped")
	}
	counts := a.Counts
	if counts == nil {
		counts = &Counts{}
	}
	for _, g := range groups {
		v.Cells = append(v.Cells, countCell{g, counts.Groups[g]})
	}
	if a.Counts == nil {
		return v
	}
	v.Counted, v.Entries, v.Bar = true, counts.Entries, bar(counts)
	if counts.Entries > counts.Groups[audit.LeftOut] {
		v.Dirt, v.Dirty = page.ErrorRate(counts.ErrorRate())
	}
	return v
}

func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

// name is how an audit is called in a title.
func name(a *Audit) string {
	return page.Middle(page.Visible(strings.Join(a.Info.Targets, ", ")), 80) + " · " + minute(a.Info.Started) + " UTC"
}

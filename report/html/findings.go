package html

import (
	"fmt"
	"strconv"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// firstRows and firstEdits are how many findings and edits the page holds
// without its script.
const (
	firstRows  = 200
	firstEdits = 50
)

// findings collects the first rows that are not fine: of each group as many as
// may be shown, for it is not known yet how many of the more urgent ones come.
type findings struct {
	told  *audit.Result
	rows  map[audit.Group][]rowView
	edits []editView
	count int // edits in all
	flow  *flowing
}

func newFindings(told *audit.Result) *findings {
	return &findings{told: told, rows: map[audit.Group][]rowView{}, flow: newFlowing()}
}

// urgency is the order of the groups in the list.
var urgency = []audit.Group{audit.NeedsDecision, audit.TakenOut, audit.Corrected, audit.OtherSpelling, audit.NotChecked}

func (f *findings) add(file int, r *audit.Row) {
	g := r.Group()
	f.flow.add(r)
	if r.Fix.Action != audit.Keep && r.Fix.Action != "" {
		f.addEdit(file, r)
	}
	if g == audit.Fine || g == audit.Settled || g == audit.LeftOut || len(f.rows[g]) >= firstRows {
		return
	}
	f.rows[g] = append(f.rows[g], newRowView(f.place(file, r), r))
}

func (f *findings) place(file int, r *audit.Row) string {
	return visible(f.told.Files[file].Sitemap.URL) + ":" + strconv.Itoa(r.Entry.Line)
}

func (f *findings) addEdit(file int, r *audit.Row) {
	if f.count++; len(f.edits) < firstEdits {
		f.edits = append(f.edits, editView{f.place(file, r), shown(r.Entry.Loc), visible(r.Fix.Loc), r.Fix.Action})
	}
}

// An editView is one edit of a sitemap, told as a diff.
type editView struct {
	Place, Loc, Written string
	Action              audit.Action
}

// Stays tells whether Written is an entry that stands already, and is not written.
func (e editView) Stays() bool { return e.Action == audit.Merge }

// A rowView is a row as the page shows it without its script.
type rowView struct {
	Verdict  audit.Verdict
	Group    audit.Group
	Action   audit.Action
	Short    string
	Loc      string // as written, where the wire form differs
	Place    string
	Statuses string
	D        detailView
	End      phrase
	Because  phrase
	Notes    []audit.Note
	Check    string
}

func newRowView(place string, r *audit.Row) rowView {
	loc, wire := shown(r.Entry.Loc), r.Address.String()
	v := rowView{
		Verdict: r.Verdict, Group: r.Group(), Action: r.Fix.Action, Short: middle(loc, 110), Place: place,
		Statuses: strings.ReplaceAll(statuses(r.Trail), " ", " → "), D: newDetailView(detailOf(r, nil)), Notes: r.Notes,
		Because: whyText(r.Fix.Why),
	}
	if loc != wire || len(v.Short) < len(loc) {
		v.Loc = loc
	}
	if e := ends[r.Trail.End]; e != "" {
		v.End = say("end-" + e)
	}
	if r.Other != nil && len(r.Other.Steps) > 0 {
		v.Check = check(r.Verdict, r.Other.Steps[0].Hop.URL)
	}
	return v
}

// check is the command that looks into the server's log for the other spelling.
func check(v audit.Verdict, other string) string {
	c := messages.Of("en").Verdict(v).Check
	return strings.ReplaceAll(c, "{path}", quoted(address.Wire(other).Target()))
}

// quoted is s as it stands inside single quotes of a POSIX shell (XCU 2.2.2).
func quoted(s string) string { return strings.ReplaceAll(s, "'", `'\''`) }

// A detailView is a detail with what the template cannot work out.
type detailView struct {
	detail
	Steps, Other []stepView
}

type stepView struct {
	step
	Class   string
	Answer  string
	Remarks []phrase
}

func newDetailView(d detail) detailView {
	return detailView{d, stepViews(d.Steps), stepViews(d.Other)}
}

func stepViews(steps []step) (out []stepView) {
	for _, s := range steps {
		v := stepView{step: s, Class: "0", Answer: "–", Remarks: remarks(s)}
		if s.Status > 0 {
			v.Class, v.Answer = strconv.Itoa(s.Status/100), strconv.Itoa(s.Status)
		}
		out = append(out, v)
	}
	return out
}

// remarks are the small words under a step.
func remarks(s step) (out []phrase) {
	if s.Fault != "" {
		out = append(out, faultText(s.Fault))
	}
	if s.Detail != "" {
		out = append(out, raw(s.Detail))
	}
	if s.Challenge != "" {
		out = append(out, say("challenge", "name", s.Challenge))
	}
	if s.Robots != "" {
		out = append(out, raw(fmt.Sprintf("robots.txt:%d %s", s.Line, s.Robots)))
	}
	if s.Kind != "" {
		out = append(out, raw(s.Kind))
	}
	if s.Temporary {
		out = append(out, say("is-temporary"))
	}
	if s.Location != "" {
		out = append(out, raw("Location: "+s.Location))
	}
	return out
}

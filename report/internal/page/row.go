package page

import (
	"fmt"
	"strconv"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/command"
	"sitemend/report/messages"
)

// A Row is a row as a page shows it without a script: what the template "detail"
// takes, and the fields that a line of a list needs.
type Row struct {
	Verdict  audit.Verdict
	Group    audit.Group
	Action   audit.Action
	Short    string
	Loc      string // as written, where the wire form differs
	Place    string
	Statuses string
	D        detailView
	End      Phrase
	Because  Phrase
	Notes    []audit.Note
	Check    string
	Said     []Said // what access logs and Google's index say
}

// NewRow prepares r for the template "detail". place says where it is listed.
func NewRow(place string, r *audit.Row) Row {
	loc, wire := Shown(r.Entry.Loc), r.Address.String()
	v := Row{
		Verdict: r.Verdict, Group: r.Group(), Action: r.Fix.Action, Short: Middle(loc, 110), Place: place,
		Statuses: strings.ReplaceAll(Statuses(r.Trail), " ", " → "), D: newDetailView(DetailOf(r, nil)), Notes: r.Notes,
		Because: AsIs(func(c *messages.Catalogue) string { return c.FixWhy(r.Fix.Why) }),
	}
	if loc != wire || len(v.Short) < len(loc) {
		v.Loc = loc
	}
	if e := ends[r.Trail.End]; e != "" {
		v.End = say("end-" + e)
	}
	v.Said = v.D.lines()
	if r.Other != nil && len(r.Other.Steps) > 0 {
		v.Check = CheckOf(r.Verdict, r.Other.Steps[0].Hop.URL)
	}
	return v
}

// CheckOf is the command that looks into the server's log for an address in its other
// spelling, in wire form; "" where v needs none.
func CheckOf(v audit.Verdict, other string) string {
	c := messages.Of("en").Verdict(v).Check
	return strings.ReplaceAll(c, "{path}", command.Escaped(address.Wire(other).Target()))
}

// A detailView is a Detail with what the template cannot work out.
type detailView struct {
	Detail
	Steps, Other []stepView
}

type stepView struct {
	Step
	Class   string
	Answer  string
	Remarks []Phrase
}

func newDetailView(d Detail) detailView {
	return detailView{d, stepViews(d.Steps), stepViews(d.Other)}
}

func stepViews(steps []Step) (out []stepView) {
	for _, s := range steps {
		v := stepView{Step: s, Class: "0", Answer: "–", Remarks: remarks(s)}
		if s.Status > 0 {
			v.Class, v.Answer = strconv.Itoa(s.Status/100), strconv.Itoa(s.Status)
		}
		out = append(out, v)
	}
	return out
}

// remarks are the small words under a step.
func remarks(s Step) (out []Phrase) {
	if s.Fault != "" {
		out = append(out, FaultText(s.Fault))
	}
	if s.Detail != "" {
		out = append(out, Raw(s.Detail))
	}
	if s.Challenge != "" {
		out = append(out, say("challenge", "name", s.Challenge))
	}
	if s.Robots != "" {
		out = append(out, Raw(fmt.Sprintf("robots.txt:%d %s", s.Line, s.Robots)))
	}
	if s.Kind != "" {
		out = append(out, Raw(s.Kind))
	}
	if s.Temporary {
		out = append(out, say("is-temporary"))
	}
	if s.Location != "" {
		out = append(out, Raw("Location: "+s.Location))
	}
	return out
}

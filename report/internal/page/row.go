package page

import (
	"fmt"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/command"
	"sitemend/report/messages"
)

// A Row is a row as a page shows it without a script: what the template "detail"
// takes, and the fields that a line of a list needs.
type Row struct {
	Detail
	Verdict  audit.Verdict
	Action   audit.Action
	Short    string
	Loc      string // as written, where the wire form differs
	Place    string
	Statuses string
	Because  Phrase
	Notes    []audit.Note
}

// NewRow prepares r for the template "detail". place says where it is listed.
func NewRow(place string, r *audit.Row) Row {
	loc := Shown(r.Entry.Loc)
	v := Row{
		Detail: DetailOf(r, nil), Verdict: r.Verdict, Action: r.Fix.Action, Short: Middle(loc, 110), Place: place,
		Statuses: strings.ReplaceAll(Statuses(r.Trail), " ", " → "), Notes: r.Notes,
		Because: AsIs(func(c *messages.Catalogue) string { return c.FixWhy(r.Fix.Why) }),
	}
	if loc != r.Address.String() || len(v.Short) < len(loc) {
		v.Loc = loc
	}
	return v
}

// CheckOf is the command that looks into the server's log for an address in its other
// spelling, in wire form; "" where v needs none.
func CheckOf(v audit.Verdict, other string) string {
	c := messages.Of("en").Verdict(v).Check
	return strings.ReplaceAll(c, "{path}", command.Escaped(address.Wire(other).Target()))
}

// remarks are the small words under a step.
func remarks(s Step) Phrase {
	var out []Phrase
	add := func(there bool, p Phrase) {
		if there {
			out = append(out, p)
		}
	}
	add(s.Fault != "", Plain(func(c *messages.Catalogue) string { return c.Fault(audit.Fault(s.Fault)) }))
	add(s.Detail != "", Raw(s.Detail))
	add(s.Challenge != "", say("challenge", "name", s.Challenge))
	add(s.Robots != "", Raw(fmt.Sprintf("robots.txt:%d %s", s.Line, s.Robots)))
	add(s.Kind != "", Raw(s.Kind))
	add(s.Temporary, say("is-temporary"))
	add(s.Location != "", Raw("Location: "+s.Location))
	return Join(" · ", out...)
}

package page

import (
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/command"
	"sitemend/report/messages"
)

// maxShown is how many characters of an address a list shows.
const maxShown = 300

// FactColumns are the columns of Facts.
func FactColumns() []Column { return Texts(say("col-finding"), say("col-status"), say("why")) }

// Facts are what a list shows of a row: its verdict, what was answered and where that ends, and why
// what is done is done. place says where it is listed.
func Facts(r *audit.Row, place string) []Cell {
	answers := TextCell(Raw(strings.ReplaceAll(Statuses(r.Trail), " ", " → ")))
	if !r.Final.IsZero() && r.Final != r.Address {
		answers.Small = append(answers.Small, Code(Middle(r.Final.String(), maxShown)))
	}
	answers.Small = append(answers.Small, Raw(place))
	return []Cell{TextCell(VerdictText(r.Verdict, "")), answers, TextCell(Plain(func(c *messages.Catalogue) string { return c.FixWhy(r.Fix.Why) }))}
}

// CheckOf is the command that looks into the server's log for an address in its other
// spelling, in wire form; "" where v needs none.
func CheckOf(v audit.Verdict, other string) string {
	c := messages.Of("en").Verdict(v).Check
	return strings.ReplaceAll(c, "{path}", command.Escaped(address.Wire(other).Target()))
}

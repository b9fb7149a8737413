package page

import (
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// maxShown is how many characters of an address a list shows.
const maxShown = 300

// FactColumns are the columns of Facts.
func FactColumns() []Column {
	return Texts(messages.Say("what"), messages.Say("col-status"), messages.Say("why"))
}

// Facts are what a list shows of a row: its verdict, what was answered and where that ends, and why
// what is done is done. place says where it is listed.
func Facts(r *audit.Row, place string) []Cell {
	answers := TextCell(messages.Verbatim(strings.ReplaceAll(Statuses(r.Trail), " ", " → ")))
	if !r.Final.IsZero() && r.Final != r.Address {
		answers.Small = append(answers.Small, messages.Code(messages.Middle(r.Final.String(), maxShown)))
	}
	answers.Small = append(answers.Small, messages.Verbatim(place))
	return []Cell{TextCell(VerdictName(r.Verdict)), answers, TextCell(WhyText(r.Fix.Why))}
}

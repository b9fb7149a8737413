package messages

import (
	"strconv"

	"sitemend/crawler/audit"
)

// RuleFinding says what is wrong with a rule of a rule file. What the host says of a line
// that it ignores stays English.
func (c *Catalogue) RuleFinding(x audit.RuleFinding) string {
	var pairs []string
	for i, a := range x.Args {
		pairs = append(pairs, strconv.Itoa(i+1), a)
	}
	return c.Text("finding-"+x.Key, pairs...)
}

package html

import (
	_ "embed"
	"fmt"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

//go:embed page/rules.tmpl
var rulesTemplate string

// shownRules is how many faults of rules are shown; rules.csv has all.
const shownRules = 100

// A rulesView is the section about the rule files of a build: what answered, and what is
// wrong with the rules.
type rulesView struct {
	Modelled page.Phrase
	Lines    []page.Phrase // how many rules each file has, and what was assumed
	Rows     []ruleRow
	More     int // faults that are not shown
}

// A ruleRow is a fault of a rule, or of a line that is not one.
type ruleRow struct {
	Name, Why page.Phrase
	Text, At  string
}

// newRulesView is the section; nil where no build answered.
func newRulesView(result *audit.Result) *rulesView {
	b := result.Build
	if b == nil {
		return nil
	}
	v := &rulesView{
		Modelled: page.AsIs(func(c *messages.Catalogue) string { return conclude.Modelled(c, b) }),
	}
	for i := range conclude.RuleLines(messages.Of("en"), b) {
		v.Lines = append(v.Lines, page.AsIs(func(c *messages.Catalogue) string { return conclude.RuleLines(c, b)[i] }))
	}
	if conclude.Assumed(messages.Of("en"), b) != "" {
		v.Lines = append(v.Lines, page.AsIs(func(c *messages.Catalogue) string { return conclude.Assumed(c, b) }))
	}
	for i := range b.Files {
		for _, n := range b.Files[i].Faults {
			v.More += n
		}
	}
	for _, x := range b.Findings[:min(len(b.Findings), shownRules)] {
		at := b.PathOf(x.File)
		if x.Line > 0 {
			at = fmt.Sprintf("%s:%d", at, x.Line)
		}
		v.Rows = append(v.Rows, ruleRow{
			Name: page.Plain(func(c *messages.Catalogue) string { return c.Text("fault-" + x.Fault) }),
			Why:  page.AsIs(func(c *messages.Catalogue) string { return c.RuleFinding(x) }),
			Text: page.Visible(x.Text), At: page.Visible(at),
		})
	}
	v.More -= len(v.Rows)
	return v
}

package messages

import (
	"maps"
	"slices"
	"strings"

	"sitemend/crawler/answers"
)

// RuleFinding says what is wrong with a rule of a rule file, and of what: "Leads to a missing page: /b 404".
func (c *Catalogue) RuleFinding(x answers.RuleFinding) string {
	args := slices.Clone(x.Args)
	for i := range args {
		if x.Fault == "rule-unread" { // its one argument is what the reader of the file says
			args[i] = c.RuleWhy(args[i])
		}
	}
	name := or(c.Texts, "fault-"+x.Fault)
	if len(args) == 0 {
		return name
	}
	return name + ": " + strings.Join(args, " ")
}

// RuleWhy says why a host ignores a line of a rule file, which crawler/rules says in English: that
// is the key of the words in other languages, with {1} for what differs. What stands behind ": "
// has a key of its own; what has none, as the error of a parser, stays as it is.
func (c *Catalogue) RuleWhy(english string) string {
	longest := func(a, b string) int { return len(b) - len(a) }
	for _, key := range slices.SortedFunc(maps.Keys(c.RuleWhys), longest) {
		before, after, open := strings.Cut(key, "{1}")
		arg, begins := strings.CutPrefix(english, before)
		arg, ends := strings.CutSuffix(arg, after)
		if begins && ends && (arg != "") == open {
			return fill(c.RuleWhys[key], "1", arg)
		}
	}
	if before, after, two := strings.Cut(english, ": "); two {
		return c.RuleWhy(before) + ": " + c.RuleWhy(after)
	}
	return english
}

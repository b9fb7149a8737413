package messages

import (
	"slices"
	"strings"

	"sitemend/crawler/audit"
)

// RuleFinding says what is wrong with a rule of a rule file, and of what: "Leads to a missing page: /b 404".
func (c *Catalogue) RuleFinding(x audit.RuleFinding) string {
	args := slices.Clone(x.Args)
	for i := range args {
		if x.Fault == "rule-unread" { // its one argument is what the reader of the file says
			args[i] = c.RuleWhy(args[i])
		}
	}
	name := c.Text("fault-" + x.Fault)
	if len(args) == 0 {
		return name
	}
	return name + ": " + strings.Join(args, " ")
}

// RuleWhy says why a host ignores a line of a rule file, which crawler/rules says in English: that
// is the key of the words in other languages, with {1} for what differs. What stands behind ": "
// has a key of its own; what has none, as the error of a parser, stays as it is.
func (c *Catalogue) RuleWhy(english string) string {
	if text := c.ruleWhy(english); text != english {
		return text
	}
	parts := strings.Split(english, ": ")
	for i, part := range parts {
		parts[i] = c.ruleWhy(part)
	}
	return strings.Join(parts, ": ")
}

func (c *Catalogue) ruleWhy(english string) string {
	if text, ok := c.RuleWhys[english]; ok {
		return text
	}
	best, arg := "", ""
	for key := range c.RuleWhys {
		before, after, ok := strings.Cut(key, "{1}")
		if !ok || len(key) <= len(best) || len(english) <= len(before)+len(after) ||
			!strings.HasPrefix(english, before) || !strings.HasSuffix(english, after) {
			continue
		}
		best, arg = key, english[len(before):len(english)-len(after)]
	}
	if best == "" {
		return english
	}
	return strings.Replace(c.RuleWhys[best], "{1}", arg, 1)
}

package report

import (
	"slices"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// levelOf is the level of what is an error, or a warning.
func levelOf(isError bool) string {
	if isError {
		return "error"
	}
	return "warning"
}

// expectRule is the id of the rule behind an old URL that does not lead where it should.
func expectRule(why audit.Unmet) string { return "expect/" + string(why) }

func expectLevel(why audit.Unmet) string {
	switch why {
	case audit.UnmetUnverified:
		return "note"
	case audit.UnmetNotFound, audit.UnmetTarget, audit.UnmetNot200:
		return "error"
	}
	return "warning"
}

// faultRule is the id of the rule behind a fault: "fault/too-many-urls".
func faultRule(x *audit.SitemapFault) string {
	words := strings.FieldsFunc(strings.ToLower(x.Name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return "fault/" + strings.Join(words, "-")
}

// ruleList appends the rules: every verdict that can be a result, and the faults
// that occur. It sets the index of each.
func (s *sarif) ruleList(o object) object {
	add := func(id string) { o = s.rule(o, id) }
	for _, v := range audit.Verdicts() {
		if !isFinding(v) {
			continue
		}
		f := s.words.Verdict(v)
		add(string(v))
		help, markdown := f.Why, "**Why:** "+escapeMarkdown(f.Why)
		if v.Facts().Fix == audit.Keep || s.result.Counts.Groups[audit.NeedsDecision][string(v)] == 0 {
			// Else some of its results are kept where others are edited, and say so.
			help, markdown = help+" "+f.Do, markdown+"\n\n**Do:** "+escapeMarkdown(f.Do)
		}
		const source = " in the source of sitemend."
		help, markdown = help+" More: "+messages.Doc(v)+source, markdown+"\n\n**More:** `"+messages.Doc(v)+"`"+source
		o.ruleText(f.Name, f.What, help, markdown, v.Facts().Severity)
	}
	for _, x := range s.ruleNames() {
		add(x.Fault)
		o.ruleText(s.words.Text("fault-"+x.Fault), "Something is wrong with a rule of the build: "+s.words.Text("fault-"+x.Fault)+".",
			"Correct the rule file.", "Correct the rule file.", levelOf(x.Error))
	}
	o = s.expectedRules(o)
	for _, name := range s.faultNames() {
		add(faultRule(&audit.SitemapFault{Name: name.Name}))
		text := "Search Console's \"" + name.Name + "\": something is wrong with the sitemap file itself."
		o.ruleText(name.Name, text, "Correct what writes the sitemap file.", "Correct what writes the sitemap file.", levelOf(name.Severity == "error"))
	}
	return o
}

// rule begins a rule.
func (s *sarif) rule(o object, id string) object {
	if len(s.rules) > 0 {
		o = append(o, ',')
	}
	s.rules[id] = len(s.rules)
	o = append(o, '\n', '{')
	o.text("id", id)
	return o
}

// ruleText adds the texts of a rule and ends it.
func (o *object) ruleText(name, full, help, markdown, level string) {
	texts := func(key string, pairs ...string) {
		o.key(key)
		*o = append(*o, '{')
		for i := 0; i < len(pairs); i += 2 {
			o.text(pairs[i], pairs[i+1])
		}
		*o = append(*o, '}')
	}
	texts("shortDescription", "text", visible(name))
	texts("fullDescription", "text", visible(full))
	texts("help", "text", visible(help), "markdown", markdown)
	texts("defaultConfiguration", "level", level)
	o.key("properties")
	*o = append(*o, `{"tags":["sitemap","seo"],"precision":"very-high",`...)
	severity := map[string]string{"error": "error", "warning": "warning", "note": "recommendation"}[level]
	*o = append(*o, `"problem.severity":"`+severity+`"}}`...)
}

// expectedRules appends the rules of a map that have results.
func (s *sarif) expectedRules(o object) object {
	x := conclude.ExpectedOf(s.result)
	if x == nil {
		return o
	}
	slices.SortFunc(x.Ends, func(a, b conclude.ExpectedEnd) int {
		return slices.Index(audit.Unmets(), a.Why) - slices.Index(audit.Unmets(), b.Why)
	})
	for _, e := range x.Ends {
		o = s.rule(o, expectRule(e.Why))
		name, do := e.Title.Plain(s.words), e.Text.Plain(s.words)
		o.ruleText(name, "An old URL of the map does not lead where it should: "+name+".", do, escapeMarkdown(do), expectLevel(e.Why))
	}
	return o
}

// ruleNames returns one fault of the rule files of each kind.
func (s *sarif) ruleNames() (all []audit.RuleFinding) {
	if s.result.Build == nil {
		return nil
	}
	for _, x := range s.result.Build.Findings {
		if !slices.ContainsFunc(all, func(y audit.RuleFinding) bool { return y.Fault == x.Fault }) {
			all = append(all, x)
		}
	}
	return all
}

// faultNames returns one fault of each rule, in the order of the rules' ids, the
// worst first.
func (s *sarif) faultNames() []audit.SitemapFault {
	var all []audit.SitemapFault
	for i := range s.result.Files {
		all = append(all, s.result.Files[i].Sitemap.Faults...)
	}
	slices.SortStableFunc(all, func(a, b audit.SitemapFault) int {
		if c := strings.Compare(faultRule(&a), faultRule(&b)); c != 0 {
			return c
		}
		return strings.Compare(a.Severity, b.Severity) // error, warning
	})
	return slices.CompactFunc(all, func(a, b audit.SitemapFault) bool { return faultRule(&a) == faultRule(&b) })
}

package report

import (
	"context"
	"fmt"
	"slices"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// expectSuite is the suite of a map in junit.xml.
const expectSuite = "expect"

// expectedText says in one line what is wrong with an old address.
func expectedText(c *messages.Catalogue, r *audit.ExpectedRow) string {
	to := r.To.String()
	if r.To.IsZero() {
		to = "404 or 410"
	}
	text := conclude.ExpectedWhy(r).Plain(c) + ": " + url(&r.Row) + " must lead to " + to
	switch end := r.Final.String(); {
	case end != "" && end != to && end != url(&r.Row):
		text += ", leads to " + end
	}
	if s := statuses(&r.Row); s != "" {
		text += " (" + s + ")"
	}
	if !r.Suggestion.IsZero() {
		text += ". Suggestion: " + r.Suggestion.String()
	}
	return visible(text)
}

// readExpected makes the suite of the map.
func (j *junit) readExpected(ctx context.Context) error {
	list := j.result.Expected
	if list == nil {
		return nil
	}
	j.unmet = &suite{listed: 1}
	fmt.Fprintf(&j.unmet.cases, `<testcase classname="sitemend.%s" name="%s"%s/>`+"\n", expectSuite, markup(list.Name), at(nil, list.Name, 0))
	for r, err := range j.result.ExpectedRows(ctx) {
		switch {
		case err != nil:
			return err
		case r.Forgotten || r.Met():
			continue
		case j.unmet.listed > maxCases || j.bytes >= maxCaseBytes:
			j.unmet.leftOut++
			continue
		}
		before := j.unmet.cases.Len()
		j.unmet.expectedCase(j.words, list.Name, &r)
		j.bytes += j.unmet.cases.Len() - before
	}
	j.unmet.rest(expectSuite, true)
	return nil
}

// expectedCase adds the case of one old address.
func (s *suite) expectedCase(c *messages.Catalogue, name string, r *audit.ExpectedRow) {
	s.listed++
	fmt.Fprintf(&s.cases, `<testcase classname="sitemend.%s" name="%s"%s>`, expectSuite,
		markup(fmt.Sprint(url(&r.Row), " in ", name, ", line ", r.Line)), at(nil, name, r.Line))
	text := markup(expectedText(c, r))
	if r.Why == audit.UnmetUnverified {
		s.skipped++
		fmt.Fprintf(&s.cases, `<skipped message="%s"/>`, text)
	} else {
		s.failures++
		fmt.Fprintf(&s.cases, `<failure type="%s" message="%s"/>`, r.Word(), text)
	}
	s.cases.WriteString("</testcase>\n")
}

// expectRule is the id of the rule behind an old address that does not lead where it should.
func expectRule(why audit.Unmet) string { return "expect/" + string(why) }

// expectLevel is the level of a reason.
func expectLevel(why audit.Unmet) string {
	switch why {
	case audit.UnmetUnverified:
		return "note"
	case audit.UnmetNotFound, audit.UnmetTarget, audit.UnmetNot200:
		return "error"
	}
	return "warning"
}

// countExpected adds the results of the map to those of each rule.
func (s *sarif) countExpected(counts map[string]int) {
	if x := s.result.Expected; x != nil {
		for why, n := range x.Why {
			counts[expectRule(why)] = n
		}
	}
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
		o.ruleText(name, "An old address of the map does not lead where it should: "+name+".", do, escapeMarkdown(do), expectLevel(e.Why))
	}
	return o
}

// expected writes the results of the map.
func (s *sarif) expected(ctx context.Context) error {
	list := s.result.Expected
	if list == nil {
		return nil
	}
	for r, err := range s.result.ExpectedRows(ctx) {
		if err != nil {
			return err
		}
		id := expectRule(r.Why)
		if r.Forgotten || r.Met() || !s.next(id) {
			continue
		}
		s.b.text("level", expectLevel(r.Why))
		s.b.message(expectedText(s.words, &r))
		s.b.location(place(list.Name), r.Line)
		s.fingerprints(list.Name, id, url(&r.Row))
		s.b.key("properties")
		s.b = append(s.b, '{')
		s.b.text("url", visible(url(&r.Row)))
		s.b.textIf("expected", visible(r.To.String()))
		s.b.textIf("suggestion", visible(r.Suggestion.String()))
		s.b = append(s.b, '}', '}')
		s.w.write(s.b)
	}
	return s.w.err
}

package html_test

import (
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/html"
)

// The expert part of a cause that a server can mend in one hop has the rule of its first
// address in the words of servers, and the command that writes all; others have none.
func TestACauseHasItsRule(t *testing.T) {
	const rule = `"~^/old%28b%29$" "/new(b)";`
	chain := audit.Cause{Verdict: audit.Moved, Group: audit.Corrected, Count: 3, LeastHops: 2, MostHops: 3,
		Reasons: []address.Reason{address.Path}, Examples: []string{"http://a.example/old%28b%29"}, Finals: []string{"http://a.example/new(b)"}}
	one, held, conflict := chain, chain, chain
	one.LeastHops, one.MostHops = 1, 1
	held.Stop, held.Group = audit.Gate, audit.NeedsDecision
	conflict.Verdict, conflict.Group, conflict.LeastHops = audit.SpellingConflict, audit.OtherSpelling, 0
	conflict.Examples, conflict.Finals = []string{"http://a.example/new(b)"}, []string{"http://a.example/old%28b%29"}
	for _, c := range []struct {
		what  string
		cause audit.Cause
		want  bool
	}{{"a chain", chain, true}, {"one redirect to another page", one, false}, {"what may not be written", held, false}, {"another spelling", conflict, true}} {
		text := html.RulesOfCause(&c.cause)
		if got := strings.Contains(text, rule) && strings.Contains(text, "sitemend rules --for FORMAT"); got != c.want || !c.want && text != "" {
			t.Errorf("%s: got %q", c.what, text)
		}
	}
}

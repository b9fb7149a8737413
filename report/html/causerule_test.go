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
		text := html.RulesOfCause(&c.cause, "", "")
		if got := strings.Contains(text, rule) && strings.Contains(text, "sitemend rules --for FORMAT"); got != c.want || !c.want && text != "" {
			t.Errorf("%s: got %q", c.what, text)
		}
	}
}

// The rule for the server that answered stands first, those for others behind it; of a server that
// is not known, or whose format cannot say the rule, all are others.
func TestTheRuleOfTheServerThatAnswers(t *testing.T) {
	chain := audit.Cause{Verdict: audit.Moved, Group: audit.Corrected, Count: 3, LeastHops: 2, MostHops: 3,
		Reasons: []address.Reason{address.Path}, Examples: []string{"http://a.example/old%28b%29"}, Finals: []string{"http://a.example/new(b)"}}
	const nginx, apache, caddy = "In nginx, for the first URL:", "In apache, for the first URL:", "In caddy, for the first URL:"
	for server, want := range map[string][]string{
		"Apache": {"Apache answers here. " + apache, "others:", nginx, caddy, "sitemend rules --for apache"},
		"IIS":    {"IIS answers here. In iis, for the first URL:", "others:", nginx, apache, caddy, "sitemend rules --for iis"},
		"Tomcat": {"others:", nginx, apache, caddy, "sitemend rules --for FORMAT"},
		"":       {"others:", nginx, apache, caddy, "sitemend rules --for FORMAT"},
	} {
		lines := strings.Split(strings.TrimSpace(html.RulesOfCause(&chain, "a.example", server)), "\n")
		for i, line := range lines {
			if i >= len(want) || !strings.HasPrefix(line, want[i]) {
				t.Errorf("%s: line %d is %q, want %q", server, i+1, line, want)
			}
		}
		if len(lines) != len(want) {
			t.Errorf("%s: %d lines, want %d", server, len(lines), len(want))
		}
	}
	query := chain
	query.Examples = []string{"http://a.example/old?x=1"}
	if got := html.RulesOfCause(&query, "a.example", "Cloudflare"); !strings.HasPrefix(got, "others:\n"+nginx) {
		t.Errorf("of a rule that Cloudflare cannot say it says %q", got)
	}
	slash := audit.Cause{Verdict: audit.Moved, Group: audit.Corrected, Count: 3, LeastHops: 2, MostHops: 2, Reasons: []address.Reason{address.Path},
		Examples: []string{"https://a.example/old"}, Finals: []string{"https://a.example/new"}}
	if got := html.RulesOfCause(&slash, "a.example", "Netlify"); !strings.HasPrefix(got, "Netlify answers here. In netlify, for the first URL: /old /new 301") {
		t.Errorf("of a rule that Netlify can say it says %q", got)
	}
}

package report

import (
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// Where nothing else is to be done than about what could not be checked, all outputs have the same
// action, whatever kept it from being seen.
func TestOneActionForWhatCouldNotBeChecked(t *testing.T) {
	for why, title := range map[string]string{
		"timeout": "Crawl more slowly", "429": "Crawl more slowly", "503": "Audit again later, more slowly", "403": "See whether the 3 refused entries are in a login area",
		"Cloudflare": "Let this computer through", "401": "Open what asks for a password", string(audit.Unsteady): "Audit again what could not be checked",
		string(audit.FaultNotAgain): "Audit again what could not be checked", string(audit.FaultAbandoned): "Audit again what could not be checked",
	} {
		a := result(nil)
		a.Counts.Entries, a.Counts.Unseen = 60, map[string]int{why: 3}
		a.Counts.Verdicts = map[audit.Verdict]int{audit.OK: 57, audit.Unverified: 3}
		a.Counts.Groups = map[audit.Group]map[string]int{audit.Fine: {"ok": 57}, audit.NotChecked: {"unverified": 3}}
		terminal, markdown, _ := writings(t, a)
		actions := conclude.Of(a, conclude.Options{}).Actions
		if len(actions) != 1 || actions[0].Title.Plain(messages.Of("en")) != title {
			t.Errorf("%s: the actions are %v, want %q alone", why, actions, title)
		}
		_, next, _ := strings.Cut(terminal, "\nNext ")
		if !strings.HasPrefix(strings.TrimSpace(next), title+": ") || !strings.Contains(markdown, "1. **"+title+"**") {
			t.Errorf("%s: not all say %q:\n%s\n%s", why, title, terminal, markdown)
		}
	}
}

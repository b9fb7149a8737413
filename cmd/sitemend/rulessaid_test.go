package main

import (
	"testing"

	"sitemend/crawler/audit"
)

// What gets no rule because no page stands at its end is said in words, not by the name of the
// verdict.
func TestLeftOutOfRulesIsSaidInWords(t *testing.T) {
	for _, v := range audit.Verdicts() {
		lead := v.Facts().Leads
		ends := lead == audit.LeadRound || lead == audit.LeadNowhere && v != audit.Invalid // which has no redirect
		if words := noteWords[string(v)]; ends && (words[0] == "" || words[1] == "") {
			t.Errorf("rules that end as %s are left out without words for it", v)
		}
	}
}

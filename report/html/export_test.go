package html

import (
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/internal/page"
)

// RulesOfCause are the rules of a cause in English, a line each: the one for the server that was
// recognised for the host of its examples ("" for none), "others:" and those, and the command.
func RulesOfCause(c *audit.Cause, host, server string) string {
	r := newCauseRules(&audit.Result{Info: audit.Info{Servers: map[string]string{host: server}}}, c, "sitemend rules")
	if r == nil {
		return ""
	}
	var b strings.Builder
	say := func(p page.Phrase) {
		if p != nil {
			b.WriteString(p.In("en") + "\n")
		}
	}
	say(r.Mine)
	b.WriteString("others:\n")
	for _, p := range r.Others {
		say(p)
	}
	say(r.All)
	return b.String()
}

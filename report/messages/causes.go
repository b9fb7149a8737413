package messages

import (
	"cmp"
	"strconv"
	"strings"

	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
)

// Rule returns a cause's rule in this language; "" where it has none. The rule contains text of a
// site, which is not escaped here.
func (c *Catalogue) Rule(terms []pattern.Term) string {
	said := make([]string, len(terms))
	for i, t := range terms {
		if t.Name == "unseen" {
			t.From = c.Fault(t.From)
		}
		said[i] = t.String()
		if text, ok := c.Rules[t.Name]; ok {
			said[i] = fill(text, "from", t.From, "to", t.To)
		}
	}
	return strings.Join(said, c.Text("between"))
}

// Remedy says what to do about a cause: at its source where the corrected sitemaps settle it, else what
// its rows say. `code` stands between backticks.
func (c *Catalogue) Remedy(x *audit.Cause) string {
	switch x.Group.Lane() {
	case audit.Upload:
		return cmp.Or(c.Remedies[atSource(x)], c.Verdict(x.Verdict).Do)
	case audit.Unseen:
		for _, t := range x.Terms {
			if t.Name == "unseen" {
				return cmp.Or(c.Remedies[c.refusal(t.From)], c.Verdict(x.Verdict).Do)
			}
		}
	}
	return c.Do(Decision{x.Verdict, audit.Keep, x.Stop})
}

// atSource names the remedy of a cause that the corrected sitemaps settle; "" for that of its verdict.
func atSource(x *audit.Cause) string {
	fix := x.Verdict.Facts().Fix
	switch {
	case x.By != (answers.RuleAt{}):
		return "by-rule"
	case x.Group == audit.TakenOut && fix != audit.Drop:
		return "unlist"
	case x.Merged:
		return "once"
	case x.Group == audit.TakenOut, x.Verdict == audit.Noncanonical:
		return ""
	}
	for _, t := range x.Terms {
		if remedy := remedies[t.Name]; remedy != "" {
			return remedy
		}
	}
	return "listed"
}

// remedies are those of terms, and of why nothing was seen, that have one under another name.
var remedies = map[string]string{
	"scheme": "origin", "host": "origin", "port": "origin", "double-encoded": "double",
	"charset": "encoding", "nfc": "encoding", "nfd": "encoding", "hex-upper": "encoding", "hex-lower": "encoding", "decoded": "encoding",
	"encoded": "encoding", "space-encoded": "encoding", "space-plus": "encoding", "double-decoded": "encoding",

	"429": "slow", "503": "slow", string(answers.FaultTimeout): "slow",
	string(answers.FaultDNS): "address", string(answers.FaultTLS): "address", string(answers.FaultAddress): "address",
	string(answers.FaultRefused): "network", string(answers.FaultReset): "network", string(answers.FaultUnreachable): "network", "0": "network", "407": "network",
	string(answers.FaultRobots): "robots", string(answers.FaultRobotsAddress): "address", string(answers.FaultOutside): "build", string(answers.FaultUnmodelled): "build",
}

// refusal names the remedy of why nothing was seen: a status, a fault, or the name of a bot protection.
func (c *Catalogue) refusal(why string) string {
	if _, err := strconv.Atoi(why); err != nil && c.Faults[why] == "" {
		return "403"
	}
	return cmp.Or(remedies[why], why)
}

// LetIn returns how to be let in where answers refused the crawler, a sentence for each kind of refusal, in
// which `code` stands between backticks; nil where nothing was refused. unseen has the number of URLs that
// could not be checked by cause, as audit.Counts.Unseen.
//
// It never advises allowing a user agent, because anybody can claim one.
func (c *Catalogue) LetIn(info *audit.Info, unseen map[string]int) (out []string) {
	kinds := map[string]bool{}
	for why, n := range unseen {
		if n > 0 && why != string(answers.FaultAbandoned) { // info.Abandoned says what led there
			kinds[c.refusal(why)] = true
		}
	}
	for _, status := range info.Abandoned {
		kinds[c.refusal(strconv.Itoa(status))] = true
	}
	for _, kind := range []string{"401", "403", "slow", "network", "robots"} {
		if kinds[kind] {
			out = append(out, c.Remedies[kind])
		}
	}
	if host, wait := info.Wait(); host != "" && kinds["slow"] {
		out = append(out, c.Text("letin-wait", "host", host, "wait", Took(wait)))
	}
	return out
}

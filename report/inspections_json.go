package report

import "sitemend/crawler/audit"

// googleSummary is what summary.json says of Google's index.
type googleSummary struct {
	Asked       int            `json:"asked"`
	Agrees      int            `json:"agrees"`
	Older       int            `json:"older"`
	Other       int            `json:"other_spelling"`
	Differs     int            `json:"differs"`
	NotCrawled  int            `json:"not_crawled"`
	NotCompared int            `json:"not_compared"`
	Failed      int            `json:"failed"`
	States      map[string]int `json:"states"`
	Left        int            `json:"left,omitempty"`
	Again       string         `json:"again,omitempty"`
}

// googleOf is n as summary.json has it; nil where Google's index was not asked.
func googleOf(in *audit.Inspections, n *inspections) *googleSummary {
	if in == nil {
		return nil
	}
	out := &googleSummary{Asked: n.all, Agrees: n.agree[audit.Agrees], Older: n.agree[audit.AgreesOlder], Other: n.agree[audit.AgreesOther], Differs: n.agree[audit.AgreesNot],
		NotCrawled: n.unknown, Failed: n.failed, States: n.states, Left: in.Left}
	out.NotCompared = n.all - n.failed - n.unknown - out.Agrees - out.Older - out.Other - out.Differs
	if in.Left > 0 {
		out.Again = when(in.Again)
	}
	return out
}

package page

import (
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// A Kept is what Google's index says of an address.
type Kept struct {
	State     string `json:"s,omitempty"`
	Verdict   string `json:"v,omitempty"`
	Canonical string `json:"c,omitempty"` // the one that Google chose; "=" for the entry itself
	Crawled   string `json:"l,omitempty"` // the day of the last crawl, in UTC; "" for never
	Agrees    string `json:"a,omitempty"` // Inspection.Agreement
	Failure   string `json:"f,omitempty"` // why there is no answer
}

// KeptOf returns what Google's index says of the address of r; the zero value where it was not asked.
func KeptOf(r *audit.Row) Kept {
	in := r.Inspection
	if in == nil {
		return Kept{}
	}
	k := Kept{State: Visible(string(in.State)), Verdict: Visible(in.Verdict), Canonical: Visible(in.Canonical),
		Agrees: in.Agreement(r), Failure: Visible(in.Failure)}
	if a, err := address.Parse(in.Canonical); err == nil && a == r.Address {
		k.Canonical = same
	}
	if !in.LastCrawl.IsZero() {
		k.Crawled = in.LastCrawl.UTC().Format(time.DateOnly)
	}
	return k
}

// same stands for the entry's own address.
const same = "="

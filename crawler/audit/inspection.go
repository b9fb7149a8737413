package audit

import (
	"cmp"
	"slices"
	"time"

	"sitemend/crawler/address"
)

// An Inspection is what Google's index says of one address, as the URL Inspection API has it.
type Inspection struct {
	URL      string    `json:"url"`      // wire form, as it was asked
	Property string    `json:"property"` // in which property of Search Console
	Asked    time.Time `json:"asked"`
	// Failure says why there is no answer about this address; then all below is empty.
	Failure string `json:"failure,omitempty"`
	State   Label  `json:"state,omitempty"` // coverageState, in English
	Verdict string `json:"verdict,omitempty"`
	// Canonical is the address that Google chose, as Google has it; "" for none.
	Canonical string    `json:"canonical,omitempty"`
	LastCrawl time.Time `json:"last_crawl,omitzero"` // zero for never
	Link      string    `json:"link,omitempty"`      // the same in Search Console
	// Since is when an audit of the same targets first saw what the latest one saw there, without
	// another answer in between; zero where that is not known.
	Since time.Time `json:"since,omitzero"`
}

// Inspections are what Google's index says of some addresses of an audit.
type Inspections struct {
	// By is by the wire form of the address.
	By map[string]Inspection
	// Left is how many more were chosen and not asked, for the day's quota of a property was
	// used up; it begins anew at Again.
	Left  int
	Again time.Time
}

// of returns what is said of an address; nil for nothing.
func (x *Inspections) of(a address.Address) *Inspection {
	if x == nil {
		return nil
	}
	if in, known := x.By[a.String()]; known {
		return &in
	}
	return nil
}

// How what Google's index says of an address goes with what an audit saw. "" is that there is nothing to set beside each other: Google has not
// crawled the address, or the audit has not seen it.
const (
	agrees      = "agrees"
	agreesOlder = "older"          // Google last crawled it before the audit saw what it is now
	agreesOther = "other-spelling" // Google's canonical is another spelling of the entry
	agreesNot   = "differs"
)

// Agreement sets an inspection beside the row of its address.
func (i *Inspection) Agreement(r *Row) string {
	canonical, _ := address.Parse(i.Canonical)
	switch {
	case i.Failure != "", r.Address.IsZero(), r.Verdict == Unverified, r.Verdict == Skipped:
		return ""
	case !canonical.IsZero() && canonical != r.Address && address.OnlyEncoding(address.Compare(r.Address, canonical)):
		return agreesOther
	case i.LastCrawl.IsZero():
		return ""
	case i.same(r, canonical):
		return agrees
	case i.LastCrawl.Before(cmp.Or(i.Since, r.CheckedAt)):
		return agreesOlder
	}
	return agreesNot
}

// indexed are the states of what Google can index, alike those that it has for another verdict besides
// the verdict's own.
var (
	indexed = []Label{LabelIndexed, labelIndexedToo, LabelCrawled, labelNoContent}
	alike   = map[Verdict][]Label{Noncanonical: {labelDuplicate, labelOtherCanonical}, Disallowed: {labelIndexedBlocked}}
)

// same reports whether Google saw what the audit saw. canonical is the address that Google
// chose.
func (i *Inspection) same(r *Row, canonical address.Address) bool {
	facts, names := r.Verdict.Facts(), func(a address.Address) bool { return !canonical.IsZero() && canonical == a }
	switch {
	case facts.Leads == LeadAway:
		return i.State == LabelRedirect || names(r.Final)
	case r.fine():
		return slices.Contains(indexed, i.State) && (canonical.IsZero() || canonical == r.Address)
	case r.Verdict == Noncanonical && names(r.named):
		return true
	case r.Verdict == Error && r.Status >= 500:
		return i.State == LabelServerError
	case r.Verdict == Error && r.Status >= 400:
		return i.State == LabelOther4xx
	case r.Verdict == Error:
		return i.State == LabelRedirectError
	}
	return i.State == facts.Label || slices.Contains(alike[r.Verdict], i.State)
}

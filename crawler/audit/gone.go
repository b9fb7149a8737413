package audit

import "slices"

// A Gone says what keeps a link in the file though its entry was taken out.
type Gone string

// The reasons to keep a link to an address that is not found, or that says noindex.
const (
	GoneAlone   Gone = "alone"   // its set would have no other address
	GoneBound   Gone = "bound"   // it cannot be taken out
	GoneNoindex Gone = "noindex" // it leads to a page that says noindex: that does no harm
)

// WithGone returns faults of the sitemap at url with one more place where links stay though their
// entry was taken out; the first of these is on a line. faults is not changed.
func WithGone(faults []SitemapFault, url string, gone Gone, line int) []SitemapFault {
	fault := SitemapFault{Name: "Alternate not found", Key: "alternate-alone"}
	switch gone {
	case GoneBound:
		fault = SitemapFault{Name: "Alternate not found", Key: "alternate-bound"}
	case GoneNoindex:
		fault = SitemapFault{Name: "Alternate noindex", Key: "alternate-noindex"}
	}
	fault.Sitemap, fault.Line, fault.Severity = url, line, "warning"
	fault.Basis, fault.List = OnAnswers, AlsoAlternates
	faults = slices.Clone(faults)
	if i := slices.IndexFunc(faults, func(f SitemapFault) bool { return f.Key == fault.Key }); i >= 0 {
		faults[i].Count = faults[i].Places() + 1
		return faults
	}
	return append(faults, fault)
}

package audit

import "cmp"

// A Verdict is what an entry is, in one word of the contract.
type Verdict string

// The verdicts, in order of precedence.
const (
	Skipped          Verdict = "skipped"
	Invalid          Verdict = "invalid"
	Disallowed       Verdict = "disallowed"
	Unverified       Verdict = "unverified"
	Loop             Verdict = "loop"
	TooManyRedirects Verdict = "too-many-redirects"
	NotFound         Verdict = "not-found"
	Error            Verdict = "error"
	Offsite          Verdict = "offsite"
	Homepage         Verdict = "homepage"
	Temporary        Verdict = "temporary"
	Respelled        Verdict = "respelled"
	Moved            Verdict = "moved"
	Soft404          Verdict = "soft-404"
	Noindex          Verdict = "noindex"
	Noncanonical     Verdict = "noncanonical"
	SpellingBounce   Verdict = "spelling-bounce"
	SpellingConflict Verdict = "spelling-conflict"
	OK               Verdict = "ok"
)

// Severities of a verdict, as SARIF 2.1.0 (3.27.10) names its levels.
const (
	severityError   = "error"   // Google cannot reach or read the page
	severityWarning = "warning" // every other problem
	severityNote    = "note"    // none by itself
)

// A Lead says where an address leads.
type Lead string

// The leads.
const (
	leadUnknown Lead = "unknown" // nobody looked, or could
	leadItself  Lead = "itself"  // a page answers at the address
	LeadAway    Lead = "away"    // redirects lead to a page
	LeadRound   Lead = "round"   // redirects lead to no end
	LeadNowhere Lead = "nowhere" // there is no page, after redirects or without
)

// Facts are what holds for every row of a verdict.
type Facts struct {
	Verdict Verdict
	// Fix is what is done with an entry where --fix says nothing else.
	Fix   Action
	Group Group // of a row that is kept
	// Leads says where the listed address leads: what links, alternates, exports and causes make
	// of it goes by that.
	Leads Lead
	// Severity is one of severityError, severityWarning and severityNote.
	Severity string
	// Label is Search Console's name for it; "" where it has none, or where that depends
	// on the status (Error).
	Label Label
	// Indexability says why a search engine that saw what we saw could not index the listed address
	// itself, or why that is not known.
	Indexability string

	// What follows from these. Problem is set for the verdicts of the group `problem` of --fail-on,
	// Replaceable where there is an address that could be written in its place. Indexable is "yes",
	// "no", or "" where that is not known.
	Problem, Replaceable bool
	Indexable            string
}

// verdicts is every verdict that an audit can give, in order of precedence: the one place
// that says what a verdict is. Contract, section 3.
var verdicts = []Facts{
	{Verdict: Skipped, Fix: Keep, Group: LeftOut, Leads: leadUnknown, Severity: severityNote},
	{Verdict: Invalid, Fix: Drop, Group: NeedsDecision, Leads: LeadNowhere, Severity: severityError, Indexability: "invalid-url"},
	{Verdict: Disallowed, Fix: Keep, Group: NeedsDecision, Leads: leadUnknown, Severity: severityWarning, Label: LabelRobots, Indexability: "robots-txt"},
	{Verdict: Unverified, Fix: Keep, Group: NotChecked, Leads: leadUnknown, Severity: severityNote, Indexability: "unverified"},
	{Verdict: Loop, Fix: Keep, Group: NeedsDecision, Leads: LeadRound, Severity: severityError, Label: LabelRedirectError, Indexability: "redirect-error"},
	{Verdict: TooManyRedirects, Fix: Keep, Group: NeedsDecision, Leads: LeadRound, Severity: severityError, Label: LabelRedirectError, Indexability: "redirect-error"},
	{Verdict: NotFound, Fix: Drop, Group: NeedsDecision, Leads: LeadNowhere, Severity: severityError, Label: LabelNotFound, Indexability: "not-found"},
	{Verdict: Error, Fix: Keep, Group: NeedsDecision, Leads: LeadNowhere, Severity: severityError, Indexability: "error"},
	{Verdict: Offsite, Fix: Keep, Group: NeedsDecision, Leads: LeadAway, Severity: severityWarning, Label: LabelRedirect, Indexability: "redirect"},
	{Verdict: Homepage, Fix: Keep, Group: NeedsDecision, Leads: LeadAway, Severity: severityWarning, Label: LabelRedirect, Indexability: "redirect"},
	{Verdict: Temporary, Fix: Keep, Group: NeedsDecision, Leads: LeadAway, Severity: severityWarning, Label: LabelRedirect, Indexability: "temporary-redirect"},
	{Verdict: Respelled, Fix: Replace, Group: NeedsDecision, Leads: LeadAway, Severity: severityWarning, Label: LabelRedirect, Indexability: "redirect"},
	{Verdict: Moved, Fix: Replace, Group: NeedsDecision, Leads: LeadAway, Severity: severityWarning, Label: LabelRedirect, Indexability: "redirect"},
	{Verdict: Soft404, Fix: Keep, Group: NeedsDecision, Leads: LeadNowhere, Severity: severityWarning, Label: LabelSoft404, Indexability: "soft-404"},
	{Verdict: Noindex, Fix: Drop, Group: NeedsDecision, Leads: leadItself, Severity: severityWarning, Label: LabelNoindex, Indexability: "noindex"},
	{Verdict: Noncanonical, Fix: Replace, Group: NeedsDecision, Leads: leadItself, Severity: severityWarning, Label: labelAlternate, Indexability: "canonical"},
	{Verdict: SpellingBounce, Fix: Keep, Group: OtherSpelling, Leads: leadItself, Severity: severityNote},
	{Verdict: SpellingConflict, Fix: Keep, Group: OtherSpelling, Leads: leadItself, Severity: severityNote},
	{Verdict: OK, Fix: Keep, Group: Fine, Leads: leadItself, Severity: severityNote},
}

// factsOf is verdicts by verdict.
var factsOf = func() map[Verdict]*Facts {
	m := make(map[Verdict]*Facts, len(verdicts))
	for i := range verdicts {
		f := &verdicts[i]
		f.Problem = f.Group == NeedsDecision && f.Verdict != Disallowed
		f.Replaceable = f.Leads == LeadAway || f.Verdict == Noncanonical
		switch {
		case f.Verdict == Skipped, f.Verdict == Unverified, f.Verdict == Temporary: // Google may keep the URL of a temporary redirect (Search Central, "301 redirects")
		case f.Indexability == "":
			f.Indexable = "yes"
		default:
			f.Indexable = "no"
		}
		m[f.Verdict] = f
	}
	return m
}()

// unknown is what a verdict is that another version of the program gave: nothing is done
// with its entries.
var unknown = Facts{Fix: Keep, Group: NeedsDecision, Severity: severityNote, Leads: leadUnknown}

// Facts returns what holds for every row of verdict v. Of a word that is no verdict it
// says that the entry is kept, and nothing else.
func (v Verdict) Facts() *Facts { return cmp.Or(factsOf[v], &unknown) }

// Verdicts returns every verdict that an audit can give, in order of
// precedence. The caller owns the slice.
func Verdicts() (all []Verdict) {
	for i := range verdicts {
		all = append(all, verdicts[i].Verdict)
	}
	return all
}

// A Label is a reason of Search Console's Page indexing report, in its English
// words (Search Console Help 7440203). Other texts are labels too: a language
// or a tool that is not known, kept as written.
type Label string

// The labels that are known; "" for no label.
const (
	LabelRedirect       Label = "Page with redirect"
	LabelRedirectError  Label = "Redirect error"
	LabelNotFound       Label = "Not found (404)"
	LabelServerError    Label = "Server error (5xx)"
	LabelOther4xx       Label = "URL blocked due to other 4xx issue"
	LabelUnauthorized   Label = "Blocked due to unauthorized request (401)"
	LabelForbidden      Label = "Blocked due to access forbidden (403)"
	LabelRobots         Label = "Blocked by robots.txt"
	labelIndexedBlocked Label = "Indexed, though blocked by robots.txt"
	LabelNoindex        Label = "Excluded by 'noindex' tag"
	labelAlternate      Label = "Alternate page with proper canonical tag"
	LabelSoft404        Label = "Soft 404"
	labelDuplicate      Label = "Duplicate without user-selected canonical"
	labelOtherCanonical Label = "Duplicate, Google chose different canonical than user"
	LabelCrawled        Label = "Crawled - currently not indexed"
	labelDiscovered     Label = "Discovered - currently not indexed"
	labelRemoved        Label = "Blocked by page removal tool"
	labelNoContent      Label = "Page indexed without content"
)

// labels are the labels that are known and that no redirect is behind. The value is set where no answer
// that we get shows what is behind it: Google decided so, or the site answers some visitors otherwise.
var labels = map[Label]bool{
	LabelNotFound: false, LabelServerError: false, LabelOther4xx: false, LabelRobots: false, labelIndexedBlocked: false,
	LabelNoindex: false, labelAlternate: false, LabelIndexed: false, labelIndexedToo: false,
	LabelUnauthorized: true, LabelForbidden: true, LabelSoft404: true, labelDuplicate: true, labelOtherCanonical: true,
	LabelCrawled: true, labelDiscovered: true, labelRemoved: true, labelNoContent: true,
}

// The states of the URL Inspection API that no report of excluded pages has.
const (
	LabelIndexed    Label = "Submitted and indexed"
	labelIndexedToo Label = "Indexed, not submitted in sitemap"
)

package audit

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
	LeadUnknown Lead = "unknown" // nobody looked, or could
	LeadItself  Lead = "itself"  // a page answers at the address
	LeadAway    Lead = "away"    // redirects lead to a page
	LeadRound   Lead = "round"   // redirects lead to no end
	LeadNowhere Lead = "nowhere" // there is no page, after redirects or without
)

// Facts are what holds for every row of a verdict.
type Facts struct {
	Verdict Verdict
	// Problem is set for the verdicts of the group `problem` of --fail-on.
	Problem bool
	// Fix is what is done with an entry where --fix says nothing else. Replaceable is set
	// where there is an address that could be written in its place.
	Fix         Action
	Replaceable bool
	// Group is the group of a row that is kept. Who can put it right at its source:
	// "generator", "server", "cms" or "nobody".
	Group Group
	Who   string
	// Severity is one of severityError, severityWarning and severityNote.
	Severity string
	// Label is Search Console's name for it; "" where it has none, or where that depends
	// on the status (Error).
	Label Label
	// Indexable says whether a search engine that saw what we saw could index the listed
	// address itself: "yes", "no", or "" where that is not known; Indexability says why not.
	Indexable, Indexability string
	// Leads says where the listed address leads: what links, alternates, exports and causes make
	// of it goes by that.
	Leads Lead
	// Ends is set where the trail may end at an address that means something.
	Ends bool
}

// verdicts is every verdict that an audit can give, in order of precedence: the one place
// that says what a verdict is. Contract, section 3.
var verdicts = []Facts{
	{Verdict: Skipped, Fix: Keep, Group: LeftOut, Who: "nobody", Severity: severityNote, Leads: LeadUnknown},
	{Verdict: Invalid, Problem: true, Fix: Drop, Group: NeedsDecision, Who: "generator", Severity: severityError,
		Indexable: "no", Indexability: "invalid-url", Leads: LeadNowhere},
	{Verdict: Disallowed, Fix: Keep, Group: NeedsDecision, Who: "server", Severity: severityWarning, Label: LabelRobots,
		Indexable: "no", Indexability: "robots-txt", Leads: LeadUnknown},
	{Verdict: Unverified, Fix: Keep, Group: NotChecked, Who: "nobody", Severity: severityNote,
		Indexability: "unverified", Leads: LeadUnknown, Ends: true},
	{Verdict: Loop, Problem: true, Fix: Keep, Group: NeedsDecision, Who: "server", Severity: severityError, Label: LabelRedirectError,
		Indexable: "no", Indexability: "redirect-error", Leads: LeadRound},
	{Verdict: TooManyRedirects, Problem: true, Fix: Keep, Group: NeedsDecision, Who: "server", Severity: severityError, Label: LabelRedirectError,
		Indexable: "no", Indexability: "redirect-error", Leads: LeadRound},
	{Verdict: NotFound, Problem: true, Fix: Drop, Group: NeedsDecision, Who: "generator", Severity: severityError, Label: LabelNotFound,
		Indexable: "no", Indexability: "not-found", Leads: LeadNowhere, Ends: true},
	{Verdict: Error, Problem: true, Fix: Keep, Group: NeedsDecision, Who: "server", Severity: severityError,
		Indexable: "no", Indexability: "error", Leads: LeadNowhere, Ends: true},
	{Verdict: Offsite, Problem: true, Fix: Keep, Replaceable: true, Group: NeedsDecision, Who: "generator", Severity: severityWarning, Label: LabelRedirect,
		Indexable: "no", Indexability: "redirect", Leads: LeadAway, Ends: true},
	{Verdict: Homepage, Problem: true, Fix: Keep, Replaceable: true, Group: NeedsDecision, Who: "server", Severity: severityWarning, Label: LabelRedirect,
		Indexable: "no", Indexability: "redirect", Leads: LeadAway, Ends: true},
	// Google may keep the listed URL of a temporary redirect (Search Central, "301 redirects").
	{Verdict: Temporary, Problem: true, Fix: Keep, Replaceable: true, Group: NeedsDecision, Who: "server", Severity: severityWarning, Label: LabelRedirect,
		Indexability: "temporary-redirect", Leads: LeadAway, Ends: true},
	{Verdict: Respelled, Problem: true, Fix: Replace, Replaceable: true, Group: NeedsDecision, Who: "generator", Severity: severityWarning, Label: LabelRedirect,
		Indexable: "no", Indexability: "redirect", Leads: LeadAway, Ends: true},
	{Verdict: Moved, Problem: true, Fix: Replace, Replaceable: true, Group: NeedsDecision, Who: "generator", Severity: severityWarning, Label: LabelRedirect,
		Indexable: "no", Indexability: "redirect", Leads: LeadAway, Ends: true},
	{Verdict: Soft404, Problem: true, Fix: Keep, Group: NeedsDecision, Who: "server", Severity: severityWarning, Label: LabelSoft404,
		Indexable: "no", Indexability: "soft-404", Leads: LeadNowhere, Ends: true},
	{Verdict: Noindex, Problem: true, Fix: Drop, Group: NeedsDecision, Who: "cms", Severity: severityWarning, Label: LabelNoindex,
		Indexable: "no", Indexability: "noindex", Leads: LeadItself, Ends: true},
	{Verdict: Noncanonical, Problem: true, Fix: Replace, Replaceable: true, Group: NeedsDecision, Who: "cms", Severity: severityWarning, Label: LabelAlternate,
		Indexable: "no", Indexability: "canonical", Leads: LeadItself, Ends: true},
	{Verdict: SpellingBounce, Fix: Keep, Group: OtherSpelling, Who: "server", Severity: severityNote, Indexable: "yes", Leads: LeadItself, Ends: true},
	{Verdict: SpellingConflict, Fix: Keep, Group: OtherSpelling, Who: "server", Severity: severityNote, Indexable: "yes", Leads: LeadItself, Ends: true},
	{Verdict: OK, Fix: Keep, Group: Fine, Who: "nobody", Severity: severityNote, Indexable: "yes", Leads: LeadItself, Ends: true},
}

// factsOf is verdicts by verdict.
var factsOf = func() map[Verdict]*Facts {
	m := make(map[Verdict]*Facts, len(verdicts))
	for i := range verdicts {
		m[verdicts[i].Verdict] = &verdicts[i]
	}
	return m
}()

// unknown is what a verdict is that another version of the program gave: nothing is done
// with its entries.
var unknown = Facts{Fix: Keep, Group: NeedsDecision, Who: "nobody", Severity: severityNote, Leads: LeadUnknown}

// Facts returns what holds for every row of verdict v. Of a word that is no verdict it
// says that the entry is kept, and nothing else.
func (v Verdict) Facts() *Facts {
	if f := factsOf[v]; f != nil {
		return f
	}
	return &unknown
}

// Verdicts returns every verdict that an audit can give, in order of
// precedence. The caller owns the slice.
func Verdicts() []Verdict {
	all := make([]Verdict, len(verdicts))
	for i := range verdicts {
		all[i] = verdicts[i].Verdict
	}
	return all
}

// Redirects reports whether v is a verdict of entries that redirect, to a page or without an end.
func (v Verdict) Redirects() bool {
	lead := v.Facts().Leads
	return lead == LeadAway || lead == LeadRound
}

// Problem reports whether v is in the group `problem` of --fail-on.
func (v Verdict) Problem() bool { return v.Facts().Problem }

// An Action is what the corrected sitemap does with an entry.
type Action string

// The actions.
const (
	Keep    Action = "keep"
	Replace Action = "replace"
	Drop    Action = "drop"
	Merge   Action = "merge" // dropped, for its replacement is listed already

	// These are of an xhtml:link, never of an entry.
	Relink Action = "relink" // it names the address that is written for its entry
	Unlink Action = "unlink" // it is taken out with its entry

	// Redate is of an entry that is replaced, and of a sitemap that an index lists: its lastmod is
	// written (Rules.Lastmod).
	Redate Action = "lastmod"
	// AddPart is of a part of a sitemap that is written as several, where its index lists it.
	AddPart Action = "add"
)

// A Note is a remark on a row: a rule that stopped an edit, or something seen.
type Note string

// The notes of the contract. Hops is written "hops-N", and what the new URL is "target-VERDICT".
const (
	// Rules of what may be written.
	ToHTTP         Note = "to-http"
	OtherHost      Note = "other-host"
	NotPage        Note = "not-page"
	Gate           Note = "gate"
	Session        Note = "session"
	Locale         Note = "locale"
	Collapsed      Note = "collapsed"
	Varies         Note = "varies"
	MergeWouldLose Note = "merge-would-lose"
	Braked         Note = "braked"

	// Remarks.
	Long            Note = "long"
	Duplicate       Note = "duplicate"
	Bounces         Note = "bounces"
	Unsteady        Note = "unsteady"
	CameBack        Note = "came-back"
	NeedsJavaScript Note = "needs-javascript"
	ScriptRedirect  Note = "script-redirect"
	Truncated       Note = "truncated"
	RobotsIgnored   Note = "robots-ignored"
	Outside         Note = "outside"    // its host is not that of the build
	Unmodelled      Note = "unmodelled" // the host of the build has an answer that no model knows
)

// A Fix is what is done with an entry and why.
type Fix struct {
	Action Action `json:"action"`
	Loc    string `json:"loc,omitempty"` // wire form, with Replace and Merge
	Policy string `json:"policy"`        // "default", or the --fix item that decided
	Why    Why    `json:"-"`
	// Stop is what keeps an entry that would have been edited: a note of the row, or HeldCut and the
	// others; "" for nothing.
	Stop Note `json:"-"`
}

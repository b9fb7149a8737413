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

// Verdicts lists every verdict that an audit can give, in order of precedence.
var verdicts = []Verdict{Skipped, Invalid, Disallowed, Unverified, Loop, TooManyRedirects, NotFound, Error, Offsite,
	Homepage, Temporary, Respelled, Moved, Soft404, Noindex, Noncanonical, SpellingBounce, SpellingConflict, OK}

// Verdicts returns every verdict that an audit can give, in order of
// precedence. The caller owns the slice.
func Verdicts() []Verdict { return append([]Verdict(nil), verdicts...) }

// Problem tells whether v is in the group `problem` of --fail-on: all but ok,
// skipped, unverified, disallowed, spelling-bounce and spelling-conflict.
func (v Verdict) Problem() bool {
	switch v {
	case OK, Skipped, Unverified, Disallowed, SpellingBounce, SpellingConflict:
		return false
	}
	return true
}

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
)

// A Note is a remark on a row: a rule that stopped an edit, or something seen.
type Note string

// The notes of the contract. Hops is written "hops-N".
const (
	Long               Note = "long"
	TargetNot200       Note = "target-not-200"
	TargetOffsite      Note = "target-offsite"
	Braked             Note = "braked"
	Collapsed          Note = "collapsed"
	Gate               Note = "gate"
	Session            Note = "session"
	Locale             Note = "locale"
	OtherHost          Note = "other-host"
	TargetNoindex      Note = "target-noindex"
	TargetDisallowed   Note = "target-disallowed"
	TargetSoft404      Note = "target-soft-404"
	TargetNoncanonical Note = "target-noncanonical"
	TargetNotPage      Note = "target-not-page"
	ToHTTP             Note = "to-http"
	MergeWouldLose     Note = "merge-would-lose"
	Bounces            Note = "bounces"
	AltSpellingUnseen  Note = "second-unseen"
	Unsteady           Note = "unsteady"
	CameBack           Note = "came-back"
	ScriptRedirect     Note = "script-redirect"
	NeedsJavaScript    Note = "needs-javascript"
	RobotsIgnored      Note = "robots-ignored"
	Truncated          Note = "truncated"
	Duplicate          Note = "duplicate"
)

// A Fix is what is done with an entry and why.
type Fix struct {
	Action Action `json:"action"`
	Loc    string `json:"loc,omitempty"` // wire form, with Replace and Merge
	Policy string `json:"policy"`        // "default", or the --fix item that decided
	Why    string `json:"why"`           // one sentence
	// Stop is what keeps the entry for its file's sake, or for how it was asked (HeldCut and
	// the others), which no note of the row says; "" for none. Row.StoppedBy has the notes, too.
	Stop Note `json:"-"`
}

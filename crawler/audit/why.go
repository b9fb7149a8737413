package audit

// A Why says why a fix was decided: the key of a sentence and what
// stands in it. What people read of it is report/messages' part. The zero Why says nothing.
type Why struct {
	Key string
	// Args are what {1} to {4} of the sentence stand for: a number, a day, a status, a Fault or the
	// name of a bot protection. "" where the sentence has none.
	Args [4]string
}

// The keys that are neither a note nor a verdict.
const (
	whyNotToTheEnd = "not-to-the-end"
	whyByFix       = "by-fix" // what --fix says in place of the default
	whyMerged      = "merge"
	WhyRelinked    = "relink"
	WhyRedated     = "lastmod"
	WhyPart        = "part"
	whyAlsoPage    = "also-page"
	whyAlsoWrite   = "also-write"

	whyUnseen = "unseen" // args: UnseenBy
)

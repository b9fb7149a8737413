package audit

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
	LabelIndexedBlocked Label = "Indexed, though blocked by robots.txt"
	LabelNoindex        Label = "Excluded by 'noindex' tag"
	LabelAlternate      Label = "Alternate page with proper canonical tag"
	LabelSoft404        Label = "Soft 404"
	LabelDuplicate      Label = "Duplicate without user-selected canonical"
	LabelOtherCanonical Label = "Duplicate, Google chose different canonical than user"
	LabelCrawled        Label = "Crawled - currently not indexed"
	LabelDiscovered     Label = "Discovered - currently not indexed"
	LabelRemoved        Label = "Blocked by page removal tool"
	LabelNoContent      Label = "Page indexed without content"
	LabelRest           Label = "..." // stands for several
)

// A labelKind is where what a label says shows.
type labelKind uint8

const (
	notKnown  labelKind = iota
	byLeading           // in a redirect
	byAnswer            // in an answer
	byWhoAsks           // in an answer that sites give to some and not to others
	byGoogle            // a decision of Google that no answer of a server shows
)

// labels are the labels that are known.
var labels = map[Label]labelKind{
	LabelRedirect: byLeading, LabelRedirectError: byLeading,
	LabelNotFound: byAnswer, LabelServerError: byAnswer, LabelOther4xx: byAnswer, LabelRobots: byAnswer, LabelIndexedBlocked: byAnswer,
	LabelNoindex: byAnswer, LabelAlternate: byAnswer, LabelIndexed: byAnswer, LabelIndexedToo: byAnswer,
	LabelUnauthorized: byWhoAsks, LabelForbidden: byWhoAsks,
	LabelSoft404: byGoogle, LabelDuplicate: byGoogle, LabelOtherCanonical: byGoogle, LabelCrawled: byGoogle,
	LabelDiscovered: byGoogle, LabelRemoved: byGoogle, LabelNoContent: byGoogle,
}

// mayBeRedirect reports whether what Google says may be a redirect: where the reason is not known it
// may be anything.
func (k labelKind) mayBeRedirect() bool { return k == notKnown || k == byLeading }

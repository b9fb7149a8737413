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
)

// labels are the labels that are known and that no redirect is behind. The value is set where no answer
// that we get shows what is behind it: Google decided so, or the site answers some visitors otherwise.
var labels = map[Label]bool{
	LabelNotFound: false, LabelServerError: false, LabelOther4xx: false, LabelRobots: false, LabelIndexedBlocked: false,
	LabelNoindex: false, LabelAlternate: false, LabelIndexed: false, LabelIndexedToo: false,
	LabelUnauthorized: true, LabelForbidden: true, LabelSoft404: true, LabelDuplicate: true, LabelOtherCanonical: true,
	LabelCrawled: true, LabelDiscovered: true, LabelRemoved: true, LabelNoContent: true,
}

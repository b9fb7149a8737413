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

// mayBeRedirect reports whether what Google says may be a redirect: where the
// reason is not known it may be anything.
func (l Label) mayBeRedirect() bool {
	return l == LabelRedirect || l == LabelRedirectError || !l.known()
}

// byWhoAsks reports whether the reason is an answer that sites give to some and
// not to others.
func (l Label) byWhoAsks() bool { return l == LabelUnauthorized || l == LabelForbidden }

// googles reports whether the reason is a decision of Google that no answer of a
// server shows.
func (l Label) googles() bool {
	switch l {
	case LabelSoft404, LabelDuplicate, LabelOtherCanonical, LabelCrawled, LabelDiscovered, LabelRemoved, LabelNoContent:
		return true
	}
	return false
}

// indexed reports whether the reason is no fault: the page is in the index.
func (l Label) indexed() bool { return l == LabelIndexed || l == LabelIndexedToo }

func (l Label) known() bool {
	switch l {
	case LabelRedirect, LabelRedirectError, LabelNotFound, LabelServerError, LabelOther4xx, LabelUnauthorized, LabelForbidden,
		LabelRobots, LabelIndexedBlocked, LabelNoindex, LabelAlternate, LabelIndexed, LabelIndexedToo:
		return true
	}
	return l.googles()
}

package report

import "sitemend/crawler/audit"

// SearchConsole returns what Search Console would call what we saw, in its
// English words; "" where it has no name for it. An answer of error is named by
// its end: a redirect without a usable Location is a "Redirect error", 5xx a
// "Server error (5xx)", 4xx a "URL blocked due to other 4xx issue" (Search
// Console Help 7440203).
func SearchConsole(r *audit.Row) string {
	switch r.Verdict {
	case audit.Disallowed:
		return "Blocked by robots.txt"
	case audit.Loop, audit.TooManyRedirects:
		return "Redirect error"
	case audit.NotFound:
		return "Not found (404)"
	case audit.Error:
		return errorLabel(r)
	case audit.Offsite, audit.Homepage, audit.Temporary, audit.Respelled, audit.Moved:
		return "Page with redirect"
	case audit.Soft404:
		return "Soft 404"
	case audit.Noindex:
		return "Excluded by 'noindex' tag"
	case audit.Noncanonical:
		return "Alternate page with proper canonical tag"
	}
	return ""
}

func errorLabel(r *audit.Row) string {
	switch {
	case r.Trail.End == audit.EndBadLocation:
		return "Redirect error"
	case r.Status >= 500 && r.Status <= 599:
		return "Server error (5xx)"
	case r.Status >= 400 && r.Status <= 499:
		return "URL blocked due to other 4xx issue"
	}
	return ""
}

package report

import "sitemend/crawler/audit"

// SearchConsole returns what Search Console would call what we saw, in its
// English words; "" where it has no name for it. An answer of error is named by
// its end: a redirect without a usable Location is a "Redirect error", 5xx a
// "Server error (5xx)", 4xx a "URL blocked due to other 4xx issue" (Search
// Console Help 7440203).
func SearchConsole(r *audit.Row) string {
	if r.Verdict == audit.Error {
		return errorLabel(r)
	}
	return string(r.Verdict.Facts().Label)
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

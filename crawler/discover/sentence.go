package discover

import (
	"net/http"
	"strconv"

	"sitemend/crawler/audit"
)

// A sentence is what a fault of a sitemap says: its key, and what is filled into it. The
// zero sentence says nothing.
type sentence struct {
	key  string
	args []string
}

// say returns the sentence of a key.
func say(key string, args ...string) sentence { return sentence{key, args} }

// fault is s as a fault of a sitemap, with where it is named.
func (s sentence) fault(sm *audit.Sitemap, from source, name, severity string) audit.SitemapFault {
	f := audit.SitemapFault{Sitemap: sm.URL, Name: name, Severity: severity, Key: s.key, Args: s.args}
	f.NamedIn, f.NamedAt = from.named()
	return f
}

// says puts s into words.
func (w *discovery) says(s sentence) string {
	return w.Words(audit.SitemapFault{Key: s.key, Args: s.args})
}

// problem is s of the file at url as an error of the audit, with what to do.
func (w *discovery) problem(url string, s sentence, hint string) *Error {
	err := &Error{What: url + ": " + w.says(s), Fix: hint}
	if why := s.refusal(); why != "" {
		err.Refused = map[string]int{why: 1}
	}
	return err
}

// refusal is what refused us in place of a file, as audit.Counts.Unseen has it: a
// status, a bot protection, or that its host was left after refusals; "" for none.
func (s sentence) refusal() string {
	switch s.key {
	case "status", "status-rule":
		status, _ := strconv.Atoi(s.args[0])
		return refusal(status)
	case "status-protected", "sitemap-protected":
		return s.args[len(s.args)-1]
	case "no-answer":
		if s.args[0] == string(audit.FaultAbandoned) {
			return s.args[0]
		}
	}
	return ""
}

// refusal is status as audit.Counts.Unseen has it where it refuses us, "" for any other.
func refusal(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return strconv.Itoa(status)
	}
	return ""
}

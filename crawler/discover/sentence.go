package discover

import (
	"net/http"
	"strconv"

	"sitemend/crawler/audit"
)

// A sentence is the text of a fault of a sitemap: a key, and the arguments to fill in. The zero
// sentence has no text.
type sentence struct {
	key  string
	args []string
}

// say returns the sentence with a key.
func say(key string, args ...string) sentence { return sentence{key, args} }

// fault returns s as a fault of a sitemap, with the place that names the sitemap.
func (s sentence) fault(sm *audit.Sitemap, from source, name, severity string) audit.SitemapFault {
	f := audit.SitemapFault{Sitemap: sm.URL, Name: name, Severity: severity, Key: s.key, Args: s.args}
	f.NamedIn, f.NamedAt = from.named()
	return f
}

// says returns s in words.
func (w *discovery) says(s sentence) string {
	return w.Words(audit.SitemapFault{Key: s.key, Args: s.args})
}

// problem returns s, about the file at url, as an error of the audit, with a hint.
func (w *discovery) problem(url string, s sentence, hint string) *Error {
	err := &Error{What: url + ": " + w.says(s), Fix: hint}
	if why := s.refusal(); why != "" {
		err.Refused = map[string]int{why: 1}
	}
	return err
}

// refusal returns what refused the client in place of a file, in the form of audit.Counts.Unseen: a
// status, a bot protection, or that the host was abandoned after refusals; "" for none.
func (s sentence) refusal() string {
	switch s.key {
	case "status":
		status, _ := strconv.Atoi(s.args[0])
		return refusal(status)
	case "status-protected", "sitemap-protected":
		return s.args[len(s.args)-1]
	case "no-answer", "left-wait", "left-silent":
		if s.args[0] == string(audit.FaultAbandoned) {
			return s.args[0]
		}
	}
	return ""
}

// left reports whether nothing was requested, because the host was abandoned.
func (s sentence) left() bool { return s.refusal() == string(audit.FaultAbandoned) }

// refusal returns a status that refuses the client, in the form of audit.Counts.Unseen; "" for any
// other.
func refusal(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return strconv.Itoa(status)
	}
	return ""
}

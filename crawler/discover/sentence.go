package discover

import (
	"fmt"
	"net/http"
	"strconv"

	"sitemend/crawler/audit"
)

// A sentence is what a fault of a sitemap says in English, with its name and
// what is filled in for translations.
type sentence struct {
	text string
	key  string
	args []string
}

// fault is s as a fault of a sitemap, with where it is named.
func (s sentence) fault(sm *audit.Sitemap, from source, name, severity string) audit.SitemapFault {
	f := audit.SitemapFault{Sitemap: sm.URL, Name: name, Severity: severity, Text: s.text, Key: s.key, Args: s.args}
	if in, at := from.named(); in != "" {
		f.Text += fmt.Sprintf(" (%s line %d names it)", in, at)
		f.NamedIn, f.NamedAt = in, at
	}
	return f
}

// problem is s of the file at url as an error of the audit, with what to do.
func (s sentence) problem(url, hint string) *Error {
	err := &Error{What: url + ": " + s.text, Fix: hint}
	if why := s.refusal(); why != "" {
		err.Refused = map[string]int{why: 1}
	}
	return err
}

// refusal is what refused us in place of a file, as audit.Counts.Unseen has it: a
// status, a bot protection, or that its host was left after refusals; "" for none.
func (s sentence) refusal() string {
	switch s.key {
	case "status":
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

package discover

import (
	"net/http"
	"strconv"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

// An Error says why there is nothing to audit, and what the user can do.
type Error struct {
	What, Fix string
	// Refused counts the refusals in place of a sitemap, in the form of audit.Counts.Unseen: by
	// status or by the name of the bot protection; nil where there were none. Fix does not say how
	// to be admitted.
	Refused map[string]int

	insecure sentence // that http is audited in place of https, which gave no answer for its certificate
}

// Error returns What.
func (e *Error) Error() string { return e.What }

// Hint returns what the user can do; "" where the client first has to be admitted.
func (e *Error) Hint() string { return e.Fix }

// Fault returns e as the fault of a target, of which it is what stands in place of a sitemap.
func (e *Error) Fault(target string) audit.SitemapFault {
	args := []string{e.What}
	for _, busy := range []string{"503", "429"} {
		if e.Refused[busy] > 0 {
			args = append(args, busy)
			break
		}
	}
	return audit.SitemapFault{Sitemap: target, Name: "HTTP error", Severity: "error", Key: audit.FaultAsSaid, Args: args}
}

// A sentence is the text of a fault of a sitemap: a key, and the arguments to fill in. The zero
// sentence has no text.
type sentence struct {
	key  string
	args []string
}

// say returns the sentence with a key.
func say(key string, args ...string) sentence { return sentence{key, args} }

// fault returns s as a fault of a sitemap, with the robots.txt or index that names the sitemap.
func (s sentence) fault(sm *audit.Sitemap, from source, name, severity string) audit.SitemapFault {
	f := audit.SitemapFault{Sitemap: sm.URL, Name: name, Severity: severity, Key: s.key, Args: s.args}
	if f.NamedIn, f.NamedAt = from.index, from.at; from.robots != "" {
		f.NamedIn, f.NamedAt = from.robots, from.line
	}
	return f
}

// problem returns s, about the file at url, as an error of the audit, with a hint.
func (w *discovery) problem(url string, s sentence, hint string) *Error {
	err := &Error{What: url + ": " + w.Words(audit.SitemapFault{Key: s.key, Args: s.args}), Fix: hint}
	if why := s.refusal(); why != "" {
		err.Refused = map[string]int{why: 1}
	}
	if s.key == "no-answer-detail" {
		err.insecure = fellBack(address.Wire(url), audit.Fault(s.args[0]), s.args[1])
	}
	return err
}

// fellBack returns that http is audited in place of https, where that is for the certificate: a port at
// which nothing listens says nothing about the site.
func fellBack(a address.Address, f audit.Fault, detail string) sentence {
	if f != audit.FaultTLS || a.Scheme() != "https" {
		return sentence{}
	}
	return say("fell-back", a.Origin(), detail)
}

// refusal returns what refused the client in place of a file, in the form of audit.Counts.Unseen: a
// status, a bot protection, or that the host was abandoned after refusals; "" for none.
func (s sentence) refusal() string {
	switch s.key {
	case "status":
		switch status, _ := strconv.Atoi(s.args[0]); status {
		case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusTooManyRequests, http.StatusServiceUnavailable:
			return s.args[0]
		}
	case "status-protected", "sitemap-protected":
		return s.args[len(s.args)-1]
	case "no-answer", "left-wait", "left-silent":
		if s.args[0] == string(audit.FaultAbandoned) {
			return s.args[0]
		}
	}
	return ""
}

// faultHint returns what the user can do about a target that gave no answer.
func faultHint(f audit.Fault, detail string) string {
	switch {
	case f == audit.FaultTLS && detail == fetch.PlainServer:
		return "plain HTTP is spoken there: look at the port, and where --map or --resolve lead https"
	case f == audit.FaultTLS:
		return "the certificate is not trusted or not valid; --ca FILE trusts the authority that signed it"
	case detail == fetch.ProxyDown:
		return "look at HTTP_PROXY and HTTPS_PROXY, or at NO_PROXY, which names hosts that are asked without a proxy"
	case f == audit.FaultAddress:
		return "--allow-private lets the audit lead to private addresses"
	case f == audit.FaultRobotsAddress:
		return "let robots.txt answer 200, or 404 where there is none; --allow-private lets the audit lead to private addresses, --robots note asks all the same"
	}
	return "check the name and the network; --resolve HOST:PORT:ADDR connects elsewhere"
}

// attempts are the places that were tried and had no sitemap, for one sentence: a robots.txt may
// name tens of thousands.
type attempts struct {
	first    []string
	n        int
	refused  map[string]int // in the form of Error.Refused
	refusals int            // of n
}

// Limits of the sentence: attempts that it names, and bytes of each.
const (
	maxAttempts = 8
	maxTried    = 300
)

// shortened returns s, cut to maxTried bytes.
func shortened(s string) string {
	if len(s) <= maxTried {
		return s
	}
	return strings.ToValidUTF8(s[:maxTried], "") + "..."
}

// add adds an attempt. Of those that were not sent because the host was abandoned only the first is
// named.
func (a *attempts) add(problem *Error) {
	left := string(audit.FaultAbandoned)
	if a.n++; len(a.first) < maxAttempts && (problem.Refused[left] == 0 || a.refused[left] == 0) {
		a.first = append(a.first, shortened(address.Masked(problem.What)))
	}
	if len(problem.Refused) > 0 {
		a.refusals++
	}
	for why, n := range problem.Refused {
		if a.refused == nil {
			a.refused = map[string]int{}
		}
		a.refused[why] += n
	}
}

// String names the first attempts and counts the others.
func (a *attempts) String() string {
	text := strings.Join(a.first, "; ")
	if more := a.n - len(a.first); more > 0 {
		text += "; and " + strconv.Itoa(more) + " more"
	}
	return text
}

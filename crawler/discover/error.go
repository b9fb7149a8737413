package discover

import (
	"cmp"
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
	return audit.SitemapFault{Sitemap: sm.URL, Name: name, Severity: severity, Key: s.key, Args: s.args, NamedIn: from.in, NamedAt: from.line}
}

// problem returns s, about the file at url, as an error of the audit, with a hint.
func (w *discovery) problem(url string, s sentence, hint string) *Error {
	err := &Error{What: url + ": " + w.Words(audit.SitemapFault{Key: s.key, Args: s.args}), Fix: hint}
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
		switch status, _ := strconv.Atoi(s.args[0]); status {
		case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusTooManyRequests, http.StatusServiceUnavailable:
			return s.args[0]
		}
	case "status-protected":
		return s.args[len(s.args)-1]
	case "no-answer":
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
	return "check the name and the network; --resolve HOST:PORT:ADDR connects elsewhere, --map FROM=TO asks another host"
}

// Limits of the sentence that names what was tried: places, for a robots.txt may name tens of
// thousands, and bytes of each.
const (
	maxNamed = 8
	maxTried = 300
)

// shortened returns s, cut to maxTried bytes.
func shortened(s string) string {
	if len(s) <= maxTried {
		return s
	}
	return strings.ToValidUTF8(s[:maxTried], "") + "..."
}

// summed returns the error that the places that were tried had no sitemap. Of those that were not
// requested because the host was abandoned only the first is named.
func summed(tried []*Error) *Error {
	out, refusals, places := &Error{Refused: map[string]int{}}, 0, []string(nil)
	for _, e := range tried {
		again := e.Refused[string(audit.FaultAbandoned)] > 0 && out.Refused[string(audit.FaultAbandoned)] > 0
		if len(places) < maxNamed && !again {
			places = append(places, shortened(address.Masked(e.What)))
		}
		refusals += min(1, len(e.Refused))
		for why, n := range e.Refused {
			out.Refused[why] += n
		}
	}
	if more := len(tried) - len(places); more > 0 {
		places = append(places, "and "+strconv.Itoa(more)+" more")
	}
	out.What = "no sitemap was found, for the site refuses us; tried " + strings.Join(places, "; ")
	if refusals < len(tried) {
		out.What, out.Fix = "no sitemap with a URL was found; tried "+strings.Join(places, "; "), cmp.Or(tried[0].Fix, noURL)
	}
	return out
}

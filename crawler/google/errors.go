package google

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// An Error is an answer of the service with an error, an answer that cannot be used, or none.
type Error struct {
	Status  int    // the HTTP status; 0 where there was no complete answer
	Message string // the message of the service, in a short line
	// Reasons are the codes for programs: those of errors[], status and details, each of which may
	// be missing.
	Reasons []string

	// answered is set where an answer of 200 cannot be used; then Status is 0.
	answered bool
	// repeats is set where the reason is that it contains a secret.
	repeats bool
}

// Error returns what went wrong.
func (e *Error) Error() string {
	if e.Status == 0 {
		return e.Message
	}
	if e.Message == "" {
		return fmt.Sprintf("Google answers %d", e.Status)
	}
	return fmt.Sprintf("Google answers %d: %s", e.Status, e.Message)
}

// Hint returns what the user can do.
func (e *Error) Hint() string {
	switch {
	case e.answered:
		return "what answers at searchconsole.googleapis.com is not Google as it was expected (a proxy, a firewall, a login page of the network?), or Google has changed: the same command tries again"
	case e.Status == 0:
		return "see whether this machine reaches the network: the same command tries again"
	case e.Status >= 500:
		return "Google does not answer at present: the same command tries again"
	case e.Status >= 300 && e.Status < 400:
		return "a proxy or a firewall answers in Google's place: searchconsole.googleapis.com is to be reached directly"
	case e.kind() == overQuota, e.kind() == dayOver, e.kind() == passing:
		return "Google's quota is used up: a minute later for most calls, after midnight Pacific time for inspections"
	case e.Status == http.StatusUnauthorized:
		return "Google does not take the token: sitemend google login, or other credentials"
	case e.says("ACCESS_TOKEN_SCOPE_INSUFFICIENT", "insufficientPermissions"):
		return "the token does not grant enough: sitemend google login --submit"
	case strings.Contains(e.Message, "requires a quota project"):
		return "set SITEMEND_GOOGLE_PROJECT to the id of a project in which the Search Console API is enabled"
	case e.says("accessNotConfigured", "SERVICE_DISABLED"):
		return "enable the Google Search Console API in the project of the credentials (console.cloud.google.com, APIs & Services)"
	case e.Status == http.StatusForbidden:
		return "this account may not do that with this property: sitemend google lists those that it has; add its address in Search Console under Settings, Users and permissions"
	}
	return "sitemend google shows what this account may see"
}

func (e *Error) says(reasons ...string) bool {
	return slices.ContainsFunc(reasons,
		func(r string) bool { return slices.Contains(e.Reasons, r) })
}

// effect is what an Error means for further calls.
type effect int

const (
	lasting      effect = iota // the next call would fail likewise
	passing                    // 5xx, no answer, a short limit: may pass in seconds
	overQuota                  // 429: the quota of the minute, or of the day
	dayOver                    // the quota of the day, as the message says
	unauthorized               // 401: the token may have expired
	ofAddress                  // 400, 404: says nothing about other addresses
)

func (e *Error) kind() effect {
	switch {
	case e.repeats:
		return lasting
	case e.Status == 0 || e.Status >= 500 || e.Status == http.StatusRequestTimeout:
		return passing
	case e.Status == http.StatusTooManyRequests:
		return overQuota
	case e.Status == http.StatusForbidden && e.says("quotaExceeded", "dailyLimitExceeded"):
		return dayOver
	case e.Status == http.StatusForbidden && e.says("rateLimitExceeded", "userRateLimitExceeded"):
		return passing
	case e.Status == http.StatusUnauthorized:
		return unauthorized
	case e.Status == http.StatusBadRequest || e.Status == http.StatusNotFound:
		return ofAddress
	}
	return lasting
}

// failure returns the Error of an answer. It ignores a body that is not Google's.
func failure(status int, body []byte) *Error {
	var b struct {
		Error struct {
			Message string                    `json:"message"`
			Status  string                    `json:"status"`
			Errors  []struct{ Reason string } `json:"errors"`
			Details []struct{ Reason string } `json:"details"`
		} `json:"error"`
	}
	e := &Error{Status: status}
	if json.Unmarshal(body, &b) != nil {
		return e
	}
	e.Message = b.Error.Message
	for _, list := range [][]struct{ Reason string }{b.Error.Errors, b.Error.Details,
		{{b.Error.Status}}} {
		for _, x := range list {
			if x.Reason != "" {
				e.Reasons = append(e.Reasons, x.Reason)
			}
		}
	}
	return e
}

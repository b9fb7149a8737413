package google

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"sitemend/crawler/google/service"
)

// base is the address of the Search Console API.
const base = "https://searchconsole.googleapis.com/"

// A Clock returns the time and waits.
type Clock = service.Clock

// SystemClock is the clock of the system.
type SystemClock = service.SystemClock

// An Error is a call that failed.
type Error = service.Error

// wall is how long to wait before the one more attempt after a 429: more than the minute over which
// a quota may be counted.
const wall = 61 * time.Second

// Options configures a Client.
type Options struct {
	Scope Scope // what the Client's token may do, and no more
	// Base is the address of the API; "" means that of Google. An address that is not https must
	// be on this machine.
	Base string
	// TokenFile is the file with the token of a login; "" means one in the user's
	// configuration directory (os.UserConfigDir).
	TokenFile string
	Clock     service.Clock // nil for SystemClock
}

// A Client calls the Search Console API. It is safe for concurrent use.
type Client struct {
	*service.Service
	of    Credentials
	scope Scope
	login string // the refresh token of a Desktop client's login

	mu    sync.Mutex
	token *oauth2.Token
	used  sync.Map // the access tokens so far
}

// New returns a Client. It sends nothing. It returns an error where the login is missing, or does
// not grant o.Scope.
func New(c Credentials, o Options) (*Client, error) {
	client, err := newClient(c, o)
	if err != nil || c.Kind != DesktopClient {
		return client, err
	}
	path, err := o.tokenFile()
	if err != nil {
		return nil, err
	}
	saved, err := readToken(path)
	switch {
	case err != nil:
		return nil, err
	case saved.ClientID != c.fields.text("client_id"):
		return nil, withHint(errors.New("the login is that of another OAuth client than "+c.Path), hintLogin)
	case !o.Scope.grants(saved.Scope):
		return nil, client.lacking()
	}
	client.login = saved.RefreshToken
	return client, nil
}

// newClient returns a Client that has no login yet.
func newClient(of Credentials, o Options) (*Client, error) {
	s, err := service.New("Google", "SITEMEND_GOOGLE_API", cmp.Or(o.Base, base), o.Clock)
	if err != nil {
		return nil, withHint(err, "a token goes there")
	}
	c := &Client{Service: s, of: of, scope: o.Scope}
	s.Hint = c.hint
	s.Secrets = func() []string {
		secrets := []string{c.login, of.fields.text("client_secret"), of.fields.text("refresh_token"), of.fields.text("private_key")}
		c.used.Range(func(token, _ any) bool {
			secrets = append(secrets, token.(string))
			return true
		})
		return secrets
	}
	return c, nil
}

// call makes a call, with further attempts where these may help, and decodes the answer into into,
// which may be nil.
func (c *Client) call(ctx context.Context, method, path string, into any) error {
	once := func() error { return c.once(ctx, method, path, nil, into) }
	err := c.Tries(ctx, passes, once)
	if kindOf(err) == unauthorized { // the token may have expired
		err = once()
	}
	if kindOf(err) == overQuota {
		if err := c.Clock.Sleep(ctx, wall); err != nil {
			return err
		}
		err = once()
	}
	return err
}

// once makes one call. A token that the service refused is not used again.
func (c *Client) once(ctx context.Context, method, path string, body, into any) error {
	token, err := c.accessToken(ctx)
	if err != nil {
		return err
	}
	header := http.Header{"Authorization": {"Bearer " + token}}
	if c.of.Project != "" {
		header.Set("X-Goog-User-Project", c.of.Project)
	}
	status, answer, err := c.Ask(ctx, method, path, header, body)
	switch {
	case err != nil:
		return err
	case status < 200 || status > 299:
		if status == http.StatusUnauthorized {
			c.forget(token)
		}
		return c.failure(status, answer)
	case into == nil && len(answer) == 0:
		return nil
	case into == nil:
		into = &json.RawMessage{} // unused, but a page that is no answer of Google is an error
	}
	return c.Decode(answer, into)
}

// failure returns the Error of an answer. It ignores a body that is not Google's.
func (c *Client) failure(status int, body []byte) error {
	type reason struct{ Reason string }
	var b struct {
		Error struct {
			Message, Status string
			Errors, Details []reason
		}
	}
	if json.Unmarshal(body, &b) != nil {
		return c.Fail(status, "")
	}
	var reasons []string
	for _, r := range slices.Concat(b.Error.Errors, b.Error.Details, []reason{{b.Error.Status}}) {
		reasons = append(reasons, r.Reason)
	}
	return c.Fail(status, b.Error.Message, reasons...)
}

// effect is what an error means for further calls.
type effect int

const (
	lasting      effect = iota // the next call would fail likewise
	passing                    // 5xx, no answer, a short limit: may pass in seconds
	overQuota                  // 429: the quota of the minute, or of the day
	dayOver                    // the quota of the day, as the message says
	unauthorized               // 401: the token may have expired
	ofAddress                  // 400, 404: says nothing about other addresses
)

func kindOf(err error) effect {
	var e *service.Error
	if !errors.As(err, &e) {
		return lasting
	}
	switch s := e.Status; {
	case e.Down():
		return passing
	case says(e, service.RepeatsSecret, noToken):
		return lasting
	case s == http.StatusOK:
		return passing
	case s == http.StatusTooManyRequests:
		return overQuota
	case s == http.StatusForbidden && says(e, "quotaExceeded", "dailyLimitExceeded"):
		return dayOver
	case s == http.StatusForbidden && says(e, "rateLimitExceeded", "userRateLimitExceeded"):
		return passing
	case s == http.StatusUnauthorized:
		return unauthorized
	case s == http.StatusBadRequest || s == http.StatusNotFound:
		return ofAddress
	}
	return lasting
}

func passes(e *service.Error) bool { return kindOf(e) == passing }

func says(e *service.Error, reasons ...string) bool {
	return slices.ContainsFunc(reasons, func(r string) bool { return slices.Contains(e.Reasons, r) })
}

// hint returns what the user can do about an error.
func (c *Client) hint(e *service.Error) string {
	switch {
	case e.Status < 400 || e.Down():
		return "Google does not answer, or a proxy, a firewall or a login page of the network does in its place: the same command tries again"
	case says(e, "invalid_grant"):
		return ended[c.of.Kind]
	case says(e, noToken):
		return "docs/google.md says how to get credentials"
	case kindOf(e) == overQuota, kindOf(e) == dayOver, kindOf(e) == passing:
		return "Google's quota is used up: a minute later for most calls, after midnight Pacific time for inspections"
	case e.Status == http.StatusUnauthorized:
		return "Google does not take the token: sitemend google login, or other credentials"
	case says(e, "ACCESS_TOKEN_SCOPE_INSUFFICIENT", "insufficientPermissions"):
		return "the token does not grant enough: sitemend google login --submit"
	case strings.Contains(e.Message, "requires a quota project"):
		return "set SITEMEND_GOOGLE_PROJECT to the id of a project in which the Search Console API is enabled"
	case says(e, "accessNotConfigured", "SERVICE_DISABLED"):
		return "enable the Google Search Console API in the project of the credentials (console.cloud.google.com, APIs & Services)"
	case e.Status == http.StatusForbidden:
		return "this account may not do that with this property: sitemend google lists those that it has; add its address in Search Console under Settings, Users and permissions"
	}
	return "sitemend google shows what this account may see"
}

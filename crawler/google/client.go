package google

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"sitemend/crawler/internal/secret"
)

// Base is the address of the Search Console API.
const Base = "https://searchconsole.googleapis.com/"

// callTime is the time limit of one call. Inspections were seen to take more than six seconds.
const callTime = 60 * time.Second

// maxAnswer is how many bytes of an answer are read.
const maxAnswer = 8 << 20

// backoff is how long to wait before each further attempt after a failure that may be temporary.
var backoff = []time.Duration{time.Second, 4 * time.Second}

// wall is how long to wait before the one more attempt after a 429: more than the minute over which
// a quota may be counted.
const wall = 61 * time.Second

// Options configures a Client.
type Options struct {
	// Scope is what the Client's token may do, and no more.
	Scope Scope
	// Granted is a scope that the credentials must have been granted as well, although the token is
	// not used for it; "" for none. It is not checked for a service account, which is granted the
	// scopes that it asks for.
	Granted Scope
	// Base is the address of the API; "" means the constant Base. An address that is not https must
	// be on this machine.
	Base string
	// TokenFile is the file with the token of a login; "" means the result of TokenFile().
	TokenFile string
	Clock     Clock             // nil for SystemClock
	Transport http.RoundTripper // nil for that of net/http
	// Timeout is the time limit of a call; 0 for a minute.
	Timeout time.Duration
	// Waits is called with the duration of the wait before the one more attempt after a 429; nil
	// for silence.
	Waits func(d time.Duration)
}

// A Client calls the Search Console API. It is safe for concurrent use.
type Client struct {
	of     Credentials
	base   string
	web    *http.Client
	tokens *tokens
	clock  Clock
	waits  func(d time.Duration)
	pace   pace
}

// New returns a Client. It sends nothing. It returns an error where the login is missing, or does
// not grant o.Scope and o.Granted.
func New(c Credentials, o Options) (*Client, error) {
	o.Base = cmp.Or(o.Base, Base)
	if !private(o.Base) {
		return nil, withHint(errors.New("SITEMEND_GOOGLE_API is no https address"),
			"http is taken on this machine only (127.0.0.1): a token goes there")
	}
	if o.Clock == nil {
		o.Clock = SystemClock{}
	}
	web := httpClient(o.Transport, o.Timeout)
	t := &tokens{of: c, scope: o.Scope, granted: o.Granted, web: web, clock: o.Clock}
	if c.Kind == DesktopClient {
		saved, err := c.login(o.TokenFile)
		if err != nil {
			return nil, err
		}
		if err := t.suffices(saved.Scope); err != nil {
			return nil, err
		}
		t.saved = saved
	}
	return &Client{of: c, base: strings.TrimSuffix(o.Base, "/"), web: web, tokens: t,
		clock: o.Clock, waits: o.Waits}, nil
}

// httpClient returns a client that follows no redirect: a request is meant for a single address.
func httpClient(t http.RoundTripper, timeout time.Duration) *http.Client {
	return &http.Client{Transport: t, Timeout: cmp.Or(timeout, callTime),
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}
}

// call makes a call, with further attempts where these may help, at a pace below the limit of the
// service for a user, and decodes the answer into into, which may be nil.
func (c *Client) call(ctx context.Context, method, path string, into any) error {
	var r retry
	for {
		if err := c.pace.wait(ctx, c.clock, userEvery); err != nil {
			return err
		}
		err := c.once(ctx, method, path, nil, into)
		wait, again := r.after(err)
		if !again || ctx.Err() != nil {
			return errors.Join(ctx.Err(), err)
		}
		if err := c.wait(ctx, wait); err != nil {
			return err
		}
	}
}

// wait waits before a further attempt, and calls Waits where that is long.
func (c *Client) wait(ctx context.Context, d time.Duration) error {
	if d >= wall && c.waits != nil {
		c.waits(d)
	}
	return c.clock.Sleep(ctx, d)
}

// A retry decides whether a call is made once more.
type retry struct {
	tries             int
	refreshed, walled bool
}

// after returns whether a call that ended with err is made once more, and after how long.
func (r *retry) after(err error) (wait time.Duration, again bool) {
	var e *Error
	if err == nil || !errors.As(err, &e) {
		return 0, false
	}
	switch e.kind() {
	case passing:
		if r.tries < len(backoff) {
			r.tries++
			return backoff[r.tries-1], true
		}
	case unauthorized:
		if !r.refreshed {
			r.refreshed = true
			return 0, true
		}
	case overQuota:
		if !r.walled {
			r.walled = true
			return wall, true
		}
	}
	return 0, false
}

// once makes one call. An error of the service is an *Error; a token that the service refused is
// not used again.
func (c *Client) once(ctx context.Context, method, path string, body, into any) error {
	token, err := c.tokens.get(ctx)
	if err != nil {
		return err
	}
	req, err := c.request(ctx, method, path, token, body)
	if err != nil {
		return err
	}
	answer, err := c.web.Do(req)
	if err != nil {
		return c.noAnswer(ctx, err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return c.noAnswer(ctx, err)
	}
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		e := failure(answer.StatusCode, data)
		e.Message = c.of.clean(e.Message, token, c.tokens.login())
		if e.Status == http.StatusUnauthorized {
			c.tokens.forget(token)
		}
		return e
	}
	if into == nil && len(data) == 0 {
		return nil
	}
	if secret.In(string(data), c.of.secrets(token, c.tokens.login())...) {
		return &Error{Message: "the answer repeats a secret, and is not used",
			answered: true, repeats: true}
	}
	if into == nil {
		into = &json.RawMessage{} // unused, but a page that is no answer of Google is an error
	}
	if json.Unmarshal(data, into) != nil {
		return &Error{Message: "the answer is no JSON", answered: true}
	}
	return nil
}

func (c *Client) request(ctx context.Context, method, path, token string, body any) (*http.Request,
	error) {
	var content io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, content)
	if err != nil {
		return nil, errors.New("SITEMEND_GOOGLE_API is no address")
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("User-Agent", "sitemend")
	if c.of.Project != "" {
		req.Header.Set("X-Goog-User-Project", c.of.Project)
	}
	return req, nil
}

// noAnswer returns the error of a call without a complete answer.
func (c *Client) noAnswer(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &Error{Message: "no answer from " + host(c.base) + ": " +
		c.of.clean(words(err))}
}

// segment encodes a whole address as one segment of a path.
func segment(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// host returns the host of an address, for messages.
func host(at string) string {
	u, err := url.Parse(at)
	if err != nil {
		return "Google"
	}
	return u.Host
}

// words returns why there was no answer, without the address that was requested.
func words(err error) string {
	var u *url.Error
	if !errors.As(err, &u) {
		return err.Error()
	}
	if u.Timeout() {
		return "no answer in time"
	}
	return u.Err.Error()
}

// maxSaid is how many bytes of a message of the service are passed on.
const maxSaid = 400

// clean returns a short text for one that came from a server, without secrets; more are secrets
// that c does not contain.
func (c *Credentials) clean(s string, more ...string) string {
	s = secret.Withhold(s, c.secrets(more...)...)
	s = strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "\uFFFD")
	if len(s) > maxSaid {
		s = strings.ToValidUTF8(s[:maxSaid], "") + " ..."
	}
	return s
}

// secrets returns those that c contains, and more.
func (c *Credentials) secrets(more ...string) []string {
	return append(more, c.clientSecret, c.refreshToken, c.privateKey)
}

// String returns the kind and the file of c, without secrets.
func (c Credentials) String() string { return fmt.Sprintf("%s in %s", c.Kind, c.Path) }

// GoString is String, for %#v.
func (c Credentials) GoString() string { return c.String() }

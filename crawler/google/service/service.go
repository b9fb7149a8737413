// Package service calls the web services of search engines: Search Console, Bing Webmaster,
// IndexNow. Some take a key in the address of a call, so no error contains the address of a
// request, nor a secret, and an answer that contains one is not used. Redirects are not followed,
// because a token is meant for one address.
package service

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"sitemend/crawler/internal/secret"
)

const (
	callTime  = 60 * time.Second // Google's inspections were seen to take more than six seconds
	maxAnswer = 8 << 20
	maxSaid   = 400 // bytes of a service's message that are passed on
)

// backoff is how long to wait before each further attempt after a failure that may pass.
var backoff = []time.Duration{time.Second, 4 * time.Second}

// A Service is where calls go to, and what is not shown of them.
type Service struct {
	Name    string
	Base    string // without a slash at its end
	Clock   Clock
	Web     *http.Client
	Secrets func() []string
	Hint    func(*Error) string // what the user can do about an error
}

// New returns a Service. It refuses a base address, named by a variable of the environment, over
// which a secret would be sent unencrypted to another machine.
func New(name, variable, base string, clock Clock) (*Service, error) {
	if !Private(base) {
		return nil, fmt.Errorf("%s is no https address; http is taken on this machine only", variable)
	}
	if clock == nil {
		clock = SystemClock{}
	}
	web := &http.Client{Timeout: callTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &Service{Name: name, Base: strings.TrimSuffix(base, "/"), Clock: clock, Web: web}, nil
}

// Private reports whether nobody can read what is sent to an address on its way: it is https, or
// http on this machine.
func Private(at string) bool {
	u, err := url.Parse(at)
	if err != nil || u.Host == "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

// An Error is a call that failed: an unexpected answer, or none.
type Error struct {
	Service string
	Status  int      // 0 where there was no answer; 200 where it cannot be used
	Message string   // that of the service, shortened to a line; may be ""
	Reasons []string // the service's codes for programs
	fix     string
}

// Error returns what went wrong.
func (e *Error) Error() string {
	switch {
	case e.Status == 0:
		return "no answer from " + e.Service + ": " + e.Message
	case e.Message == "":
		return fmt.Sprintf("%s answers %d", e.Service, e.Status)
	}
	return fmt.Sprintf("%s answers %d: %s", e.Service, e.Status, e.Message)
}

// Hint returns what the user can do.
func (e *Error) Hint() string { return e.fix }

// Down reports whether the next call may go better: the service does not answer, or is down.
func (e *Error) Down() bool {
	return e.Status == 0 || e.Status >= 500 || e.Status == http.StatusRequestTimeout
}

// RepeatsSecret is the reason of an Error for an answer with a secret.
const RepeatsSecret = "repeats a secret"

// Fail returns an Error.
func (s *Service) Fail(status int, message string, reasons ...string) *Error {
	reasons = slices.DeleteFunc(reasons, func(r string) bool { return r == "" || secret.In(r, s.Secrets()...) })
	e := &Error{Service: s.Name, Status: status, Message: s.clean(message), Reasons: reasons}
	e.fix = s.Hint(e)
	return e
}

// clean returns a short text for one that came from a server, without secrets.
func (s *Service) clean(text string) string {
	text = secret.Withhold(text, s.Secrets()...)
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "\uFFFD")
	if len(text) > maxSaid {
		text = strings.ToValidUTF8(text[:maxSaid], "") + " ..."
	}
	return text
}

// Tries makes a call, and up to two more while passes says that its Error may pass.
func (s *Service) Tries(ctx context.Context, passes func(*Error) bool, call func() error) error {
	for try := 0; ; try++ {
		err := call()
		var e *Error
		if !errors.As(err, &e) || !passes(e) || try == len(backoff) {
			return err
		}
		if err := s.Clock.Sleep(ctx, backoff[try]); err != nil {
			return err
		}
	}
}

// Ask makes one request, with a value as JSON; body may be nil. The error is that
// of ctx, or an Error without a status.
func (s *Service) Ask(ctx context.Context, method, path string, header http.Header, body any) (status int, answer []byte, err error) {
	var content []byte
	if body != nil {
		if content, err = json.Marshal(body); err != nil {
			return 0, nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, s.Base+path, bytes.NewReader(content))
	if err != nil {
		return 0, nil, s.Fail(0, "its address is not valid")
	}
	if header != nil {
		req.Header = header
	}
	req.Header.Set("User-Agent", "sitemend")
	if body != nil {
		req.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	got, err := s.Web.Do(req)
	if err == nil {
		defer got.Body.Close()
		status = got.StatusCode
		answer, err = io.ReadAll(io.LimitReader(got.Body, maxAnswer))
	}
	if err != nil {
		return 0, nil, cmp.Or(ctx.Err(), error(s.Fail(0, Words(err))))
	}
	return status, answer, nil
}

// Words returns why there was no answer, without the address that was requested.
func Words(err error) string {
	var u *url.Error
	switch {
	case !errors.As(err, &u):
		return err.Error()
	case u.Timeout():
		return "no answer in time"
	}
	return u.Err.Error()
}

// Decode decodes an answer of 200 into into. An answer with a secret, and a page of a proxy or of the
// login of a network, are errors.
func (s *Service) Decode(answer []byte, into any) error {
	if secret.In(string(answer), s.Secrets()...) {
		return s.Fail(http.StatusOK, "the answer repeats a secret, and is not used", RepeatsSecret)
	}
	if json.Unmarshal(answer, into) != nil {
		return s.Fail(http.StatusOK, "the answer is no JSON as it was expected")
	}
	return nil
}

package handin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"sitemend/crawler/internal/secret"
)

// A Clock waits.
type Clock interface {
	// Sleep returns nil after d, or the error of ctx when that ends first.
	Sleep(ctx context.Context, d time.Duration) error
}

// Limits of a call.
const (
	callTime  = 60 * time.Second
	maxAnswer = 4 << 20
	maxSaid   = 300 // bytes of a service's message that are passed on
)

// backoff is how long to wait before each further try after a failure that may be temporary.
var backoff = []time.Duration{time.Second, 4 * time.Second}

// A service is the address and key for calls.
type service struct {
	name  string
	base  string
	key   string // never shown
	clock Clock
	web   *http.Client
}

// newService returns a service. It refuses a base address over which the key would be sent
// unencrypted to another machine.
func newService(name, variable, base, key string, clock Clock) (service, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "https" && !(u.Scheme == "http" && onThisMachine(u.Hostname())) {
		return service{}, fmt.Errorf("%s is no https address; http is taken on this machine only", variable)
	}
	web := &http.Client{Timeout: callTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return service{name: name, base: base, key: key, clock: clock, web: web}, nil
}

func onThisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// An Error is a call that failed: an unexpected answer, or none.
type Error struct {
	Service string
	Status  int    // the HTTP status; 0 where there was no answer
	Code    int    // Bing's ErrorCode, else 0
	Message string // the service's message, shortened to a line; may be ""
}

// Error implements error.
func (e *Error) Error() string {
	switch {
	case e.Status == 0:
		return "no answer from " + e.Service + ": " + e.Message
	case e.Message == "":
		return fmt.Sprintf("%s answers %d", e.Service, e.Status)
	}
	return fmt.Sprintf("%s answers %d: %s", e.Service, e.Status, e.Message)
}

// call makes a call, with two more tries where there is no answer or the service is down. body may
// be nil. It returns status and body of an answer below 500.
func (s *service) call(ctx context.Context, method, at string, body any) (status int, answer []byte, err error) {
	for try := 0; ; try++ {
		status, answer, err = s.once(ctx, method, at, body)
		if err == nil && status < 500 || ctx.Err() != nil || try == len(backoff) {
			break
		}
		if err := s.clock.Sleep(ctx, backoff[try]); err != nil {
			return 0, nil, err
		}
	}
	switch {
	case ctx.Err() != nil:
		return 0, nil, ctx.Err()
	case err != nil:
		return 0, nil, &Error{Service: s.name, Message: s.clean(err.Error())}
	case status >= 500:
		return status, nil, &Error{Service: s.name, Status: status}
	}
	return status, answer, nil
}

func (s *service) once(ctx context.Context, method, at string, body any) (status int, answer []byte, err error) {
	var content io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		content = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, at, content)
	if err != nil {
		return 0, nil, errors.New("its address is not valid")
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	req.Header.Set("User-Agent", "sitemend")
	got, err := s.web.Do(req)
	if err != nil {
		return 0, nil, bare(err)
	}
	defer got.Body.Close()
	data, err := io.ReadAll(io.LimitReader(got.Body, maxAnswer))
	return got.StatusCode, data, bare(err)
}

// bare returns an error without the address of the request, which has the key.
func bare(err error) error {
	var u *url.Error
	switch {
	case !errors.As(err, &u):
		return err
	case u.Timeout():
		return errors.New("no answer in time")
	}
	return u.Err
}

// clean shortens foreign text to a line without the key.
func (s *service) clean(text string) string {
	text = secret.Withhold(text, s.key)
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "\uFFFD")
	if len(text) > maxSaid {
		text = strings.ToValidUTF8(text[:maxSaid], "") + " ..."
	}
	return text
}

package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nicholas-fedor/shoutrrr/pkg/router"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"

	"sitemend/cmd/internal/cli"
)

// The header fields of a webhook.
const (
	// HeaderSignature is "sha256=" and the HMAC-SHA256 of the body under the secret, in hex.
	HeaderSignature = "X-Sitemend-Signature"
	// HeaderDelivery is the id of the message: the same each time that it is sent again.
	HeaderDelivery = "X-Sitemend-Delivery"
)

// patience is how long a receiver may take to accept a message.
const patience = 30 * time.Second

// A Message is the content to deliver. A receiver may get the same ID twice, where it was not known
// whether the first message had arrived.
type Message struct {
	ID    string
	Title string // one line
	Text  string // a few lines, Title among them
	JSON  []byte // for a webhook
}

// A Receiver takes messages. The zero value is not usable: Service and Webhook make one.
type Receiver struct {
	Name    string
	service string // URL
	webhook string // URL
	secret  []byte
	client  *http.Client
	// unanswered has one element an element for each message that is with shoutrrr.
	unanswered chan struct{}
}

// Service returns a receiver by its service URL, as "slack://token@channel" or
// "ntfy://ntfy.sh/topic". An error says what is wrong with the URL and repeats no part of it but
// the name of a service that is unknown.
func Service(name, rawURL string) (*Receiver, error) {
	scheme, _, ok := strings.Cut(rawURL, "://")
	base, _, _ := strings.Cut(scheme, "+")
	services := Services()
	switch {
	case !ok || !slices.Contains(services, base):
		if base == "http" || base == "https" {
			return nil, errors.New("this is the address of a page or a webhook, no service URL; a service URL begins with the name of the service, as slack:// or ntfy://, and a plain webhook is given as webhook")
		}
		if !ok || len(base) > 20 || !letters(base) { // it may be a token
			return nil, errors.New("this is no service URL; one begins with the name of a service, as slack:// or ntfy://")
		}
		return nil, fmt.Errorf("there is no service %q; %sthere are %s", base, cli.DidYouMean(base, services), strings.Join(services, ", "))
	}
	if _, err := locate(rawURL); err != nil { // its text holds the URL
		return nil, fmt.Errorf("a service URL of %s is made otherwise; see https://shoutrrr.nickfedor.com for its parts", base)
	}
	boundLibrary()
	return &Receiver{Name: name, service: rawURL,
		unanswered: make(chan struct{}, mostUnanswered)}, nil
}

// mostUnanswered is how many messages of one receiver may be in shoutrrr at once. shoutrrr takes no
// context, and waits without end for a mail server that accepts a connection and never answers:
// each try would leave a goroutine and a connection behind.
const mostUnanswered = 4

// boundLibrary sets a time limit for shoutrrr's requests. shoutrrr takes no context, and sends many
// of them with net/http's shared default client, which waits without end: each try would leave a
// goroutine and a connection behind for as long as the process lives.
var boundLibrary = sync.OnceFunc(func() { http.DefaultClient.Timeout = patience })

// Services returns the names of the services that are known, in order. They do not include the one
// that writes to sitemend's own log (logger) and the one that starts a program.
func Services() []string {
	names := slices.DeleteFunc((&router.ServiceRouter{}).ListServices(), func(s string) bool { return s == "logger" })
	slices.Sort(names)
	return slices.Compact(names)
}

func letters(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') })
}

// Webhook returns a receiver that is sent JSON by POST. With a secret each message is signed
// (HeaderSignature). Redirects are not followed: the given address must answer itself.
func Webhook(name, rawURL, secret string) (*Receiver, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("a webhook is a whole address, as https://example.org/in")
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &Receiver{Name: name, webhook: rawURL, secret: []byte(secret), client: client}, nil
}

// Send delivers a message and returns when the receiver has accepted it, within half a minute. An
// error says in plain words why not, without a secret. Where the time runs out, or ctx ends, the
// message may have been accepted all the same.
func (r *Receiver) Send(ctx context.Context, m Message) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if r.webhook != "" {
		return r.post(ctx, m)
	}
	service, err := locate(r.service)
	if err != nil {
		return errors.New("the service URL is not understood")
	}
	select {
	case r.unanswered <- struct{}{}:
	case <-ctx.Done():
		return why(ctx.Err())
	}
	sent := make(chan error, 1)
	go func() {
		defer func() {
			<-r.unanswered
			if recover() != nil {
				sent <- errors.New("a fault of the library that sends it")
			}
		}()
		params := types.Params{"title": m.Title}
		sent <- why(service.Send(m.Text, &params))
	}()
	select {
	case err := <-sent:
		return err
	case <-ctx.Done():
		return why(ctx.Err())
	}
}

// locate returns a service. It discards the service's log, which may contain the URL.
func locate(rawURL string) (types.Service, error) {
	sr := &router.ServiceRouter{}
	sr.SetLogger(log.New(io.Discard, "", 0))
	return sr.Locate(rawURL)
}

// post sends a message to a webhook.
func (r *Receiver) post(ctx context.Context, m Message) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.webhook, bytes.NewReader(m.JSON))
	if err != nil {
		return errors.New("the address of the webhook is not understood")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "sitemend")
	req.Header.Set(HeaderDelivery, m.ID)
	if len(r.secret) > 0 {
		req.Header.Set(HeaderSignature, Signature(r.secret, m.JSON))
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return why(err)
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection can be kept
	switch {
	case resp.StatusCode >= 200 && resp.StatusCode < 300:
		return nil
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return fmt.Errorf("it answered %d, a redirect, which is not followed: name the address that it leads to", resp.StatusCode)
	}
	return fmt.Errorf("it answered %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
}

// Signature is the value of HeaderSignature for a body.
func Signature(secret, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body) // never fails
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

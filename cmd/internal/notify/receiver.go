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

// A Receiver takes messages. New makes one.
type Receiver struct {
	Name string
	send func(ctx context.Context, m Message) error
}

// New returns a receiver: one with a service URL, as "slack://token@channel" or
// "ntfy://ntfy.sh/topic", or a webhook, which is sent JSON by POST, signed (HeaderSignature) where
// there is a secret. An error says what is wrong and repeats no part of a URL but the name of a
// service that is unknown.
func New(name, service, webhook, secret string) (r *Receiver, err error) {
	r = &Receiver{Name: name}
	switch {
	case (service == "") == (webhook == ""):
		err = errors.New("it takes one of url (a service URL) and webhook (an address that is sent JSON)")
	case service != "" && secret != "":
		err = errors.New("secret signs what a webhook is sent; a service URL holds its own")
	case service != "":
		r.send, err = newService(service)
	default:
		r.send, err = newWebhook(webhook, []byte(secret))
	}
	return r, err
}

// Send delivers a message and returns when the receiver has accepted it, within half a minute. An
// error says in plain words why not, without a secret. Where the time runs out, or ctx ends, the
// message may have been accepted all the same.
func (r *Receiver) Send(ctx context.Context, m Message) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return r.send(ctx, m)
}

// mostUnanswered is how many messages of one receiver may be in shoutrrr at once. shoutrrr takes no
// context, and waits without end for a mail server that accepts a connection and never answers:
// each try would leave a goroutine and a connection behind.
const mostUnanswered = 4

// boundLibrary sets a time limit for shoutrrr's requests: it sends many of them with net/http's
// shared default client, which waits without end.
var boundLibrary = sync.OnceFunc(func() { http.DefaultClient.Timeout = patience })

// newService returns what sends to a service URL.
func newService(rawURL string) (func(context.Context, Message) error, error) {
	// Not those that write to sitemend's own log and that start a program.
	known := slices.DeleteFunc((&router.ServiceRouter{}).ListServices(), func(s string) bool { return s == "logger" })
	slices.Sort(known)
	known = slices.Compact(known)
	scheme, _, ok := strings.Cut(rawURL, "://")
	base, _, _ := strings.Cut(scheme, "+")
	switch {
	case !ok || len(base) > 20: // it may be a token
		return nil, errors.New("this is no service URL; one begins with the name of a service, as slack:// or ntfy://")
	case !slices.Contains(known, base):
		return nil, fmt.Errorf("there is no service %q; %sthere are %s; a plain address is given as webhook", base, cli.DidYouMean(base, known), strings.Join(known, ", "))
	}
	if _, err := locate(rawURL); err != nil { // its text holds the URL
		return nil, fmt.Errorf("a service URL of %s is made otherwise; see https://shoutrrr.nickfedor.com for its parts", base)
	}
	boundLibrary()
	unanswered := make(chan struct{}, mostUnanswered)
	return func(ctx context.Context, m Message) error {
		select {
		case unanswered <- struct{}{}:
		case <-ctx.Done():
			return why(ctx.Err())
		}
		sent := make(chan error, 1)
		go func() {
			defer func() {
				<-unanswered
				if recover() != nil {
					sent <- errors.New("a fault of the library that sends it")
				}
			}()
			service, err := locate(rawURL)
			if err == nil {
				err = service.Send(m.Text, &types.Params{"title": m.Title})
			}
			sent <- why(err)
		}()
		select {
		case err := <-sent:
			return err
		case <-ctx.Done():
			return why(ctx.Err())
		}
	}, nil
}

// locate returns a service. It discards the service's log, which may contain the URL.
func locate(rawURL string) (types.Service, error) {
	sr := &router.ServiceRouter{}
	sr.SetLogger(log.New(io.Discard, "", 0))
	return sr.Locate(rawURL)
}

// newWebhook returns what sends to a webhook. Redirects are not followed: the given address must
// answer itself.
func newWebhook(rawURL string, secret []byte) (func(context.Context, Message) error, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("a webhook is a whole address, as https://example.org/in")
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return func(ctx context.Context, m Message) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, rawURL, bytes.NewReader(m.JSON))
		if err != nil {
			return errors.New("the address of the webhook is not understood")
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("User-Agent", "sitemend")
		req.Header.Set(HeaderDelivery, m.ID)
		if len(secret) > 0 {
			req.Header.Set(HeaderSignature, Signature(secret, m.JSON))
		}
		resp, err := client.Do(req)
		if err != nil {
			return why(err)
		}
		defer resp.Body.Close()
		_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection can be kept
		switch resp.StatusCode / 100 {
		case 2:
			return nil
		case 3:
			return fmt.Errorf("it answered %d, a redirect, which is not followed: name the address that it leads to", resp.StatusCode)
		}
		return fmt.Errorf("it answered %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	}, nil
}

// Signature is the value of HeaderSignature for a body.
func Signature(secret, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body) // never fails
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

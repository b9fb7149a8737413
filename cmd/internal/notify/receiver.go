package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"mime"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/nicholas-fedor/shoutrrr/pkg/router"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"

	"sitemend/crawler/ground"
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
	Title string          // one line
	Text  string          // a few lines, Title among them
	JSON  json.RawMessage // for a webhook
}

// A Receiver takes messages. New makes one.
type Receiver struct {
	Name string
	send func(ctx context.Context, m Message) error
}

// New returns a receiver: one with a service URL, as "slack://token@channel" or
// "ntfy://ntfy.sh/topic", or a webhook, which is sent JSON by POST, signed (HeaderSignature) where
// there is a secret. An error says what is wrong and repeats no part of a URL.
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

// boundLibrary sets a time limit for shoutrrr's requests: it sends many of them with net/http's
// shared default client, which waits without end.
var boundLibrary = sync.OnceFunc(func() { http.DefaultClient.Timeout = patience })

// newService returns what sends to a service URL. shoutrrr takes no context: what it has not sent
// when ctx ends is left to it.
func newService(rawURL string) (func(context.Context, Message) error, error) {
	if _, err := locate(rawURL); err != nil { // its text holds the URL
		return nil, errors.New("this is no service URL, as ntfy://ntfy.sh/topic: see https://shoutrrr.nickfedor.com; a plain address is given as webhook")
	}
	boundLibrary()
	return func(ctx context.Context, m Message) error {
		sent := make(chan error, 1)
		go func() {
			sent <- ground.Guard(func() error {
				service, err := locate(rawURL)
				if err == nil {
					title := m.Title
					if service.GetID() == "smtp" { // the header of a mail is ASCII (RFC 2047)
						title = mime.QEncoding.Encode("utf-8", title)
					}
					err = service.Send(m.Text, &types.Params{"title": title})
				}
				return err
			})
		}()
		select {
		case err := <-sent:
			return why(err)
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
			return why(err)
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
		if resp.StatusCode/100 != 2 {
			return fmt.Errorf("it answered %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
		}
		return nil
	}, nil
}

// Signature is the value of HeaderSignature for a body.
func Signature(secret, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body) // never fails
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

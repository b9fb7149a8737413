package fetch

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/net/http/httpguts"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch/internal/http1"
)

// ParseHeader parses a header as --header gives it, "K: V". The error says what is wrong, and
// repeats no more than a valid name: the text before the colon, or without a colon, may be a
// secret.
func ParseHeader(s string) (Header, error) {
	k, v, ok := strings.Cut(s, ":")
	k, v = strings.TrimSpace(k), strings.TrimSpace(v)
	switch {
	case !ok:
		return Header{}, errors.New("a header has no colon")
	case !httpguts.ValidHeaderFieldName(k):
		return Header{}, errors.New("the name of a header, before its colon, is not allowed")
	case !httpguts.ValidHeaderFieldValue(v):
		return Header{}, fmt.Errorf("the value of header %s has a control character", k)
	case strings.EqualFold(k, "Host") && (v == "" || !httpguts.ValidHostHeader(v)):
		return Header{}, fmt.Errorf("header Host: %q is no host", v)
	}
	return Header{k, v}, nil
}

// HasSecrets reports whether o has headers or credentials that only audited hosts may receive.
func (o *Options) HasSecrets() bool { return o.User != "" || o.Pass != "" || len(o.Headers) > 0 }

// bears reports whether a request for an address carries the user's headers and credentials. It
// alone decides that, each time a request is about to go to a transport: the origin of the address
// must be audited, and no host that is not audited may have led there. at is the address as listed,
// before --map.
func (a *Client) bears(at address.Address, as audit.Purpose) bool {
	return as&audit.WithoutSecrets == 0 && a.audited(at)
}

func (a *Client) audited(at address.Address) bool { return a.o.Audited != nil && a.o.Audited(at) }

// headerSet holds the headers of one identity, made once: plain for any host, secret for the
// audited ones.
type headerSet struct {
	plain, secret headers
	host          string // a Host header of --header, "" for none
}

// headers are those of a request, and the lines that they make. Both are read-only. last is set
// where they contain "Connection: close".
type headers struct {
	values http.Header
	lines  []byte
	last   bool
}

func newHeaders(values http.Header) headers {
	return headers{values, http1.Lines(values),
		httpguts.HeaderValuesContainsToken(values["Connection"], "close")}
}

func newHeaderSet(id Identity, o *Options) *headerSet {
	plain, secret := http.Header{}, http.Header{}
	for _, h := range id.Headers() {
		plain.Set(h.Key, h.Value)
		secret.Set(h.Key, h.Value)
	}
	host := addSecrets(secret, o)
	return &headerSet{plain: newHeaders(plain), secret: newHeaders(secret), host: host}
}

// addSecrets adds the headers for audited hosts. It returns the Host header where they contain one.
func addSecrets(to http.Header, o *Options) (host string) {
	if o.User != "" || o.Pass != "" {
		to.Set("Authorization", "Basic "+
			base64.StdEncoding.EncodeToString([]byte(o.User+":"+o.Pass)))
	}
	given := map[string]bool{}
	for _, h := range o.Headers {
		key := http.CanonicalHeaderKey(h.Key)
		switch {
		case key == "Host":
			host = h.Value
		case given[key]:
			to.Add(key, h.Value)
		default:
			to.Set(key, h.Value)
		}
		given[key] = true
	}
	return host
}

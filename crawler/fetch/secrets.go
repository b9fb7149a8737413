package fetch

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/net/http/httpguts"

	"sitemend/crawler/address"
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

func (a *Client) audited(at address.Address) bool { return a.o.Audited != nil && a.o.Audited(at) }

// headerSet holds the headers of one identity, made once: plain for any host, secret for the
// audited ones.
type headerSet struct{ plain, secret headers }

// headers are those of a request, the lines that they make, and the Host header of --header, "" for
// none. They are read-only.
type headers struct {
	values http.Header
	lines  []byte
	host   string
}

func newHeaderSet(id Identity, o *Options) headerSet {
	plain := http.Header{}
	for _, h := range id.Headers() {
		plain.Set(h.Key, h.Value)
	}
	secret := plain.Clone()
	if o.User != "" || o.Pass != "" {
		secret.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(o.User+":"+o.Pass)))
	}
	for _, h := range o.Headers {
		secret.Del(h.Key)
	}
	for _, h := range o.Headers {
		secret.Add(h.Key, h.Value)
	}
	return headerSet{headers{plain, http1.Lines(plain), ""}, headers{secret, http1.Lines(secret), secret.Get("Host")}}
}

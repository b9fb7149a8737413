package handin

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"sitemend/crawler/address"
)

// IndexNowBase is the address at which one call informs all participating search engines.
const IndexNowBase = "https://api.indexnow.org/"

// IndexNowBatch is how many addresses one call takes (indexnow.org/documentation).
const IndexNowBatch = 10_000

// keyForm is the syntax of a key (indexnow.org/documentation).
var keyForm = regexp.MustCompile(`^[A-Za-z0-9-]{8,128}$`)

// word is an answer in plain text.
var word = regexp.MustCompile(`^[A-Za-z]{1,20}[.!]?$`)

// An IndexNow submits addresses that changed.
type IndexNow struct{ service }

// ValidKey reports whether a key is valid for IndexNow: 8 to 128 letters, digits and hyphens.
func ValidKey(key string) bool { return keyForm.MatchString(key) }

// NewIndexNow returns an IndexNow. base is "" for IndexNowBase; a base that is not https must be on
// this machine.
func NewIndexNow(key, base string, clock Clock) (*IndexNow, error) {
	if base == "" {
		base = IndexNowBase
	}
	s, err := newService("IndexNow", "SITEMEND_INDEXNOW_API", base, key, clock)
	if s.base = strings.TrimSuffix(base, "/"); !strings.HasSuffix(s.base, "/indexnow") {
		s.base += "/indexnow"
	}
	return &IndexNow{s}, err
}

// KeyFile returns the address in the root of a host at which its key file is expected. The address
// contains the key and must not be shown.
func (n *IndexNow) KeyFile(of address.Address) address.Address {
	return address.Wire(of.Origin() + "/" + url.PathEscape(n.key) + ".txt")
}

// HasKey reports whether content, that of a key file, is the key and nothing else.
func (n *IndexNow) HasKey(content string) bool {
	return strings.TrimSpace(strings.TrimPrefix(content, "\uFEFF")) == n.key
}

// Submit submits at most IndexNowBatch addresses of one host, whose key file was found at keyFile.
// It returns the status: 200, or 202 where the service has yet to check the key. Engines answer
// nothing, a word or JSON: anything else came from something in between (a proxy, a login of the
// network), and is an error.
func (n *IndexNow) Submit(ctx context.Context, host string, keyFile address.Address, urls []string) (int, error) {
	status, answer, err := n.call(ctx, http.MethodPost, n.base, map[string]any{"host": host, "key": n.key, "keyLocation": keyFile.String(), "urlList": urls})
	if err != nil {
		return status, err
	}
	if status != http.StatusOK && status != http.StatusAccepted {
		return status, &Error{Service: n.name, Status: status, Message: refusals[status]}
	}
	if said := bytes.TrimSpace(answer); len(said) > 0 && !json.Valid(said) && !word.Match(said) {
		return status, &Error{Service: n.name, Status: status, Message: "the answer is none of IndexNow's, so somebody in between answered"}
	}
	return status, nil
}

// refusals are the meanings of IndexNow's statuses (indexnow.org/documentation); its answers have
// no body.
var refusals = map[int]string{
	http.StatusBadRequest:          "the request is not understood",
	http.StatusForbidden:           "the key file was not found, or holds another key",
	http.StatusUnprocessableEntity: "an address is not of the host, or the key is not for it",
	http.StatusTooManyRequests:     "too many requests",
}

package handin

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"sitemend/crawler/address"
)

// IndexNowBase is where all engines that take part are told by one call.
const IndexNowBase = "https://api.indexnow.org/"

// IndexNowBatch is how many addresses one call takes (indexnow.org/documentation).
const IndexNowBatch = 10_000

// keyForm is what a key may be (indexnow.org/documentation).
var keyForm = regexp.MustCompile(`^[A-Za-z0-9-]{8,128}$`)

// An IndexNow hands in addresses that changed.
type IndexNow struct{ service }

// ValidKey reports whether a key is one of IndexNow: 8 to 128 letters, digits and hyphens.
func ValidKey(key string) bool { return keyForm.MatchString(key) }

// NewIndexNow returns an IndexNow. base is "" for IndexNowBase; one that is not https is taken on
// this machine only.
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

// KeyFile returns where the key of an address's host is looked for: in its root. It is not to be
// shown.
func (n *IndexNow) KeyFile(of address.Address) address.Address {
	return address.Wire(of.Origin() + "/" + url.PathEscape(n.key) + ".txt")
}

// HasKey reports whether a key file holds the key and nothing else.
func (n *IndexNow) HasKey(content string) bool {
	return strings.TrimSpace(strings.TrimPrefix(content, "\uFEFF")) == n.key
}

// Submit hands in at most IndexNowBatch addresses of one host, whose key file was seen at keyFile.
// It returns the status: 200, or 202 where the key is to be looked at yet. An answer with a page is
// somebody's in between (a proxy, a login of the network), and took nothing: engines answer
// nothing, a word or JSON.
func (n *IndexNow) Submit(ctx context.Context, host string, keyFile address.Address, urls []string) (int, error) {
	status, answer, err := n.call(ctx, http.MethodPost, n.base, map[string]any{"host": host, "key": n.key, "keyLocation": keyFile.String(), "urlList": urls})
	if err != nil {
		return status, err
	}
	if status != http.StatusOK && status != http.StatusAccepted {
		return status, &Error{Service: n.name, Status: status, Message: refusals[status]}
	}
	if bytes.HasPrefix(bytes.TrimLeft(answer, "\ufeff \t\r\n"), []byte("<")) {
		return status, &Error{Service: n.name, Status: status, Message: "the answer is a page, so somebody in between answered"}
	}
	return status, nil
}

// refusals say what IndexNow's statuses mean (indexnow.org/documentation); its answers have no
// body.
var refusals = map[int]string{
	http.StatusBadRequest:          "the request is not understood",
	http.StatusForbidden:           "the key file was not found, or holds another key",
	http.StatusUnprocessableEntity: "an address is not of the host, or the key is not for it",
	http.StatusTooManyRequests:     "too many requests",
}

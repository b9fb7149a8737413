package handin

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/google/service"
)

// indexNowBase is the address at which one call informs all participating search engines.
const indexNowBase = "https://api.indexnow.org/"

// IndexNowBatch is how many addresses one call takes (indexnow.org/documentation).
const IndexNowBatch = 10_000

var (
	keyForm = regexp.MustCompile(`^[A-Za-z0-9-]{8,128}$`) // indexnow.org/documentation
	word    = regexp.MustCompile(`^[A-Za-z]{1,20}[.!]?$`) // an answer in plain text
)

// An IndexNow submits addresses that changed.
type IndexNow struct {
	*service.Service
	key string
}

// ValidKey reports whether a key is valid for IndexNow: 8 to 128 letters, digits and hyphens.
func ValidKey(key string) bool { return keyForm.MatchString(key) }

// NewIndexNow returns an IndexNow. base is "" for that of all engines; a base that is not https
// must be on this machine.
func NewIndexNow(key, base string, clock service.Clock) (*IndexNow, error) {
	s, err := newService("IndexNow", "SITEMEND_INDEXNOW_API", cmp.Or(base, indexNowBase), "/indexnow", key, clock)
	return &IndexNow{s, key}, err
}

// KeyFile returns the address in the root of a host at which its key file is expected. The address
// contains the key and must not be shown.
func (n *IndexNow) KeyFile(of address.Address) address.Address {
	return address.Wire(of.Origin() + "/" + n.key + ".txt")
}

// HasKey reports whether content, that of a key file, is the key and nothing else.
func (n *IndexNow) HasKey(content string) bool {
	return strings.TrimSpace(strings.TrimPrefix(content, "\uFEFF")) == n.key
}

// Submit submits at most IndexNowBatch addresses of one host, whose key file was found at keyFile.
// It returns the status: 200, or 202 where the service has yet to check the key. Engines answer
// nothing, a word or JSON: anything else came from something in between (a proxy, a login of the
// network), and is an error.
func (n *IndexNow) Submit(ctx context.Context, host string, keyFile address.Address, urls []string) (status int, err error) {
	body := map[string]any{"host": host, "key": n.key, "keyLocation": keyFile.String(), "urlList": urls}
	err = n.Tries(ctx, (*service.Error).Down, func() error {
		answer := []byte(nil)
		if status, answer, err = n.Ask(ctx, http.MethodPost, "", nil, body); err != nil {
			return err
		}
		said := bytes.TrimSpace(answer)
		switch {
		case status != http.StatusOK && status != http.StatusAccepted:
			return n.Fail(status, refusals[status])
		case len(said) > 0 && !json.Valid(said) && !word.Match(said):
			return n.Fail(status, "the answer is none of IndexNow's, so somebody in between answered")
		}
		return nil
	})
	return status, err
}

// refusals are the meanings of IndexNow's statuses (indexnow.org/documentation); its answers have
// no body.
var refusals = map[int]string{
	http.StatusBadRequest:          "the request is not understood",
	http.StatusForbidden:           "the key file was not found, or holds another key",
	http.StatusUnprocessableEntity: "an address is not of the host, or the key is not for it",
	http.StatusTooManyRequests:     "too many requests",
}

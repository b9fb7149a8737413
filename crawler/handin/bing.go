package handin

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/secret"
)

// BingBase is the base address of the API of Bing Webmaster.
const BingBase = "https://ssl.bing.com/"

// bingPath is the path of its methods (learn.microsoft.com/bingwebmaster/api-protocols).
const bingPath = "/webmaster/api.svc/json"

// BingBatch is how many addresses one call takes.
const BingBatch = 500

// Codes of errors of Bing (its enumeration ApiErrorCode).
const (
	bingInvalidKey   = 3
	bingThrottleUser = 4
	bingThrottleHost = 5
	bingNotAllowed   = 13
	bingUnauthorized = 14
)

// A Bing is a client of Bing Webmaster.
type Bing struct{ service }

// NewBing returns a Bing. base is "" for BingBase; a base that is not https must be on this
// machine.
func NewBing(key, base string, clock Clock) (*Bing, error) {
	s, err := newService("Bing", "SITEMEND_BING_API", cmp.Or(base, BingBase), key, clock)
	if s.base = strings.TrimSuffix(s.base, "/"); !strings.HasSuffix(s.base, bingPath) {
		s.base += bingPath
	}
	return &Bing{s}, err
}

// Hint returns what the user can do about an error of Bing.
func (e *Error) Hint() string {
	switch {
	case e.Status == 0 || e.Status >= 500:
		return e.Service + " does not answer at present: the same command tries again"
	case e.Code == bingInvalidKey:
		return "SITEMEND_BING_KEY is to be the API key of Bing Webmaster, under Settings, API access"
	case e.Code == bingThrottleUser || e.Code == bingThrottleHost || e.Status == http.StatusTooManyRequests:
		return e.Service + " wants fewer calls: later"
	case e.Code == bingNotAllowed || e.Code == bingUnauthorized:
		return "the site is to be verified in Bing Webmaster by whom the key belongs to"
	}
	return "docs/google.md says what is submitted where"
}

// ask calls a method and decodes its answer into into, which may be nil: then an answer may be
// empty. A page (of a proxy, or a login of the network) is an error, because it did not come from
// Bing.
func (b *Bing) ask(ctx context.Context, httpMethod, method string, query url.Values, body, into any) error {
	if query == nil {
		query = url.Values{}
	}
	query.Set("apikey", b.key)
	status, answer, err := b.call(ctx, httpMethod, b.base+"/"+method+"?"+query.Encode(), body)
	if err != nil {
		return err
	}
	var said struct {
		D       json.RawMessage `json:"d"`
		Code    int             `json:"ErrorCode"`
		Message string          `json:"Message"`
	}
	decoded := json.Unmarshal(answer, &said)
	if status != http.StatusOK || said.Code != 0 {
		e := &Error{Service: b.name, Status: status}
		if decoded == nil {
			e.Code, e.Message = said.Code, b.clean(said.Message)
		}
		return e
	}
	if into == nil && (decoded == nil || len(answer) == 0) {
		return nil
	}
	if secret.In(string(answer), b.key) {
		return &Error{Service: b.name, Status: status, Message: "the answer repeats the key, and is not used"}
	}
	if said.D == nil {
		said.D = answer // some methods answer without the field d
	}
	if decoded != nil || json.Unmarshal(said.D, into) != nil {
		return &Error{Service: b.name, Status: status, Message: "the answer is not JSON as it was expected"}
	}
	return nil
}

// Sites returns the verified sites of the account.
func (b *Bing) Sites(ctx context.Context) ([]string, error) {
	var list []struct {
		URL      string `json:"Url"`
		Verified bool   `json:"IsVerified"`
	}
	if err := b.ask(ctx, http.MethodGet, "GetUserSites", nil, nil, &list); err != nil {
		return nil, err
	}
	var sites []string
	for _, s := range list {
		if s.Verified {
			sites = append(sites, s.URL)
		}
	}
	return sites, nil
}

// ChooseSite returns the site that an address belongs to: the longest of sites that is a prefix of
// it, "" where there is none.
func ChooseSite(sites []string, a address.Address) (best string) {
	for _, s := range sites {
		prefix := s
		if !strings.HasSuffix(prefix, "/") {
			prefix += "/"
		}
		if strings.HasPrefix(a.String(), prefix) && len(s) > len(best) {
			best = s
		}
	}
	return best
}

// SubmitFeed submits a sitemap. site is one that Sites returned.
func (b *Bing) SubmitFeed(ctx context.Context, site, feed string) error {
	return b.ask(ctx, http.MethodPost, "SubmitFeed", nil, map[string]string{"siteUrl": site, "feedUrl": feed}, nil)
}

// Quota returns how many addresses of a site may still be submitted now, within the limits of both
// the day and the month.
func (b *Bing) Quota(ctx context.Context, site string) (int, error) {
	var q struct{ DailyQuota, MonthlyQuota int }
	err := b.ask(ctx, http.MethodGet, "GetUrlSubmissionQuota", url.Values{"siteUrl": {site}}, nil, &q)
	return max(0, min(q.DailyQuota, q.MonthlyQuota)), err
}

// SubmitURLs submits at most BingBatch addresses of a site.
func (b *Bing) SubmitURLs(ctx context.Context, site string, urls []string) error {
	return b.ask(ctx, http.MethodPost, "SubmitUrlBatch", nil, map[string]any{"siteUrl": site, "urlList": urls}, nil)
}

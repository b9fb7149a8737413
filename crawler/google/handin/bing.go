package handin

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/google"
	"sitemend/crawler/google/service"
)

const (
	bingBase = "https://ssl.bing.com/"
	bingPath = "/webmaster/api.svc/json" // of its methods (learn.microsoft.com/bingwebmaster/api-protocols)
)

// BingBatch is how many addresses one call takes.
const BingBatch = 500

// A Bing is a client of Bing Webmaster.
type Bing struct {
	*service.Service
	key string
}

// NewBing returns a Bing. base is "" for that of Bing; a base that is not https must be on this
// machine.
func NewBing(key, base string, clock service.Clock) (*Bing, error) {
	s, err := newService("Bing", "SITEMEND_BING_API", cmp.Or(base, bingBase), bingPath, key, clock)
	return &Bing{s, key}, err
}

// newService returns a service with a key, whose base ends with a path.
func newService(name, variable, base, path, key string, clock service.Clock) (*service.Service, error) {
	s, err := service.New(name, variable, base, clock)
	if err != nil {
		return nil, err
	}
	s.Base = strings.TrimSuffix(s.Base, path) + path
	s.Hint = hint
	s.Secrets = func() []string { return []string{key} }
	return s, nil
}

// hint returns what the user can do. The reasons are those of Bing's enumeration ApiErrorCode.
func hint(e *service.Error) string {
	is := func(codes ...string) bool {
		return slices.ContainsFunc(e.Reasons, func(r string) bool { return slices.Contains(codes, r) })
	}
	switch {
	case e.Down():
		return e.Service + " does not answer at present: the same command tries again"
	case is("3"): // InvalidApiKey
		return "SITEMEND_BING_KEY is to be the API key of Bing Webmaster, under Settings, API access"
	case is("4", "5") || e.Status == http.StatusTooManyRequests: // ThrottleUser, ThrottleHost
		return e.Service + " wants fewer calls: later"
	case is("13", "14"): // NotAllowed, NotAuthorized
		return "the site is to be verified in Bing Webmaster by whom the key belongs to"
	}
	return "docs/google.md says what is submitted where"
}

// ask calls a method, with two more tries where Bing is down, and decodes its answer into into, which
// may be nil: then an answer may be empty.
func (b *Bing) ask(ctx context.Context, httpMethod, method string, query url.Values, body, into any) error {
	query.Set("apikey", b.key)
	return b.Tries(ctx, (*service.Error).Down, func() error {
		status, answer, err := b.Ask(ctx, httpMethod, "/"+method+"?"+query.Encode(), nil, body)
		if err != nil {
			return err
		}
		var said struct {
			D       json.RawMessage `json:"d"`
			Code    int             `json:"ErrorCode"`
			Message string          `json:"Message"`
		}
		decoded := json.Unmarshal(answer, &said)
		switch {
		case decoded == nil && said.Code != 0:
			return b.Fail(status, said.Message, strconv.Itoa(said.Code))
		case status != http.StatusOK:
			return b.Fail(status, "")
		case into == nil && (decoded == nil || len(answer) == 0):
			return nil
		case said.D != nil: // some methods answer without the field d
			answer = said.D
		}
		return b.Decode(answer, into)
	})
}

// Sites returns the verified sites of the account.
func (b *Bing) Sites(ctx context.Context) (sites []google.Site, err error) {
	var list []struct {
		URL      string `json:"Url"`
		Verified bool   `json:"IsVerified"`
	}
	err = b.ask(ctx, http.MethodGet, "GetUserSites", url.Values{}, nil, &list)
	for _, s := range list {
		if s.Verified {
			sites = append(sites, google.Site{URL: s.URL})
		}
	}
	return sites, err
}

// SubmitFeed submits a sitemap. site is one that Sites returned.
func (b *Bing) SubmitFeed(ctx context.Context, site, feed string) error {
	return b.ask(ctx, http.MethodPost, "SubmitFeed", url.Values{}, map[string]string{"siteUrl": site, "feedUrl": feed}, nil)
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
	return b.ask(ctx, http.MethodPost, "SubmitUrlBatch", url.Values{}, map[string]any{"siteUrl": site, "urlList": urls}, nil)
}

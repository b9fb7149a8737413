package google

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// A Site is a property of Search Console in an account.
type Site struct {
	// URL is the exact name: https://shop.example/ or sc-domain:shop.example.
	URL        string `json:"siteUrl"`
	Permission string `json:"permissionLevel"` // siteOwner, ...
}

// Level returns the permission in one word: owner, full, restricted or unverified. The service and
// its description spell them differently.
func (s *Site) Level() string {
	level := strings.ToLower(strings.ReplaceAll(s.Permission, "_", ""))
	return strings.TrimSuffix(strings.TrimPrefix(level, "site"), "user")
}

// Covers reports whether an address belongs to the property: the address begins with its prefix, or
// the host is the domain or below it.
func (s *Site) Covers(a address.Address) bool {
	if domain, ok := strings.CutPrefix(s.URL, domainMark); ok {
		return domain != "" && (a.Host() == domain || strings.HasSuffix(a.Host(), "."+domain))
	}
	prefix := strings.TrimSuffix(s.URL, "/") + "/" // Google has the slash; no host is cut
	return strings.Contains(s.URL, "://") && strings.HasPrefix(a.String(), prefix)
}

const domainMark = "sc-domain:"

// Choose returns the property of an address among those that Google lists: the longest URL prefix
// that covers the address, else the longest domain. ok is false where none does. Unverified
// properties are ignored.
func Choose(sites []Site, a address.Address) (best Site, ok bool) {
	rank := func(s *Site) int {
		n := len(s.URL)
		if !strings.HasPrefix(s.URL, domainMark) {
			n += 1 << 20 // any prefix precedes any domain
		}
		return n
	}
	for _, s := range sites {
		if s.Level() != "unverified" && s.Covers(a) && (!ok || rank(&s) > rank(&best)) {
			best, ok = s, true
		}
	}
	return best, ok
}

// Sites returns the properties of the account, sorted, because Google lists them in no order.
func (c *Client) Sites(ctx context.Context) ([]Site, error) {
	var answer struct {
		Sites []Site `json:"siteEntry"`
	}
	if err := c.call(ctx, http.MethodGet, "/webmasters/v3/sites", &answer); err != nil {
		return nil, err
	}
	slices.SortFunc(answer.Sites, func(a, b Site) int { return strings.Compare(a.URL, b.URL) })
	return answer.Sites, nil
}

// Submit submits a sitemap in a property of Sites. It needs ReadWrite. It is the only call that
// changes anything at Google.
func (c *Client) Submit(ctx context.Context, site, sitemap string) error {
	return c.call(ctx, http.MethodPut,
		"/webmasters/v3/sites/"+segment(site)+"/sitemaps/"+segment(sitemap), nil)
}

// segment encodes a whole address as one segment of a path.
func segment(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

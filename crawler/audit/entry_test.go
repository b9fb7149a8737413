package audit

import "testing"

func TestUnread(t *testing.T) {
	bad, again := []SitemapFault{{Name: "HTTP error", Severity: "error"}}, []SitemapFault{{Name: DuplicateSitemap, Severity: "warning"}}
	for name, c := range map[string]struct {
		sitemap Sitemap
		want    bool
	}{
		"no sitemap at all":             {Sitemap{Faults: bad}, true},
		"a second name of one":          {Sitemap{Faults: again}, false},
		"read, with a fault":            {Sitemap{Kind: "urlset", Faults: bad}, false},
		"an export of Search Console":   {Sitemap{Kind: KindSearchConsole, Faults: bad}, false},
		"what an earlier audit dropped": {Sitemap{Kind: KindEarlier}, false},
	} {
		if got := c.sitemap.Unread(); got != c.want {
			t.Errorf("%s: Unread() = %v, want %v", name, got, c.want)
		}
	}
}

package audit

import "testing"

func TestUnread(t *testing.T) {
	bad, again := []SitemapFault{{Name: "HTTP error", Severity: "error"}}, []SitemapFault{{Name: DuplicateSitemap, Severity: "warning"}}
	for name, c := range map[string]struct {
		sitemap Sitemap
		want    bool
	}{
		"no sitemap at all":            {Sitemap{Faults: bad}, true},
		"a second name of one":         {Sitemap{Faults: again}, false},
		"the same, with another fault": {Sitemap{Faults: append(bad[:1:1], again...)}, false},
		"read, with a fault":           {Sitemap{Kind: "urlset", Faults: bad}, false},
		"an export of Search Console":  {Sitemap{Kind: KindSearchConsole, Faults: bad}, false},
	} {
		if got := c.sitemap.Unread(); got != c.want {
			t.Errorf("%s: Unread() = %v, want %v", name, got, c.want)
		}
	}
}

// A sitemap that is reached by two addresses is one, and an index is none.
func TestSitemapsThatCount(t *testing.T) {
	again := []SitemapFault{{Name: DuplicateSitemap, Severity: "warning"}}
	r := &Result{Files: []File{{Sitemap: Sitemap{Kind: "index", Faults: again}}, {Sitemap: Sitemap{Kind: "urlset", Faults: again}},
		{Sitemap: Sitemap{Faults: again}}, {Sitemap: Sitemap{}}}}
	if got := r.Sitemaps(); got != 2 {
		t.Errorf("%d sitemaps, want 2", got)
	}
}

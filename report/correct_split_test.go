package report

import (
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// splitting is an audit of files with --split, each of which lists too much; b.example/index.xml
// is an index of all of a.example.
func splitting(t *testing.T, in map[string]string, edits string) *audit.Result {
	most = sitemap.Share{Entries: 2, Bytes: 1 << 20}
	t.Cleanup(func() { most = sitemap.Most() })
	result := auditOf(in, edits)
	result.Info.Rules.Split = true
	at := slices.IndexFunc(result.Files, func(f audit.File) bool { return f.Name == "b.example/index.xml" })
	for i := range result.Files {
		f := &result.Files[i]
		f.BelongsAt, f.Sitemap.Kind, f.Sitemap.Parent = f.Sitemap.URL, "urlset", -1
		f.Sitemap.Faults = []audit.SitemapFault{{Name: "Too many URLs", Key: "too-many-urls"}}
		if i == at {
			f.Sitemap.Kind, f.Sitemap.Faults = "index", nil
		} else if at >= 0 {
			f.Sitemap.Parent, f.Sitemap.Place, f.Sitemap.Line = at, i, i+2
		}
	}
	return result
}

func indexOfAll(locs ...string) string {
	return "<sitemapindex>\n <sitemap><loc>" + strings.Join(locs, "</loc></sitemap>\n <sitemap><loc>") + "</loc></sitemap>\n</sitemapindex>\n"
}

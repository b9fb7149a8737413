package report

import (
	"maps"
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

func urlset(locs ...string) string {
	return "<urlset>\n<url><loc>" + strings.Join(locs, "</loc></url>\n<url><loc>") + "</loc></url>\n</urlset>\n"
}

func indexOfAll(locs ...string) string {
	return "<sitemapindex>\n <sitemap><loc>" + strings.Join(locs, "</loc></sitemap>\n <sitemap><loc>") + "</loc></sitemap>\n</sitemapindex>\n"
}

const fiveLocs = "http://a.example/1 http://a.example/2 http://a.example/3 http://a.example/4 http://a.example/5"

func TestSplit(t *testing.T) {
	five := urlset(strings.Fields(fiveLocs)...)
	for name, c := range map[string]struct {
		in    map[string]string
		edits string
		want  map[string]string // under sitemaps/
		why   string
	}{
		"alone": {in: map[string]string{"a.example/s.xml": five}, edits: "http://a.example/2 drop", want: map[string]string{
			"a.example/s-1.xml": urlset("http://a.example/1", "http://a.example/3"),
			"a.example/s-2.xml": urlset("http://a.example/4", "http://a.example/5")}},
		"in an index that cannot take more": {in: map[string]string{"a.example/s.xml": five, "b.example/index.xml": "<?xml version='1.0' encoding='Shift_JIS'?>" + indexOfAll("http://a.example/s.xml")}, why: "not-split-form"},
		"cut off":                           {in: map[string]string{"a.example/s.xml": strings.TrimSuffix(five, "</urlset>\n")}, edits: "http://a.example/2 drop", why: "not-split-form", want: map[string]string{"a.example/s.xml": strings.Replace(strings.TrimSuffix(five, "</urlset>\n"), "<url><loc>http://a.example/2</loc></url>\n", "", 1)}},
	} {
		result := splitting(t, c.in, c.edits)
		dir := t.TempDir()
		after, err := mendInto(t.Context(), result, opener(result, c.in), dir)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := map[string]string{}
		for file, text := range tree(t, dir) {
			if file, ok := strings.CutPrefix(file, "sitemaps/"); ok {
				got[file] = text
			}
		}
		for i := range after.Files {
			if f := &after.Files[i]; f.Parts != nil && f.Parts[0].Name != f.Name {
				if !strings.HasPrefix(got[f.Name], "<?xml") || strings.Count(got[f.Name], "<loc>http://"+strings.TrimSuffix(f.Parts[0].Name, "1.xml")) != len(f.Parts) {
					t.Errorf("%s: the index of the parts is %s", name, got[f.Name])
				}
				delete(got, f.Name)
			}
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%s: it wrote\n%q, want\n%q", name, got, c.want)
		}
		said := slices.ContainsFunc(after.Files, func(f audit.File) bool {
			return slices.ContainsFunc(f.Sitemap.Faults, func(x audit.SitemapFault) bool { return x.Key == c.why })
		})
		if said != (c.why != "") {
			t.Errorf("%s: the faults are %+v", name, after.Files[0].Sitemap.Faults)
		}
	}
}

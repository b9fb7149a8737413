package conclude_test

import (
	"testing"
	"time"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// The upload names its files; whatever was left of an audit that was stopped, or that writes no files, nothing is uploaded.
func TestUpload(t *testing.T) {
	const sitemap = "https://www.shop.example/sitemap.xml"
	part := func(n string) audit.FilePart { return audit.FilePart{Name: "www.shop.example/" + n} }
	for name, c := range map[string]struct {
		change       func(*audit.Result, *audit.File)
		title, files string // "" where there is no such action
	}{
		"one file":  {func(*audit.Result, *audit.File) {}, "Upload 1 file", "sitemap.xml"},
		"divided":   {func(_ *audit.Result, f *audit.File) { f.Parts = []audit.FilePart{part("s-1.xml"), part("s-2.xml")} }, "Upload 3 files", "sitemap.xml, s-1.xml, s-2.xml"},
		"unwritten": {func(a *audit.Result, _ *audit.File) { a.NoFiles = true }, "", ""},
		"stopped":   {func(a *audit.Result, _ *audit.File) { a.Info.Partial, a.Info.Ended = true, time.Time{} }, "", ""},
	} {
		counts := audit.Counts{Entries: 60, Groups: map[audit.Group]map[string]int{audit.Fine: {"ok": 51}, audit.Corrected: {"noncanonical": 9}},
			Actions: map[audit.Action]int{audit.Replace: 9}}
		a := audit.Result{Info: audit.Info{Targets: []string{sitemap}, Started: time.Unix(1, 0), Ended: time.Unix(2, 0)}, Counts: counts,
			Files: []audit.File{{Name: "www.shop.example/sitemap.xml", Counts: counts, Changed: true, Sitemap: audit.Sitemap{Kind: "urlset", Parent: -1, URL: sitemap}}}}
		c.change(&a, &a.Files[0])
		title, files, en := "", "", messages.Of("en")
		for _, x := range conclude.Of(audit.MakeResult(a, nil, nil), conclude.Options{}).Actions {
			if x.Kind == conclude.DoUpload {
				title, files = x.Title.In(en), x.Evidence[0].Text.In(en)
			}
		}
		if title != c.title || files != c.files {
			t.Errorf("%s: %q, %q; want %q, %q", name, title, files, c.title, c.files)
		}
	}
}

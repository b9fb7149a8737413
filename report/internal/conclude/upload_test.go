package conclude_test

import (
	"testing"
	"time"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// The upload names its files, and what to look at before: the gravest alone.
func TestUpload(t *testing.T) {
	const sitemap = "https://www.shop.example/sitemap.xml"
	part := func(n string) audit.FilePart { return audit.FilePart{Name: "www.shop.example/" + n} }
	twin := audit.Cause{Group: audit.Corrected, Verdict: audit.Noncanonical, Count: 9,
		Examples: []string{"http://www.shop.example/a"}, Finals: []string{sitemap[:24] + "/a"}}
	for name, c := range map[string]struct {
		change             func(*audit.Result, *audit.File)
		title, files, note string
	}{
		"one file": {func(*audit.Result, *audit.File) {}, "Upload 1 file", "sitemap.xml", ""},
		"divided":  {func(_ *audit.Result, f *audit.File) { f.Parts = []audit.FilePart{part("s-1.xml"), part("s-2.xml")} }, "Upload 3 files", "sitemap.xml, s-1.xml, s-2.xml", "The parts belong at new URLs: look first that nothing else is there."},
		"broken": {func(_ *audit.Result, f *audit.File) {
			f.Sitemap.Faults = []audit.SitemapFault{{Name: "Parsing error", Severity: "error"}}
		}, "Upload 1 file", "sitemap.xml", "A parsing error stays in the file: repair that, too."},
		"twins": {func(a *audit.Result, f *audit.File) {
			f.Sitemap.AnsweredAt, a.Causes = "http"+sitemap[5:], []audit.Cause{twin}
		}, "Upload 1 file", "sitemap.xml", "9 URLs have another scheme or www than the file: put the file there, too."},
		"no twins": {func(a *audit.Result, f *audit.File) { f.Sitemap.AnsweredAt, a.Causes = sitemap, []audit.Cause{twin} }, "Upload 1 file", "sitemap.xml", ""},
		"moved": {func(a *audit.Result, f *audit.File) {
			f.Moved, f.Sitemap.AnsweredAt, a.Causes = true, "http"+sitemap[5:], []audit.Cause{twin}
		}, "Upload 1 file", "sitemap.xml", ""},
		"unwritten": {func(a *audit.Result, _ *audit.File) { a.NoFiles = true }, "Write and upload 1 file", "sitemap.xml", ""},
	} {
		counts := audit.Counts{Entries: 60, Groups: map[audit.Group]map[string]int{audit.Fine: {"ok": 51}, audit.Corrected: {"noncanonical": 9}},
			Actions: map[audit.Action]int{audit.Replace: 9}}
		a := audit.Result{Info: audit.Info{Targets: []string{sitemap}, Ended: time.Unix(1, 0)}, Counts: counts,
			Files: []audit.File{{Name: "www.shop.example/sitemap.xml", Counts: counts, Changed: true, Sitemap: audit.Sitemap{Kind: "urlset", Parent: -1, URL: sitemap}}}}
		c.change(&a, &a.Files[0])
		got, en := conclude.Of(audit.MakeResult(a, nil, nil), conclude.Options{}).Actions[0], messages.Of("en")
		if title, files, note := got.Title.In(en), got.Evidence[0].Text.In(en), got.Note.In(en); title != c.title || files != c.files || note != c.note {
			t.Errorf("%s: %q, %q, %q; want %q, %q, %q", name, title, files, note, c.title, c.files, c.note)
		}
	}
}

// Whatever was left of an audit that was stopped, or of which a file came only in part: nothing is uploaded that
// would lose URLs.
func TestNothingIsUploadedOfAPart(t *testing.T) {
	counts := audit.Counts{Entries: 60, Groups: map[audit.Group]map[string]int{audit.Corrected: {"moved": 60}}}
	a := audit.Result{Info: audit.Info{Started: time.Unix(1, 0), Partial: true}, Counts: counts,
		Files: []audit.File{{Name: "s.xml", Counts: counts, Changed: true, Sitemap: audit.Sitemap{Kind: "urlset", Parent: -1}}}}
	for _, x := range conclude.Of(audit.MakeResult(a, nil, nil), conclude.Options{}).Actions {
		if x.Kind == conclude.DoUpload || x.Kind == conclude.DoResubmit {
			t.Errorf("a stopped audit says to %s", x.Kind)
		}
	}
}

package html

import (
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/internal/fixture"
)

// Where a corrected file goes is said of each kind of file: in place of the one it is named
// after, where it belongs now, or nowhere, as a copy of a file that was read only in part.
func TestWhereCorrectedFilesGo(t *testing.T) {
	ok, old := fixture.Of(9, audit.OK, "/ok/%d/"), fixture.Of(9, audit.Moved, "/old/%d", "301", "/new/%d", "200")
	cut := func(f *audit.File) {
		f.Sitemap.Faults = []audit.SitemapFault{{Sitemap: f.Sitemap.URL, Line: 9, Name: "Parsing error", Severity: "error", Key: "cut-off", Args: []string{"3"}}}
	}
	moved := func(f *audit.File) { f.Moved, f.BelongsAt = true, "https://new.shop.example/sitemap.xml" }
	as := func(*audit.File) {}
	const inPlace, now, dont = "in place of the one it is named after", "where it belongs now", "Do not upload the corrected file"
	for name, c := range map[string]struct {
		a, b      func(*audit.File)
		says, not []string
	}{
		"as they are":           {as, as, []string{inPlace, "the 2 corrected files"}, []string{now, dont}},
		"copies":                {cut, cut, []string{dont, "Faults in the files: 2<"}, []string{inPlace, now, "With this report"}},
		"a copy and a file":     {cut, as, []string{"Faults in the files: 1 today, 1 after the upload<", inPlace, "Not one that was read only in part", "the 1 corrected file"}, []string{now, dont}},
		"both moved":            {moved, moved, []string{now}, []string{inPlace, dont}},
		"one of them has moved": {moved, as, []string{inPlace, "where they belong now"}, []string{dont}},
	} {
		result := fixture.AuditOfFiles(func(r *audit.Result) {
			for i := range r.Files {
				r.Files[i].Changed = true
			}
			c.a(&r.Files[0])
			c.b(&r.Files[1])
		}, []string{"a.xml", "b.xml"}, [][]fixture.Audited{{ok, old}, {ok, old}})
		text := pageOf(t, result, Options{Lang: "en", Written: writtenOf(result)})
		for _, want := range c.says {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not said", name, want)
			}
		}
		for _, not := range c.not {
			if strings.Contains(text, not) {
				t.Errorf("%s: %q is said", name, not)
			}
		}
	}
}

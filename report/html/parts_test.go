package html

import (
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// The first action leads to the one file, or to the folder that has all; where the page is
// served to the archive. What a site sends is no link.
func TestWhereActionsLead(t *testing.T) {
	for _, c := range []struct {
		names        []string
		served, want string
	}{
		{[]string{"sitemaps/a.example/x/s x?.xml", ""}, "", "sitemaps/a.example/x/s%20x%3F.xml"},
		{[]string{"sitemaps/a.example/s.xml", "sitemaps/b.example/s.xml"}, "", "sitemaps/"},
		{[]string{"a:b", ""}, "", "./a:b"},
		{[]string{"", ""}, "", "#files"},
		{[]string{"sitemaps/a.example/s.xml", ""}, "files/", "files/sitemaps.zip"},
	} {
		upload := &conclude.Conclusion{Actions: []conclude.Action{{Kind: conclude.DoUpload, Target: "#files"}, {Kind: conclude.DoRepair, Target: "https://a.example/sitemap.xml"}}}
		got := actionViews(&audit.Result{Files: make([]audit.File, len(c.names))}, upload, Options{Served: c.served, Written: func(f int) string { return c.names[f] }})
		if got[0].Href != c.want || got[1].Href != "" {
			t.Errorf("%q: leads to %q, want %q; and to %q", c.names, got[0].Href, c.want, got[1].Href)
		}
	}
}

// Of many files the first are shown, and the others counted; each edit once.
func TestEditsAreBounded(t *testing.T) {
	result := &audit.Result{Files: make([]audit.File, shownEditFiles+5)}
	e := &edits{result: result, groups: newEntryGroups(result, conclude.Of(result, conclude.Options{})), last: -1}
	for f := range result.Files {
		for range 4 {
			e.add(f, &audit.Row{Verdict: audit.Moved, Fix: audit.Fix{Action: audit.Replace, Loc: site + "/to/"}})
		}
	}
	v := e.view()
	if len(v.Files) != shownEditFiles || v.More.In(messages.Of("en")) != "20 more are in changes.csv." {
		t.Errorf("%d files are shown, and %q", len(v.Files), v.More.In(messages.Of("en")))
	}
	if f := v.Files[0]; f.Count != 4 || len(f.Causes) != 1 || len(f.Causes[0].First) != shownEdits || f.Causes[0].More() != 2 {
		t.Errorf("a file is told as %+v", f)
	}
}

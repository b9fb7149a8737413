package audit_test

import (
	"testing"

	"sitemend/crawler/audit"
)

// What becomes of URLs for the links that name them. A page that begins with "un-" is listed nowhere;
// one with which an entry stays in another file stays.
func TestWhatBecomesOfLinkedURLs(t *testing.T) {
	s := &site{web: parseWeb(t, `
		http://a.example/self 200
		http://a.example/moved 301 /new
		http://a.example/new 200
		http://a.example/twice 301 /new
		http://a.example/merged 301 /self
		http://a.example/gone 404
		browser http://a.example/gone 404
		http://a.example/un-moved 301 /un-new
		http://a.example/un-new 200
		http://a.example/un-gone 404
		browser http://a.example/un-gone 404`)}
	s.list(map1, "http://a.example/self", "http://a.example/moved", "http://a.example/twice", "http://a.example/merged", "http://a.example/gone")
	s.list("http://a.example/dtd.xml", "http://a.example/twice")
	s.files[0].Links, s.files[1].Faults = true, []audit.SitemapFault{{Key: "dtd-unread"}}
	alternates := audit.AlsoAlternates
	s.also(alternates, named(alternates, "http://a.example/un-moved"), named(alternates, "http://a.example/un-new"), named(alternates, "http://a.example/un-gone"))
	result := s.evaluate(t, rules())
	for page, want := range map[string]audit.Edited{
		"self": {}, "twice": {}, "un-new": {}, "un-gone": {}, "unknown": {},
		"moved":    {Action: audit.Replace, Loc: "http://a.example/new", Verdict: audit.Moved},
		"merged":   {Action: audit.Merge, Loc: "http://a.example/self", Verdict: audit.Moved},
		"gone":     {Action: audit.Drop, Verdict: audit.NotFound},
		"un-moved": {Action: audit.Replace, Loc: "http://a.example/un-new", Verdict: audit.Moved, Also: true},
	} {
		if got := result.Becomes("http://a.example/" + page); got != want {
			t.Errorf("%s: %+v, want %+v", page, got, want)
		}
	}
}

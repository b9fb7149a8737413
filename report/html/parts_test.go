package html

import (
	"regexp"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// The pattern of a page matches its bytes in any spelling, and no other bytes.
func TestPagePattern(t *testing.T) {
	for _, c := range []struct {
		page      string
		same, not []string
	}{
		{"/a(1).html", []string{"/a%281%29.html", "/%61(1)%2Ehtml"}, []string{"/a(1)xhtml", "/a(2).html", "/A(1).html", "/a(1).html?", "%2Fa(1).html"}},
		{"/w?x=a+b&y", []string{"/w?x=a%20b&y", "/%77?%78=a+b&y"}, []string{"/w?x=a%2Bb&y", "/w?x%3Da+b&y", "/w?x=a+b;y", "/w"}},
		{"/%E3%81", []string{"/%e3%81", "/%E3%81", "/%e3%81"}, []string{"/%E3%82", "/E3"}},
		{"/a%2Fb?c%26d%3D%2B", []string{"/a%2fb?c%26d%3d%2b"}, []string{"/a/b?c%26d%3D%2B", "/a%2Fb?c&d%3D%2B", "/a%2Fb?c%26d%3D+"}},
	} {
		re := regexp.MustCompile("^" + pagePattern(address.Wire("http://a.example"+c.page)) + "$")
		for i, s := range append(append([]string{c.page}, c.same...), c.not...) {
			if same := i <= len(c.same); re.MatchString(s) != same {
				t.Errorf("%s: that %s has the same bytes is %v, and not what %s says", c.page, s, same, re)
			}
		}
	}
}

// The configuration is for an entry that is right as listed: one that is redirected is corrected by
// the upload. Without such an entry there is none.
func TestConfigurationIsForThePageThatIsRightAsListed(t *testing.T) {
	const listed = "http://wiki.example/w?%284%29"
	result := &audit.Result{Causes: []audit.Cause{{Verdict: audit.Moved, Examples: []audit.Example{{Listed: "http://a/b"}}}}}
	if v := serverConfig(result); v != "" {
		t.Errorf("there is a configuration: %+v", v)
	}
	result.Counts.Groups = map[audit.Group]map[string]int{audit.OtherSpelling: {"spelling-bounce": 1}}
	result.Causes = append(result.Causes, audit.Cause{Verdict: audit.SpellingBounce, Examples: []audit.Example{{Listed: listed}}})
	if got := serverConfig(result); !strings.Contains(got, pagePattern(address.Wire(listed))) || strings.Contains(got, "PATTERN") {
		t.Errorf("%q", got)
	}
	if nginxRule("no address") != "" || nginxRule(listed+strings.Repeat("(", 1000)) != "" {
		t.Error("a rule for what has none")
	}
}

// The first action leads to the one file, or to the folder that has all; where the page is
// served to the archive. What a site sends is no link.
func TestWhereActionsLead(t *testing.T) {
	for _, c := range []struct {
		names        []string
		served, want string
	}{
		{[]string{"a.example/x/s x?.xml", ""}, "", "sitemaps/a.example/x/s%20x%3F.xml"},
		{[]string{"a.example/s.xml", "b.example/s.xml"}, "", "sitemaps/"},
		{[]string{"", ""}, "", "#files"},
		{[]string{"a.example/s.xml", ""}, "files/", "files/sitemaps.zip"},
	} {
		upload := &conclude.Conclusion{Actions: []conclude.Action{{Kind: "upload", Target: "#files"}, {Kind: "repair", Target: "https://a.example/sitemap.xml"}}}
		result := &audit.Result{}
		for _, name := range c.names {
			result.Files = append(result.Files, audit.File{Name: name, Changed: name != ""})
		}
		got := actionViews(result, upload, Options{Served: c.served})
		if got[0].Href != c.want || got[1].Href != "" {
			t.Errorf("%q: leads to %q, want %q; and to %q", c.names, got[0].Href, c.want, got[1].Href)
		}
	}
}

// Of many files the first are shown, and the others counted; each edit once.
func TestEditsAreBounded(t *testing.T) {
	result := &audit.Result{Files: make([]audit.File, shownEditFiles+5), CauseOf: func(*audit.Row) int { return -1 }}
	e := &edits{result: result, groups: newEntryGroups(result, conclude.Of(result, "")), last: -1}
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

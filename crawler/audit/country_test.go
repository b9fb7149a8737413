package audit_test

import (
	"testing"

	"sitemend/crawler/audit"
)

// Where entries lie below the name of a country, it is a section of the site, and pages move there.
func TestCountryAsASection(t *testing.T) {
	root, ok := audit.LanguageRoot("http://www.a.example/Germany/berlin")
	if !ok || root != "a.example/germany" {
		t.Fatalf("the root is %q, %v", root, ok)
	}
	if root, ok := audit.LanguageRoot("http://www.a.example/germany/"); ok {
		t.Errorf("a page alone makes the root %q", root)
	}
	for want, rooted := range map[string][]string{
		"moved path | keep | locale":                             nil,
		"moved path | replace http://a.example/germany/munich/a": {root},
	} {
		r := rules()
		r.Rooted = rooted
		row := audit.Judge(parseWeb(t, "http://a.example/munich/a 301 /germany/munich/a\nhttp://a.example/germany/munich/a 200"), audit.Entry{Loc: "http://a.example/munich/a"}, r, audit.Want{})
		if got := say(&row); got != want {
			t.Errorf("%v: %s, want %s", rooted, got, want)
		}
	}
}

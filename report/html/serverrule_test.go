package html

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
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
		re, err := regexp.Compile("^" + pagePattern(address.Wire("http://a.example"+c.page)) + "$")
		if err != nil {
			t.Fatalf("%s: %v", c.page, err)
		}
		for _, s := range append(c.same, c.page) {
			if !re.MatchString(s) {
				t.Errorf("%s: %s has the same bytes, but is not matched by %s", c.page, s, re)
			}
		}
		for _, s := range c.not {
			if re.MatchString(s) {
				t.Errorf("%s: %s has other bytes, but is matched by %s", c.page, s, re)
			}
		}
	}
}

// A value of each byte is matched as EncodeValue writes it, and with all escaped.
func TestPagePatternOfEachByte(t *testing.T) {
	for c := range 256 {
		escaped := fmt.Sprintf("/w?v=%%%02x", c)
		literal := "/w?v=" + address.EncodeValue(string([]byte{byte(c)}))
		re := regexp.MustCompile("^" + pagePattern(address.Wire("http://a.example"+escaped)) + "$")
		if !re.MatchString(escaped) || !re.MatchString(literal) {
			t.Errorf("%s or %s is not matched by %s", escaped, literal, re)
		}
		if other := fmt.Sprintf("/w?v=%%%02x", byte(c+1)); re.MatchString(other) {
			t.Errorf("%s is matched by %s", other, re)
		}
	}
}

func TestServerRules(t *testing.T) {
	const page = "http://a.example/w?%28"
	for name, rule := range map[string]string{"nginx": NginxRule(page), "apache": serverRule("apache.conf", page)} {
		if !strings.Contains(rule, pagePattern(address.Wire(page))) || strings.Contains(rule, "PATTERN") {
			t.Errorf("%s: %s", name, rule)
		}
	}
	if NginxRule("no address") != "" || NginxRule(page+strings.Repeat("(", 1000)) != "" {
		t.Error("a rule for what has none")
	}
}

// The configuration is for an entry that is right as listed: one that is redirected is corrected by
// the upload. Without such an entry there is no section.
func TestConfigurationIsForThePageThatIsRightAsListed(t *testing.T) {
	const listed = "http://wiki.example/w?%284%29"
	result := audit.MakeResult(audit.Result{Causes: []audit.Cause{{Verdict: audit.Moved, Examples: []string{"http://a/b"}}}}, nil, nil)
	if v := newServerView(result); v != nil {
		t.Errorf("there is a section: %+v", v)
	}
	result.Counts.Groups = map[audit.Group]map[string]int{audit.OtherSpelling: {"spelling-bounce": 1}}
	result.Causes = append(result.Causes, audit.Cause{Verdict: audit.SpellingBounce, Examples: []string{listed}})
	if got := newServerView(result).Configs; len(got) != 2 || got[0].Text != NginxRule(listed) {
		t.Errorf("%q", got)
	}
}

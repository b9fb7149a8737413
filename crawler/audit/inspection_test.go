package audit_test

import (
	"strings"
	"testing"
	"time"

	"sitemend/crawler/audit"
)

// What Google's index says beside what an audit saw on 20 November, first on 10 November.
func TestAgreement(t *testing.T) {
	const older, newer = 5, 15 // days of November on which Google crawled
	for name, test := range map[string]struct {
		row       string // verdict, address, where it leads
		state     audit.Label
		canonical string
		crawled   int
		want      string
	}{
		"indexed":                              {"ok /a /a", audit.LabelIndexed, "/a", older, audit.Agrees},
		"another canonical":                    {"ok /a /a", audit.LabelIndexed, "/b", newer, audit.AgreesNot},
		"in another spelling":                  {"ok /a%28 /a%28", audit.LabelIndexed, "/a(", newer, audit.AgreesOther},
		"right as listed, bounced otherwise":   {"spelling-bounce /a%28 /a%28", audit.LabelIndexed, "/a%28", newer, audit.Agrees},
		"a redirect, then and now":             {"moved /a /b", audit.LabelRedirect, "/b", older, audit.Agrees},
		"indexed before it redirected":         {"moved /a /b", audit.LabelIndexed, "/a", older, audit.AgreesOlder},
		"indexed though it redirects":          {"moved /a /b", audit.LabelIndexed, "/a", newer, audit.AgreesNot},
		"not found, then":                      {"ok /a /a", audit.LabelNotFound, "", older, audit.AgreesOlder},
		"not found to Google alone":            {"ok /a /a", audit.LabelNotFound, "", newer, audit.AgreesNot},
		"noindex":                              {"noindex /a /a", audit.LabelNoindex, "", newer, audit.Agrees},
		"robots.txt, indexed":                  {"disallowed /a ", audit.LabelIndexedBlocked, "/a", newer, audit.Agrees},
		"never crawled":                        {"ok /a /a", "URL is unknown to Google", "", 0, ""},
		"not seen by us":                       {"unverified /a /a", audit.LabelIndexed, "/a", newer, ""},
		"a canonical that is no address":       {"ok /a /a", audit.LabelIndexed, ":", newer, audit.Agrees},
		"the same address in capitals of host": {"ok /a /a", audit.LabelIndexed, "HTTPS://SHOP.example/a", newer, audit.Agrees},
	} {
		t.Run(name, func(t *testing.T) {
			f := strings.Split(test.row, " ")
			r := audit.Row{Verdict: audit.Verdict(f[0]), Address: parsed(t, "https://shop.example"+f[1]), Status: 500, CheckedAt: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)}
			if f[2] != "" {
				r.Final = parsed(t, "https://shop.example"+f[2])
			}
			in := audit.Inspection{URL: r.Address.String(), State: test.state, Canonical: test.canonical, Since: time.Date(2026, 11, 10, 0, 0, 0, 0, time.UTC)}
			if strings.HasPrefix(in.Canonical, "/") {
				in.Canonical = "https://shop.example" + in.Canonical
			}
			if test.crawled > 0 {
				in.LastCrawl = time.Date(2026, 11, test.crawled, 0, 0, 0, 0, time.UTC)
			}
			if got := in.Agreement(&r); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
			if in.Failure = "Google answers 400"; in.Agreement(&r) != "" {
				t.Error("a failure says something")
			}
		})
	}
}

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
		"indexed":                              {"ok /a /a", audit.LabelIndexed, "/a", older, "agrees"},
		"another canonical":                    {"ok /a /a", audit.LabelIndexed, "/b", newer, "differs"},
		"in another spelling":                  {"ok /a%28 /a%28", audit.LabelIndexed, "/a(", newer, "other-spelling"},
		"right as listed, bounced otherwise":   {"spelling-bounce /a%28 /a%28", audit.LabelIndexed, "/a%28", newer, "agrees"},
		"a redirect, then and now":             {"moved /a /b", audit.LabelRedirect, "/b", older, "agrees"},
		"indexed before it redirected":         {"moved /a /b", audit.LabelIndexed, "/a", older, "older"},
		"indexed though it redirects":          {"moved /a /b", audit.LabelIndexed, "/a", newer, "differs"},
		"not found, then":                      {"ok /a /a", audit.LabelNotFound, "", older, "older"},
		"not found to Google alone":            {"ok /a /a", audit.LabelNotFound, "", newer, "differs"},
		"noindex":                              {"noindex /a /a", audit.LabelNoindex, "", newer, "agrees"},
		"robots.txt, indexed":                  {"disallowed /a ", "Indexed, though blocked by robots.txt", "/a", newer, "agrees"},
		"never crawled":                        {"ok /a /a", "URL is unknown to Google", "", 0, ""},
		"not seen by us":                       {"unverified /a /a", audit.LabelIndexed, "/a", newer, ""},
		"a canonical that is no address":       {"ok /a /a", audit.LabelIndexed, ":", newer, "agrees"},
		"the same address in capitals of host": {"ok /a /a", audit.LabelIndexed, "HTTPS://SHOP.example/a", newer, "agrees"},
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

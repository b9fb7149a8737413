package audit_test

import (
	"strings"
	"testing"
	"time"

	"sitemend/crawler/audit"
)

// A page that was not to be found any more after a day that has passed is as one that says noindex;
// a day that lies ahead, or that cannot be read, says nothing.
func TestUnavailableAfter(t *testing.T) {
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for robots, want := range map[string]audit.Verdict{
		"unavailable_after: 25 Jun 2010 15:00:00 PST":                      audit.Noindex,
		"unavailable_after: Wed, 25 Jun 2010 15:00:00 GMT":                 audit.Noindex,
		"nofollow, unavailable_after: Friday, 25-Jun-10 15:00:00 GMT, x":   audit.Noindex,
		"unavailable_after: 25-Aug-2007 15:00:00 EST":                      audit.Noindex,
		"unavailable_after: 1 January 2010":                                audit.Noindex,
		"unavailable_after:2010-06-25T15:00:00+00:00":                      audit.Noindex,
		"Unavailable_After: 2010-06-25":                                    audit.Noindex,
		"unavailable_after: 20100625T150000Z":                              audit.Noindex,
		"unavailable_after: 2026-11-23T01:00:00Z":                          audit.OK,
		"unavailable_after: 25 Jun 2030 15:00:00 PST":                      audit.OK,
		"unavailable_after: 2030-06-25, max-snippet: 20100625":             audit.OK,
		"unavailable_after: 2010-06-25 or later":                           audit.OK,
		"unavailable_after: 06/25/2010":                                    audit.OK,
		"unavailable_after: 99 Jun 2010":                                   audit.OK,
		"unavailable_after:noindexday":                                     audit.OK,
		"unavailable_after: ":                                              audit.OK,
		"max-unavailable_after: 2010-06-25":                                audit.OK,
		"unavailable_after: " + strings.Repeat("2010-06-25 ", 80) + "past": audit.OK,
	} {
		hop := audit.Hop{Request: audit.Request{URL: "http://a.example/a"}, Status: 200, At: at, Page: audit.Page{Robots: robots}}
		row := audit.Judge(web{hop.Request: hop}, audit.Entry{Loc: hop.URL}, rules(), audit.Want{})
		if row.Verdict != want {
			t.Errorf("%s: %s", robots, say(&row))
		}
		if hop.At = (time.Time{}); audit.Judge(web{hop.Request: hop}, audit.Entry{Loc: hop.URL}, rules(), audit.Want{}).Verdict != audit.OK {
			t.Errorf("%s: of an answer without a day", robots)
		}
	}
}

package report

import (
	"testing"

	"sitemend/crawler/audit"
)

func TestSearchConsole(t *testing.T) {
	for _, c := range []struct {
		verdict audit.Verdict
		end     audit.End
		status  int
		want    string
	}{
		{audit.OK, audit.EndAnswer, 200, ""},
		{audit.Skipped, audit.EndUnknown, 0, ""},
		{audit.Invalid, audit.EndUnknown, 0, ""},
		{audit.Unverified, audit.EndUnseen, 403, ""},
		{audit.SpellingBounce, audit.EndAnswer, 200, ""},
		{audit.SpellingConflict, audit.EndAnswer, 200, ""},
		{audit.Disallowed, audit.EndForbidden, 0, "Blocked by robots.txt"},
		{audit.Loop, audit.EndLoop, 301, "Redirect error"},
		{audit.TooManyRedirects, audit.EndTooMany, 301, "Redirect error"},
		{audit.NotFound, audit.EndAnswer, 410, "Not found (404)"},
		{audit.Error, audit.EndAnswer, 500, "Server error (5xx)"},
		{audit.Error, audit.EndAnswer, 418, "URL blocked due to other 4xx issue"},
		{audit.Error, audit.EndBadLocation, 302, "Redirect error"},
		{audit.Error, audit.EndAnswer, 204, ""},
		{audit.Error, audit.EndAnswer, 999, ""},
		{audit.Offsite, audit.EndAnswer, 200, "Page with redirect"},
		{audit.Homepage, audit.EndAnswer, 200, "Page with redirect"},
		{audit.Temporary, audit.EndAnswer, 200, "Page with redirect"},
		{audit.Respelled, audit.EndAnswer, 200, "Page with redirect"},
		{audit.Moved, audit.EndAnswer, 200, "Page with redirect"},
		{audit.Soft404, audit.EndAnswer, 200, "Soft 404"},
		{audit.Noindex, audit.EndAnswer, 200, "Excluded by 'noindex' tag"},
		{audit.Noncanonical, audit.EndAnswer, 200, "Alternate page with proper canonical tag"},
	} {
		r := audit.Row{Verdict: c.verdict, Trail: audit.Trail{End: c.end}, Status: c.status}
		if got := SearchConsole(&r); got != c.want {
			t.Errorf("%s %d: %q, want %q", c.verdict, c.status, got, c.want)
		}
	}
}

func TestIndexable(t *testing.T) {
	for v, want := range map[audit.Verdict]string{
		audit.Skipped: " ", audit.Unverified: " unverified", audit.Temporary: " temporary-redirect", audit.Invalid: "no invalid-url",
		audit.Disallowed: "no robots-txt", audit.Loop: "no redirect-error", audit.TooManyRedirects: "no redirect-error",
		audit.NotFound: "no not-found", audit.Error: "no error", audit.Offsite: "no redirect", audit.Homepage: "no redirect",
		audit.Respelled: "no redirect", audit.Moved: "no redirect", audit.Soft404: "no soft-404", audit.Noindex: "no noindex",
		audit.Noncanonical: "no canonical", audit.SpellingBounce: "yes ", audit.SpellingConflict: "yes ", audit.OK: "yes ",
	} {
		answer, why := indexable(&audit.Row{Verdict: v})
		if got := answer + " " + why; got != want {
			t.Errorf("%s: %q, want %q", v, got, want)
		}
	}
	noted := entry(1, "http://a.example/", audit.OK, kept(""), walk(audit.EndAnswer, "http://a.example/ 200"))
	noted.Trail.Steps[0].Hop.Forbidden = "Disallow: /"
	if answer, why := indexable(&noted); answer != "no" || why != "robots-txt" {
		t.Errorf("asked though forbidden: %s %s", answer, why)
	}
}

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
		{audit.NotFound, audit.EndAnswer, 410, "Not found (404)"},
		{audit.Error, audit.EndAnswer, 500, "Server error (5xx)"},
		{audit.Error, audit.EndAnswer, 418, "URL blocked due to other 4xx issue"},
		{audit.Error, audit.EndBadLocation, 302, "Redirect error"},
		{audit.Error, audit.EndAnswer, 204, ""},
		{audit.Error, audit.EndAnswer, 999, ""},
		{audit.Noncanonical, audit.EndAnswer, 200, "Alternate page with proper canonical tag"},
	} {
		r := audit.Row{Verdict: c.verdict, Trail: audit.Trail{End: c.end}, Status: c.status}
		if got := SearchConsole(&r); got != c.want {
			t.Errorf("%s %d: %q, want %q", c.verdict, c.status, got, c.want)
		}
	}
}

func TestIndexable(t *testing.T) {
	noted := entry(1, "http://a.example/", audit.OK, kept(""), walk(audit.EndAnswer, "http://a.example/ 200"))
	noted.Trail.Steps[0].Hop.Forbidden = "Disallow: /"
	if answer, why := indexable(&noted); answer != "no" || why != "robots-txt" {
		t.Errorf("asked though forbidden: %s %s", answer, why)
	}
}

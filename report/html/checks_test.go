package html

import (
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/internal/fixture"
)

// What is wrong with the files of a clean sitemap is named in the view of a client, too: each
// kind with how many places it has.
func TestAClientReadsWhatTheFilesHave(t *testing.T) {
	result := fixture.AuditOf(func(t *audit.Result) {
		twice := audit.SitemapFault{Sitemap: t.Files[0].Sitemap.URL, Line: 9, Name: "Duplicate URL", Severity: "warning", Key: audit.FaultAsSaid, Args: []string{"listed twice"}, Count: 3}
		t.Files[0].Sitemap.Faults = []audit.SitemapFault{fixture.BadDate(t, 7), fixture.BadDate(t, 11), twice}
	}, []fixture.Audited{fixture.Of(60, audit.OK, "/ok/%d/")})
	n, says := faultsInShort(result)
	if got := says.In("en"); n != 5 || got != "5 faults: Duplicate URL (3), Invalid date (2)" {
		t.Errorf("%d: %q", n, got)
	}
	text := pageOf(t, result, Options{Lang: "en", Written: writtenOf(result)})
	if _, checks, _ := strings.Cut(text, `id="checks"`); !strings.Contains(checks, "Duplicate URL") {
		t.Error("the checks do not name the fault")
	}
	if n, says := faultsInShort(fixture.AuditOf(nil, []fixture.Audited{fixture.Of(60, audit.OK, "/ok/%d/")})); n != 0 || says.In("en") != "0 faults" {
		t.Errorf("of sound files it says %d, %q", n, says.In("en"))
	}
}

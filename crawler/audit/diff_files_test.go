package audit_test

import (
	"testing"

	"sitemend/crawler/audit"
)

// Whatever two audits knew of a sitemap, it is said to be lost only where more of it was read
// before, and to be named for the first time only where nothing named it then.
func TestWhatWasKnownOfALostSitemap(t *testing.T) {
	const index, child = "http://a.example/index.xml", "http://a.example/child.xml"
	missing := audit.Sitemap{Status: 404, Faults: []audit.SitemapFault{{Name: "HTTP error", Severity: "error"}}}
	states := map[string]struct {
		index, child *audit.Sitemap // nil: read to its end, and not named
		grade        int            // how much of the child was read; -1 where nobody knows whether there is one
	}{
		"read":           {child: &audit.Sitemap{Kind: "urlset"}, grade: 3},
		"another name":   {child: &audit.Sitemap{Faults: []audit.SitemapFault{{Name: audit.DuplicateSitemap, Severity: "warning"}}}, grade: 3},
		"in part":        {child: &audit.Sitemap{Kind: "urlset", Cut: true}, grade: 2},
		"missing":        {child: &missing, grade: 1},
		"stopped before": {child: &audit.Sitemap{Faults: []audit.SitemapFault{{Name: "Not read", Severity: "warning", Key: audit.NotReadYet}}}, grade: 0},
		"not named":      {},
		"index not read": {index: &missing, grade: -1},
	}
	for was, old := range states {
		for is, new := range states {
			snapshot := func(in, ch *audit.Sitemap) audit.Snapshot {
				files := []audit.Sitemap{{URL: index, Kind: "index", Parent: -1}}
				if in != nil {
					files[0] = *in
					files[0].URL, files[0].Parent = index, -1
				}
				if ch != nil {
					files = append(files, *ch)
					files[1].URL = child
				}
				var tallies []audit.Tally
				for _, f := range files {
					tallies = append(tallies, audit.Tally{Sitemap: f})
				}
				return seenOf(nil, tallies, info())
			}
			before, after := snapshot(old.index, old.child), snapshot(new.index, new.child)
			d, _ := compared(t, before, after)
			var loss audit.FileLoss
			newly := false
			for i := range d.Files {
				if d.Files[i].URL == child {
					loss, newly = d.Files[i].Loss(), d.Files[i].NewlyUnread()
				}
			}
			unread := new.grade == 1 || new.grade == 2
			want := audit.FileLoss("")
			switch {
			case !unread || old.grade < 0 || old.grade > 0 && old.grade <= new.grade || was == "stopped before":
			case old.grade == 0:
				want = audit.NamedLost
			case new.grade == 1:
				want = audit.Lost
			default:
				want = audit.LostInPart
			}
			if loss != want || newly != (want != "" || unread && old.grade < 0) {
				t.Errorf("%s -> %s: %q, newly unread %t, want %q", was, is, loss, newly, want)
			}
			if want != "" && (d.Losses(want) == 0 || !d.Worse()) {
				t.Errorf("%s -> %s: %d %s, worse %t", was, is, d.Losses(want), want, d.Worse())
			}
			after.Info.Targets = []string{index}
			if d, _ := compared(t, before, after); d.Losses(audit.NamedLost) > 0 {
				t.Errorf("%s -> %s: named for the first time, of other targets", was, is)
			}
		}
	}
}

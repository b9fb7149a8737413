package conclude_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// stop takes the end from an audit, as of one that was stopped: no sitemap of it is written.
func stop(a *audit.Result) {
	a.Info.Started, a.Info.Ended, a.Info.Partial = time.Unix(1, 0), time.Time{}, true
}

// whole are words of an audit that saw all there is.
var whole = regexp.MustCompile(`(?i)\b(clean|every|all|only the files)\b|\d %`)

// Whatever was left of an audit that was stopped: it says that it was stopped, nothing of all
// entries, and the first thing to do is to go on.
func TestAStoppedAuditSaysSo(t *testing.T) {
	left, ok := audit.LeftOut, audit.Fine
	for name, c := range map[string]struct {
		in     groups
		change func(*audit.Result)
		proof  string
	}{
		"in its lists":                     {groups{ok: {"ok": 20}}, nil, "The 20 entries were crawled, but not, or only in part, what is crawled after them. 20 answer 200."},
		"with faulty files":                {groups{ok: {"ok": 20}}, func(a *audit.Result) { a.Files[0].Sitemap.Faults = []audit.SitemapFault{{Name: "No return tags"}} }, "The 20 entries were crawled"},
		"in its entries":                   {groups{ok: {"ok": 4}, audit.Corrected: {"moved": 10}, left: {"skipped": 26}}, func(a *audit.Result) { a.Counts.Again = 20 }, "34 of 40 entries were crawled. 4 answer 200; 10 do not lead straight to a page Google can index. 20 of them answered 404 or 410 and are not finished: they were not requested a second time yet."},
		"in a sample":                      {groups{ok: {"ok": 9}, left: {"skipped": 51}}, func(a *audit.Result) { a.Counts.Filtered = 40 }, "9 of the 20 entries to crawl were crawled. 9 answer 200."},
		"in a sample, with what is no URL": {groups{ok: {"ok": 9}, audit.TakenOut: {"invalid": 5}, left: {"skipped": 51}}, func(a *audit.Result) { a.Counts.Filtered, a.Counts.Unrequested = 40, 5 }, "9 of the 20 entries to crawl were crawled. 9 answer 200; 5 do not"},
		"after a sample":                   {groups{ok: {"ok": 20}, left: {"skipped": 40}}, func(a *audit.Result) { a.Counts.Filtered = 40 }, "The 20 entries were crawled, but not, or only in part, what is crawled after them."},
		"never to be crawled":              {groups{left: {"skipped": 40}}, func(a *audit.Result) { a.Counts.Filtered = 40 }, "0 of 40 entries were crawled."},
		"with what robots.txt forbids":     {groups{ok: {"ok": 19}, audit.NeedsDecision: {"disallowed": 11}, left: {"skipped": 34}}, func(a *audit.Result) { a.Counts.Unrequested = 11 }, "19 of 64 entries were crawled."},
		"all else forbidden":               {groups{ok: {"ok": 19}, audit.NeedsDecision: {"disallowed": 11}}, func(a *audit.Result) { a.Counts.Unrequested = 11 }, "The 19 entries were crawled, but"},
		"before its entries":               {groups{left: {"skipped": 26}}, nil, "0 of 26 entries were crawled."},
		"before its sitemap":               {groups{}, func(a *audit.Result) { a.Files = nil }, "Nothing is known of your entries yet."},
		"of a map alone": {groups{}, func(a *audit.Result) {
			a.Files, a.Expected = nil, &audit.ExpectedList{Addresses: 3, Met: 3}
		}, "What was seen until then is below."},
		"refused":             {groups{audit.NotChecked: {"unverified": 9}}, nil, "The 9 entries were crawled"},
		"of another spelling": {groups{audit.OtherSpelling: {"spelling-bounce": 5}}, nil, "The 5 entries were crawled"},
	} {
		got := conclude.Of(result(c.in, func(a *audit.Result) {
			if c.change != nil {
				c.change(a)
			}
			stop(a)
		}), conclude.Options{})
		en := messages.Of("en")
		said := []string{got.Title.In(en), got.Headline.In(en), got.Proof.In(en), got.Actions[0].Title.In(en), got.Actions[0].Text.In(en)}
		for _, s := range said {
			if found := whole.FindString(s); found != "" {
				t.Errorf("%s: %q says %q", name, s, found)
			}
		}
		if !strings.HasPrefix(said[1], "This audit was stopped before ") || !strings.HasPrefix(said[2], c.proof) {
			t.Errorf("%s: %q, %q; want %q", name, said[1], said[2], c.proof)
		}
		if first := got.Actions[0]; got.State != conclude.Stopped || first.Kind != conclude.DoContinue || first.Target != "copy:sitemend audit https://www.shop.example" || len(got.Bars) > 0 {
			t.Errorf("%s: state %s, first action %s to %q, %d bars", name, got.State, first.Kind, first.Target, len(got.Bars))
		}
	}
}

// What no file was written for was not removed: an audit that was stopped says that it would be.
func TestAStoppedAuditRemovedNothing(t *testing.T) {
	for _, v := range []audit.Verdict{audit.NotFound, audit.Noindex, audit.Invalid} {
		for _, stopped := range []bool{true, false} {
			got := conclude.Of(result(groups{audit.Fine: {"ok": 4}, audit.TakenOut: {string(v): 3}}, func(a *audit.Result) {
				a.Causes = []audit.Cause{{Verdict: v, Group: audit.TakenOut, Count: 3}}
				if stopped {
					stop(a)
				}
			}), conclude.Options{})
			title := got.Lanes[0].Causes[0].Title.In(messages.Of("en"))
			if strings.Contains(title, "would be removed") != stopped || !strings.Contains(title, "removed") {
				t.Errorf("stopped %v: %q", stopped, title)
			}
		}
	}
}

// That only the files were checked is said of an audit that was to check no more.
func TestOnlyTheFiles(t *testing.T) {
	none := func(a *audit.Result) { a.Info.NoFetch, a.Info.Partial = true, true }
	for name, c := range map[string]struct {
		in     groups
		change func(*audit.Result)
		proof  string
	}{
		"the files alone":  {groups{audit.LeftOut: {"skipped": 4}}, none, "Only the files were checked; none of the 4 entries was crawled."},
		"no whole entry":   {groups{}, func(*audit.Result) {}, "No whole entry was found in what was read."},
		"filtered, a map":  {groups{audit.LeftOut: {"skipped": 4}}, func(*audit.Result) {}, "Filters left out the 4 entries of the sitemaps."},
		"filtered, of one": {groups{audit.LeftOut: {"skipped": 1}}, func(*audit.Result) {}, "Filters left out the 1 entry of the sitemaps."},
	} {
		if got := conclude.Of(result(c.in, c.change), conclude.Options{}).Proof.In(messages.Of("en")); got != c.proof {
			t.Errorf("%s: %q, want %q", name, got, c.proof)
		}
	}
}

package conclude_test

import (
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// Whatever the state, what --max-drop held back is the first thing to do, with the command that
// removes it, and no other action is about the same decisions.
func TestTheBrakeAsksFirst(t *testing.T) {
	held := func(a *audit.Result) { a.Files[0].Braked = map[audit.Verdict]int{audit.NotFound: 30} }
	gone := map[string]int{"not-found": 30}
	for name, x := range map[string]struct {
		in     groups
		change func(*audit.Result)
		says   string
	}{
		"nothing else to decide": {groups{audit.Fine: {"ok": 60}, audit.NeedsDecision: gone}, held,
			"30 of 90 entries are not found: is that meant? Their removal was held back."},
		"beside an upload": {groups{audit.Fine: {"ok": 60}, audit.Corrected: {"moved": 10}, audit.NeedsDecision: gone}, held,
			"30 of 100 entries are not found: is that meant? Their removal was held back."},
		"beside other decisions": {groups{audit.Fine: {"ok": 60}, audit.NeedsDecision: {"not-found": 30, "temporary": 10}}, held,
			"30 of 100 entries are not found: is that meant? Their removal was held back."},
		"half not seen": {groups{audit.Fine: {"ok": 10}, audit.NeedsDecision: gone, audit.NotChecked: {"unverified": 60}}, held,
			"30 of 100 entries are not found: is that meant? Their removal was held back."},
		"a sitemap not read": {groups{audit.Fine: {"ok": 60}, audit.NeedsDecision: gone}, func(a *audit.Result) {
			held(a)
			a.Files = append(a.Files, audit.File{Sitemap: audit.Sitemap{N: 1, Parent: -1, URL: "https://www.shop.example/b.xml", Status: 404,
				Faults: []audit.SitemapFault{{Severity: "error"}}}})
		}, "In sitemap.xml, 30 of 90 entries are not found: is that meant? Their removal was held back."},
	} {
		c := conclude.Of(result(x.in, x.change), conclude.Options{Again: "sitemend report --out `a`"})
		first, en := &c.Actions[0], messages.Of("en")
		if got := first.Text.In(en); !c.Braked || first.Kind != conclude.DoDecide || got != x.says {
			t.Errorf("%s: the first action is %s %q, want %q", name, first.Kind, got, x.says)
		}
		if first.If.IsZero() || first.Command != "sitemend report --out `a` --max-drop 100%" {
			t.Errorf("%s: the command is %q", name, first.Command)
		}
		for _, a := range c.Actions[1:] {
			if a.Kind == conclude.DoDecide {
				t.Errorf("%s: %q stands behind it", name, a.Title.In(en))
			}
		}
	}
	part := result(groups{audit.Fine: {"ok": 10}, audit.NeedsDecision: gone, audit.LeftOut: {"skipped": 60}}, func(a *audit.Result) {
		held(a)
		a.Info.Partial = true
	})
	for _, a := range conclude.Of(part, conclude.Options{}).Actions {
		if a.Command != "" || strings.Contains(a.Text.In(messages.Of("en")), "held back") {
			t.Errorf("nothing is written, and it says %q", a.Text.In(messages.Of("en")))
		}
	}
}

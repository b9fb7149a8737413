package html

import (
	"sitemend/crawler/audit"
	"sitemend/report/internal/page"
)

// A checksView is what stands in place of causes where the sitemap is clean: what was
// checked, and what this audit cannot tell.
type checksView struct {
	Lead      page.Phrase
	Done, Not []checkView
	Keep      page.Phrase // how to keep it so
}

type checkView struct{ Name, Says page.Phrase }

// newChecksView is the checks of an audit in which every entry is clean.
func newChecksView(told *audit.Result) *checksView {
	n := told.Counts.Entries
	all := say("check-all", "n", n)
	faults := 0
	for i := range told.Files {
		for _, f := range told.Files[i].Sitemap.Faults {
			faults += max(f.Count, 1)
		}
	}
	once := all
	if again := told.Counts.Notes[audit.Duplicate]; again > 0 {
		once = say("check-part", "n", n-again, "m", n)
	}
	spellings := say("check-spelling-none")
	if told.Info.AltSpellingRequests > 0 {
		spellings = say("check-spelling-some", "n", told.Info.AltSpellingRequests)
	}
	v := &checksView{Lead: say("checks-lead", "as", identity(told)), Done: []checkView{
		{say("check-200"), all}, {say("check-noindex"), all}, {say("check-canonical"), all}, {say("check-robots"), all},
		{say("check-soft-404"), all}, {say("check-spelling"), spellings}, {say("check-files"), say("check-faults", "n", faults)}, {say("check-once"), once},
	}, Not: []checkView{{say("cannot-missing"), say("cannot-checked")}}}
	if told.SearchConsole == nil {
		v.Not = append(v.Not, checkView{say("cannot-indexed"), say("cannot-console")})
	}
	if len(told.Info.Targets) > 0 {
		v.Keep = say("check-keep", "target", page.ShellQuoted(page.Visible(told.Info.Targets[0])))
	}
	return v
}

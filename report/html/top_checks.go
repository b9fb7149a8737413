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

// A checkView is a check; Bad is set where something was found.
type checkView struct {
	Name, Says page.Phrase
	Bad        bool
}

// newChecksView is the checks of an audit in which every entry is clean; keep is the command
// that says when that ends.
func newChecksView(told *audit.Result, keep string) *checksView {
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
	sound := func(key string) checkView { return checkView{Name: say(key), Says: all} }
	v := &checksView{Lead: say("checks-lead", "as", identity(told)), Done: []checkView{
		sound("check-200"), sound("check-noindex"), sound("check-canonical"), sound("check-robots"),
		sound("check-soft-404"),
		{say("check-spelling"), spellings, false},
		{say("check-files"), say("check-faults", "n", faults), faults > 0},
		{say("check-once"), once, told.Counts.Notes[audit.Duplicate] > 0},
	}, Not: []checkView{{say("cannot-missing"), say("cannot-checked"), false}}}
	if told.SearchConsole == nil {
		v.Not = append(v.Not, checkView{say("cannot-indexed"), say("cannot-console"), false})
	}
	if len(told.Info.Targets) > 0 {
		v.Keep = say("check-keep", "command", page.Code(page.Visible(keep)))
	}
	return v
}

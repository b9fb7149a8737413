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
func newChecksView(result *audit.Result, keep string) *checksView {
	n := result.Counts.Entries
	all := say("check-all", "n", n)
	faults, named := faultsInShort(result)
	once := all
	if again := result.Counts.Notes[audit.Duplicate]; again > 0 {
		once = say("check-repeats", "n", again)
	}
	spellings := say("check-spelling-none")
	if result.Info.AltSpellingRequests > 0 {
		spellings = say("check-spelling-some", "n", result.Info.AltSpellingRequests)
	}
	sound := func(key string) checkView { return checkView{Name: say(key), Says: all} }
	v := &checksView{Lead: say("checks-lead", "as", identity(result)), Done: []checkView{
		sound("check-200"), sound("check-noindex"), sound("check-canonical"), sound("check-robots"),
		sound("check-soft-404"),
		{say("check-spelling"), spellings, false},
		{say("check-files"), named, faults > 0},
		{say("check-once"), once, result.Counts.Notes[audit.Duplicate] > 0},
	}, Not: []checkView{{say("cannot-missing"), say("cannot-checked"), false}}}
	if result.SearchConsole == nil {
		v.Not = append(v.Not, checkView{say("cannot-indexed"), say("cannot-console"), false})
	}
	if len(result.Info.Targets) > 0 {
		v.Keep = say("check-keep", "command", page.Code(page.Visible(keep)))
	}
	return v
}

// shortKinds is how many kinds of faults are named in one line.
const shortKinds = 3

// faultsInShort counts the faults of the files, and names the first kinds of them: the table of
// them is the expert's, and a client is to know what remains.
func faultsInShort(result *audit.Result) (n int, says page.Phrase) {
	kinds := newFaultList(result).kinds
	var names page.Phrase
	for i, k := range kinds {
		n += k.Today
		switch {
		case i == 0:
			names = say("check-fault", "name", k.Name, "n", k.Today)
		case i < shortKinds:
			names = say("check-fault-more", "list", names, "name", k.Name, "n", k.Today)
		}
	}
	if n == 0 {
		return 0, say("check-faults", "n", 0)
	}
	return n, say("check-faults-named", "n", n, "names", names)
}

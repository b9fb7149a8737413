package audit_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/audit"
)

// A share is what an audit crawls of a site.
type share struct {
	part     string          // its flags
	sample   bool            // they have a sample
	filtered map[string]bool // addresses that the filters leave out
	sampled  map[string]bool // entries that the sample has
	lists    []audit.AlsoList
}

// A listed entry names addresses beside its own, by list.
type listedEntry struct {
	loc   string
	names map[audit.AlsoList][]string
}

// seen is an audit of the share of a site: an entry that is left out is noted as that, and what it
// names is not known; an alternate that the filters leave out is not noted, nor what an entry has.
func (p *share) seen(t rapid.TB, w web, entries []listedEntry) (audit.Snapshot, *audit.Result) {
	s := &site{web: w}
	taken := map[string]bool{}
	var locs []string
	for _, e := range entries {
		locs, taken[e.loc] = append(locs, e.loc), true
	}
	s.list(map1, locs...)
	s.files[0].Links, s.files[0].Spool = true, "0"
	for i := range s.entries {
		switch loc := s.entries[i].Loc; {
		case p.filtered[loc]:
			s.entries[i].Skip = audit.SkipFilter
		case p.sample && !p.sampled[loc]:
			s.entries[i].Skip = audit.SkipSample
		}
	}
	for _, l := range p.lists {
		var list []audit.Entry
		taken := maps.Clone(taken)
		for i, e := range entries {
			for _, loc := range e.names[l] {
				if s.entries[i].Skip == audit.SkipNone && !taken[loc] && !p.filtered[loc] {
					list, taken[loc] = append(list, named(l, loc)), true
				}
			}
		}
		s.also(l, list...)
	}
	in := info()
	in.Part, in.Partial = p.part, p.sample
	result, err := audit.Evaluate(context.Background(), s, in, func(url string) string { return url })
	if err != nil {
		t.Fatal(err)
	}
	seen := seenBeside(t, s, in)
	for _, l := range seen.Also {
		for x, err := range l.Sights() {
			if err != nil {
				t.Fatal(err)
			}
			if x.Verdict.Problem() {
				result.Files[0].Sitemap.Faults = append(result.Files[0].Sitemap.Faults, audit.SitemapFault{Name: "of " + string(l.List), Severity: "error", Basis: audit.OnAnswers, List: l.List})
			}
		}
	}
	return seen, result
}

// Whatever two audits left out of a site that did not change, nothing is worse, better, applied,
// joined or left, neither of the entries nor of the lists beside them, and no fault is new or
// mended.
func TestPartsOfAnUnchangedSiteLaw(t *testing.T) {
	all := many(9, "http://a.example/%d")
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for _, at := range all {
			fmt.Fprintf(&text, "%[1]s %[2]s\nbrowser %[1]s %[2]s\n", at, rapid.SampledFrom([]string{"200", "404", "301 /0", "301 /new", "500"}).Draw(t, "answers"))
		}
		text.WriteString("http://a.example/new 200\n")
		w := parseWeb(outer, text.String())
		some := func(label string) []string {
			return rapid.SliceOfNDistinct(rapid.SampledFrom(all), 0, len(all), rapid.ID[string]).Draw(t, label)
		}
		set := func(label string) map[string]bool {
			m := map[string]bool{}
			for _, x := range some(label) {
				m[x] = true
			}
			return m
		}
		var entries []listedEntry
		for _, loc := range some("entries") {
			e := listedEntry{loc: loc, names: map[audit.AlsoList][]string{}}
			for _, l := range audit.AlsoLists() {
				e.names[l] = some(string(l))
			}
			entries = append(entries, e)
		}
		draw := func(part string) *share {
			p := &share{lists: slices.DeleteFunc(audit.AlsoLists(), func(l audit.AlsoList) bool { return rapid.IntRange(0, 4).Draw(t, "also") == 0 })}
			if rapid.Bool().Draw(t, "filter") {
				p.filtered, p.part = set("filtered"), part+" --exclude"
			}
			if rapid.Bool().Draw(t, "sample") {
				p.sample, p.sampled, p.part = true, set("sampled"), p.part+" --sample"
			}
			return p
		}
		then := draw("then")
		now := then
		if rapid.Bool().Draw(t, "other flags") {
			now = draw("now")
		}
		old, result := then.seen(t, w, entries)
		new, newResult := now.seen(t, w, entries)
		d, err := audit.Compare(context.Background(), old, new, newShelf)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.CompareFaults(context.Background(), result, newResult); err != nil {
			t.Fatal(err)
		}
		nothingChanged(t, d)
		if d.Worse() {
			t.Fatal("it is worse")
		}
	})
}

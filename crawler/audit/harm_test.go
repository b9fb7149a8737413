package audit_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// A corrected sitemap is never worse than the original: it lists no address that
// was not seen to be fine, loses none that is fine, is never emptied, and needs no
// further correction.
func TestCorrectedIsNeverWorse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, info := drawSite(t)
		info.Rules.Fix, info.Rules.Lift = nil, nil
		for i := range s.files { // of a local file the first entry says where it is; that may go
			s.files[i].AnsweredAt = cmp.Or(s.files[i].AnsweredAt, map1)
		}
		result, err := audit.Evaluate(t.Context(), s, info, func(url string) string { return url })
		if err != nil {
			t.Fatal(err)
		}
		again := &site{web: s.web, stands: s.stands}
		merged := map[string]*audit.File{}
		var listed, lists []string
		corrected := map[string][]string{} // by what was listed, with the origin where the copy belongs
		for i := range result.Files {
			f := &result.Files[i]
			if f.Earlier() {
				continue
			}
			var left, was []string
			var kept []audit.Entry
			for r, err := range result.Rows(t.Context(), i) {
				if err != nil {
					t.Fatal(err)
				}
				was = append(was, r.Entry.Loc)
				if r.Fix.Action == audit.Merge {
					merged[r.Fix.Loc] = f
				}
				left = appendLeft(t, left, s, r, f, &info.Rules)
				if len(left) > len(kept) {
					kept = append(kept, r.Entry)
				}
			}
			notWorse(t, s, &info.Rules, was, left)
			whole := fmt.Sprint(s.listed(&f.Sitemap), f.Sitemap.Cut, " ", strings.TrimPrefix(address.Wire(cmp.Or(f.BelongsAt, f.MergeInto)).Host(), "www."))
			other, seen := corrected[whole]
			switch {
			case slices.Equal(left, was): // nothing is uploaded
				seen = false
			case !seen:
				corrected[whole] = left
			case !slices.Equal(left, other):
				t.Fatalf("of one file at two addresses the copies list %q and %q", other, left)
			}
			if listed = append(listed, was...); !seen {
				lists = append(lists, left...)
			}
			if len(left) > 0 {
				var there []string // what the rest is added to
				for _, e := range s.stood[f.MergeInto] {
					there = append(there, e.Loc+" "+strings.Repeat("+", int(e.Ext)))
				}
				again.list(cmp.Or(f.BelongsAt, f.MergeInto), append(there, left...)...)
				for n, from := range kept {
					e := &again.entries[len(again.entries)-len(kept)+n]
					e.Skip, e.Ext, e.Media = from.Skip, from.Ext, from.Media
				}
			}
		}
		for to, f := range merged {
			there := slices.ContainsFunc(s.stood[f.MergeInto], func(e audit.Entry) bool { return e.Loc == to })
			upper := func(loc string) string { // what is asked for it: without a fragment, its scheme in lower case
				a, err := address.Parse(loc)
				if err != nil {
					return loc
				}
				return address.SpellHex(a, true).String()
			}
			if !there && !slices.ContainsFunc(lists, func(wire string) bool { return upper(wire) == upper(to) }) {
				t.Fatalf("an entry of %s was merged into %s, which nothing lists", f.Sitemap.URL, to)
			}
		}
		for _, wire := range lists {
			if before, after := times(listed, wire), times(lists, wire); after > max(before, 1) {
				t.Fatalf("%s was listed %d times in all files, and is %d times", wire, before, after)
			}
		}
		proved, err := audit.Evaluate(t.Context(), again, info, func(url string) string { return url })
		if err != nil {
			t.Fatal(err)
		}
		for i := range proved.Files {
			for r := range proved.Rows(t.Context(), i) {
				cut := slices.ContainsFunc(s.files, func(f audit.Sitemap) bool { return f.Cut })
				if r.Fix.Action != audit.Keep && !cut {
					t.Fatalf("the corrected sitemap lists %s, of which is said: %s", r.Entry.Loc, say(r))
				}
			}
		}
	})
}

// appendLeft adds what a corrected sitemap lists for a row, and looks at what is
// written there.
func appendLeft(t *rapid.T, left []string, s *site, r *audit.Row, f *audit.File, rules *audit.Rules) []string {
	switch r.Fix.Action {
	case audit.Drop, audit.Merge:
		if r.Verdict == audit.OK || r.Verdict == audit.Unverified || r.Verdict == audit.Skipped {
			t.Fatalf("taken out: %s", say(r))
		}
		return left
	case audit.Keep:
		return append(left, r.Entry.Loc)
	}
	to := audit.Judge(s, audit.Entry{Loc: r.Fix.Loc}, rules, audit.Want{})
	if to.Verdict != audit.OK && to.Verdict != audit.SpellingBounce && to.Verdict != audit.SpellingConflict {
		t.Fatalf("%s is written for %s: %s", r.Fix.Loc, r.Entry.Loc, say(&to))
	}
	if r.Trail.End == audit.EndAnswer && slices.ContainsFunc(r.Trail.Steps, func(x audit.Step) bool { return !x.Next.IsZero() && !x.Permanent }) {
		t.Fatalf("a temporary redirect is written: %s", say(r))
	}
	if !address.Wire(r.Fix.Loc).SameSite(r.Address) || f.Sitemap.Cut {
		t.Fatalf("%s is written for %s in %+v", r.Fix.Loc, r.Entry.Loc, f.Sitemap)
	}
	return append(left, r.Fix.Loc)
}

// times counts how often an address is listed, in any spelling that is sent alike.
func times(locs []string, loc string) (n int) {
	for _, l := range locs {
		a, err := address.Parse(l)
		if b, _ := address.Parse(loc); l == loc || err == nil && a == b {
			n++
		}
	}
	return n
}

// notWorse compares what a sitemap lists and listed.
func notWorse(t *rapid.T, s *site, rules *audit.Rules, was, left []string) {
	if len(was) > 0 && len(left) == 0 {
		t.Fatalf("emptied: %q", was)
	}
	for _, l := range slices.Concat(was, left) {
		if _, err := address.Parse(l); err != nil {
			continue
		}
		before, after := times(was, l), times(left, l)
		row := audit.Judge(s, audit.Entry{Loc: l}, rules, audit.Want{Recheck: true})
		if strings.HasPrefix(string(row.Verdict), "spelling-") || row.Verdict == audit.OK {
			if after < min(before, 1) || after > max(before, 1) {
				t.Fatalf("%s is fine, was listed %d times and is %d times", l, before, after)
			}
		}
	}
}

package audit_test

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/audit"
)

// seenBeside is seenAs with the lists that are named beside the entries.
func seenBeside(t rapid.TB, s *site, info audit.Info) audit.Snapshot {
	t.Helper()
	seen := observed(t, s, info)
	result, err := audit.Evaluate(context.Background(), s, info, func(url string) string { return url })
	if err != nil {
		t.Fatal(err)
	}
	for n := range result.Also {
		var all []audit.Observation
		if err := audit.ObserveAlso(context.Background(), result, n, func(x *audit.Observation) error { all = append(all, *x); return nil }); err != nil {
			t.Fatal(err)
		}
		seen.Also = append(seen.Also, audit.AlsoSights{List: result.Also[n].List, Addresses: len(all), Sights: sorted(all)})
	}
	return seen
}

// A list is compared as the entries are; what stands as an entry in the other audit, with that
// entry.
func TestDiffOfAlternates(t *testing.T) {
	const self = "http://a.example/self"
	for name, c := range map[string]struct {
		then, now      string   // the web
		entries, later []string // beside self
		old, new       []string // named
		want           string
	}{
		"as before":       {then: x + " 200", now: x + " 200", old: []string{x}, new: []string{x}, want: "same"},
		"breaks":          {then: x + " 200", now: x + " 404\nbrowser " + x + " 404", old: []string{x}, new: []string{x}, want: "worse new-problem"},
		"mended":          {then: x + " 404\nbrowser " + x + " 404", now: x + " 200", old: []string{x}, new: []string{x}, want: "better fixed"},
		"joined":          {now: x + " 200", new: []string{x}, want: "changed joined"},
		"left":            {then: x + " 200", old: []string{x}, want: "changed left"},
		"refused now":     {then: x + " 200", now: x + " 403", old: []string{x}, new: []string{x}, want: "not-compared no-longer-seen"},
		"removed":         {then: x + " 404\nbrowser " + x + " 404", old: []string{x}, want: "applied corrected left"},
		"became an entry": {then: x + " 404\nbrowser " + x + " 404", now: x + " 404\nbrowser " + x + " 404", old: []string{x}, later: []string{x}, want: "same"},
		"was an entry":    {then: x + " 200", now: x + " 404\nbrowser " + x + " 404", entries: []string{x}, new: []string{x}, want: "worse new-problem"},
		"replaced by an entry": {then: x + " 301 /b\nhttp://a.example/b 200", now: "http://a.example/b 200", old: []string{x}, later: []string{"http://a.example/b"},
			entries: []string{"http://a.example/b"}, want: "applied corrected left"},
		"replaced by an alternate": {then: x + " 301 /b\nhttp://a.example/b 200", now: "http://a.example/b 200", old: []string{x}, new: []string{"http://a.example/b"},
			want: "written written joined\napplied corrected left"},
	} {
		build := func(answers string, entries, named []string) audit.Snapshot {
			s := &site{web: parseWeb(t, self+" 200\n"+answers)}
			s.list(map1, append([]string{self}, entries...)...)
			s.files[0].Links = true
			var list []audit.Entry
			for _, loc := range named {
				list = append(list, named1(loc))
			}
			s.also(audit.AlsoAlternates, list...)
			return seenBeside(t, s, info())
		}
		old, new := build(c.then, c.entries, c.old), build(c.now, c.later, c.new)
		d, err := audit.Compare(t.Context(), old, new, newShelf)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Also) != 3 || d.Also[0].Diff == nil { // images and videos: no sitemap was kept that could name any
			t.Fatalf("%s: %+v", name, d.Also)
		}
		of := d.Also[0].Diff
		var got []string
		for c, err := range of.Changes(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			kinds := make([]string, len(c.Kinds))
			for i, k := range c.Kinds {
				kinds[i] = string(k)
			}
			got = append(got, string(c.Effect)+" "+strings.Join(kinds, " "))
		}
		if of.Effects[audit.Same] > 0 {
			got = append(got, "same")
		}
		if s := strings.Join(got, "\n"); s != c.want {
			t.Errorf("%s: %s, want %s", name, s, c.want)
		}
		if n := strings.Count(c.want, "applied"); d.Since.Beside != n {
			t.Errorf("%s: %d corrected beside the entries, want %d", name, d.Since.Beside, n)
		}
		if worse := strings.Contains(c.want, "worse"); of.Worse() != worse || worse && !d.Worse() {
			t.Errorf("%s: worse is %t", name, of.Worse())
		}
	}
}

// What only entries name that the older audit removes left with them, as it says, once these are
// gone; what is fine has left. Who names it must be known.
func TestDiffOfWhatLeavesWithItsEntry(t *testing.T) {
	const self, gone, moved, page = "http://a.example/self", "http://a.example/gone", "http://a.example/moved", "http://a.example/b"
	w := parseWeb(t, self+" 200\n"+page+" 200\n"+moved+" 301 /b\n"+gone+" 404\nbrowser "+gone+" 404\nimage "+x+" 500\nimage http://a.example/fine 200 type=image/png\n"+
		"image http://a.example/elsewhere 301 /fine")
	build := func(image string, by []string, of int, entries ...string) audit.Snapshot {
		s := &site{web: w}
		s.list(map1, append([]string{self}, entries...)...)
		s.files[0].Links, s.files[0].Spool = true, "0"
		var list []audit.Entry
		if image != "" {
			list = append(list, namedBy(audit.AlsoImages, image, func(a *audit.Also) {
				a.Of, a.By = of, nil
				for _, loc := range by {
					a.By = append(a.By, audit.Naming{Loc: loc})
				}
			}))
		}
		s.also(audit.AlsoImages, list...)
		return seenBeside(t, s, info())
	}
	for name, c := range map[string]struct {
		image string
		by    []string
		of    int
		now   []string
		want  string
	}{
		"removed":                   {x, []string{gone}, 1, []string{page}, "applied [left-with-entry left]"},
		"merged":                    {x, []string{gone, moved}, 2, []string{page}, "applied [left-with-entry left]"},
		"to be replaced otherwise":  {"http://a.example/elsewhere", []string{gone}, 1, []string{page}, "applied [left-with-entry left]"},
		"what is fine":              {"http://a.example/fine", []string{gone}, 1, []string{page}, "changed [left]"},
		"the entry stays":           {x, []string{gone}, 1, []string{gone, page}, "better [fixed left]"},
		"another entry named it":    {x, []string{gone, self}, 2, []string{page}, "better [fixed left]"},
		"another one, not known":    {x, []string{gone}, 2, []string{page}, "better [fixed left]"},
		"an entry that was correct": {x, []string{page}, 1, nil, "better [fixed left]"},
	} {
		d, err := audit.Compare(t.Context(), build(c.image, c.by, c.of, gone, moved, page), build("", nil, 0, c.now...), newShelf)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(d.Also, func(x audit.AlsoDiff) bool { return x.List == audit.AlsoImages })
		got := ""
		for c := range d.Also[at].Diff.Changes(t.Context()) {
			got += fmt.Sprint(c.Effect, " ", c.Kinds)
		}
		if got != c.want || (d.Since.Beside == 1) != strings.HasPrefix(c.want, "applied") {
			t.Errorf("%s: %s, want %s; %d corrected beside the entries", name, got, c.want, d.Since.Beside)
		}
	}
}

// An image or a video that is an entry of the other audit was judged as a page there, and is
// compared with nothing; an alternate is judged as a page in both.
func TestDiffOfListsAndEntries(t *testing.T) {
	const self, page = "http://a.example/self", "http://a.example/b"
	build := func(list audit.AlsoList, entry, of string) audit.Snapshot {
		s := &site{web: parseWeb(t, self+" 200\n"+x+" 301 /b\n"+page+" 200")}
		s.list(map1, self, entry)
		s.files[0].Links, s.files[0].Spool = true, "0"
		s.also(list, named(list, of))
		return seenBeside(t, s, info())
	}
	for list, want := range map[audit.AlsoList]int{audit.AlsoAlternates: 0, audit.AlsoImages: 2, audit.AlsoVideos: 2} {
		d, err := audit.Compare(t.Context(), build(list, x, page), build(list, page, x), newShelf)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(d.Also, func(x audit.AlsoDiff) bool { return x.List == list })
		of := d.Also[at].Diff
		if got := of.Effects[audit.NotCompared]; got != want || of.Addresses != 2 || of.Kinds[audit.AsEntry] != want {
			t.Errorf("%s: %d of %d not compared, want %d of 2: %v, %v", list, got, of.Addresses, want, of.Effects, of.Kinds)
		}
		if of.Worse() || d.Worse() {
			t.Errorf("%s: worse: %v", list, of.Effects)
		}
	}
}

// What was to be written for an image and is an entry now was not seen as an image: the correction
// is there, whatever is wrong with that entry as a page.
func TestDiffOfAnImageThatIsAnEntryNow(t *testing.T) {
	const self, y = "http://a.example/self", "http://a.example/y"
	build := func(answer string, named1 []audit.Entry, entries ...string) audit.Snapshot {
		s := &site{web: parseWeb(t, self+" 200\nimage "+x+" 301 /y\nimage "+y+" 200 type=image/png\n"+y+" "+answer)}
		s.list(map1, append([]string{self}, entries...)...)
		s.files[0].Links, s.files[0].Spool = true, "0"
		s.also(audit.AlsoImages, named1...)
		return seenBeside(t, s, info())
	}
	old := build("200", []audit.Entry{named(audit.AlsoImages, x)})
	for _, answer := range []string{"200", "200 robots=noindex", "403", "404\nbrowser " + y + " 404"} {
		d, err := audit.Compare(t.Context(), old, build(answer, nil, y), newShelf)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(d.Also, func(x audit.AlsoDiff) bool { return x.List == audit.AlsoImages })
		of := d.Also[at].Diff
		if of.Effects[audit.Applied] != 1 || of.Kinds[audit.CorrectedUnseen] != 1 || of.Addresses != 1 {
			t.Errorf("%s: %v, %v", answer, of.Effects, of.Kinds)
		}
	}
}

func named1(loc string) audit.Entry { return named(audit.AlsoAlternates, loc) }

// Behind a filter of one audit an address is compared where the filter leaves out neither it nor
// any entry that names it, all of which are known.
func TestDiffOfListsBehindAFilter(t *testing.T) {
	const y, e, f = "http://a.example/y", "http://a.example/e", "http://a.example/f"
	six := []string{e, e, e, e, e, e}
	for name, c := range map[string]struct {
		list             audit.AlsoList
		include, exclude string
		by               []string
		loc              string
		want             string
	}{
		"no namer is left out":         {exclude: "/f$", by: []string{e}, want: "applied written"},
		"a namer is left out":          {exclude: "/f$", by: []string{e, f}, want: "not-compared changed"},
		"the only namer is left out":   {exclude: "/e$", by: []string{e}, want: "not-compared changed"},
		"the address is left out":      {exclude: "/x$", by: []string{e}, want: "not-compared changed"},
		"as it is written":             {exclude: "ü$", by: []string{e}, loc: "http://a.example/ü", want: "not-compared changed"},
		"not all namers are known":     {exclude: "/f$", by: six, want: "not-compared changed"},
		"all are wanted":               {include: "/[exy]$", by: []string{e}, want: "applied written"},
		"an alternate is not":          {include: "/e$", by: []string{e}, want: "not-compared changed"},
		"images need not be":           {list: audit.AlsoImages, include: "/e$", by: []string{e}, want: "applied written"},
		"images of what is not wanted": {list: audit.AlsoImages, include: "/f$", by: []string{e}, want: "not-compared changed"},
		"an image is left out":         {list: audit.AlsoImages, exclude: "/x$", by: []string{e}, want: "not-compared changed"},
		"an older store":               {by: []string{e}, want: "not-compared changed"},
	} {
		list := cmp.Or(c.list, audit.AlsoAlternates)
		build := func(i audit.Info, loc string) audit.Snapshot {
			s := &site{web: parseWeb(t, strings.NewReplacer("AS ", map[bool]string{true: "image "}[list == audit.AlsoImages]).Replace(
				e+" 200\n"+f+" 200\nAS "+x+" 301 /y\nAS http://a.example/%C3%BC 301 /y\nAS "+y+" 200"))}
			s.list(map1, e, f)
			s.files[0].Links, s.files[0].Spool = true, "0"
			s.also(list, namedBy(list, loc, func(a *audit.Also) {
				a.Of, a.By = len(c.by), nil
				for _, by := range c.by[:min(len(c.by), audit.MaxNamings)] {
					a.By = append(a.By, audit.Naming{Loc: by})
				}
			}))
			return seenBeside(t, s, i)
		}
		filtered := info()
		filtered.Part, filtered.Include, filtered.Exclude = "--some", c.include, c.exclude
		old, new := build(info(), cmp.Or(c.loc, x)), build(filtered, y)
		d, err := audit.Compare(t.Context(), old, new, newShelf)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		at := slices.IndexFunc(d.Also, func(x audit.AlsoDiff) bool { return x.List == list })
		for c, err := range d.Also[at].Diff.Changes(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(c.Effect))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", name, s, c.want)
		}
	}
}

// What one audit alone looked at is said to be that, and neither joined nor left.
func TestDiffOfListsThatOneAuditCrawled(t *testing.T) {
	build := func(lists ...audit.AlsoList) audit.Snapshot {
		s := &site{web: parseWeb(t, "http://a.example/self 200\n"+x+" 200")}
		s.list(map1, "http://a.example/self")
		s.files[0].Links, s.files[0].Spool = true, "0"
		for _, l := range lists {
			s.also(l, named(l, x))
		}
		return seenBeside(t, s, info())
	}
	for name, c := range map[string]struct {
		old, new audit.Snapshot
		want     string
	}{
		"neither": {build(), build(), ""},
		"newer":   {build(), build(audit.AlsoAlternates), "alternates false true"},
		"older":   {build(audit.AlsoAlternates), build(), "alternates true false"},
		"both":    {build(audit.AlsoAlternates), build(audit.AlsoAlternates), "alternates true true"},
		"another": {build(audit.AlsoAlternates), build(audit.AlsoImages), "alternates true false, images false true"},
	} {
		d, _ := compared(t, c.old, c.new)
		var got []string
		for i := range d.Also {
			x := &d.Also[i]
			if x.Any() {
				got = append(got, fmt.Sprint(x.List, " ", x.InOld, " ", x.InNew))
			}
			if (x.Diff != nil) != (x.InOld && x.InNew) {
				t.Errorf("%s: %s is compared: %t", name, x.List, x.Diff != nil)
			}
		}
		if s := strings.Join(got, ", "); s != c.want || d.Worse() {
			t.Errorf("%s: %s, want %s", name, s, c.want)
		}
	}
}

// Faults are compared by sitemap and name, and only where both audits could have seen them all.
func TestDiffOfFaults(t *testing.T) {
	const a, b = "http://a.example/a.xml", "http://a.example/b.xml"
	onFile, onFiles := audit.SitemapFault{Severity: "warning"}, audit.SitemapFault{Severity: "warning", Basis: audit.OnFiles}
	onAnswers := audit.SitemapFault{Severity: "warning", Basis: audit.OnAnswers}
	onList := audit.SitemapFault{Severity: "warning", Basis: audit.OnAnswers, List: audit.AlsoAlternates}
	bad := audit.SitemapFault{Severity: "error"}
	type side struct {
		faults map[string]int // places by sitemap
		with   func(*audit.Snapshot)
	}
	cut := func(s *audit.Snapshot) { s.Tallies[1].Sitemap.Cut = true }
	refused := func(s *audit.Snapshot) {
		s.Sights = sorted([]audit.Observation{{Address: x, Verdict: audit.Unverified, Status: 403, Listed: 1}})
	}
	unread := func(s *audit.Snapshot) {
		s.Tallies[1] = audit.Tally{Sitemap: audit.Sitemap{URL: b, Faults: []audit.SitemapFault{{Name: "HTTP error", Severity: "error"}}}}
	}
	named := func(s *audit.Snapshot) { s.Tallies[0].Sitemap.Links = true }
	for name, c := range map[string]struct {
		fault    audit.SitemapFault
		old, new side
		want     audit.FaultChange
		worse    bool
	}{
		"mended, new and remaining": {fault: onFile, old: side{faults: map[string]int{a: 5, b: 1}}, new: side{faults: map[string]int{a: 2, b: 4}},
			want: audit.FaultChange{Then: 6, Now: 6, Mended: 3, New: 3, Remain: 3}},
		"an error is worse": {fault: bad, new: side{faults: map[string]int{a: 1}}, want: audit.FaultChange{Now: 1, New: 1}, worse: true},
		"an error less":     {fault: bad, old: side{faults: map[string]int{a: 1}}, want: audit.FaultChange{Then: 1, Mended: 1}},
		"a file that is cut off now": {fault: onFile, old: side{faults: map[string]int{a: 2, b: 2}}, new: side{with: cut},
			want: audit.FaultChange{Then: 4, Mended: 2, NotCompared: 2}, worse: true},
		"a file that was cut off": {fault: onFile, old: side{with: cut}, new: side{faults: map[string]int{a: 2, b: 2}},
			want: audit.FaultChange{Now: 4, New: 2, NotCompared: 2}},
		"a file that is not read now": {fault: onFile, old: side{faults: map[string]int{b: 2}}, new: side{with: unread}, want: audit.FaultChange{Then: 2, NotCompared: 2}, worse: true},
		"of several files, one cut off now": {fault: onFiles, old: side{faults: map[string]int{a: 2}}, new: side{with: cut},
			want: audit.FaultChange{Then: 2, NotCompared: 2}, worse: true},
		"of answers": {fault: onAnswers, old: side{faults: map[string]int{a: 2}}, want: audit.FaultChange{Then: 2, Mended: 2}},
		"of answers that were refused": {fault: onAnswers, old: side{faults: map[string]int{a: 2}}, new: side{with: refused},
			want: audit.FaultChange{Then: 2, NotCompared: 2}},
		"of answers that had been refused": {fault: onAnswers, old: side{with: refused}, new: side{faults: map[string]int{a: 2}},
			want: audit.FaultChange{Now: 2, NotCompared: 2}},
		"of a list that is not crawled now": {fault: onList, old: side{faults: map[string]int{a: 2}}, new: side{with: named},
			want: audit.FaultChange{Then: 2, NotCompared: 2}},
		"of a list that the sitemaps no longer have": {fault: onList, old: side{faults: map[string]int{a: 2}}, want: audit.FaultChange{Then: 2, Mended: 2}},
	} {
		build := func(of side) (audit.Snapshot, *audit.Result) {
			seen := seenOf([]audit.Observation{{Address: x, Verdict: audit.OK, Status: 200, Listed: 1}},
				[]audit.Tally{{Sitemap: audit.Sitemap{URL: a, Kind: "urlset"}, Entries: 1, OK: 1}, {Sitemap: audit.Sitemap{URL: b, Kind: "urlset"}, Entries: 1, OK: 1}}, info())
			if of.with != nil {
				of.with(&seen)
			}
			result := &audit.Result{}
			for i := range seen.Tallies {
				s := seen.Tallies[i].Sitemap
				if n := of.faults[s.URL]; n > 0 {
					one, rest := c.fault, c.fault
					one.Name, rest.Name, rest.Count = "Fault", "Fault", n-1
					if s.Faults = append(s.Faults, one); n > 1 {
						s.Faults = append(s.Faults, rest)
					}
				}
				result.Files = append(result.Files, audit.File{Sitemap: s})
			}
			return seen, result
		}
		old, result := build(c.old)
		new, newResult := build(c.new)
		d, _ := compared(t, old, new)
		if err := d.CompareFaults(t.Context(), result, newResult); err != nil {
			t.Fatal(err)
		}
		worse := d.Worse()
		c.want.Name, c.want.Severity = "Fault", c.fault.Severity
		for i := range d.Faults { // compared by number: TestFaultsAreComparedByPlaceLaw has the rest
			x := &d.Faults[i]
			x.Places, x.Unlisted, x.NewErrors, x.UnreadErrors, x.MendedErrors, x.UnseenErrors = nil, false, 0, 0, 0, 0
		}
		if !slices.ContainsFunc(d.Faults, func(x audit.FaultChange) bool { return reflect.DeepEqual(x, c.want) }) {
			t.Errorf("%s: %+v, want %+v", name, d.Faults, c.want)
		}
		if worse != c.worse {
			t.Errorf("%s: worse is %t", name, worse)
		}
	}
}

// linkedOf is what the links of pages say, with its rows in the order of the outputs.
func linkedOf(rows []audit.LinkRow) *audit.Linked {
	l := &audit.Linked{Pages: 9}
	slices.SortFunc(rows, func(a, b audit.LinkRow) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Pages, a.Pages), cmp.Compare(a.Target, b.Target))
	})
	for _, r := range rows {
		l.Kinds[r.Kind].Targets++
		l.Kinds[r.Kind].Links += r.Pages
	}
	l.Rows = func(ctx context.Context) iter.Seq2[audit.LinkRow, error] {
		return audit.Until(ctx, func(yield func(audit.LinkRow, error) bool) {
			for _, r := range rows {
				if !yield(r, nil) {
					return
				}
			}
		})
	}
	l.Sight = func(target string) (known, old bool) {
		old = slices.ContainsFunc(rows, func(r audit.LinkRow) bool { return r.Target == target && r.Kind == audit.LinkedOld })
		return old, old
	}
	l.Read = func(context.Context) iter.Seq2[audit.LinkedPage, error] {
		return func(yield func(audit.LinkedPage, error) bool) {
			yield(audit.LinkedPage{URL: "page", Whole: true, Targets: func(yield func(string) bool) {
				for _, r := range rows {
					if r.Kind != audit.Unlinked && !yield(r.Target) {
						return
					}
				}
			}}, nil)
		}
	}
	return l
}

// Of each kind the targets of both audits are those that are gone or new, those of both, and those
// that are linked in both and that one alone crawled: here those that it has as old; of entries to
// which no page links those that the other audit does not list. But what the older audit wrote
// is not new after the upload where no page linked to it then.
func TestDiffOfLinksAddsUp(t *testing.T) {
	seen := seenOf([]audit.Observation{{Address: "0", Verdict: audit.Moved, Fix: audit.Replace, Written: "d", Listed: 1}, {Address: "a", Verdict: audit.OK, Listed: 1}, {Address: "c", Verdict: audit.OK, Listed: 1}},
		[]audit.Tally{{Sitemap: audit.Sitemap{URL: "s.xml", Kind: "urlset"}}}, info())
	rapid.Check(t, func(t *rapid.T) {
		type target struct {
			kind audit.LinkKind
			name string
		}
		have := [2]map[target]bool{}
		var linked [2]*audit.Linked
		for side := range have {
			have[side] = map[target]bool{}
			var rows []audit.LinkRow
			for range rapid.IntRange(0, 12).Draw(t, "rows") {
				at := target{rapid.SampledFrom(audit.LinkKinds()).Draw(t, "kind"), rapid.SampledFrom(strings.Fields("a b c d")).Draw(t, "target")}
				if have[side][at] {
					continue
				}
				have[side][at] = true
				rows = append(rows, audit.LinkRow{Kind: at.kind, Target: at.name, Pages: rapid.IntRange(0, 3).Draw(t, "pages")})
			}
			linked[side] = linkedOf(rows)
		}
		d, err := audit.Compare(context.Background(), seen, seen, newShelf)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.CompareLinks(context.Background(), linked[0], linked[1], newShelf); err != nil {
			t.Fatal(err)
		}
		for _, k := range audit.LinkKinds() {
			want := audit.LinkChange{Then: linked[0].Kinds[k], Now: linked[1].Kinds[k]}
			for at := range have[0] {
				if at.kind == k && have[1][at] {
					want.Both++
				}
			}
			want.Gone, want.New = want.Then.Targets-want.Both, want.Now.Targets-want.Both
			for side, n := range []*int{&want.Gone, &want.New} {
				for at := range have[side] {
					old, unlisted := target{audit.LinkedOld, at.name}, target{audit.LinkedUnlisted, at.name}
					both := have[1-side][old] || have[1-side][unlisted]
					compared := !both || have[0][old] == have[1][old]
					if k == audit.Unlinked {
						written := side == 1 && at.name == "d"
						if at.kind == k && written && !both && !have[0][at] {
							*n--
							want.Written++
							continue
						}
						compared = written || strings.Contains("ac", at.name)
					}
					if at.kind == k && !have[1-side][at] && !compared {
						*n--
						want.NotCompared++
					}
				}
			}
			if got := d.Linked.Kinds[k]; d.Linked.Compared(k) && got.Then.Targets+got.Now.Targets != 2*got.Both+got.Gone+got.New+got.Written+got.NotCompared {
				t.Fatalf("kind %d does not add up: %+v", k, got)
			}
			if got := d.Linked.Kinds[k]; got != want {
				t.Fatalf("kind %d: %+v, want %+v", k, got, want)
			}
		}
	})
	d, err := audit.Compare(t.Context(), seen, seen, newShelf)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.CompareLinks(t.Context(), nil, linkedOf(nil), newShelf); err != nil || d.Linked.InOld || !d.Linked.InNew {
		t.Errorf("%+v, %v", d.Linked, err)
	}
}

package audit_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/audit"
)

// listMost is how many places of a fault are listed for a file, as by those who find them.
const listMost = 5

// faultySitemaps are the sitemaps of audits with faulty entries.
var faultySitemaps = []string{map1, "http://a.example/two.xml"}

// A faultyEntry is an entry with what is wrong at it: alternates that are wrong by a code.
type faultyEntry struct {
	loc   string
	wrong []string
	in    int  // number of its sitemap
	same  bool // it begins on the line where what is before it ends
}

// faulty is an audit of sitemaps with these entries, each a line and each fault another below it.
// Codes that stand for the file alone are listed without a line. lines says what is on a line of a
// sitemap. The last one is cut off after its entries where cut is set.
func faulty(t rapid.TB, w web, entries []faultyEntry, most int, cut bool) (seen audit.Snapshot, result *audit.Result, lines map[audit.NewFault]string) {
	s, lines := faultySite(w, entries, most)
	s.files[len(s.files)-1].Cut = cut
	seen, result = evaluated(t, s)
	return seen, result, lines
}

// evaluated is an audit of a site.
func evaluated(t rapid.TB, s *site) (audit.Snapshot, *audit.Result) {
	result, err := audit.Evaluate(context.Background(), s, info(), func(url string) string { return url })
	if err != nil {
		t.Fatal(err)
	}
	return observed(t, s, info()), result
}

// faultySite is the site of faulty.
func faultySite(w web, entries []faultyEntry, most int) (s *site, lines map[audit.NewFault]string) {
	s = &site{web: w}
	lines = map[audit.NewFault]string{}
	for in, sitemap := range faultySitemaps {
		of := slices.DeleteFunc(slices.Clone(entries), func(e faultyEntry) bool { return e.in != in })
		var locs []string
		for _, e := range of {
			locs = append(locs, e.loc)
		}
		s.list(sitemap, locs...)
		line, n, faults := 0, 0, []audit.SitemapFault{}
		for i, e := range of {
			if !e.same {
				line++
			}
			s.entries[s.files[in].First+i].Line = line
			for _, code := range e.wrong {
				line++
				if n++; n > most {
					continue
				}
				lines[audit.NewFault{Sitemap: sitemap, Line: line}] = e.loc + " " + code
				loc := map[bool]string{true: e.loc, false: strconv.Quote(e.loc)}[n%2 == 0]
				faults = append(faults, audit.SitemapFault{Line: line, Name: "Wrong", Severity: "error", Key: "wrong", Args: []string{loc, code}})
			}
		}
		if rest := n - most; rest > 0 {
			faults = append(faults, audit.SitemapFault{Name: "Wrong", Severity: "error", Count: rest, Key: "more-places", Args: []string{strconv.Itoa(rest)}})
		}
		s.files[in].Faults = faults
	}
	return s, lines
}

// wrongOf is what became of the faults of faulty audits.
func wrongOf(d *audit.Diff) audit.FaultChange {
	for _, f := range d.Faults {
		if f.Name == "Wrong" {
			return f
		}
	}
	return audit.FaultChange{}
}

// faultyAudit is what an audit of faulty entries has.
type faultyAudit struct {
	entries []faultyEntry
	cut     bool
	has     []map[string]int // by number of the sitemap
}

// drawFaulty draws an audit of entries.
func drawFaulty(t *rapid.T, label string, locs []string) *faultyAudit {
	a := &faultyAudit{cut: rapid.SampledFrom([]bool{false, false, true}).Draw(t, label+" cut"), has: []map[string]int{{}, {}}}
	for _, loc := range rapid.Permutation(locs).Draw(t, label) {
		e := faultyEntry{loc: loc, in: rapid.IntRange(0, 1).Draw(t, label+loc+" in")}
		e.wrong = rapid.SliceOfN(rapid.SampledFrom([]string{"uk", "xx", "en-UK"}), 0, 3).Draw(t, label+loc)
		a.entries = append(a.entries, e)
		for _, code := range e.wrong {
			a.has[e.in][loc+" "+code]++
		}
	}
	return a
}

// wantFaults compares the faults of sitemaps by number, of which the second may be cut off.
func wantFaults(was, is []map[string]int, wasCut, isCut bool) (want audit.FaultChange) {
	for in := range was {
		for at := range maps.Keys(merge(was[in], is[in])) {
			both := min(was[in][at], is[in][at])
			gone, added := was[in][at]-both, is[in][at]-both
			want.Then, want.Now, want.Remain = want.Then+both+gone, want.Now+both+added, want.Remain+both
			if in == 1 && isCut {
				want.NotCompared, gone = want.NotCompared+gone, 0
			}
			if in == 1 && wasCut {
				want.NotCompared, added = want.NotCompared+added, 0
			}
			want.New, want.Mended = want.New+added, want.Mended+gone
		}
	}
	return want
}

// Whatever lines move, a fault is new or mended only where that entry had it not, or has it no
// more, in whichever of the sitemaps it is, if both audits read and listed all of these; where not
// all places are listed, no more of them are said to be than there are in a sitemap.
func TestFaultsAreComparedByPlaceLaw(t *testing.T) {
	all := many(4, "http://a.example/%d")
	w := parseWeb(t, strings.Join(all, " 200\n")+" 200\n")
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int{listMost, 100}).Draw(t, "listed")
		before, after := drawFaulty(t, "old", all), drawFaulty(t, "new", all)
		old, oldResult, _ := faulty(t, w, before.entries, most, before.cut)
		new, newResult, lines := faulty(t, w, after.entries, most, after.cut)
		d, _ := compared(t, old, new)
		if err := d.CompareFaults(context.Background(), oldResult, newResult); err != nil {
			t.Fatal(err)
		}
		listed, whole := true, !before.cut && !after.cut
		for _, has := range slices.Concat(before.has, after.has) {
			listed = listed && sumOf(has) <= most
		}
		was, is := before.has, after.has
		if whole && listed { // entries may move between them
			was, is = []map[string]int{merge(was[0], was[1])}, []map[string]int{merge(is[0], is[1])}
		}
		want := wantFaults(was, is, before.cut, after.cut)
		got, placed := wrongOf(d), 0
		for _, p := range got.Places {
			placed += p.N
			in := min(slices.Index(faultySitemaps, p.Sitemap), len(was)-1)
			at := lines[audit.NewFault{Sitemap: p.Sitemap, Line: p.Line}]
			if p.Line > 0 && was[in][at] >= is[in][at] {
				t.Errorf("%s is said to be new: %v -> %v", at, was, is)
			}
		}
		exact := got.Mended == want.Mended && got.New == want.New && got.Remain == want.Remain && got.NotCompared == want.NotCompared && !got.Unlisted
		least := got.Mended <= want.Mended && got.New <= want.New && got.NotCompared <= want.NotCompared &&
			got.Then+got.Now == 2*got.Remain+got.Mended+got.New+got.NotCompared
		if got.Then != want.Then || got.Now != want.Now || !least || listed && !exact {
			t.Errorf("%+v, want %+v: %v -> %v", got, want, before, after)
		}
		if placed != min(got.New, placed) || (placed == 0) != (got.New == 0) || got.New <= audit.MostNewFaults && placed != got.New {
			t.Errorf("%d new, at %+v", got.New, got.Places)
		}
		if got.NewErrors != got.New || whole && d.NewErrors() != got.New {
			t.Errorf("%d new errors, %d of these, want %d", d.NewErrors(), got.NewErrors, got.New)
		}
	})
}

// Whatever an audit could not read: an error is new only where the sitemap had it not when it was
// read last, in that audit or in one before it.
func TestFaultsSeenBeforeLaw(t *testing.T) {
	all := many(4, "http://a.example/%d")
	w := parseWeb(t, strings.Join(all, " 200\n")+" 200\n")
	rapid.Check(t, func(t *rapid.T) {
		first, before, after := drawFaulty(t, "first", all), drawFaulty(t, "old", all), drawFaulty(t, "new", all)
		sites := map[*faultyAudit]*site{}
		for _, a := range []*faultyAudit{first, before, after} {
			sites[a], _ = faultySite(w, a.entries, 100)
		}
		two := &sites[before].files[1]
		was := merge(before.has[0], before.has[1])
		for at, n := range first.has[1] { // what both saw counts once
			was[at] += max(0, n-before.has[1][at])
		}
		if two.Cut = true; rapid.Bool().Draw(t, "unread") {
			sites[before].entries = sites[before].entries[:two.First]
			*two = audit.Sitemap{N: two.N, URL: two.URL, Parent: -1, Status: 503, Faults: []audit.SitemapFault{{Name: "HTTP error", Severity: "error"}}}
			was = merge(before.has[0], first.has[1])
		}
		old, result := evaluated(t, sites[before])
		new, newResult := evaluated(t, sites[after])
		d, _ := compared(t, old, new)
		unread := &site{web: w} // an audit between them that had no more of it
		unread.files = slices.Clone(sites[before].files)
		err := d.CompareFaultsSeen(context.Background(), result, newResult, func(yield func(audit.Source, error) bool) {
			if yield(unread, nil) && yield(sites[first], nil) {
				t.Error("it looks for a sitemap that was found")
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for at, n := range merge(after.has[0], after.has[1]) {
			want += max(0, n-was[at])
		}
		got := wrongOf(d)
		if got.New != want || got.NewErrors != want || d.NewErrors() != want || got.UnseenErrors > 0 {
			t.Errorf("%+v, want %d new: first %v, then %v, now %v", got, want, first.has, before.has, after.has)
		}
	})
}

// Why a sitemap cannot be read is told with that it cannot: it is no error beside it.
func TestUnreadSitemapIsToldOnce(t *testing.T) {
	for name, now := range map[string]audit.Sitemap{
		"missing": {Status: 404, Faults: []audit.SitemapFault{{Name: "HTTP error", Severity: "error", Key: "status"}}},
		"cut off": {Kind: "urlset", Cut: true, Faults: []audit.SitemapFault{{Name: "Parsing error", Line: 3, Severity: "error", Key: "cut-off"}}},
		"both":    {Kind: "urlset", Cut: true, Faults: []audit.SitemapFault{{Name: "Parsing error", Line: 2, Severity: "error", Key: "bare-lt"}, {Name: "Parsing error", Line: 3, Severity: "error", Key: "cut-off"}}},
	} {
		sitemap := func(f audit.Sitemap) (audit.Snapshot, *audit.Result) {
			s := &site{web: parseWeb(t, x+" 200")}
			s.list(map1, x)
			s.list(faultySitemaps[1])
			f.N, f.URL, f.Parent, f.First = 1, s.files[1].URL, -1, s.files[1].First
			s.files[1] = f
			return evaluated(t, s)
		}
		whole, result := sitemap(audit.Sitemap{Kind: "urlset"})
		unread, unreadResult := sitemap(now)
		d, _ := compared(t, whole, unread)
		if err := d.CompareFaults(t.Context(), result, unreadResult); err != nil {
			t.Fatal(err)
		}
		losses := 0
		for _, l := range audit.FileLosses() {
			losses += d.Losses(l)
		}
		if n := len(now.Faults) - 1; d.NewErrors() != n || d.Faults[0].New != n+1 || losses != 1 || !d.Worse() {
			t.Errorf("%s: %d new errors, want %d, and %d sitemaps lost: %+v", name, d.NewErrors(), n, losses, d.Faults)
		}
		if d, _ = compared(t, unread, unread); d.CompareFaults(t.Context(), unreadResult, unreadResult) != nil || d.Faults[0].Remain+d.Faults[0].NotCompared == 0 || d.Worse() {
			t.Errorf("%s: as before: %+v", name, d.Faults)
		}
		if d, _ = compared(t, unread, whole); d.CompareFaults(t.Context(), unreadResult, result) != nil || d.Faults[0].MendedErrors != len(now.Faults) || d.Worse() {
			t.Errorf("%s: read again: %+v", name, d.Faults)
		}
	}
}

// That no corrected copy was written is found only where copies are written: it is no new fault.
func TestWithheldCopyIsNoNewFault(t *testing.T) {
	s := &site{web: parseWeb(t, x+" 301 /y\nhttp://a.example/y 200")}
	s.list(map1, x)
	seen, result := evaluated(t, s)
	for _, why := range []audit.Unwritten{audit.UnwrittenFault, audit.UnwrittenCharset} {
		withheld, err := result.Withhold(t.Context(), map[int]audit.Unwritten{0: why})
		if err != nil {
			t.Fatal(err)
		}
		d, _ := compared(t, seen, seen)
		if err := d.CompareFaults(t.Context(), result, withheld); err != nil || len(withheld.Files[0].Sitemap.Faults) == 0 || len(d.Faults) > 0 {
			t.Errorf("%s: %+v, %v", why, d.Faults, err)
		}
	}
}

// A warning that counts what it is about is the same one when that is one more.
func TestWarningWithAnotherCountIsNotNew(t *testing.T) {
	s := &site{web: parseWeb(t, x+" 200")}
	s.list(map1, x)
	audited := func(count string) (audit.Snapshot, *audit.Result) {
		s.files[0].Faults = []audit.SitemapFault{{Line: 2, Name: "Doubtful lastmod", Severity: "warning", Key: "lastmod-same", Args: []string{count, `"2020-01-01"`}}}
		return evaluated(t, s)
	}
	before, old := audited("10")
	now, new := audited("11")
	d, _ := compared(t, before, now)
	if err := d.CompareFaults(t.Context(), old, new); err != nil || slices.ContainsFunc(d.Faults, func(f audit.FaultChange) bool { return f.New+f.Mended > 0 }) {
		t.Errorf("%+v, %v", d.Faults, err)
	}
}

// merge adds up what two have.
func merge(a, b map[string]int) map[string]int {
	m := maps.Clone(a)
	for at, n := range b {
		m[at] += n
	}
	return m
}

func sumOf(has map[string]int) (sum int) {
	for _, n := range has {
		sum += n
	}
	return sum
}

// A fault of an address is the same at the address that the older audit writes in its place.
func TestFaultOfACorrectedAddressIsNotNew(t *testing.T) {
	const old, new = "http://a.example/old", "http://a.example/new"
	w := parseWeb(t, old+" 301 /new\n"+new+" 200\n"+x+" 200\n")
	then, result, _ := faulty(t, w, []faultyEntry{{old, []string{"uk"}, 0, false}, {x, nil, 0, false}}, listMost, false)
	for _, c := range []struct {
		entries []faultyEntry
		want    string
	}{
		{[]faultyEntry{{new, []string{"uk"}, 0, false}, {x, nil, 0, false}}, "mended 0, new 0, remain 1 []"},
		{[]faultyEntry{{old, []string{"uk"}, 0, false}, {x, nil, 0, false}}, "mended 0, new 0, remain 1 []"},
		{[]faultyEntry{{new, []string{"uk"}, 1, false}, {x, nil, 0, false}}, "mended 0, new 0, remain 1 []"},
		{[]faultyEntry{{new, nil, 0, false}, {x, []string{"uk"}, 0, false}}, "mended 1, new 1, remain 0 [{" + map1 + " 3 1}]"},
	} {
		now, newResult, _ := faulty(t, w, c.entries, listMost, false)
		d, err := audit.Compare(t.Context(), then, now, newShelf)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.CompareFaults(t.Context(), result, newResult); err != nil {
			t.Fatal(err)
		}
		f := wrongOf(d)
		if got := fmt.Sprintf("mended %d, new %d, remain %d %v", f.Mended, f.New, f.Remain, f.Places); got != c.want {
			t.Errorf("%v: %s, want %s", c.entries, got, c.want)
		}
	}
}

// A fault whose entry is in another sitemap now is the same where it is listed and its entry known.
func TestFaultOfAnEntryInAnotherSitemapIsNotNew(t *testing.T) {
	all := many(listMost+2, "http://a.example/%d")
	w := parseWeb(t, strings.Join(all, " 200\n")+" 200\n")
	entries := func(locs []string, in int, wrong ...string) (list []faultyEntry) {
		for _, loc := range locs {
			list = append(list, faultyEntry{loc: loc, wrong: wrong, in: in})
		}
		return list
	}
	oneLine := func(list []faultyEntry) []faultyEntry {
		for i := range list {
			list[i].same = i > 0
		}
		return list
	}
	two := all[:2]
	for name, c := range map[string]struct {
		old, new []faultyEntry
		want     string
	}{
		"moved":          {entries(two, 0, "uk"), entries(two, 1, "uk"), "mended 0, new 0, remain 2 false []"},
		"wrong in other": {entries(two, 0, "uk"), entries(two, 1, "xx"), "mended 2, new 2, remain 0 false"},
		"one of many that are not all listed": {entries(all, 0, "uk"), append(entries(all[1:], 0, "uk"), entries(all[:1], 1, "uk")...),
			"mended 0, new 0, remain 7 true []"},
		"all of many that are not all listed":  {entries(all, 0, "uk"), entries(all, 1, "uk"), "mended 0, new 0, remain 7 true []"},
		"many that became more":                {entries(all[:6], 0, "uk"), entries(all, 1, "uk"), "mended 0, new 1, remain 6 true [{" + faultySitemaps[1] + " 0 1}]"},
		"many that became fewer":               {entries(all, 0, "uk"), entries(all[:6], 1, "uk"), "mended 1, new 0, remain 6 true []"},
		"many mended here, others wrong there": {entries(all, 0, "uk"), entries(all, 1, "xx"), "mended 7, new 7, remain 0 false"},
		"entries unknown": {oneLine(append(entries(all[:1], 0), entries(all[1:2], 0, "uk")...)), oneLine(append(entries(all[:1], 1), entries(all[1:2], 1, "uk")...)),
			"mended 1, new 1, remain 0 false [{" + faultySitemaps[1] + " 2 1}]"},
	} {
		then, result, _ := faulty(t, w, c.old, listMost, false)
		now, newResult, _ := faulty(t, w, c.new, listMost, false)
		d, _ := compared(t, then, now)
		if err := d.CompareFaults(t.Context(), result, newResult); err != nil {
			t.Fatal(err)
		}
		f := wrongOf(d)
		if got := fmt.Sprintf("mended %d, new %d, remain %d %v %v", f.Mended, f.New, f.Remain, f.Unlisted, f.Places); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

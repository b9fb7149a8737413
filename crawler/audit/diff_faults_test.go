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

// A faultyEntry is an entry with what is wrong at it: alternates that are wrong by a code.
type faultyEntry struct {
	loc   string
	wrong []string
}

// faulty is an audit of a sitemap with these entries, each a line and each fault another below it.
// Codes that stand for the file alone are listed without a line. lines says what is on a line.
func faulty(t rapid.TB, w web, entries []faultyEntry, most int) (seen audit.Snapshot, result *audit.Result, lines map[int]string) {
	s := &site{web: w}
	var locs []string
	for _, e := range entries {
		locs = append(locs, e.loc)
	}
	s.list(map1, locs...)
	line, n, faults := 1, 0, []audit.SitemapFault{}
	lines = map[int]string{}
	for i, e := range entries {
		s.entries[i].Line = line
		for _, code := range e.wrong {
			line++
			if n++; n > most {
				continue
			}
			lines[line] = e.loc + " " + code
			faults = append(faults, audit.SitemapFault{Line: line, Name: "Wrong", Severity: "error", Key: "wrong", Args: []string{map[bool]string{true: e.loc, false: strconv.Quote(e.loc)}[n%2 == 0], code}})
		}
		line++
	}
	if rest := n - most; rest > 0 {
		faults = append(faults, audit.SitemapFault{Name: "Wrong", Severity: "error", Count: rest, Key: "more-places", Args: []string{strconv.Itoa(rest)}})
	}
	s.files[0].Faults = faults
	result, err := audit.Evaluate(context.Background(), s, info(), func(url string) string { return url })
	if err != nil {
		t.Fatal(err)
	}
	return observed(t, s, info()), result, lines
}

// Whatever lines move, a fault is new or mended only where that entry had it not, or has it no
// more; where not all places are listed, no more of them are said to be than there are.
func TestFaultsAreComparedByPlaceLaw(t *testing.T) {
	all := many(4, "http://a.example/%d")
	w := parseWeb(t, strings.Join(all, " 200\n")+" 200\n")
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) (list []faultyEntry, has map[string]int) {
			has = map[string]int{}
			for _, loc := range rapid.Permutation(all).Draw(t, label) {
				e := faultyEntry{loc: loc, wrong: rapid.SliceOfN(rapid.SampledFrom([]string{"uk", "xx", "en-UK"}), 0, 3).Draw(t, label+loc)}
				list = append(list, e)
				for _, code := range e.wrong {
					has[loc+" "+code]++
				}
			}
			return list, has
		}
		before, was := draw("old")
		after, is := draw("new")
		most := rapid.SampledFrom([]int{listMost, 100}).Draw(t, "listed")
		old, oldResult, _ := faulty(t, w, before, most)
		new, newResult, lines := faulty(t, w, after, most)
		d, _ := compared(t, old, new)
		if err := d.CompareFaults(context.Background(), oldResult, newResult); err != nil {
			t.Fatal(err)
		}
		want := audit.FaultChange{}
		for at := range maps.Keys(merge(was, is)) {
			both := min(was[at], is[at])
			want.Then, want.Now, want.Remain = want.Then+was[at], want.Now+is[at], want.Remain+both
			want.New, want.Mended = want.New+is[at]-both, want.Mended+was[at]-both
		}
		if want.Then+want.Now == 0 {
			if len(d.Faults) > 0 {
				t.Fatalf("%+v of no fault", d.Faults)
			}
			return
		}
		got, placed := d.Faults[0], 0
		for _, p := range got.Places {
			placed += p.N
			if at := lines[p.Line]; p.Line > 0 && was[at] >= is[at] {
				t.Errorf("%s is said to be new: %v -> %v", at, was, is)
			}
		}
		exact := got.Mended == want.Mended && got.New == want.New && got.Remain == want.Remain && !got.Unlisted
		least := got.Mended <= want.Mended && got.New <= want.New && got.Then-got.Mended+got.New == got.Now && got.Remain+got.New == got.Now
		if got.Then != want.Then || got.Now != want.Now || !least || max(want.Then, want.Now) <= most && !exact {
			t.Errorf("%+v, want %+v: %v -> %v", got, want, was, is)
		}
		if placed != min(got.New, placed) || (placed == 0) != (got.New == 0) || got.New <= audit.MostNewFaults && placed != got.New {
			t.Errorf("%d new, at %+v", got.New, got.Places)
		}
		if d.NewErrors() != got.New {
			t.Errorf("%d new errors, want %d", d.NewErrors(), got.New)
		}
	})
}

func merge(a, b map[string]int) map[string]int {
	m := maps.Clone(a)
	maps.Copy(m, b)
	return m
}

// A fault of an address is the same at the address that the older audit writes in its place.
func TestFaultOfACorrectedAddressIsNotNew(t *testing.T) {
	const old, new = "http://a.example/old", "http://a.example/new"
	w := parseWeb(t, old+" 301 /new\n"+new+" 200\n"+x+" 200\n")
	then, result, _ := faulty(t, w, []faultyEntry{{old, []string{"uk"}}, {x, nil}}, listMost)
	for _, c := range []struct {
		entries []faultyEntry
		want    string
	}{
		{[]faultyEntry{{new, []string{"uk"}}, {x, nil}}, "mended 0, new 0, remain 1 []"},
		{[]faultyEntry{{old, []string{"uk"}}, {x, nil}}, "mended 0, new 0, remain 1 []"},
		{[]faultyEntry{{new, nil}, {x, []string{"uk"}}}, "mended 1, new 1, remain 0 [{" + map1 + " 3 1}]"},
	} {
		now, newResult, _ := faulty(t, w, c.entries, listMost)
		d, err := audit.Compare(t.Context(), then, now, newShelf)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.CompareFaults(t.Context(), result, newResult); err != nil {
			t.Fatal(err)
		}
		f := d.Faults[slices.IndexFunc(d.Faults, func(f audit.FaultChange) bool { return f.Name == "Wrong" })]
		if got := fmt.Sprintf("mended %d, new %d, remain %d %v", f.Mended, f.New, f.Remain, f.Places); got != c.want {
			t.Errorf("%v: %s, want %s", c.entries, got, c.want)
		}
	}
}

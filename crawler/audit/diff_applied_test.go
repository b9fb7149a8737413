package audit_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sitemend/crawler/audit"
)

// What became of a correction is told of the two addresses that it is about.
func TestCorrectionsApplied(t *testing.T) {
	const a, b = "http://a.example/", "http://a.example/x"
	moved := b + " 301 /y; /y 200"
	gone := b + " 404; browser " + b + " 404"
	for name, c := range map[string]struct {
		web   string
		now   string // another web; "" for the same
		then  string // listed, besides a hundred fine ones
		is    string
		want  string
		since audit.Since
	}{
		"a replacement":                 {web: moved, then: "x", is: "y", want: "x applied corrected left; y written written joined", since: audit.Since{Corrected: 1, Applied: 1}},
		"a merge":                       {web: moved, then: "x y", is: "y", want: "x applied corrected left", since: audit.Since{Corrected: 1, Applied: 1}},
		"a removal":                     {web: gone, then: "x", is: "", want: "x applied corrected left", since: audit.Since{Corrected: 1, Applied: 1}},
		"two into one":                  {web: moved + "; /z 301 /y", then: "x z", is: "y", want: "x applied corrected left; y written written joined; z applied corrected left", since: audit.Since{Corrected: 2, Applied: 2}},
		"not yet":                       {web: moved, then: "x", is: "x", want: "", since: audit.Since{Waiting: 1}},
		"both listed":                   {web: moved, then: "x", is: "x y", want: "y changed joined", since: audit.Since{Waiting: 1}},
		"one of two":                    {web: moved + "; /z 301 /y", then: "x z", is: "x y", want: "y written written joined; z applied corrected left", since: audit.Since{Corrected: 1, Applied: 1, Waiting: 1}},
		"taken out instead":             {web: moved, then: "x", is: "", want: "x better fixed left", since: audit.Since{Corrected: 1}},
		"another in its place":          {web: moved + "; /z 200", then: "x", is: "z", want: "x better fixed left; z changed joined", since: audit.Since{Corrected: 1}},
		"what is written is gone since": {web: moved, now: b + " 301 /y; /y 404; browser http://a.example/y 404", then: "x", is: "y", want: "x better fixed left; y worse new-problem joined", since: audit.Since{Corrected: 1, New: 1}},
		"what is written was not seen":  {web: moved, now: b + " 301 /y; /y 503", then: "x", is: "y", want: "x applied corrected-unchecked left; y written written joined", since: audit.Since{Corrected: 1, Applied: 1}},
		"repaired on the server":        {web: moved, now: b + " 200", then: "x", is: "x", want: "x better fixed", since: audit.Since{Corrected: 1}},
		"a decision":                    {web: b + " 302 /y; /y 200", then: "x", is: "x", want: "", since: audit.Since{Open: 1}},
		"a decision that was taken":     {web: b + " 302 /y; /y 200", then: "x", is: "y", want: "x better fixed left; y changed joined", since: audit.Since{Corrected: 1, Settled: 1}},
		"one that was settled there":    {web: b + " 302 /y; /y 200", now: b + " 200", then: "x", is: "x", want: "x better fixed", since: audit.Since{Corrected: 1, Settled: 1}},
		"a new decision":                {web: b + " 200", now: b + " 500", then: "x", is: "x", want: "x worse new-problem", since: audit.Since{New: 1}},
	} {
		var fine []string
		var web strings.Builder
		web.WriteString(c.web)
		for i := range 100 {
			fine = append(fine, fmt.Sprint(a, "fine/", i))
			web.WriteString(fmt.Sprintf("; /fine/%d 200", i))
		}
		now := c.now
		if now == "" {
			now = c.web
		}
		now += strings.TrimPrefix(web.String(), c.web)
		old, new := &site{web: parseWeb(t, lines(web.String()))}, &site{web: parseWeb(t, lines(now))}
		for s, listed := range map[*site]string{old: c.then, new: c.is} {
			locs := slices.Clone(fine)
			for x := range strings.FieldsSeq(listed) {
				locs = append(locs, a+x)
			}
			s.list(map1, locs...)
		}
		d, err := audit.Compare(t.Context(), seenAs(t, old, info()), seenAs(t, new, info()), newShelf)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for c, err := range d.Changes(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, strings.TrimPrefix(sayChange(c), a))
		}
		if strings.Join(got, "; ") != c.want || d.Since != c.since {
			t.Errorf("%s:\ngot  %s %+v\nwant %s %+v", name, strings.Join(got, "; "), d.Since, c.want, c.since)
		}
	}
}

// Whatever a site is like: once its corrected sitemaps are uploaded, each correction is told
// as applied, or the change of its address says why not; and nothing else is.
func TestEveryCorrectionIsApplied(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, drawn := drawSite(t)
		drawn.Ended = time.Unix(1, 0)
		result, err := audit.Evaluate(t.Context(), s, drawn, func(url string) string { return url })
		if err != nil {
			t.Fatal(err)
		}
		after, edits := corrected(t, s, result)
		d, err := audit.Compare(t.Context(), observed(t, s, drawn), observed(t, after, drawn), newShelf)
		if err != nil {
			t.Fatal(err)
		}
		became := map[string]audit.Change{}
		applied := 0
		for c, err := range d.Changes(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			became[c.Address] = c
			if c.Effect == audit.Applied {
				applied++
				if edits[c.Address] == (audit.Fix{}) {
					t.Fatalf("%s was not corrected, and is told as applied", c.Address)
				}
			}
			if c.Effect == audit.Written && !slices.ContainsFunc(slices.Collect(maps.Values(edits)), func(f audit.Fix) bool { return f.Loc == c.Address }) {
				t.Fatalf("nothing was to be written as %s", c.Address)
			}
		}
		if applied != d.Since.Applied || d.Effects[audit.Applied] != applied {
			t.Fatalf("%d applied, counted %+v, %v", applied, d.Since, d.Effects)
		}
		listed := map[string]bool{}
		for _, e := range after.entries {
			if a, err := e.Parse(); err == nil {
				listed[a.String()] = true
			} else {
				listed[e.Loc] = true
			}
		}
		for address, fix := range edits {
			switch c, is := became[address]; {
			case listed[address]: // another entry of it is kept, or it was written for one
			case !is:
				t.Fatalf("%s was to be edited (%s) and is not told of", address, fix.Action)
			case c.Effect == audit.Applied, c.Effect == audit.NotCompared:
			case fix.Action != audit.Drop && !isFine(t, after, drawn, fix.Loc):
			default:
				t.Fatalf("%s, %s %s: %s", address, fix.Action, fix.Loc, sayChange(c))
			}
		}
	})
}

// isFine reports whether an audit finds that an address which it lists is no problem.
func isFine(t *rapid.T, s *site, info audit.Info, address string) bool {
	for o, err := range observed(t, s, info).Sights() {
		if err != nil {
			t.Fatal(err)
		}
		if o.Address == address {
			return !o.Verdict.Problem() && o.Verdict != audit.Skipped && o.Verdict != audit.Unverified
		}
	}
	return false
}

// corrected returns the site with its corrected sitemaps, and what they edit, by address.
func corrected(t *rapid.T, s *site, result *audit.Result) (*site, map[string]audit.Fix) {
	out, edits := &site{web: s.web}, map[string]audit.Fix{}
	for i := range result.Files {
		var locs []string
		for r, err := range result.Rows(t.Context(), i) {
			if err != nil {
				t.Fatal(err)
			}
			at := r.Address.String()
			if r.Address.IsZero() {
				at = r.Entry.Loc
			}
			switch r.Fix.Action {
			case audit.Keep:
				locs = append(locs, r.Entry.Loc)
				continue
			case audit.Replace:
				locs = append(locs, r.Fix.Loc)
			}
			if edits[at].Action != audit.Replace {
				edits[at] = r.Fix
			}
		}
		f := result.Files[i].Sitemap
		out.list(f.URL, locs...)
		out.files[i].Cut = f.Cut
	}
	return out, edits
}

// An address that is no entry any more, but that a sitemap names still, is neither mended nor
// settled.
func TestEntryThatIsListedBesideOnly(t *testing.T) {
	const a, b = "http://a.example/", "http://a.example/x"
	for name, c := range map[string]struct {
		answers string
		named   bool
		want    string
	}{
		"a problem that is named still":        {" 302 /y", true, "x changed left-beside"},
		"a problem that nothing names":         {" 302 /y", false, "x better fixed left"},
		"a page that is named still":           {" 200", true, "x changed left-beside"},
		"one that was to be removed and is so": {" 404\nbrowser " + b + " 404", true, "x applied corrected left"},
	} {
		build := func(entries []string, list ...audit.Entry) audit.Snapshot {
			s := &site{web: parseWeb(t, b+c.answers+"\n"+a+"self 200\n"+a+"y 200")}
			s.list(map1, append([]string{a + "self"}, entries...)...)
			s.files[0].Links = true
			s.also(audit.AlsoAlternates, list...)
			return seenBeside(t, s, info())
		}
		now := build(nil)
		if c.named {
			now = build(nil, named1(b))
		}
		d, err := audit.Compare(t.Context(), build([]string{b}), now, newShelf)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for x, err := range d.Changes(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, strings.TrimPrefix(sayChange(x), a))
		}
		if said := strings.Join(got, "; "); said != c.want || c.named && d.Since.Settled > 0 {
			t.Errorf("%s: %s %+v, want %s", name, said, d.Since, c.want)
		}
	}
}

// Of an address of which nobody knows whether it is listed still, nothing is said; what may stand in
// its place was not listed before. Of two robots nothing is applied.
func TestWhatStandsInPlaceOfTheUnknown(t *testing.T) {
	const a, b = "http://a.example/", "http://a.example/x"
	list := func(locs ...string) *site {
		s := &site{web: parseWeb(t, a+"self 200\n"+b+" 301 /y\n"+a+"y 200\n"+a+"gone 404\nbrowser "+a+"gone 404")}
		s.list(map1, append([]string{a + "self"}, locs...)...)
		return s
	}
	old, robot := list(b, a+"gone"), info()
	robot.Identity = "bingbot"
	new := observed(t, list(a+"y"), info())
	new.Tallies[0].Sitemap.Cut = true
	for want, seen := range map[string]audit.Snapshot{
		"gone not-compared no-longer-seen; x not-compared no-longer-seen; y changed joined": new,
		"gone applied corrected left; x applied corrected left; y written written joined":   observed(t, list(a+"y"), info()),
		"gone changed left; x changed left; y changed joined":                               observed(t, list(a+"y"), robot),
	} {
		d, err := audit.Compare(t.Context(), observed(t, old, info()), seen, newShelf)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for x, err := range d.Changes(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, strings.TrimPrefix(sayChange(x), a))
		}
		if said := strings.Join(got, "; "); said != want {
			t.Errorf("%s, want %s", said, want)
		}
	}
}

package audit_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// manySite lists what many says, a line each: "PATTERN ANSWER", where # in both is
// each number from 0 below n.
func manySite(t *testing.T, lines ...string) *site {
	t.Helper()
	var web strings.Builder
	s := &site{}
	var locs []string
	for _, line := range lines {
		var n int
		var rest string
		if _, err := fmt.Sscanf(line, "%d", &n); err != nil {
			t.Fatal(err)
		}
		_, rest, _ = strings.Cut(line, " ")
		for i := range n {
			first, more, _ := strings.Cut(strings.ReplaceAll(rest, "#", fmt.Sprint(i)), "; ")
			loc, _, _ := strings.Cut(first, " ")
			locs = append(locs, loc)
			fmt.Fprintln(&web, first)
			if more != "" {
				fmt.Fprintln(&web, strings.ReplaceAll(more, "; ", "\n"))
			}
		}
	}
	// Pages that several lines lead to are the same page.
	all := strings.Split(strings.TrimSpace(web.String()), "\n")
	slices.Sort(all)
	s.web = parseWeb(t, strings.Join(slices.Compact(all), "\n"))
	s.list(map1, locs...)
	return s
}

const (
	toArticles = "http://a.example/blog/# 301 /articles/#; http://a.example/articles/# 200"
	gonePDF    = "http://a.example/d/#.pdf 404; browser http://a.example/d/#.pdf 404"
	goneOther  = "http://a.example/x/o#y 404; browser http://a.example/x/o#y 404"
	fine       = "http://a.example/fine/# 200"
)

// Causes are told by the rules and places that the reports of both audits name.
func TestCausesOfDiff(t *testing.T) {
	lift := func(name string) string {
		return "http://a.example/p?id=#&" + name + "=1 301 /p?id=#; http://a.example/p?id=# 200"
	}
	apart := func(name string) string { // each redirect is one of its own
		return "http://a.example/" + name + "# 301 /" + name + "away#x#; http://a.example/" + name + "away#x# 200"
	}
	missing := func(name string) string {
		at := "http://a.example/" + name + "# 404"
		return at + "; browser " + at
	}
	for name, c := range map[string]struct {
		old, new []string
		want     string
	}{
		"grown":                      {[]string{"20 " + fine, "6 " + toArticles}, []string{"20 " + fine, "9 " + toArticles}, "moved [/blog/* -> /articles/*] grown 6 -> 9"},
		"a rule of few then":         {[]string{"20 " + fine, "2 " + toArticles}, []string{"20 " + fine, "9 " + toArticles}, "moved [/blog/* -> /articles/*] grown 2 -> 9"},
		"a rule of few now":          {[]string{"20 " + fine, "9 " + toArticles}, []string{"20 " + fine, "2 " + toArticles}, "moved [/blog/* -> /articles/*] shrunk 9 -> 2"},
		"few in both":                {[]string{"20 " + fine, "2 " + toArticles}, []string{"20 " + fine, "4 " + toArticles}, "moved [/blog/* -> /articles/*] grown 2 -> 4"},
		"new and gone":               {[]string{"20 " + fine, "9 " + toArticles}, []string{"20 " + fine, "7 " + lift("s")}, "moved [parameter s removed] new 0 -> 7; moved [/blog/* -> /articles/*] gone 9 -> 0"},
		"the same rule, temporary":   {[]string{"9 " + toArticles}, []string{"9 " + strings.Replace(toArticles, "301", "302", 1)}, "moved [/blog/* -> /articles/*] gone 9 -> 0; temporary [/blog/* -> /articles/*] new 0 -> 9"},
		"a place":                    {[]string{"90 " + fine}, []string{"90 " + fine, "20 " + gonePDF, "1 " + goneOther}, "not-found [*.pdf] new 0 -> 20; not-found [] new 0 -> 1"},
		"a place of few then":        {[]string{"90 " + fine, "3 " + gonePDF}, []string{"90 " + fine, "20 " + gonePDF}, "not-found [*.pdf] grown 3 -> 20"},
		"one by one then, many now":  {[]string{"9 " + lift("a")}, append([]string{"9 " + lift("a")}, several(12, 6, lift)...), "moved [parameters a, b0, b1, b10, b11, b2, b3, b4, b5, b6, b7, b8, b9 removed] grown 9 -> 81"},
		"others of no pattern":       {[]string{"30 " + fine, "5 " + apart("p"), "1 http://a.example/s# 200"}, []string{"30 " + fine, "1 " + apart("s"), "5 http://a.example/p# 200"}, "moved [] new 0 -> 1; moved [] gone 5 -> 0"},
		"as many others":             {[]string{"30 " + fine, "3 " + missing("p"), "3 http://a.example/s# 200"}, []string{"30 " + fine, "3 " + missing("s"), "3 http://a.example/p# 200"}, "not-found [] new 0 -> 3; not-found [] gone 3 -> 0"},
		"one is left, others new":    {[]string{"30 " + fine, "2 " + missing("p"), "3 http://a.example/s# 200"}, []string{"30 " + fine, "1 " + missing("p"), "3 " + missing("s"), "1 http://a.example/p1 200"}, "not-found [] grown 2 -> 4"},
		"one leads elsewhere now":    {[]string{"30 " + fine, "2 " + apart("p")}, []string{"30 " + fine, "1 " + strings.ReplaceAll(apart("p"), "away", "off"), "1 http://a.example/p1 200"}, "moved [] shrunk 2 -> 1"},
		"other ones of a rule":       {[]string{"30 " + fine, "6 " + toArticles}, []string{"30 " + fine, "9 " + strings.ReplaceAll(toArticles, "#", "1#")}, "moved [/blog/* -> /articles/*] grown 6 -> 9"},
		"nothing":                    {[]string{"9 " + toArticles, "9 " + gonePDF}, []string{"9 " + toArticles, "9 " + gonePDF}, ""},
		"what was not seen then":     {[]string{"9 http://a.example/blog/# 503"}, []string{"9 " + toArticles}, ""},
		"a second spelling, sampled": {[]string{"9 http://a.example/f%28# 200"}, []string{"9 http://a.example/f%28# 200; http://a.example/f(# 301 /f%28#"}, ""},
	} {
		old, new := manySite(t, c.old...), manySite(t, c.new...)
		d, _ := compared(t, seenAs(t, old, info()), seenAs(t, new, info()))
		if got := sayTurns(d); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

// Causes stand as in a report: lane by lane, those of the most addresses now first, and
// those that are gone after them; each as the report of the audit that has it tells it.
func TestCausesOfDiffStandAsInTheReport(t *testing.T) {
	const (
		toHTTPS   = "http://a.example/h# 301 https://a.example/h#; https://a.example/h# 200"
		temporary = "http://a.example/t# 302 /u#; http://a.example/u# 200"
		noindex   = "http://a.example/n# 200 robots=noindex"
		mixed     = "http://a.example/n# 200 robots=noindex canonical=/fine/0"
	)
	then := manySite(t, "60 "+fine, "9 "+toHTTPS, "30 "+gonePDF, "6 "+noindex)
	now := manySite(t, "60 "+fine, "20 "+toArticles, "12 "+toHTTPS, "40 "+temporary, "6 "+mixed)
	d, _ := compared(t, seenAs(t, then, info()), seenAs(t, now, info()))
	if got, want := sayTurns(d), "moved [/blog/* -> /articles/*] new 0 -> 20; moved [http:// -> https://] grown 9 -> 12; noindex [] new 0 -> 6; "+
		"temporary [] new 0 -> 40; not-found [*.pdf] gone 30 -> 0; noindex [] gone 6 -> 0"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	list := map[string]audit.Cause{}
	for _, s := range []*site{then, now} {
		for _, c := range s.evaluate(t, rules()).Causes {
			list[fmt.Sprint(c.Verdict, c.Trait, c.Rule)] = c
		}
	}
	for _, c := range d.Causes {
		want := list[fmt.Sprint(c.Verdict, c.Trait, c.Rule)]
		if c.Group != want.Group || c.From != want.From || c.To != want.To || c.Count != want.Count || c.Count != max(c.New, c.Old*(1-min(1, c.New))) {
			t.Errorf("%s [%s] is told as %+v, want %+v", c.Verdict, c.Rule, c.Cause, want)
		}
	}
}

func several(names, n int, line func(string) string) (lines []string) {
	for i := range names {
		lines = append(lines, fmt.Sprintf("%d %s", n, line(fmt.Sprint("b", i))))
	}
	return lines
}

// An audit compared with one in which all is fine shows the causes of its report,
// with the same words and counts.
func TestCausesOfDiffAreThoseOfReport(t *testing.T) {
	lines := []string{"30 " + fine, "8 " + toArticles, "9 " + gonePDF, "3 " + goneOther,
		"7 http://a.example/A# 301 https://a.example/a#/; https://a.example/a#/ 200",
		"6 http://a.example/q?sid=#&x=1 302 /q?x=1; http://a.example/q?x=1 200",
		"5 http://a.example/u%7e# 301 /u~#; http://a.example/u~# 200",
		"2 http://a.example/once# 301 /other-#; http://a.example/other-# 200"}
	new := manySite(t, lines...)
	old := &site{web: web{}, files: new.files, entries: new.entries}
	for req, h := range new.web {
		h.Status, h.Location, h.Page = 200, "", audit.Page{}
		old.web[req] = h
	}
	d, _ := compared(t, seenAs(t, old, info()), seenAs(t, new, info()))
	var got, want []string
	for _, c := range d.Causes {
		got = append(got, fmt.Sprintf("%s [%s] %d", c.Verdict, c.Rule, c.New))
	}
	for _, c := range new.evaluate(t, rules()).Causes {
		want = append(want, fmt.Sprintf("%s [%s] %d", c.Verdict, c.Rule, c.Count))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Entries that are removed as listed already stand in a comparison as in the report of the
// newer audit, however many redirects lead to what is listed.
func TestCausesOfDiffThatAreRemovedAsListed(t *testing.T) {
	const chain = "http://a.example/b/# 301 /x/#; http://a.example/x/# 301 /y/#; http://a.example/y/# 301 /articles/#; http://a.example/articles/# 200"
	const some = "http://a.example/b/9# 301 /articles/9#; http://a.example/articles/9# 200"
	pages := []string{"20 " + fine, "6 http://a.example/articles/# 200", "6 http://a.example/articles/9# 200"}
	for name, moved := range map[string][]string{"a redirect": {"6 " + toArticles}, "a chain": {"6 " + chain}, "either": {"3 " + chain, "3 " + some}} {
		then := manySite(t, pages...)
		now := manySite(t, append(slices.Clone(pages), moved...)...)
		d, err := audit.Compare(t.Context(), seenAs(t, then, info()), seenAs(t, now, info()), newShelf)
		if err != nil {
			t.Fatal(err)
		}
		result := now.evaluate(t, rules()).Causes
		if len(result) != 1 || result[0].Trait != audit.Repeated {
			t.Fatalf("%s: the report tells %+v", name, result)
		}
		if len(d.Causes) != 1 || d.Causes[0].Trait != audit.Repeated || d.Causes[0].Group != audit.Corrected || d.Causes[0].New != 6 {
			t.Errorf("%s: compared as %+v, want 6 new as the report tells them: %+v", name, d.Causes, result)
		}
	}
}

// Of two causes of one verdict, of which the upload corrects one and the rules keep the other as it
// is, the first one is gone, and of the other nothing is said. The same holds where the report of
// the newer audit makes something else of what both saw.
func TestCausesOfDiffThatDifferInWhatIsWritten(t *testing.T) {
	const (
		corrected = "http://a.example/de/1 200 canonical=/de/one; http://a.example/de/one 200"
		held      = "http://a.example/fr/4 200 canonical=/en/4; http://a.example/en/4 200"
		both      = "http://a.example/fr/5 200 canonical=/en/5; http://a.example/en/5 200"
	)
	causes := func(old, new audit.Snapshot) []audit.CauseChange {
		d, err := audit.Compare(t.Context(), old, new, newShelf)
		if err != nil {
			t.Fatal(err)
		}
		return d.Causes
	}
	then := manySite(t, "1 "+corrected, "1 "+held, "1 http://a.example/en/4 200", "1 http://a.example/en/5 200")
	now := manySite(t, "1 http://a.example/de/one 200", "1 "+held, "1 http://a.example/en/4 200", "1 http://a.example/en/5 200")
	list := causes(observed(t, then, info()), observed(t, now, info()))
	if len(list) != 1 || list[0].Group != audit.Corrected || list[0].Old != 1 || list[0].New != 0 || !slices.Equal(list[0].Examples, []string{"http://a.example/de/1"}) {
		t.Errorf("one corrected: %+v", list)
	}
	more := manySite(t, "1 "+corrected, "1 "+held, "1 "+both, "1 http://a.example/en/4 200", "1 http://a.example/en/5 200")
	list = causes(observed(t, then, info()), observed(t, more, info()))
	if len(list) != 1 || list[0].Stop != audit.Locale || list[0].Old != 1 || list[0].New != 2 {
		t.Errorf("one more that is held: %+v", list)
	}
	lifted := info()
	lifted.Rules.Lift = map[audit.Note]bool{audit.Locale: true}
	if list = causes(observed(t, more, info()), observed(t, more, lifted)); len(list) > 0 {
		t.Errorf("nothing changed but what is written: %+v", list)
	}
}

// causesShare fails where a comparison makes one cause, with addresses in both audits, of two that
// say nothing of where they are, and no address was found to be the same in both.
func causesShare(t *rapid.T, seen [2]audit.Snapshot, d *audit.Diff) {
	// Where both saw the same, the cause that one report has for it counts in both. An address that
	// is listed twice has one cause, whichever of the two it is of.
	caused, found := [2]map[string]bool{{}, {}}, [2]map[string]map[audit.Verdict]bool{{}, {}}
	for i := range seen {
		for s := range seen[i].Sights() {
			if found[i][s.Address] == nil {
				found[i][s.Address] = map[audit.Verdict]bool{}
			}
			found[i][s.Address][s.Verdict] = true
			caused[i][s.Address] = caused[i][s.Address] || s.Cause > 0
		}
	}
	shared := map[audit.Verdict]bool{}
	for at, verdicts := range found[1] {
		for v := range verdicts {
			shared[v] = shared[v] || found[0][at][v] && (caused[0][at] || caused[1][at])
		}
	}
	for _, c := range d.Causes {
		if c.Rule == "" && c.Old > 0 && c.New > 0 && !shared[c.Verdict] {
			t.Fatalf("no address is %s in both audits: %s", c.Verdict, sayTurns(d))
		}
	}
}

// Whatever two audits saw, the causes of a verdict add up to the change of how many
// addresses their reports explain, each is one that a report names, an audit compared with
// itself has none, each says how it turned, and those of no pattern that share no address are two.
func TestCausesOfDiffAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var seen [2]audit.Snapshot
		for i := range seen {
			s, drawn := drawSite(t)
			drawn.Ended = time.Unix(1, 0)
			drawn.Rules.Spelling, drawn.Rules.MissingPath = address.None, ""
			seen[i] = observed(t, s, drawn)
		}
		for i := range seen {
			if d, err := audit.Compare(t.Context(), seen[i], seen[i], newShelf); err != nil || len(d.Causes) > 0 {
				t.Fatalf("an audit and itself: %s, %v", sayTurns(d), err)
			}
		}
		d, err := audit.Compare(t.Context(), seen[0], seen[1], newShelf)
		if err != nil {
			t.Fatal(err)
		}
		causesShare(t, seen, d)
		got, want := map[audit.Verdict]int{}, map[audit.Verdict]int{}
		for _, c := range d.Causes {
			named := func(o audit.Cause) bool { return o.Key == c.Key && o.Count == c.Count }
			if !slices.ContainsFunc(seen[0].Causes, named) && !slices.ContainsFunc(seen[1].Causes, named) {
				t.Fatalf("no report names %+v", c.Cause)
			}
			got[c.Verdict] += c.New - c.Old
			if wants := map[bool]string{true: "new grown changed", false: "gone shrunk changed"}[c.New > c.Old]; c.New == c.Old || !strings.Contains(wants, c.Turn()) {
				t.Fatalf("%d -> %d is %s", c.Old, c.New, c.Turn())
			}
		}
		for c := range d.Changes(t.Context()) {
			for side, s := range []*audit.Observation{c.Old, c.New} {
				if s != nil && c.Effect != audit.NotCompared && s.Cause > 0 && s.Verdict != audit.Unverified {
					want[s.Verdict] += 2*side - 1
				}
			}
		}
		for _, v := range audit.Verdicts() {
			if got[v] != want[v] {
				t.Fatalf("%s: causes add up to %d, changes to %d: %s", v, got[v], want[v], sayTurns(d))
			}
		}
	})
}

// Of sitemaps with four entries at most, too, the counts of a comparison are those of its
// changes, no address is in it twice, and no cause stands there twice but as one that is gone and
// one that is there now, which share no address.
func TestDiffOfFewEntriesAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var seen [2]audit.Snapshot
		for i := range seen {
			s, drawn := drawSite(t)
			few := &site{web: s.web}
			var locs []string
			for j := range s.entries[:min(len(s.entries), rapid.IntRange(0, 4).Draw(t, "entries"))] {
				locs = append(locs, s.entries[j].Loc)
			}
			few.list(map1, locs...)
			drawn.Ended = time.Unix(1, 0)
			drawn.Rules.Spelling, drawn.Rules.MissingPath = address.None, ""
			seen[i] = observed(t, few, drawn)
		}
		d, err := audit.Compare(t.Context(), seen[0], seen[1], newShelf)
		if err != nil {
			t.Fatal(err)
		}
		effects, addresses := map[audit.Effect]int{}, map[string]bool{}
		for c, err := range d.Changes(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			of := cmp.Or(c.New, c.Old)
			if addresses[of.Address] {
				t.Fatalf("%s is there twice", of.Address)
			}
			addresses[of.Address] = true
			effects[c.Effect]++
		}
		for e, n := range d.Effects {
			if e != audit.Same && n != effects[e] {
				t.Fatalf("%s: %d counted, %d told", e, n, effects[e])
			}
		}
		causesShare(t, seen, d)
		causes := map[string]bool{}
		for _, c := range d.Causes {
			key := fmt.Sprint(c.Verdict, c.Group, c.Stop, c.Trait, c.Rule, c.Key, c.New == 0)
			if causes[key] {
				t.Fatalf("%s is there twice: %s", key, sayTurns(d))
			}
			causes[key] = true
		}
	})
}

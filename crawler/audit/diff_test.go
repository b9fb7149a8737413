package audit_test

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

const x = "http://a.example/x"

// seenAs looks at a site as an audit of the given rules, and sorts in memory.
func seenAs(t testing.TB, s *site, info audit.Info) audit.Snapshot {
	t.Helper()
	return observed(t, s, info)
}

// observed is seenAs of a law.
func observed(t rapid.TB, s audit.Source, info audit.Info) audit.Snapshot {
	t.Helper()
	result, err := audit.Evaluate(context.Background(), s, info, func(url string) string { return url })
	if err != nil {
		t.Fatal(err)
	}
	var all []audit.Observation
	seen, err := audit.Observe(context.Background(), s, result, func(x *audit.Observation) error { all = append(all, *x); return nil })
	if err != nil {
		t.Fatal(err)
	}
	seen.Sights = sorted(all)
	return seen
}

// shelf keeps records in memory.
type shelf struct{ records [][2]string }

func newShelf() audit.Shelf { return &shelf{} }

func (s *shelf) Add(key, value string) error {
	s.records = append(s.records, [2]string{key, value})
	return nil
}

func (s *shelf) Sorted() iter.Seq2[[2]string, error] {
	slices.SortFunc(s.records, func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return func(yield func([2]string, error) bool) {
		for _, r := range s.records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// seenOf is an audit that saw just these.
func seenOf(all []audit.Observation, tallies []audit.Tally, info audit.Info) audit.Snapshot {
	return audit.Snapshot{Info: info, Tallies: tallies, Sights: sorted(all)}
}

// sorted keeps sights as a file would, in order of address.
func sorted(all []audit.Observation) func() iter.Seq2[audit.Observation, error] {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b audit.Observation) int { return cmp.Compare(a.Address, b.Address) })
	return func() iter.Seq2[audit.Observation, error] {
		return func(yield func(audit.Observation, error) bool) {
			for _, s := range all {
				b, _ := s.AppendBinary(nil)
				kept := audit.Observation{Address: s.Address}
				if !yield(kept, kept.UnmarshalBinary(b)) {
					return
				}
			}
		}
	}
}

func info() audit.Info {
	return audit.Info{Rules: *rules(), Identity: "googlebot", Ended: time.Unix(1, 0), Targets: []string{"http://a.example"}}
}

// compared compares, checks that the counts add up, and that turning the two
// round turns every change round.
func compared(t rapid.TB, old, new audit.Snapshot) (*audit.Diff, []audit.Change) {
	t.Helper()
	d, err := audit.Compare(context.Background(), old, new, newShelf)
	if err != nil {
		t.Fatal(err)
	}
	var changes []audit.Change
	for c, err := range d.Changes(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		changes = append(changes, c)
	}
	sum := 0
	for e, n := range d.Effects {
		sum += n
		parts := 0
		for _, m := range d.Parts[e] {
			parts += m
		}
		if e != audit.Same && parts != n {
			t.Errorf("%s: %d addresses, the parts add up to %d", e, n, parts)
		}
	}
	if sum != d.Addresses || len(changes) != d.Addresses-d.Effects[audit.Same] {
		t.Errorf("%d addresses, the effects add up to %d, %d changes", d.Addresses, sum, len(changes))
	}
	mirror, err := audit.Compare(context.Background(), new, old, newShelf)
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	for c := range mirror.Changes(context.Background()) {
		if i < len(changes) && changes[i].Address == c.Address && (fellOut(d, &changes[i]) || fellOut(mirror, &c)) {
			i++ // what leaves with much else is no repair, what joins with it is a problem
			continue
		}
		if i >= len(changes) || sayChange(turned(changes[i])) != sayChange(c) {
			t.Fatalf("turned round: %s", sayChange(c))
		}
		i++
	}
	return d, changes
}

// fellOut reports whether an address that was a problem left a sitemap with much else.
func fellOut(d *audit.Diff, c *audit.Change) bool {
	return len(d.Shrunk) > 0 && c.Effect == audit.Otherwise && c.New == nil && c.Old.Verdict.Problem()
}

var opposite = map[audit.ChangeKind]audit.ChangeKind{audit.NewProblem: audit.Fixed, audit.BecameTemporary: audit.BecamePermanent,
	audit.MoreHops: audit.FewerHops, audit.NewlyListed: audit.NoLongerListed, audit.FirstSeen: audit.NoLongerSeen}

func turned(c audit.Change) audit.Change {
	c.Old, c.New = c.New, c.Old
	switch c.Effect {
	case audit.Worse:
		c.Effect = audit.Better
	case audit.Better:
		c.Effect = audit.Worse
	}
	kinds := []audit.ChangeKind{}
	for _, k := range c.Kinds {
		for a, b := range opposite {
			switch k {
			case a:
				k = b
			case b:
				k = a
			default:
				continue
			}
			break
		}
		kinds = append(kinds, k)
	}
	c.Kinds = slices.SortedFunc(slices.Values(kinds), func(a, b audit.ChangeKind) int {
		return slices.Index(audit.ChangeKinds(), a) - slices.Index(audit.ChangeKinds(), b)
	})
	return c
}

func sayChange(c audit.Change) string {
	var s strings.Builder
	s.WriteString(fmt.Sprint(c.Address, " ", c.Effect))
	for _, k := range c.Kinds {
		s.WriteString(" " + string(k))
	}
	return s.String()
}

// What one address answered in two audits, and what that is called.
func TestChanges(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{x + " 200", x + " 200", ""},
		{x + " 200", x + " 301 /y; /y 200", "worse new-problem"},
		{x + " 200", x + " 404; browser " + x + " 404", "worse new-problem"},
		{x + " 500", x + " 200", "better fixed"},
		{x + " 301 /y; /y 200", x + " 302 /y; /y 200", "worse verdict became-temporary"},
		{x + " 302 /y; /y 200", x + " 301 /y; /y 200", "better verdict became-permanent"},
		{x + " 301 /y; /y 200", x + " 301 /z; /z 200", "changed target"},
		{x + " 301 /y; /y 200", x + " 301 /z; /z 301 /y; /y 200", "worse more-hops"},
		{x + " 301 /z; /z 301 /y; /y 200", x + " 301 /w; /w 200", "better fewer-hops target"},
		{x + " 301 /z; /z 301 /y; /y 200", x + " 302 /y; /y 200", "worse verdict became-temporary fewer-hops"},
		{x + " 301 /y; /y 200", x + " 301 /y; /y 404; browser " + x + " 404", "worse verdict"},
		{x + " 301 /y; /y 301 /z; /z 404; browser " + x + " 404", x + " 301 /z; /z 404; browser " + x + " 404", "changed fewer-hops"},
		{x + " 500", x + " 500", ""},
		{x + " 500", x + " 410; browser " + x + " 410", "changed verdict"},
		{x + " 500", x + " 502", "changed status"},
		{x + " 301 " + x, x + " 200", "better fixed"},
		{x + " 200 canonical=/a", x + " 200 canonical=/b", "changed target"},
		{x + " 200", x + " 200 robots=noindex", "worse new-problem"},
		{x + " 200 robots=noindex", x + " 301 /y; /y 200", "better verdict"},
		// what was not seen
		{x + " 200", x + " 503", "not-compared no-longer-seen"},
		{x + " fault=timeout", x + " 404; browser " + x + " 404", "not-compared first-seen"},
		{x + " 403", x + " fault=dns", "not-compared never-seen"},
		{"", x + " 500", "not-compared first-seen"},
		{x + " 200", x + " fault=robots-forbids", "worse verdict"},
		{x + " fault=robots-forbids", x + " 200", "better verdict"},
		{x + " fault=robots-forbids", x + " 404; browser " + x + " 404", "not-compared first-seen"},
		{x + " 500", x + " fault=robots-forbids", "not-compared no-longer-seen"},
	} {
		old, new := &site{web: parseWeb(t, lines(c.old))}, &site{web: parseWeb(t, lines(c.new))}
		old.list(map1, x)
		new.list(map1, x)
		_, changes := compared(t, seenAs(t, old, info()), seenAs(t, new, info()))
		got := ""
		for _, c := range changes {
			got = strings.TrimPrefix(sayChange(c), x+" ")
		}
		if got != c.want {
			t.Errorf("%s\n-> %s\ngot  %s\nwant %s", c.old, c.new, got, c.want)
		}
	}
}

// lines writes a web of one line as parseWeb wants it.
func lines(web string) string {
	return strings.ReplaceAll(strings.ReplaceAll(web, "; /", "\nhttp://a.example/"), "; ", "\n")
}

// What is asked in samples, or by other flags, is no change of the site.
func TestChangesOfFlags(t *testing.T) {
	bounce := "http://a.example/x%28 200\nhttp://a.example/x( 301 /x%28"
	for name, c := range map[string]struct {
		old, new string
		change   func(*audit.Info)
		want     string
	}{
		"second spelling not asked then":   {"http://a.example/x%28 200", bounce, nil, ""},
		"second spelling asked in both":    {"http://a.example/x%28 200\nhttp://a.example/x( 200", bounce, nil, "worse verdict"},
		"second spelling of another model": {bounce, "http://a.example/x%28 200\nhttp://a.example/x( 200", func(i *audit.Info) { i.Rules.Spelling = address.None }, ""},
		"another robot":                    {"http://a.example/x%28 200", "http://a.example/x%28 500", func(i *audit.Info) { i.Identity = "bingbot" }, "changed verdict"},
		"another header":                   {"http://a.example/x%28 500", "http://a.example/x%28 200", func(i *audit.Info) { i.Agent = "x" }, "changed verdict"},
		"robots.txt not obeyed":            {"http://a.example/x%28 200", "http://a.example/x%28 fault=robots-forbids", func(i *audit.Info) { i.Rules.Robots = "ignore" }, "not-compared no-longer-seen"},
		"fewer hops allowed":               {"http://a.example/x%28 301 /y\nhttp://a.example/y 301 /z\nhttp://a.example/z 200", "http://a.example/x%28 301 /y\nhttp://a.example/y 301 /z", func(i *audit.Info) { i.Rules.MaxHops = 1 }, "not-compared never-seen"},
	} {
		old, new := &site{web: parseWeb(t, c.old)}, &site{web: parseWeb(t, c.new)}
		old.list(map1, "http://a.example/x%28")
		new.list(map1, "http://a.example/x%28")
		now := info()
		if c.change != nil {
			c.change(&now)
		}
		d, changes := compared(t, seenAs(t, old, info()), seenAs(t, new, now))
		got := ""
		for _, c := range changes {
			got = strings.TrimPrefix(sayChange(c), "http://a.example/x%28 ")
		}
		if got != c.want || c.change != nil && len(d.Differ.Names()) != 1 {
			t.Errorf("%s: got %q, want %q; differ in %v", name, got, c.want, d.Differ.Names())
		}
	}
}

// What an index names that is not there (404) is not compared, be it a sitemap or an index of
// others; a sitemap that its index no longer names is gone, whatever else is not there, or cannot
// be read in both audits.
func TestLeftWithItsIndex(t *testing.T) {
	const one, other = "http://a.example/1", "http://a.example/2"
	index := func(answered bool, children ...string) audit.Snapshot {
		s := &site{web: parseWeb(t, one+" 200\n"+other+" 500")}
		s.list(map1, one)
		missing := func() {
			f := &s.files[len(s.files)-1]
			f.Kind, f.Status, f.Faults = "", 404, []audit.SitemapFault{{Name: "HTTP error", Severity: "error"}}
		}
		s.list("http://a.example/index.xml")
		if s.files[1].Kind = "index"; !answered {
			missing()
		}
		for _, child := range children {
			if name, status, unread := strings.Cut(child, " "); unread {
				s.list("http://a.example/" + name)
				missing()
				s.files[len(s.files)-1].Status, _ = strconv.Atoi(status)
			} else {
				s.list("http://a.example/"+name, other)
			}
			s.files[len(s.files)-1].Parent = 1
		}
		return seenAs(t, s, info())
	}
	for name, c := range map[string]struct {
		then, now audit.Snapshot
		want      string
		file      bool // it is known that the sitemap is not there
	}{
		"its index does not name it":              {index(true, "two.xml"), index(true), "better fixed left", true},
		"its index still names it":                {index(true, "two.xml"), index(true, "two.xml 404"), "not-compared no-longer-seen", false},
		"its index names another that is missing": {index(true, "two.xml"), index(true, "x.xml 404"), "better fixed left", true},
		"its index names another that is unread":  {index(true, "two.xml"), index(true, "x.xml 503"), "not-compared no-longer-seen", false},
		"another was never read":                  {index(true, "two.xml", "x.xml 503"), index(true, "x.xml 500"), "better fixed left", true},
		"another is not read any more":            {index(true, "two.xml", "x.xml"), index(true, "x.xml 503"), "not-compared no-longer-seen", true},
		"its index is missing":                    {index(true, "two.xml"), index(false), "not-compared no-longer-seen", false},
	} {
		d, changes := compared(t, c.then, c.now)
		if len(changes) != 1 || sayChange(changes[0]) != other+" "+c.want {
			t.Errorf("%s: %+v, want %s", name, changes, c.want)
		}
		at := slices.IndexFunc(d.Files, func(f audit.FileChange) bool { return f.URL == "http://a.example/two.xml" })
		if gone := d.Files[at].New == nil; gone != c.file {
			t.Errorf("%s: the sitemap is gone: %t", name, gone)
		}
	}
}

// Addresses join and leave the sitemaps, not one of several files that list
// them, and not where a file could not be read.
func TestJoinedAndLeft(t *testing.T) {
	web := parseWeb(t, "http://a.example/1 200\nhttp://a.example/2 200\nhttp://a.example/bad 500")
	two := "http://a.example/two.xml"
	make := func(files map[string][]string) *site {
		s := &site{web: web}
		for _, url := range slices.Sorted(maps.Keys(files)) {
			s.list(url, files[url]...)
			s.files[len(s.files)-1].NamedBy = "http://a.example/robots.txt"
		}
		return s
	}
	one, other, bad := "http://a.example/1", "http://a.example/2", "http://a.example/bad"
	for name, c := range map[string]struct {
		old, new map[string][]string
		spoil    func(*site)
		want     []string
	}{
		"joined":             {map[string][]string{map1: {one}}, map[string][]string{map1: {one, other, bad}}, nil, []string{other + " changed joined", bad + " worse new-problem joined"}},
		"left":               {map[string][]string{map1: {one, other, bad}}, map[string][]string{map1: {one}}, nil, []string{other + " changed left", bad + " better fixed left"}},
		"from file to file":  {map[string][]string{map1: {one, other}, two: {}}, map[string][]string{map1: {one}, two: {other, other}}, nil, nil},
		"the file is gone":   {map[string][]string{map1: {one}, two: {other}}, map[string][]string{map1: {one}}, nil, []string{other + " changed left"}},
		"a file unread":      {map[string][]string{map1: {one}, two: {other}}, map[string][]string{map1: {one}, two: {}}, func(s *site) { s.files[1].Kind, s.files[1].Status = "", 500 }, []string{other + " not-compared no-longer-seen"}},
		"a file is 404":      {map[string][]string{map1: {one}, two: {other}}, map[string][]string{map1: {one}, two: {}}, func(s *site) { s.files[1].Kind, s.files[1].Status = "", 404 }, []string{other + " not-compared no-longer-seen"}},
		"another is 404":     {map[string][]string{map1: {one}, two: {other}}, map[string][]string{map1: {one}, "http://a.example/x.xml": {}}, func(s *site) { s.files[1].Kind, s.files[1].Status = "", 404 }, []string{other + " changed left"}},
		"a file cut off":     {map[string][]string{map1: {one, other}}, map[string][]string{map1: {one}}, func(s *site) { s.files[0].Cut = true }, []string{other + " not-compared no-longer-seen"}},
		"a third unread":     {map[string][]string{map1: {one}, two: {other}, "http://a.example/x.xml": {}}, map[string][]string{map1: {one}, "http://a.example/x.xml": {}}, func(s *site) { s.files[1].Kind, s.files[1].Status = "", 500 }, []string{other + " not-compared no-longer-seen"}},
		"listed in two":      {map[string][]string{map1: {one, other}, two: {other}}, map[string][]string{map1: {one}, two: {}}, func(s *site) { s.files[1].Cut = true }, []string{other + " not-compared no-longer-seen"}},
		"an index unread":    {map[string][]string{map1: {one}, two: {other}}, map[string][]string{map1: {one}, "http://a.example/index.xml": {}}, func(s *site) { s.files[0].Kind = "" }, []string{other + " not-compared no-longer-seen"}},
		"only what was read": {map[string][]string{map1: {one, other}, two: {bad}}, map[string][]string{map1: {one}, two: {}}, func(s *site) { s.files[1].Kind = "" }, []string{other + " changed left", bad + " not-compared no-longer-seen"}},
	} {
		new := make(c.new)
		if c.spoil != nil {
			c.spoil(new)
		}
		_, changes := compared(t, seenAs(t, make(c.old), info()), seenAs(t, new, info()))
		var got []string
		for _, c := range changes {
			got = append(got, sayChange(c))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", name, got, c.want)
		}
	}
	stopped := info()
	stopped.Ended = time.Time{}
	_, changes := compared(t, seenAs(t, make(map[string][]string{map1: {one}, two: {other}}), info()), seenAs(t, make(map[string][]string{map1: {one}}), stopped))
	if len(changes) != 1 || changes[0].Effect != audit.NotCompared {
		t.Errorf("a stopped audit: %+v", changes)
	}
}

// The causes count the addresses that were compared, the files all entries; both
// say then and now.
func TestCausesAndFiles(t *testing.T) {
	old := &site{web: parseWeb(t, `
		http://a.example/1 301 https://a.example/1
		https://a.example/1 200
		http://a.example/2 301 https://a.example/2
		https://a.example/2 200
		http://a.example/3 503
		http://a.example/4 200`)}
	new := &site{web: parseWeb(t, `
		http://a.example/1 200
		http://a.example/2 200
		http://a.example/3 500
		http://a.example/4 404
		browser http://a.example/4 404`)}
	for _, s := range []*site{old, new} {
		s.list(map1, "http://a.example/1", "http://a.example/2", "http://a.example/3", "http://a.example/4", "http://a.example/4")
	}
	d, _ := compared(t, seenAs(t, old, info()), seenAs(t, new, info()))
	if got, want := sayTurns(d), "not-found [] new 0 -> 1; moved [http:// -> https://] gone 2 -> 0"; got != want {
		t.Errorf("causes %s\nwant   %s", got, want)
	}
	f := d.Files
	if len(f) != 1 || f[0].URL != map1 || f[0].Old.ErrorRate() != 0.4 || f[0].New.ErrorRate() != 0.6 || f[0].Old.Unverified != 1 || f[0].New.Unverified != 0 {
		t.Errorf("files %+v", f)
	}
	if d.NewVerdicts[audit.Error] != 1 || d.NewVerdicts[audit.NotFound] != 1 {
		t.Errorf("new verdicts %v", d.NewVerdicts)
	}
}

var someVerdicts = []audit.Verdict{audit.OK, audit.OK, audit.Moved, audit.Temporary, audit.NotFound, audit.Loop, audit.Unverified,
	audit.Skipped, audit.Disallowed, audit.SpellingBounce, audit.Noncanonical, audit.Soft404, audit.TooManyRedirects, audit.Homepage}

// drawSeen draws an audit: what it saw is one for each address, as a memory has
// one answer to each, however often it is listed.
func drawSeen(t *rapid.T, label string) ([]audit.Observation, []audit.Tally, audit.Info) {
	i := info()
	i.Identity = rapid.SampledFrom([]string{"googlebot", "googlebot", "googlebot", "bingbot"}).Draw(t, label+" as")
	i.Rules.MaxHops = rapid.IntRange(9, 10).Draw(t, label+" hops")
	tallies := []audit.Tally{{Sitemap: audit.Sitemap{URL: map1, Kind: "urlset"}}, {Sitemap: audit.Sitemap{URL: "http://a.example/two.xml", Kind: rapid.SampledFrom([]string{"urlset", ""}).Draw(t, label+" kind")}}}
	var all []audit.Observation
	for n := range rapid.IntRange(0, 8).Draw(t, label+" addresses") {
		s := audit.Observation{Address: fmt.Sprint("http://a.example/", n+rapid.IntRange(0, 2).Draw(t, "shift")), Verdict: rapid.SampledFrom(someVerdicts).Draw(t, "verdict"),
			Hops: rapid.IntRange(0, 3).Draw(t, "hops"), Temporary: rapid.Bool().Draw(t, "temporary"), Status: rapid.SampledFrom([]int{200, 404, 500}).Draw(t, "status"),
			Target: rapid.SampledFrom([]string{"", "http://a.example/to", "http://a.example/end"}).Draw(t, "target"), AltSpelling: rapid.Bool().Draw(t, "second")}
		if slices.ContainsFunc(all, func(o audit.Observation) bool { return o.Address == s.Address }) {
			continue
		}
		for line := range rapid.IntRange(1, 3).Draw(t, "listed") {
			s.Listed, s.Line, s.Sitemap = 1, line+1, rapid.IntRange(0, 1).Draw(t, "sitemap")
			all = append(all, s)
		}
	}
	return all, tallies, i
}

// Nothing changes between an audit and itself; the two turned round are every
// change turned round; the counts add up; and the order of entries is nothing.
func TestDiffLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, aTallies, aInfo := drawSeen(t, "old")
		b, bTallies, bInfo := drawSeen(t, "new")
		self, none := compared(t, seenOf(a, aTallies, aInfo), seenOf(a, aTallies, aInfo))
		for _, c := range none {
			if c.Effect != audit.NotCompared || c.Kind() != audit.NeverSeen {
				t.Fatalf("an audit differs from itself: %s", sayChange(c))
			}
		}
		if self.Worse() || len(self.Causes) > 0 {
			t.Fatalf("an audit is worse than itself: %+v", self)
		}
		d, changes := compared(t, seenOf(a, aTallies, aInfo), seenOf(b, bTallies, bInfo))
		shuffled := rapid.Permutation(b).Draw(t, "order")
		again, same := compared(t, seenOf(a, aTallies, aInfo), seenOf(shuffled, bTallies, bInfo))
		if fmt.Sprint(d.Effects, d.Kinds, d.Causes) != fmt.Sprint(again.Effects, again.Kinds, again.Causes) {
			t.Fatalf("another order of entries gives %v, not %v", again.Effects, d.Effects)
		}
		for i := range changes {
			if x, y := changes[i], same[i]; sayChange(x) != sayChange(y) || place(d, x) != place(again, y) {
				t.Fatalf("another order of entries gives %s, not %s", sayChange(y), sayChange(x))
			}
		}
		if d.Differ.As && (d.Worse() || d.Effects[audit.Better] > 0) {
			t.Fatal("two robots, and something is worse")
		}
	})
}

func place(d *audit.Diff, c audit.Change) string {
	sitemap, line := d.Place(&c)
	return fmt.Sprint(sitemap, " ", line)
}

func sayTurns(d *audit.Diff) string {
	var said []string
	for _, c := range d.Causes {
		was, is := c.Named()
		line := fmt.Sprintf("%s [%s] %s %d -> %d", c.Verdict, c.Rule, c.Turn(), was, is)
		if n := c.Open(); n > 0 {
			line += fmt.Sprintf(", %d not compared", n)
		}
		said = append(said, line)
	}
	return strings.Join(said, "; ")
}

// Two audits that are named in the reverse of their order are compared so, and that is said.
func TestDiffInReverse(t *testing.T) {
	then, now := observed(t, manySite(t, "2 "+fine), info()), observed(t, manySite(t, "3 "+fine), info())
	then.Info.Seq, now.Info.Seq = 1, 2
	for reversed, seen := range map[bool][2]audit.Snapshot{false: {then, now}, true: {now, then}} {
		d, err := audit.Compare(t.Context(), seen[0], seen[1], newShelf)
		if err != nil {
			t.Fatal(err)
		}
		if d.Differ.Reversed != reversed || slices.Contains(d.Differ.Names(), "reversed") != reversed {
			t.Errorf("reversed %t: the audits differ in %v", reversed, d.Differ.Names())
		}
	}
	if d, err := audit.Compare(t.Context(), then, then, newShelf); err != nil || d.Differ.Reversed {
		t.Errorf("an audit and itself: %v, %v", d.Differ.Names(), err)
	}
}

package audit_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// A mapFile is a sitemap of a web of them: an index of those that have it as parent, or a list of
// entries.
type mapFile struct {
	url    string
	parent int // -1: robots.txt names it
	index  bool
	locs   []string
}

// A readAs is how one audit could read a sitemap: to its end where it is zero.
type readAs struct {
	status int  // the answer in its place
	cut    bool // only the first half came
	never  bool // the audit was stopped before
}

// mapReading is an audit of a web of sitemaps.
type mapReading struct {
	site *site
	info audit.Info
}

// readMaps reads the sitemaps of a web, each as the audit could. before is what an earlier audit
// took out of those that are not read now, for which such an audit has a list.
func readMaps(w web, maps []mapFile, as []readAs, before bool) *mapReading {
	r := &mapReading{&site{web: w}, info()}
	at, named := map[int]int{}, map[int]int{}
	for i, m := range maps {
		parent, read := at[m.parent]
		if m.parent < 0 {
			parent, read = -1, true
		}
		if up := max(0, m.parent); as[up].cut {
			named[up]++
			read = read && (m.parent < 0 || named[up] <= 1)
		}
		if !read {
			continue
		}
		r.read(&m, parent, as[i])
		if as[i] == (readAs{}) || as[i].cut {
			at[i] = len(r.site.files) - 1
		}
	}
	for i, m := range maps {
		if _, read := at[i]; before && !read && len(m.locs) > 0 {
			first := len(r.site.entries)
			r.site.list(m.url, m.locs...)
			r.site.files[len(r.site.files)-1].Kind = audit.KindEarlier
			for j := range r.site.entries[first:] {
				r.site.entries[first+j].Earlier = true
			}
		}
	}
	return r
}

func (r *mapReading) read(m *mapFile, parent int, as readAs) {
	locs := m.locs
	fault := audit.SitemapFault{Name: "HTTP error", Severity: "error", Key: "status"}
	switch {
	case as.status > 0 || as.never:
		locs = nil
	case as.cut:
		locs, fault.Key = locs[:len(locs)/2], "cut-off"
	}
	r.site.list(m.url, locs...)
	f := &r.site.files[len(r.site.files)-1]
	f.Parent, f.Status, f.Cut = parent, 200, as.cut
	if parent < 0 {
		f.NamedBy = "http://a.example/robots.txt"
	}
	if m.index {
		f.Kind = "index"
	}
	if as.status > 0 || as.never {
		f.Kind, f.Status = "", as.status
	}
	if as.never {
		fault.Key, r.info.Ended = audit.NotReadYet, time.Time{}
	}
	if as != (readAs{}) {
		f.Faults = []audit.SitemapFault{fault}
	}
}

// seen is what the audit saw; its files have a fault that rests on answers for each entry that is a
// problem.
func (r *mapReading) seen(t rapid.TB) (audit.Snapshot, *audit.Result) {
	result, err := audit.Evaluate(context.Background(), r.site, r.info, func(url string) string { return url })
	if err != nil {
		t.Fatal(err)
	}
	for i := range result.Files {
		f := &result.Files[i]
		if n := f.Counts.Problems(); n > 0 {
			f.Sitemap.Faults = append(slices.Clip(f.Sitemap.Faults), audit.SitemapFault{Name: "of answers", Severity: "error", Count: n, Basis: audit.OnAnswers})
		}
	}
	return observed(t, r.site, r.info), result
}

// drawMaps draws a web of sitemaps: indexes and lists of entries, some of which have the same ones.
func drawMaps(t *rapid.T, all []string) (maps []mapFile) {
	indexes := rapid.IntRange(0, 2).Draw(t, "indexes")
	for i := range indexes {
		maps = append(maps, mapFile{url: fmt.Sprintf("http://a.example/index%d.xml", i), parent: -1, index: true})
	}
	for i := range rapid.IntRange(1, 5).Draw(t, "lists") {
		m := mapFile{url: fmt.Sprintf("http://a.example/list%d.xml", i), parent: rapid.IntRange(-1, indexes-1).Draw(t, "parent")}
		m.locs = rapid.SliceOfN(rapid.SampledFrom(all), 0, 6).Draw(t, "entries")
		maps = append(maps, m)
	}
	return maps
}

func drawReadAs(t *rapid.T, maps []mapFile) []readAs {
	as := make([]readAs, len(maps))
	for i := range as {
		switch rapid.IntRange(0, 5).Draw(t, "read") {
		case 0:
			as[i].status = rapid.SampledFrom([]int{403, 404, 410, 429, 500, 503}).Draw(t, "status")
		case 1:
			as[i].cut = true
		case 2:
			as[i].never = rapid.IntRange(0, 3).Draw(t, "stopped") == 0
		}
	}
	return as
}

// drawMapWeb draws what the addresses of a site answer, two of them not what Google sees.
func drawMapWeb(t *rapid.T, outer *testing.T) (all []string, w web) {
	all = many(9, "http://a.example/%d")
	var text strings.Builder
	for _, at := range all {
		answer := rapid.SampledFrom([]string{"200", "404", "301 /0", "301 /new", "302 /new", "500", "503"}).Draw(t, "answers")
		fmt.Fprintf(&text, "%[1]s %[2]s\nbrowser %[1]s %[2]s\n", at, answer)
	}
	text.WriteString("http://a.example/new 200\n")
	return all, parseWeb(outer, text.String())
}

// Whatever sitemaps an audit could not read, or not to their ends: where the site did not change,
// nothing is said to have, but what became of these sitemaps themselves, and once they are read
// again nothing is new.
func TestUnreadSitemapsOfAnUnchangedSiteLaw(t *testing.T) {
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		all, w := drawMapWeb(t, outer)
		maps := drawMaps(t, all)
		old, result := readMaps(w, maps, make([]readAs, len(maps)), false).seen(t)
		var left []audit.SeenLast
		for range 3 {
			new, newResult := readMaps(w, maps, drawReadAs(t, maps), true).seen(t)
			for _, x := range []struct {
				was, is       audit.Snapshot
				before, after *audit.Result
			}{{old, new, result, newResult}, {new, old, newResult, result}} {
				d, _ := compared(t, x.was, x.is)
				if err := d.CompareFaults(context.Background(), x.before, x.after); err != nil {
					t.Fatal(err)
				}
				nothingChanged(t, d)
			}
			d, _ := compared(t, old, new)
			was := left
			left = nil
			since, err := d.SinceSeen(context.Background(), yieldAll(was), func(s *audit.SeenLast) error { left = append(left, *s); return nil })
			if err != nil {
				t.Fatal(err)
			}
			if n := since.Effects[audit.Worse] + since.Effects[audit.Better]; n > 0 {
				t.Fatalf("since they were seen last: %v", since.Kinds)
			}
			for v, n := range since.NewVerdicts {
				if v.Problem() || len(since.Newest[v]) != min(10, n) {
					t.Fatalf("since they were seen last: %d %s, %v", n, v, since.Newest[v])
				}
			}
			old, result = new, newResult
		}
	})
}

// Whatever other sitemaps an audit was to read, what it did not look at is not said to have changed;
// and where both audits could not read a sitemap, what became of others is said all the same.
func TestOtherSitemapsOfAnUnchangedSiteLaw(t *testing.T) {
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		all, w := drawMapWeb(t, outer)
		maps := drawMaps(t, all)
		readings := []*mapReading{readMaps(w, maps, drawReadAs(t, maps), false)}
		if target := rapid.IntRange(0, len(maps)-1).Draw(t, "target"); rapid.Bool().Draw(t, "of the site") {
			readings = append(readings, readMaps(w, maps, drawReadAs(t, maps), false))
		} else {
			readings = append(readings, readTarget(w, maps, target))
		}
		old, result := readings[0].seen(t)
		new, newResult := readings[1].seen(t)
		for _, turned := range []bool{false, true} {
			if turned {
				old, new, result, newResult = new, old, newResult, result
			}
			d, _ := compared(t, old, new)
			if err := d.CompareFaults(context.Background(), result, newResult); err != nil {
				t.Fatal(err)
			}
			nothingChanged(t, d)
		}
	})
}

// Whatever sitemaps two audits could not read, or were not to, and whatever became of the site: no
// cause is said to be new, gone, grown or shrunk of which an address was not compared, and a cause
// says of how many it was not.
func TestUnreadCausesLaw(t *testing.T) {
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		all, w := drawMapWeb(t, outer)
		_, later := drawMapWeb(t, outer)
		maps := drawMaps(t, all)
		old, _ := readMaps(w, maps, drawReadAs(t, maps), false).seen(t)
		if rapid.Bool().Draw(t, "of other entries") {
			maps = slices.Clone(maps)
			for i := range maps {
				if !maps[i].index && rapid.Bool().Draw(t, "corrected") {
					maps[i].locs = rapid.SliceOfN(rapid.SampledFrom(all), 0, 6).Draw(t, "entries")
				}
			}
		}
		reading := readMaps(later, maps, drawReadAs(t, maps), rapid.Bool().Draw(t, "before"))
		if rapid.Bool().Draw(t, "of one target") {
			reading = readTarget(later, maps, rapid.IntRange(0, len(maps)-1).Draw(t, "target"))
		}
		new, _ := reading.seen(t)
		causesCompared(t, [2]audit.Snapshot{old, new})
		causesCompared(t, [2]audit.Snapshot{new, old})
	})
}

// causesCompared holds that no cause is said to be new, gone, grown or shrunk of which an address was
// not compared: where a report has one cause of a verdict, that is each such address of the verdict.
func causesCompared(t rapid.TB, seen [2]audit.Snapshot) {
	t.Helper()
	d, err := audit.Compare(context.Background(), seen[0], seen[1], newShelf)
	if err != nil {
		t.Fatal(err)
	}
	var open [2]map[audit.Verdict]int // addresses not compared that have a cause, in either report
	for side := range open {
		open[side] = map[audit.Verdict]int{}
	}
	for c, err := range d.Changes(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		for side, s := range []*audit.Observation{c.Old, c.New} {
			if c.Effect == audit.NotCompared && s != nil && s.Cause > 0 {
				open[side][s.Verdict]++
			}
		}
	}
	for i := range d.Causes {
		x := &d.Causes[i]
		if x.Open() == 0 == (x.Turn() == audit.CauseChanged) {
			t.Fatalf("%d not compared: %s", x.Open(), sayTurns(d))
		}
		for side, got := range []int{x.NotCompared.Old, x.NotCompared.New} {
			alone := []int{x.Old, x.New}[side] > 0 && onlyCause(&seen[side], x.Verdict)
			want := open[side][x.Verdict]
			if got > want || alone && got < want {
				t.Fatalf("audit %d: %d %s not compared, want %d: %s", side, got, x.Verdict, want, sayTurns(d))
			}
		}
	}
}

// onlyCause reports whether a report has one cause of a verdict.
func onlyCause(s *audit.Snapshot, v audit.Verdict) bool {
	n := 0
	for i := range s.Causes {
		if s.Causes[i].Verdict == v {
			n++
		}
	}
	return n == 1
}

// A cause of which not all addresses were compared is not said to have ended, or to be new.
func TestCausesOfUnreadSitemaps(t *testing.T) {
	w := parseWeb(t, `
http://a.example/blog/1 301 /art/1
http://a.example/blog/2 301 /art/2
http://a.example/blog/3 301 /art/3
http://a.example/blog/4 301 /art/4
http://a.example/blog/5 301 /art/5
http://a.example/blog/6 301 /art/6
http://a.example/art/1 200
http://a.example/art/2 200
http://a.example/art/3 200
http://a.example/art/4 200
http://a.example/art/5 200
http://a.example/art/6 200
`)
	blog, art := []string{}, []string{}
	for i := range 6 {
		blog, art = append(blog, fmt.Sprintf("http://a.example/blog/%d", i+1)), append(art, fmt.Sprintf("http://a.example/art/%d", i+1))
	}
	two := func(a, b []string) []mapFile {
		return []mapFile{{url: map1, parent: -1, locs: a}, {url: "http://a.example/b.xml", parent: -1, locs: b}}
	}
	read, down := []readAs{{}, {}}, []readAs{{}, {status: 503}}
	before := two(blog[:3], blog[3:])
	for name, c := range map[string]struct {
		maps       []mapFile
		as         []readAs
		then, back string
	}{
		"all read":                    {two(art[:3], art[3:]), read, "gone 6 -> 0", "new 0 -> 6"},
		"one corrected":               {two(art[:3], blog[3:]), read, "shrunk 6 -> 3", "grown 3 -> 6"},
		"one corrected, another down": {two(art[:3], blog[3:]), down, "changed 6 -> 0, 3 not compared", "changed 0 -> 6, 3 not compared"},
		"some corrected, one down":    {two(blog[:2], blog[3:]), down, "changed 6 -> 2, 3 not compared", "changed 2 -> 6, 3 not compared"},
		"one down":                    {before, down, "", ""},
	} {
		old, _ := readMaps(w, before, read, false).seen(t)
		new, _ := readMaps(w, c.maps, c.as, false).seen(t)
		for _, x := range []struct {
			was, is audit.Snapshot
			want    string
		}{{old, new, c.then}, {new, old, c.back}} {
			d, err := audit.Compare(t.Context(), x.was, x.is, newShelf)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := strings.CutPrefix(sayTurns(d), "moved [/blog/* -> /art/*] ")
			if got, _ = strings.CutPrefix(got, "moved [] "); got != x.want { // two of them are no rule
				t.Errorf("%s:\ngot  %s\nwant %s", name, got, x.want)
			}
		}
	}
}

// readTarget reads one sitemap of a web and what it names.
func readTarget(w web, maps []mapFile, target int) *mapReading {
	only := []mapFile{maps[target]}
	only[0].parent = -1
	for _, m := range maps {
		if m.parent == target {
			m.parent = 0
			only = append(only, m)
		}
	}
	r := readMaps(w, only, make([]readAs, len(only)), false)
	r.site.files[0].NamedBy, r.info.Targets = "", []string{only[0].url}
	return r
}

// nothingChanged holds that a comparison says of no address that anything became of it, and of no
// sitemap that it is named now or no longer.
func nothingChanged(t rapid.TB, d *audit.Diff) {
	t.Helper()
	calm := func(what string, d *audit.Diff) {
		for effect, n := range d.Effects {
			if n > 0 && effect != audit.Same && effect != audit.NotCompared {
				t.Fatalf("%s: %d %s (%v)", what, n, effect, d.Kinds)
			}
		}
	}
	calm("entries", d)
	for _, x := range d.Also {
		if x.Diff != nil {
			calm(string(x.List), x.Diff)
		}
	}
	for _, x := range d.Faults {
		if x.New+x.Mended > 0 && x.Name != "HTTP error" {
			t.Fatalf("faults: %+v", x)
		}
	}
	for _, f := range d.Files {
		if f.Old == nil || f.New == nil {
			t.Fatalf("%s: %+v -> %+v", f.URL, f.Old, f.New)
		}
	}
	s := d.Since
	s.Open, s.Waiting = 0, 0
	if s != (audit.Since{}) || len(d.Causes) > 0 {
		t.Fatalf("since: %+v, causes: %+v", s, d.Causes)
	}
}

// With another option an audit would not find each fault that rests on answers: that it has one no
// more mends nothing.
func TestFaultsOfOtherOptions(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*audit.Info)
		want   string
	}{
		"the same":            {func(*audit.Info) {}, "mended 1, not compared 0; mended 1, not compared 0; mended 1, not compared 0"},
		"another --robots":    {func(i *audit.Info) { i.Rules.Robots = "ignore" }, "mended 0, not compared 1; mended 1, not compared 0; mended 0, not compared 1"},
		"another --max-hops":  {func(i *audit.Info) { i.Rules.MaxHops++ }, "mended 0, not compared 1; mended 1, not compared 0; mended 1, not compared 0"},
		"another --spelling":  {func(i *audit.Info) { i.Rules.Spelling = address.None }, "mended 0, not compared 1; mended 1, not compared 0; mended 1, not compared 0"},
		"no soft 404s sought": {func(i *audit.Info) { i.Rules.MissingPath = "/x" }, "mended 0, not compared 1; mended 1, not compared 0; mended 1, not compared 0"},
		"another robot":       {func(i *audit.Info) { i.Identity = "bingbot" }, "mended 0, not compared 1; mended 1, not compared 0; mended 1, not compared 0"},
	} {
		r := readMaps(parseWeb(t, x+" 200"), []mapFile{{url: map1, parent: -1, locs: []string{x}}}, make([]readAs, 1), false)
		old, result := r.seen(t)
		faults := []audit.SitemapFault{{Name: "of answers", Severity: "error", Basis: audit.OnAnswers}, {Name: "of the file", Severity: "error"},
			{Name: audit.RobotsUnreachable, Severity: "error"}}
		result.Files[0].Sitemap.Faults = faults
		c.change(&r.info)
		new, newResult := r.seen(t)
		d, _ := compared(t, old, new)
		if err := d.CompareFaults(t.Context(), result, newResult); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range faults {
			x := d.Faults[slices.IndexFunc(d.Faults, func(x audit.FaultChange) bool { return x.Name == f.Name })]
			got = append(got, fmt.Sprintf("mended %d, not compared %d", x.Mended, x.NotCompared))
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, strings.Join(got, "; "), c.want)
		}
	}
}

package audit_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

// listing is an audit of sitemaps, each "NAME: FROM-TO" with pages that are fine, and what else it lists: gone ones are
// to be removed, moved ones to be replaced, those written again by the page of their number.
func listing(sitemaps ...string) audit.Snapshot {
	var all []audit.Observation
	var tallies []audit.Tally
	for n, s := range sitemaps {
		name, text, _ := strings.Cut(s, ": ")
		tallies = append(tallies, audit.Tally{Sitemap: audit.Sitemap{URL: "http://a.example/" + name, Kind: "urlset", Status: 200, NamedBy: "http://a.example/robots.txt"}})
		for _, what := range strings.Fields(text) {
			o := audit.Observation{Sitemap: n, Listed: 1, Verdict: audit.OK}
			var from, to int
			switch {
			case strings.HasPrefix(what, "gone"):
				o.Verdict, o.Fix = audit.NotFound, audit.Drop
			case strings.HasPrefix(what, "moved"):
				o.Verdict, o.Fix, o.Written = audit.Moved, audit.Replace, "http://a.example/to"
			case strings.HasPrefix(what, "again"): // a page each, which is to be written for it
				_, _ = fmt.Sscanf(what, "again%d-%d", &from, &to)
				o.Verdict, o.Fix = audit.Moved, audit.Replace
			default:
				_, _ = fmt.Sscanf(what, "%d-%d", &from, &to) // else one address
			}
			for i := from; i <= to; i++ {
				if o.Address = fmt.Sprintf("http://a.example/%03d", i); from == to {
					o.Address = "http://a.example/" + what
				}
				if strings.HasPrefix(what, "again") {
					o.Written, o.Address = o.Address, strings.Replace(o.Address, "http://", []string{"ftp://", "https://"}[i%2], 1)
				}
				all = append(all, o)
			}
		}
	}
	return seenOf(all, tallies, info())
}

// Where much that was fine left a sitemap this is said, and what else left it is no repair.
func TestMuchLeftASitemap(t *testing.T) {
	for name, x := range map[string]struct {
		old, new []string
		want     []audit.Shrunk
		since    audit.Since
	}{
		"broken off": {[]string{"a: 1-20 gone moved"}, []string{"a: 1-10"}, []audit.Shrunk{{URL: "http://a.example/a", Left: 10, Of: 20}},
			audit.Since{Left: 10, Shrunk: 1, Lost: 10, LostOf: 20, LostIn: "http://a.example/a"}},
		"replaced all the same": {[]string{"a: 1-20 gone moved"}, []string{"a: 1-10 to"}, []audit.Shrunk{{URL: "http://a.example/a", Left: 10, Of: 20}},
			audit.Since{Corrected: 1, Applied: 1, Left: 10, Shrunk: 1, Lost: 10, LostOf: 20, LostIn: "http://a.example/a"}},
		"written again":               {[]string{"a: 1-20"}, []string{"a: again1-20"}, nil, audit.Since{New: 20}},
		"corrected":                   {[]string{"a: 1-20 gone"}, []string{"a: 1-20"}, nil, audit.Since{Corrected: 1, Applied: 1}},
		"three":                       {[]string{"a: 1-10 gone"}, []string{"a: 4-10"}, nil, audit.Since{Left: 3, Corrected: 1, Applied: 1}},
		"a tenth":                     {[]string{"a: 1-50"}, []string{"a: 6-50"}, nil, audit.Since{Left: 5}},
		"more than a tenth":           {[]string{"a: 1-49"}, []string{"a: 6-49"}, []audit.Shrunk{{URL: "http://a.example/a", Left: 5, Of: 49}}, audit.Since{Left: 5, Shrunk: 1, Lost: 5, LostOf: 49, LostIn: "http://a.example/a"}},
		"a sitemap of news":           {[]string{"a: 1-20"}, []string{"a: 11-30"}, nil, audit.Since{Left: 10}},
		"a sitemap of each day":       {[]string{"mon: 1-20", "tue: 21-40"}, []string{"tue: 21-40", "wed: 41-60"}, nil, audit.Since{Left: 20}},
		"a sitemap that is not there": {[]string{"a: 1-20", "b: 21-30"}, []string{"a: 1-20"}, []audit.Shrunk{{URL: "http://a.example/b", Left: 10, Of: 10}}, audit.Since{Left: 10, Shrunk: 1, Lost: 10, LostOf: 10, LostIn: "http://a.example/b"}},
		"to another sitemap":          {[]string{"a: 1-20", "b: 21-30"}, []string{"a: 1-10", "b: 11-30"}, nil, audit.Since{}},
	} {
		d, err := audit.Compare(t.Context(), listing(x.old...), listing(x.new...), newShelf)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(d.Shrunk, x.want) || d.Since != x.since {
			t.Errorf("%s: %+v, since %+v\nwant %+v, since %+v", name, d.Shrunk, d.Since, x.want, x.since)
		}
		if len(x.want) > 0 && d.Effects[audit.Better] > 0 {
			t.Errorf("%s: %v", name, d.Effects)
		}
	}
}

// Nothing is counted since an audit that asked as another robot.
func TestAgainAsAnother(t *testing.T) {
	old, new := listing("a: 1-20"), listing("a: again1-20")
	new.Info.Identity = "browser"
	d, err := audit.Compare(t.Context(), old, new, newShelf)
	if err != nil || !d.Differ.As || d.Since != (audit.Since{}) {
		t.Errorf("%+v, %v, since %+v", d.Differ, err, d.Since)
	}
}

// What fell out of a sitemap with much else is nothing new where it comes back as it was.
func TestMuchCameBack(t *testing.T) {
	whole, broken := listing("a: 1-20 gone moved"), listing("a: 1-10")
	var left []audit.SeenLast
	var since []audit.Since
	for _, two := range [][2]audit.Snapshot{{whole, broken}, {broken, broken}, {broken, whole}} {
		d, err := audit.Compare(t.Context(), two[0], two[1], newShelf)
		if err != nil {
			t.Fatal(err)
		}
		was := left
		left = nil
		x, err := d.SinceSeen(context.Background(), yieldAll(was), func(s *audit.SeenLast) error { left = append(left, *s); return nil })
		if err != nil {
			t.Fatal(err)
		}
		if len(x.NewVerdicts) > 1 || x.Effects[audit.Worse]+x.Effects[audit.Better] > 0 {
			t.Errorf("new %v, %v", x.NewVerdicts, x.Effects)
		}
		since = append(since, x.Since)
	}
	if since[1] != (audit.Since{}) || since[2] != (audit.Since{Waiting: 2}) {
		t.Errorf("since %+v", since[1:])
	}
}

// Since counts with what was seen last: what an audit could not see is neither lost nor new, what was undone is said, and
// what got better is no new verdict.
func TestSinceIsSeenLast(t *testing.T) {
	for _, x := range []struct {
		seen []audit.Verdict
		want audit.Since
		new  map[audit.Verdict]int
	}{
		{[]audit.Verdict{audit.OK, audit.Unverified, audit.NotFound}, audit.Since{New: 1}, map[audit.Verdict]int{audit.NotFound: 1}},
		{[]audit.Verdict{audit.NotFound, audit.Unverified, audit.NotFound}, audit.Since{Waiting: 1}, nil},
		{[]audit.Verdict{audit.NotFound, audit.Unverified, ""}, audit.Since{Corrected: 1}, nil},
		{[]audit.Verdict{audit.NotFound, "", audit.NotFound}, audit.Since{New: 1, Undone: 1}, map[audit.Verdict]int{audit.NotFound: 1}},
		{[]audit.Verdict{audit.NotFound, audit.NotFound, audit.Moved}, audit.Since{Better: 1}, nil},
		{[]audit.Verdict{audit.OK, audit.OK, audit.Disallowed}, audit.Since{Worse: 1}, map[audit.Verdict]int{audit.Disallowed: 1}},
		{[]audit.Verdict{audit.Moved, audit.Moved, audit.NotFound}, audit.Since{Worse: 1}, map[audit.Verdict]int{audit.NotFound: 1}},
	} {
		var left []audit.SeenLast
		var last *audit.Diff
		for n := range x.seen[1:] {
			d, err := audit.Compare(t.Context(), (&moment{seen: x.seen[n : n+1]}).snapshot(), (&moment{seen: x.seen[n+1 : n+2]}).snapshot(), newShelf)
			if err != nil {
				t.Fatal(err)
			}
			was := left
			left = nil
			if last, err = d.SinceSeen(t.Context(), yieldAll(was), func(s *audit.SeenLast) error { left = append(left, *s); return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if last.Since != x.want || !maps.Equal(last.NewVerdicts, x.new) {
			t.Errorf("%q: since %+v, new %v; want %+v, %v", x.seen, last.Since, last.NewVerdicts, x.want, x.new)
		}
	}
}

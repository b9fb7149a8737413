package audit_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/audit"
)

// A history is what audits of a site with two sitemaps see, one after the other: of each address,
// by its number, a verdict, or "" where it is not listed. Even addresses stand in sitemap 0, odd
// ones in sitemap 1.
type history []moment

// A moment is one audit.
type moment struct {
	seen   []audit.Verdict
	unread [2]bool // sitemaps that could not be read
}

// sees reports whether the audit says something of an address, if only that it is not listed.
func (m *moment) sees(i int) bool {
	return !m.unread[i%2] && m.seen[i] != audit.Unverified && m.seen[i] != audit.Skipped
}

func (m *moment) snapshot() audit.Snapshot {
	tallies := make([]audit.Tally, 2)
	for f := range tallies {
		tallies[f].Sitemap = audit.Sitemap{URL: fmt.Sprintf("http://a.example/%d.xml", f), Kind: "urlset", Status: 200}
		if m.unread[f] {
			tallies[f].Sitemap.Kind, tallies[f].Sitemap.Status = "", 500
		}
	}
	var all []audit.Observation
	for i, v := range m.seen {
		if v == "" || m.unread[i%2] {
			continue
		}
		o := audit.Observation{Address: fmt.Sprintf("http://a.example/%d", i), Verdict: v, Sitemap: i % 2, Listed: 1}
		if v == audit.NotFound { // its entry is to be removed: where that is done nothing counts as better
			o.Fix = audit.Drop
		}
		all = append(all, o)
	}
	return seenOf(all, tallies, info())
}

// told returns what is told of each address, a line an audit, with the differences that two
// audits show alone.
func (h history) result(t rapid.TB) (result, alone map[string][]string) {
	result, alone = map[string][]string{}, map[string][]string{}
	var left []audit.SeenLast
	for n := 1; n < len(h); n++ {
		d, err := audit.Compare(context.Background(), h[n-1].snapshot(), h[n].snapshot(), newShelf)
		if err != nil {
			t.Fatal(err)
		}
		was := left
		left = nil
		x, err := d.SinceSeen(context.Background(), yieldAll(was), func(s *audit.SeenLast) error {
			if len(left) > 0 && left[len(left)-1].Address >= s.Address {
				t.Fatalf("%s is left after %s", s.Address, left[len(left)-1].Address)
			}
			left = append(left, *s)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		note(result, x)
		note(alone, d)
		if sum := len(x.First[audit.Worse]); sum != x.Effects[audit.Worse] {
			t.Errorf("%d got worse, %d are listed", x.Effects[audit.Worse], sum)
		}
	}
	return result, alone
}

// note notes what got worse or better.
func note(into map[string][]string, d *audit.Diff) {
	for _, e := range []audit.Effect{audit.Worse, audit.Better} {
		for _, c := range d.First[e] {
			into[c.Address] = append(into[c.Address], string(e)+": "+side(c.Old)+" -> "+side(c.New))
		}
	}
}

// side is a sight in a word. One that saw nothing is as none: the address was not listed for it.
func side(o *audit.Observation) string {
	if o == nil || o.Verdict == audit.Unverified || o.Verdict == audit.Skipped {
		return "none"
	}
	return string(o.Verdict)
}

func yieldAll(all []audit.SeenLast) iter.Seq2[audit.SeenLast, error] {
	return func(yield func(audit.SeenLast, error) bool) {
		for _, s := range all {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// An audit that could not see an address may be left out as far as this address goes, and so may
// one that found it no longer listed, where nothing is told of that: what is told of the address is
// the same. So nothing is lost in a gap, and nothing is reported twice. Where there is no gap and
// no robots.txt in the way, what is told is what two audits show alone.
func TestSinceSeenLaw(t *testing.T) {
	states := []audit.Verdict{"", audit.OK, audit.OK, audit.NotFound, audit.NotFound, audit.Moved, audit.Noindex, audit.Error, audit.Disallowed,
		audit.Unverified, audit.Unverified, audit.Skipped}
	rapid.Check(t, func(t *rapid.T) {
		addresses := rapid.IntRange(1, 4).Draw(t, "addresses")
		h := make(history, rapid.IntRange(2, 8).Draw(t, "audits"))
		for i := range h {
			h[i].seen = rapid.SliceOfN(rapid.SampledFrom(states), addresses, addresses).Draw(t, "seen")
			for f := range h[i].unread {
				h[i].unread[f] = rapid.IntRange(0, 4).Draw(t, "unread") == 0
			}
		}
		result, _ := h.result(t)
		for i := range addresses {
			address := fmt.Sprintf("http://a.example/%d", i)
			want, alone := h.of(i).result(t)
			if !slices.Equal(result[address], want[address]) {
				t.Errorf("%s is told as\n  %s\nwithout the gaps as\n  %s", address, strings.Join(result[address], "\n  "), strings.Join(want[address], "\n  "))
			}
			if !h.disallows(i) && !maps.EqualFunc(want, alone, slices.Equal) {
				t.Errorf("told %v, two audits alone show %v", want, alone)
			}
		}
	})
}

// of is the history of one address without the audits that could not see it, and without those for
// which it had left in silence: what was seen before it left was no problem (behind robots.txt
// there may have been one), or one whose entry was to be removed, and that is none when it comes
// back. Where the first audit could not
// see it, that is as one without the address: nobody was told anything of it.
func (h history) of(i int) (one history) {
	for n, m := range h {
		alone := moment{seen: make([]audit.Verdict, len(m.seen))}
		if m.sees(i) {
			alone.seen[i] = m.seen[i]
		} else if n > 0 {
			continue
		}
		if last := len(one) - 1; last >= 0 && alone.seen[i] == "" {
			if was := one[last].seen[i]; was == audit.NotFound && !h.problemNext(n, i) || was != "" && was != audit.Disallowed && !was.Problem() {
				continue
			}
		}
		one = append(one, alone)
	}
	return one
}

// problemNext reports whether the next audit after n that sees an address listed finds a problem.
func (h history) problemNext(n, i int) bool {
	at := slices.IndexFunc(h[n:], func(m moment) bool { return m.sees(i) && m.seen[i] != "" })
	return at >= 0 && h[n+at].seen[i].Problem()
}

func (h history) disallows(i int) bool {
	return slices.ContainsFunc(h, func(m moment) bool { return m.seen[i] == audit.Disallowed })
}

// What three audits in a row tell of one page. Left out of the table is what the law says of it.
func TestSinceSeen(t *testing.T) {
	for _, x := range []struct {
		seen []audit.Verdict
		want []string
	}{
		{[]audit.Verdict{audit.OK, audit.Unverified, audit.NotFound}, []string{"worse: ok -> not-found"}},
		{[]audit.Verdict{audit.NotFound, audit.Unverified, audit.OK}, []string{"better: not-found -> ok"}},
		{[]audit.Verdict{audit.OK, audit.Unverified, audit.Unverified, audit.Skipped, audit.Unverified, audit.OK}, nil},
		{[]audit.Verdict{audit.OK, audit.NotFound, audit.Unverified, audit.NotFound}, []string{"worse: ok -> not-found"}},
		{[]audit.Verdict{audit.Unverified, audit.Unverified, audit.NotFound, audit.NotFound}, []string{"worse: none -> not-found"}},
		{[]audit.Verdict{audit.Unverified, audit.OK}, nil},
		{[]audit.Verdict{audit.Error, audit.Unverified, ""}, []string{"better: error -> none"}},
		{[]audit.Verdict{audit.NotFound, audit.Unverified, ""}, nil},
		{[]audit.Verdict{audit.OK, audit.Unverified, "", audit.NotFound}, []string{"worse: ok -> not-found"}},
		{[]audit.Verdict{audit.OK, "", audit.NotFound, "", audit.NotFound}, []string{"worse: ok -> not-found", "worse: none -> not-found"}},
		{[]audit.Verdict{audit.NotFound, "", audit.NotFound, audit.NotFound, "", "", audit.NotFound}, []string{"worse: none -> not-found", "worse: none -> not-found"}},
		{[]audit.Verdict{audit.NotFound, "", audit.Unverified, audit.NotFound}, []string{"worse: none -> not-found"}},
		{[]audit.Verdict{audit.NotFound, "", "", audit.Unverified, "", audit.OK}, []string{"better: not-found -> ok"}},
		{[]audit.Verdict{audit.Error, "", audit.Error, "", audit.OK}, []string{"better: error -> none", "worse: none -> error", "better: error -> none"}},
		{[]audit.Verdict{audit.OK, "", audit.OK}, nil},
		{[]audit.Verdict{audit.OK, audit.Disallowed, audit.NotFound}, []string{"worse: ok -> disallowed", "worse: ok -> not-found"}},
		{[]audit.Verdict{audit.NotFound, audit.Disallowed, audit.Unverified, audit.NotFound}, nil},
		{[]audit.Verdict{audit.Error, audit.Disallowed, audit.Disallowed, ""}, []string{"better: error -> none"}},
	} {
		var h history
		for _, v := range x.seen {
			h = append(h, moment{seen: []audit.Verdict{v}})
		}
		result, _ := h.result(t)
		if got := result["http://a.example/0"]; !slices.Equal(got, x.want) {
			t.Errorf("%q: told %q, want %q", x.seen, got, x.want)
		}
	}
}

// What was seen of an address that left is kept for so many audits, and no longer.
func TestSinceSeenAwayIsBounded(t *testing.T) {
	for _, x := range []struct {
		away int
		want string
	}{{audit.KeptAway, "worse: ok -> not-found"}, {audit.KeptAway + 1, "worse: none -> not-found"}} {
		seen := append([]audit.Verdict{audit.OK}, slices.Repeat([]audit.Verdict{""}, x.away)...)
		var h history
		for _, v := range append(seen, audit.NotFound) {
			h = append(h, moment{seen: []audit.Verdict{v}})
		}
		result, _ := h.result(t)
		if got := result["http://a.example/0"]; !slices.Equal(got, []string{x.want}) {
			t.Errorf("away for %d audits: told %q, want %q", x.away, got, x.want)
		}
	}
}

// Another user agent (a newer version of the program) is no reason to leave out what got worse,
// and an audit that did not look for soft 404s hides none of the audit before it.
func TestSinceSeenAskedOtherwise(t *testing.T) {
	h := history{{seen: []audit.Verdict{audit.OK, audit.Soft404}}, {seen: []audit.Verdict{audit.NotFound, audit.OK}}, {seen: []audit.Verdict{audit.NotFound, audit.Soft404}}}
	var left []audit.SeenLast
	var result []string
	snapshots := []audit.Snapshot{h[0].snapshot(), h[1].snapshot(), h[2].snapshot()}
	snapshots[0].Info.Rules.MissingPath, snapshots[1].Info.Rules.MissingPath, snapshots[2].Info.Rules.MissingPath = "a", "", "b"
	snapshots[1].Info.Agent = "another"
	for n := 1; n < len(snapshots); n++ {
		d, err := audit.Compare(context.Background(), snapshots[n-1], snapshots[n], newShelf)
		if err != nil {
			t.Fatal(err)
		}
		was := left
		left = nil
		x, err := d.SinceSeen(context.Background(), yieldAll(was), func(s *audit.SeenLast) error { left = append(left, *s); return nil })
		if err != nil {
			t.Fatal(err)
		}
		result = append(result, fmt.Sprintf("%d worse, %d better", x.Effects[audit.Worse], x.Effects[audit.Better]))
	}
	if want := []string{"1 worse, 0 better", "0 worse, 0 better"}; !slices.Equal(result, want) {
		t.Errorf("told %q, want %q", result, want)
	}
}

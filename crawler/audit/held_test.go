package audit_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// Whatever keeps an entry for its file's sake is told as itself: no other reason stands
// beside it, and only what is to be left as it is needs nobody.
func TestHeld(t *testing.T) {
	const web = `
		http://a.example/old 301 /new
		http://a.example/older 301 /newer
		http://a.example/new 200
		http://a.example/newer 200
		http://a.example/fine 200
		http://a.example/copy 200 canonical=/new
		http://a.example/copy2 200 canonical=/new
		http://a.example/gone 410
		browser http://a.example/gone 410
		http://a.example/%E9 301 /new
		http://a.example/far 301 http://shop.a.example/far
		http://shop.a.example/far 200
		plain http://a.example/strange 404
		plain browser http://a.example/strange 404`
	cases := map[audit.Note]func(s *site) *audit.Result{
		audit.HeldElsewhere: func(s *site) *audit.Result {
			s.list(map1, "http://a.example/old", "http://a.example/older")
			s.list("http://a.example/2.xml", "http://a.example/new", "http://a.example/newer")
			return s.evaluate(t, rules())
		},
		audit.HeldCanonical: func(s *site) *audit.Result {
			s.list(map1, "http://a.example/copy", "http://a.example/copy2", "http://a.example/gone")
			s.list("http://a.example/2.xml", "http://a.example/new")
			return s.evaluate(t, rules())
		},
		audit.HeldAlone: func(s *site) *audit.Result {
			s.list(map1, "http://a.example/gone", "http://a.example/old")
			s.list("http://a.example/2.xml", "http://a.example/new")
			return s.evaluate(t, rules())
		},
		audit.HeldMoved: func(s *site) *audit.Result {
			s.list(map1, "http://a.example/far")
			s.list("http://shop.a.example/sitemap.xml", "http://shop.a.example/far")
			return s.evaluate(t, rules())
		},
		audit.HeldOld: func(s *site) *audit.Result {
			s.list(map1, "http://a.example/gone", "http://a.example/old")
			s.list("http://a.example/2.xml", "http://a.example/new", "http://a.example/fine")
			s.list("map.csv", "http://a.example/gone", "http://a.example/old")
			s.files[2].Kind = audit.KindExpect
			for i := 4; i < 6; i++ {
				s.entries[i].Expected = audit.Expected{Is: true, To: "http://a.example/new"}
			}
			return s.evaluate(t, rules())
		},
		audit.HeldCut: func(s *site) *audit.Result {
			s.list(map1, "http://a.example/old", "http://a.example/fine")
			s.files[0].Cut = true
			return s.evaluate(t, rules())
		},
		audit.HeldBound: func(s *site) *audit.Result {
			s.list(map1, "http://a.example/gone", "http://a.example/fine")
			s.entries[0].Bound = true
			return s.evaluate(t, rules())
		},
		audit.HeldCharset: func(s *site) *audit.Result { return withhold(t, s, audit.UnwrittenCharset) },
		audit.HeldFault:   func(s *site) *audit.Result { return withhold(t, s, audit.UnwrittenFault) },
		audit.HeldChecksum: func(s *site) *audit.Result {
			s.list(map1, "http://a.example/old", "http://a.example/fine")
			s.files[0].Faults = []audit.SitemapFault{{Severity: "error", Key: "gzip-checksum"}}
			return s.evaluate(t, rules())
		},
		audit.HeldOutdated: func(s *site) *audit.Result {
			s.list(map1, "http://a.example/old", "http://a.example/fine")
			result, err := audit.Evaluate(t.Context(), s, audit.Info{Rules: *rules(), Outdated: []int{0}}, func(url string) string { return url })
			if err != nil {
				t.Fatal(err)
			}
			return result
		},
		audit.HeldUnsteady: func(s *site) *audit.Result {
			s.list(map1, "http://a.example/old", "http://a.example/fine")
			r := audit.Request{URL: "http://a.example/old", Purpose: audit.AsProof}
			s.web[r] = audit.Hop{Request: r, Status: 200}
			return s.evaluate(t, rules())
		},
		audit.HeldFormer: func(s *site) *audit.Result {
			s.list(map1, "http://a.example/gone", "http://a.example/fine")
			s.entries[0].Former = "http://a.example/old"
			return s.evaluate(t, rules())
		},
		audit.HeldUnread: func(s *site) *audit.Result {
			s.list(map1, "http://a.example/old", "http://a.example/fine")
			s.list("http://a.example/2.xml")
			s.files[1].Kind, s.files[1].Before = "", 1
			last := &audit.Standing{}
			last.Add(address.Wire("http://a.example/new"), 0)
			s.stands = map[string]*audit.Standing{audit.ListedLast("http://a.example/2.xml"): last}
			return s.evaluate(t, rules())
		},
		audit.HeldRelative: func(s *site) *audit.Result {
			s.list(map1, "/gone", "http://a.example/fine")
			s.files[0].Kind = "atom"
			return s.evaluate(t, rules())
		},
		audit.HeldEntity: func(s *site) *audit.Result {
			s.list(map1, "&e;/gone", "http://a.example/fine")
			s.files[0].Faults = []audit.SitemapFault{{Severity: "warning", Key: "dtd-unread"}}
			return s.evaluate(t, rules())
		},
		audit.HeldOctets: func(s *site) *audit.Result {
			s.list(map1, "http://a.example/\xe9", "http://a.example/fine")
			return s.evaluate(t, rules())
		},
		audit.HeldLong: func(s *site) *audit.Result {
			long := "http://a.example/" + strings.Repeat("x", 2048-len("http://a.example/"))
			maps.Copy(s.web, parseWeb(t, "http://a.example/to-long 301 "+long+"\n"+long+" 200"))
			s.list(map1, "http://a.example/to-long", "http://a.example/fine")
			return s.evaluate(t, rules())
		},
		audit.HeldSecrets: func(s *site) *audit.Result {
			s.list(map1, "http://a.example/strange", "http://a.example/fine")
			s.entries[0].WithoutSecrets = true
			r := rules()
			r.Secret = []string{"http://a.example"}
			return s.evaluate(t, r)
		},
	}
	for _, n := range audit.Stops() {
		if n == audit.Braked || audit.CanLift(n) {
			continue
		}
		evaluate, ok := cases[n]
		if !ok {
			t.Errorf("no case for %s", n)
			continue
		}
		result := evaluate(&site{web: parseWeb(t, web)})
		for row, err := range result.Rows(t.Context(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			left := n == audit.HeldMoved || n == audit.HeldOld || n == audit.HeldAlone
			if row.StoppedBy() != n || (len(row.Notes) > 0) != (n == audit.HeldLong) || (row.Group() == audit.Settled) != left || row.Fix.Why.Key != string(n) {
				t.Errorf("%s: %s, stopped by %q, %s, %q", n, say(row), row.StoppedBy(), row.Group(), row.Fix.Why)
			}
			if left == slices.ContainsFunc(result.Causes, func(c audit.Cause) bool { return c.Stop == n }) {
				t.Errorf("%s: causes %+v", n, result.Causes)
			}
			break
		}
		if p := result.Proof; p.Entries != p.Direct+p.NeedDecision+p.Settled+p.NotChecked+p.LeftOut {
			t.Errorf("%s: %+v", n, p)
		}
	}
}

func withhold(t *testing.T, s *site, why audit.Unwritten) *audit.Result {
	s.list(map1, "http://a.example/old", "http://a.example/fine")
	result, err := s.evaluate(t, rules()).Withhold(t.Context(), map[int]audit.Unwritten{0: why})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// After a whole move whose entries are all listed at the new place nobody has to do
// anything, and no brake asks a question that --max-drop would not settle.
func TestMovedAndListed(t *testing.T) {
	s, there := &site{web: web{}}, many(12, "http://shop.a.example/%d")
	locs := many(12, "http://a.example/%d")
	for i, loc := range locs {
		maps.Copy(s.web, parseWeb(t, loc+" 301 "+there[i]+"\n"+there[i]+" 200"))
	}
	for _, loc := range many(11, "http://a.example/gone%d") {
		for _, as := range []string{"", "browser "} {
			maps.Copy(s.web, parseWeb(t, as+loc+" 410"))
		}
		locs = append(locs, loc)
	}
	s.list(map1, locs...)
	s.list("http://shop.a.example/sitemap.xml", there...)
	result := s.evaluate(t, rules())
	f := &result.Files[0]
	if f.Alone != audit.HeldMoved || f.Changed || f.Braked != nil || f.Moved || len(f.Sitemap.Faults) > 0 {
		t.Errorf("the file: %+v", f)
	}
	if result.Clean() || !result.AllSettled() || len(result.Causes) > 0 {
		t.Errorf("clean %v, settled %v, causes %+v", result.Clean(), result.AllSettled(), result.Causes)
	}
	if p := result.Proof; p.Settled != 23 || p.Direct != 12 || p.NeedDecision != 0 {
		t.Errorf("proof %+v", p)
	}
}

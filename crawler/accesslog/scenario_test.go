package accesslog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/address"
)

// memory is a Sorted in memory.
type memory struct{ records [][2]string }

func (m *memory) Add(key, value string) error {
	m.records = append(m.records, [2]string{key, value})
	return nil
}

func (m *memory) Sorted() iter.Seq2[[2]string, error] {
	slices.SortFunc(m.records, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	return func(yield func([2]string, error) bool) {
		for _, r := range m.records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// zone answers as a name server that knows some names.
type zone struct {
	PTR  map[string][]string `json:"ptr"`
	A    map[string][]string `json:"a"`
	asks []string
}

func (z *zone) LookupAddr(_ context.Context, addr string) ([]string, error) {
	z.asks = append(z.asks, addr)
	if names, ok := z.PTR[addr]; ok {
		return names, nil
	}
	return nil, errors.New("no such address")
}

func (z *zone) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	z.asks = append(z.asks, host)
	var out []netip.Addr
	for _, a := range z.A[host] {
		out = append(out, netip.MustParseAddr(a))
	}
	if out == nil {
		return nil, errors.New("no such name")
	}
	return out, nil
}

// seen is Asked as the scenarios write it.
type seen struct {
	Requests    int64
	First, Last time.Time
	Statuses    map[string]int64
}

func seenOf(a accesslog.Asked) seen {
	s := seen{a.Requests, time.Unix(a.First, 0).UTC(), time.Unix(a.Last, 0).UTC(), map[string]int64{}}
	for status, n := range a.Statuses {
		s.Statuses[fmt.Sprint(status)] = n
	}
	return s
}

// evidence is what a scenario expects about one robot and entry.
type evidence struct {
	AsListed *seen `json:"as_listed"`
	Other    []struct {
		Target []byte `json:"target_b64"`
		Asked  seen   `json:"asked"`
	}
}

type outcome struct {
	Entries []struct {
		Loc                string
		Googlebot, Bingbot evidence
		Class              string
	}
	Unlisted []struct {
		Target []byte `json:"target_b64"`
		seen
	} `json:"redirected_unlisted"`
	Named map[string]int64 `json:"named_but_not_verified"`
}

// join reads a log and compares it with a sitemap.
func join(t *testing.T, log []byte, host string, robots *accesslog.Robots, locs []string) ([]accesslog.Finding, accesslog.Tally) {
	t.Helper()
	sorted := &memory{}
	c := accesslog.NewCollector(sorted)
	c.Host = host
	ctx := context.Background()
	_, err := accesslog.Read(ctx, bytes.NewReader(log), accesslog.Options{Robots: robots}, func(r *accesslog.Request) error {
		robot, standing := robots.Of(ctx, r)
		return c.See(0, r, robot, standing)
	})
	must(t, err)
	tally := c.Done()
	for i, loc := range locs {
		a, err := address.Parse(loc)
		must(t, err)
		must(t, c.List(int64(i), a))
	}
	var found []accesslog.Finding
	_, err = c.Join(ctx, func(h string) bool { return h == host }, func(f *accesslog.Finding) error {
		found = append(found, *f)
		return nil
	})
	must(t, err)
	return found, tally
}

// locs returns the addresses of a small sitemap.
func locs(text []byte) []string {
	var out []string
	for _, m := range regexp.MustCompile(`<loc>(.*?)</loc>`).FindAllSubmatch(text, -1) {
		out = append(out, strings.ReplaceAll(string(m[1]), "&amp;", "&"))
	}
	return out
}

func TestScenarios(t *testing.T) {
	corpus := corpusDir(t)
	dirs, _ := filepath.Glob(filepath.Join(corpus, "shared", "scenario-*"))
	if len(dirs) == 0 {
		t.Fatal("no scenario")
	}
	read := func(name string) []byte {
		t.Helper()
		text, err := os.ReadFile(name)
		must(t, err)
		return text
	}
	ranges := &accesslog.Ranges{}
	if n, err := ranges.Add("ranges.json", read(filepath.Join(corpus, "ranges.json"))); err != nil || n != 7 {
		t.Fatalf("%d ranges, %v", n, err)
	}
	var names zone
	must(t, json.Unmarshal(read(filepath.Join(corpus, "dns-zone.json")), &names))
	for _, dir := range dirs {
		var want struct {
			Host    string
			Without outcome `json:"without_dns"`
			With    outcome `json:"with_dns"`
		}
		must(t, json.Unmarshal(read(filepath.Join(dir, "expected.json")), &want))
		log, listed := read(filepath.Join(dir, "access.log")), locs(read(filepath.Join(dir, "sitemap.xml")))
		t.Run(filepath.Base(dir), func(t *testing.T) {
			found, tally := join(t, log, want.Host, accesslog.NewRobots(ranges, nil), listed)
			want.Without.check(t, listed, found, tally)
		})
		t.Run(filepath.Base(dir)+"/dns", func(t *testing.T) {
			found, tally := join(t, log, want.Host, accesslog.NewRobots(ranges, &names), listed)
			want.With.check(t, listed, found, tally)
			slices.Sort(names.asks)
			if len(names.asks) == 0 || len(slices.Compact(slices.Clone(names.asks))) != len(names.asks) {
				t.Errorf("asked twice, or nothing: %q", names.asks)
			}
		})
	}
}

// check compares findings with those that a scenario expects.
func (want *outcome) check(t *testing.T, listed []string, found []accesslog.Finding, tally accesslog.Tally) {
	t.Helper()
	if tally.Claimed[accesslog.Googlebot] != want.Named["googlebot"] {
		t.Errorf("%d bear the name alone, want %d", tally.Claimed[accesslog.Googlebot], want.Named["googlebot"])
	}
	for _, e := range want.Entries {
		seq := int64(slices.Index(listed, e.Loc))
		class := ""
		for robot, w := range map[accesslog.Robot]evidence{accesslog.Googlebot: e.Googlebot, accesslog.Bingbot: e.Bingbot} {
			var asListed *seen
			others := map[string]seen{}
			for _, f := range found {
				if f.Seq != seq || f.Robot != robot {
					continue
				}
				switch s := seenOf(f.Seen); f.Class {
				case accesslog.AsListed:
					asListed = &s
				case accesslog.OtherSpelling:
					others[f.Asked] = s
				}
			}
			wanted := map[string]seen{}
			for _, o := range w.Other {
				wanted[string(o.Target)] = o.Asked
			}
			if !reflect.DeepEqual(asListed, w.AsListed) || !maps.EqualFunc(others, wanted, func(a, b seen) bool { return reflect.DeepEqual(a, b) }) {
				t.Errorf("%s, %s: got %v %v, want %v %v", e.Loc, robot, asListed, others, w.AsListed, wanted)
			}
			if robot == accesslog.Googlebot {
				class = classes[[2]bool{asListed != nil, len(others) > 0}]
			}
		}
		if class != e.Class {
			t.Errorf("%s: %s, want %s", e.Loc, class, e.Class)
		}
	}
	unlisted := map[string]seen{}
	for _, f := range found {
		if f.Class == accesslog.RedirectedUnlisted {
			unlisted[f.Asked] = seenOf(f.Seen)
		}
	}
	wanted := map[string]seen{}
	for _, u := range want.Unlisted {
		wanted[string(u.Target)] = u.seen
	}
	if !reflect.DeepEqual(unlisted, wanted) {
		t.Errorf("redirected and not listed: %v, want %v", unlisted, wanted)
	}
}

// classes are those of an entry: whether it was requested as listed, and in another spelling.
var classes = map[[2]bool]string{{true, true}: "both", {true, false}: "as-listed", {false, true}: "other-spelling", {}: "never"}

package crawler

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fxamacker/cbor/v2"
	"pgregory.net/rapid"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

// sharing returns a Crawler for a server in memory that shares its Politeness.
func sharing(t *testing.T, p *Politeness, rate float64, store Store, answer func(path string) string) *Crawler {
	id, _ := fetch.LookupIdentity("googlebot")
	return New(store, Options{Rate: rate, GivenRate: true, Parallel: 4, Politeness: p, Backoff: []time.Duration{},
		Rules: audit.Rules{MaxHops: 10, Spelling: address.None, Robots: "obey"},
		Ask:   fetch.Options{Identity: id, NoProxy: true, Guard: fetch.NewGuard(nil, nil, true), Dial: pipes(t, answer)}})
}

// Two audits of one host together send requests no faster than one of them may.
func TestTwoAuditsShareAPace(t *testing.T) {
	for _, shared := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			answer := func(string) string { return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
			var p *Politeness
			if shared {
				p = NewPoliteness()
			}
			start := time.Now()
			first := sharing(t, p, 20, newMemoryStore("http://a.example/first"), answer)
			must(t, first.Run(t.Context()))
			first.Close()
			var all sync.WaitGroup
			for i, rate := range []float64{10, 20} {
				var locs []string
				for n := range 100 {
					locs = append(locs, fmt.Sprintf("http://a.example/%d/%d", i, n))
				}
				c := sharing(t, p, rate, newMemoryStore(locs...), answer)
				all.Go(func() {
					defer c.Close()
					if err := c.Run(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if took := time.Since(start); (took > 19*time.Second) != shared {
				t.Errorf("shared %v: 200 addresses in %v", shared, took)
			}
		})
	}
}

// A host that one audit abandoned is abandoned by another that is under way or begins soon, and
// both report it; much later it starts anew.
func TestTwoAuditsLeaveAHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		refuses := func(path string) string {
			if path == "/robots.txt" {
				return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
			}
			asked.Add(1)
			return "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"
		}
		p := NewPoliteness()
		run := func() {
			var locs []string
			for n := range 100 {
				locs = append(locs, fmt.Sprintf("http://a.example/%d", n))
			}
			c := sharing(t, p, 0, newMemoryStore(locs...), refuses)
			defer c.Close()
			must(t, c.Run(t.Context()))
			if noted(c).Abandoned["a.example"] != 403 {
				t.Errorf("left: %v", noted(c).Abandoned)
			}
		}
		run()
		before := asked.Load()
		if run(); asked.Load() != before || before < leaveAfter {
			t.Errorf("%d requests, then %d more", before, asked.Load()-before)
		}
		time.Sleep(time.Hour)
		if run(); asked.Load() == before {
			t.Error("it is never asked again")
		}
	})
}

// The state of a pace can be encoded and decoded: another Pace continues as the first would have.
func TestAPaceIsWrittenDown(t *testing.T) {
	codecs := map[string]struct {
		write func(any) ([]byte, error)
		read  func([]byte, any) error
	}{"JSON": {json.Marshal, json.Unmarshal}, "CBOR": {cborTimes(t).Marshal, cbor.Unmarshal}}
	rapid.Check(t, func(r *rapid.T) {
		ceiling, given := rapid.SampledFrom([]float64{0, 0.5, 10, 40}).Draw(r, "ceiling"), rapid.Bool().Draw(r, "given")
		p, c := newTestPace(ceiling, given)
		for range rapid.IntRange(0, 60).Draw(r, "answers") {
			o := Outcome{Status: rapid.SampledFrom([]int{200, 200, 200, 429}).Draw(r, "status"), Latency: time.Duration(rapid.IntRange(1, 900).Draw(r, "ms")) * time.Millisecond}
			if o.Status == 429 {
				o.RetryAfter = time.Duration(rapid.IntRange(0, 9).Draw(r, "retry")) * time.Second
			}
			pass(t, p, c, 1, o)
		}
		for name, codec := range codecs {
			b, err := codec.write(p.State())
			must(t, err)
			var s HostState
			must(t, codec.read(b, &s))
			q, d := NewPace(ceiling, given), &clock{c.t}
			q.now, q.wait = d.now, d.wait
			q.adopt(s)
			if strings.TrimSpace(string(b)) == "" || q.Rate() != p.Rate() {
				r.Fatalf("%s: %v/s, want %v/s", name, q.Rate(), p.Rate())
			}
			at, _ := q.book()
			want := later(c.t.Add(p.s.gap()), later(p.s.Next, p.s.Rest)) // one gap at least: a request may just have been sent
			if !at.Equal(want) {
				r.Fatalf("%s: the next request goes at %v, want %v", name, at, want)
			}
		}
	})
}

// cborTimes encodes times in full.
func cborTimes(t *testing.T) cbor.EncMode {
	t.Helper()
	mode, err := cbor.EncOptions{Time: cbor.TimeRFC3339Nano}.EncMode()
	must(t, err)
	return mode
}

// A few pages that do not answer do not make their host abandoned: their last attempts come in a
// row, after all other answers, and prove no more than the first. So a 404 is still confirmed.
func TestTheLastTriesOfSilentPagesDoNotAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var locs []string
		for i := range 38 {
			locs = append(locs, fmt.Sprintf("http://a.example/%s/%d", map[bool]string{true: "gone", false: "silent"}[i < 30], i))
		}
		store := newMemoryStore(locs...)
		c := sharing(t, NewPoliteness(), 100, store, func(path string) string {
			if strings.HasPrefix(path, "/silent/") {
				return "" // and the request times out
			}
			return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
		})
		c.o.Backoff = []time.Duration{time.Second, 4 * time.Second}
		must(t, c.Run(t.Context()))
		c.Close()
		if left := noted(c).Abandoned; len(left) > 0 {
			t.Errorf("left %v", left)
		}
		got := map[audit.Verdict]int{}
		for _, e := range store.entries {
			got[audit.Judge(store, e, &c.o.Rules, audit.Want{}).Verdict]++
			if h := store.hops[audit.Request{URL: e.Loc}]; strings.Contains(e.Loc, "silent") && h.Tries != 3 {
				t.Errorf("%s: %d tries", e.Loc, h.Tries)
			}
		}
		if want := map[audit.Verdict]int{audit.NotFound: 30, audit.Unverified: 8}; !maps.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

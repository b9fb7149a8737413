package fleet_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/audit"
	"sitemend/crawler/fleet"
)

// randomWeb is a web of n addresses on hosts that redirect to one another at random, in
// loops too; one host has half of them.
func randomWeb(n, hosts int, seed uint64) (locs []string, answer func(http.ResponseWriter, string)) {
	r := rand.New(rand.NewPCG(seed, 1))
	host := func() string {
		i := 0
		if r.IntN(2) == 0 {
			i = r.IntN(hosts)
		}
		return []string{"", "www.", "m."}[i%3] + fmt.Sprintf("h%d.example", i/3)
	}
	for i := range n {
		locs = append(locs, fmt.Sprintf("http://%s/p%%28%d%%29", host(), i))
	}
	type reply struct {
		status   int
		location string
	}
	replies := map[string]reply{}
	for _, l := range locs {
		a := reply{status: []int{200, 200, 200, 301, 301, 302, 308, 404, 418, 500}[r.IntN(10)]}
		if audit.Redirects(a.status) {
			a.location = locs[r.IntN(n)]
		}
		replies[l] = a
		if r.IntN(5) == 0 { // the other spelling redirects back
			replies[strings.NewReplacer("%28", "(", "%29", ")").Replace(l)] = reply{301, l}
		}
	}
	return locs, func(w http.ResponseWriter, url string) {
		if at, ok := strings.CutSuffix(url, "/robots.txt"); ok && len(at)%2 == 0 {
			fmt.Fprint(w, "User-agent: *\nDisallow: /*7%29\n")
			return
		}
		a, ok := replies[url]
		if !ok {
			a.status = 404
		}
		if a.location != "" {
			w.Header().Set("Location", a.location)
		}
		w.WriteHeader(a.status)
		if a.status == 200 {
			fmt.Fprintf(w, "<title>%s</title>", url)
		}
	}
}

// Whichever processes send the requests, an audit remembers the same, and requests the same. All outputs
// follow from what is remembered.
func TestWorkersAskWhatOneProcessAsks(t *testing.T) {
	for _, n := range []int{1, 3} {
		t.Run(fmt.Sprint(n, " servers"), func(t *testing.T) {
			t.Parallel()
			url, _ := servers(t, n)
			o := fleet.Options{URL: url, Timing: steady}
			for _, name := range []string{"w1", "w2", "w3"} {
				working(t, connect(t, o), name)
			}
			f := connect(t, o)
			for seed := range uint64(3) {
				locs, answer := randomWeb(600, 30, seed)
				want, got := newMemory(locs...), newMemory(locs...)
				one, many := newWeb(t, 0, answer), newWeb(t, 0, answer)
				h := how{Addr: one.Listener.Addr().String(), Parallel: 4, Backoff: []time.Duration{time.Millisecond}}
				near(t, h, want)
				h.Addr = many.Listener.Addr().String()
				crawl(t, f, fmt.Sprint("law", seed), h, got)
				got.same(t, want)
				many.judge(t, one.all-len(one.asked)) // second attempts and confirmations
				if one.all != many.all {
					t.Errorf("%d requests of one process, %d of many", one.all, many.all)
				}
			}
		})
	}
}

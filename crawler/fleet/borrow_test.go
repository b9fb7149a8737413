package fleet_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"sitemend/crawler"
	"sitemend/crawler/audit"
	"sitemend/crawler/discover"
	"sitemend/crawler/fleet"
)

// noFiles is the store of an audit that reads files which do not exist.
type noFiles struct{ discover.Store } // nil: no other method of it is called

func (noFiles) Sitemaps() ([]audit.Sitemap, error) { return nil, nil }

func (noFiles) SpoolWriter(string) (io.WriteCloser, error) { return discarded{io.Discard}, nil }

type discarded struct{ io.Writer }

func (discarded) Close() error { return nil }

// readFiles reads n files of the hot host in the process of another audit.
func readFiles(t *testing.T, url string, h how, n int) {
	t.Helper()
	f := connect(t, url, fleet.Options{Name: "files"})
	o := h.options("files")
	o.Via = later{f, nil}
	c := crawler.New(newMemory(), o)
	defer c.Close()
	var files []audit.Sitemap
	for i := range n {
		files = append(files, audit.Sitemap{N: i, Parent: -1, URL: fmt.Sprintf("http://%s/sitemap-%d.xml", hot, i)})
	}
	changed, err := c.Changed(t.Context(), noFiles{}, files)
	if err != nil || len(changed) != n {
		t.Errorf("%d of %d files are read: %v", len(changed), n, err)
	}
}

// The files of an audit are read at the pace of their host even while workers send requests there
// for another audit: the worker makes way, or the audit waits for the lease of one that was killed.
func TestFilesOfAnotherAudit(t *testing.T) {
	t.Parallel()
	for name, killed := range map[string]bool{"the worker makes way": false, "the worker is killed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, _ := servers(t, 1)
			locs, answer := manyHosts(1000)
			s := newWeb(t, 10*time.Millisecond, nil)
			var files atomic.Int32
			s.answer = func(w http.ResponseWriter, at string) {
				if strings.Contains(at, "/sitemap-") {
					files.Add(1)
					time.Sleep(20 * time.Millisecond)
					w.WriteHeader(http.StatusNotFound)
					return
				}
				answer(w, at)
			}
			w := &workers{t: t, url: url, env: []string{steadyEnv + "=1"}}
			if killed {
				w.env = nil
			}
			w.start("w1")
			h := how{Addr: s.Listener.Addr().String(), Rate: 100, Parallel: 2}
			const some = 10
			var reading sync.WaitGroup
			var once sync.Once
			s.when = func(n int, host, worker string) {
				if n < 200 || host != hot {
					return
				}
				once.Do(func() {
					if killed {
						w.signal(worker, syscall.SIGKILL)
						w.start("w2")
					}
					reading.Go(func() {
						readFiles(t, url, h, some)
						if s.count() >= len(locs) {
							t.Error("the files are read when the other audit is done")
						}
					})
				})
			}
			store, again, timing := newMemory(locs...), 0, steady
			if killed {
				again, timing = oneBatch, quick
			}
			crawl(t, connect(t, url, fleet.Options{Timing: timing}), "other", h, store)
			reading.Wait()
			if len(store.hops) != len(locs) || store.twice > 0 || files.Load() != some {
				t.Errorf("%d of %d addresses are answered, %d twice; %d files were asked for", len(store.hops), len(locs), store.twice, files.Load())
			}
			s.judge(t, again)
		})
	}
}

// A lease for files ends with its session, so that the process sends no requests to a host that
// another one may have. What a dead worker left in the cell of the key is there for the next one.
func TestALeaseForFiles(t *testing.T) {
	t.Parallel()
	url, all := servers(t, 1)
	leases := connect(t, url, fleet.Options{})
	first, err := leases.Lease(t.Context(), hot)
	must(t, err)
	other := connect(t, url, fleet.Options{})
	soon, cancel := context.WithTimeout(t.Context(), 2*quick.Alive)
	defer cancel()
	if _, err := other.Lease(soon, hot); err == nil {
		t.Error("two have the lease")
	}
	leases.Release(t.Context(), first, crawler.HostState{Pace: crawler.PaceState{Rate: 7}})
	if first.Live.Err() == nil {
		t.Error("a lease that was given back lives")
	}
	second, err := other.Lease(t.Context(), hot)
	must(t, err)
	if !second.Elsewhere || second.State.Pace.Rate != 7 {
		t.Errorf("the next lease knows %+v", second.State)
	}
	other.Release(t.Context(), second, second.State)
	third, err := other.Lease(t.Context(), hot)
	must(t, err)
	if third.Elsewhere {
		t.Error("nobody else asked meanwhile")
	}
	all[0].Shutdown()
	select {
	case <-third.Live.Done():
	case <-time.After(3 * quick.Alive):
		t.Error("the lease lives without servers")
	}
}

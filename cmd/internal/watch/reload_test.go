package watch_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/watch"
)

// A site that is given another name is neither audited nor told anew: while its audit runs, while
// nothing runs, and where two sites change names.
func TestASiteIsRenamed(t *testing.T) {
	site := func(name, host string) string {
		return "  - { name: " + name + ", targets: \"http://" + host + ".example/sitemap.xml\", schedule: \"0 6 * * *\" }\n"
	}
	for _, x := range []struct {
		name    string
		was, is string // the sites
		after   time.Duration
		want    []string
	}{
		{"while it runs", site("a", "shop"), site("b", "shop"), 30 * time.Minute, []string{"1 00:00 a", "1 06:00 b"}},
		{"while nothing runs", site("a", "shop"), site("b", "shop"), 2 * time.Hour, []string{"1 00:00 a", "1 06:00 b"}},
		{"two change names", site("a", "shop") + site("b", "blog"), site("b", "shop") + site("a", "blog"), 30 * time.Minute, []string{"1 00:00 a", "1 00:00 b", "1 06:00 a", "1 06:00 b"}},
		{"the name is given to another", site("a", "shop"), site("b", "shop") + site("a", "new"), 2 * time.Hour, []string{"1 00:00 a", "1 02:00 a", "1 06:00 a", "1 06:00 b"}},
		{"the targets are others while it runs", site("a", "shop"), site("a", "new"), 30 * time.Minute, []string{"1 00:00 a", "1 06:00 a"}},
		{"it is taken out", site("a", "shop"), site("c", "new"), 30 * time.Minute, []string{"1 00:00 a", "1 00:30 c", "1 06:00 c"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := rehearse(t, x.was)
				r.takes = map[string]time.Duration{"a": time.Hour, "b": time.Hour}
				hangup := make(chan struct{})
				time.AfterFunc(x.after, func() { hangup <- struct{}{} })
				ctx, stop := context.WithTimeout(t.Context(), 8*time.Hour)
				defer stop()
				reload := func() (*watch.Config, error) { return loader(nil).Load(write(t, r.dir, r.config(x.is))) }
				c, err := loader(nil).Load(write(t, r.dir, r.config(x.was)))
				must(t, err)
				_, err = watch.RunWith(ctx, watch.Options{Config: c, Hangup: hangup, Reload: reload, Env: job.Env{Log: slog.New(slog.NewTextHandler(io.Discard, nil))}}, r.audit)
				must(t, err)
				r.beganAre(x.want...)
				firsts := 0
				for _, kind := range letters(t, r.dir) {
					if kind == "first" {
						firsts++
					}
				}
				targets := map[string]bool{}
				for _, target := range r.targets {
					targets[target] = true
				}
				if firsts != len(targets) {
					t.Errorf("%d first messages of %d sites: %v", firsts, len(targets), letters(t, r.dir))
				}
			})
		})
	}
}

// So it is where the configuration was changed while no process ran.
func TestASiteIsRenamedBetweenTwoRuns(t *testing.T) {
	site := func(name, host string) string {
		return "  - { name: " + name + ", targets: \"http://" + host + ".example/sitemap.xml\", schedule: \"0 6 * * *\" }\n"
	}
	for _, x := range []struct {
		name  string
		runs  []string // the sites of each, two hours apart
		want  []string // what is audited
		first int      // messages about a site as a whole
	}{
		{"another name", []string{site("a", "shop"), site("b", "shop")}, []string{"1 00:00 a"}, 1},
		{"the same", []string{site("a", "shop"), site("a", "shop")}, []string{"1 00:00 a"}, 1},
		{"two change names", []string{site("a", "shop") + site("b", "blog"), site("b", "shop") + site("a", "blog")}, []string{"1 00:00 a", "1 00:00 b"}, 2},
		{"the name is given to another", []string{site("a", "shop"), site("b", "shop") + site("a", "new")}, []string{"1 00:00 a", "1 02:00 a"}, 2},
		{"it is taken out, and comes back", []string{site("a", "shop") + site("c", "blog"), site("c", "blog"), site("d", "shop") + site("c", "blog")},
			[]string{"1 00:00 a", "1 00:00 c"}, 2},
		{"and back again", []string{site("a", "shop"), site("b", "shop"), site("a", "shop")}, []string{"1 00:00 a"}, 1},
		{"others of that name", []string{site("a", "shop"), site("a", "new"), site("b", "shop")}, []string{"1 00:00 a"}, 1},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := rehearse(t, "")
				for _, r.sites = range x.runs {
					r.run(0)
					time.Sleep(2 * time.Hour)
				}
				r.beganAre(x.want...)
				if sent := letters(t, r.dir); len(sent) != x.first || slices.ContainsFunc(sent, func(kind string) bool { return kind != "first" }) {
					t.Errorf("told %q", sent)
				}
			})
		})
	}
}

// A site that cannot be audited, and so has nothing in the store but that, is known by another
// name, too.
func TestASiteThatFailsIsRenamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t, "")
		r.fails = func(string, int) error { return errors.New("no answer") }
		for _, name := range []string{"a", "b", "a"} {
			r.sites = "  - { name: " + name + ", targets: \"http://shop.example/sitemap.xml\", schedule: \"every 1h\" }\n"
			r.run(0)
			time.Sleep(2 * time.Hour)
		}
		r.beganAre("1 00:00 a", "1 02:00 b", "1 04:00 a")
		if sent := letters(t, r.dir); !slices.Equal(sent, []string{"failed"}) {
			t.Errorf("told %q", sent)
		}
	})
}

// A configuration on a disk that does not answer holds up neither audits nor the end.
func TestReadingThatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sites := "  - { name: a, targets: \"http://shop.example/sitemap.xml\", schedule: \"0 6 * * *\" }\n"
		r := rehearse(t, sites)
		r.takes = map[string]time.Duration{"a": time.Hour}
		hangup, answers := make(chan struct{}), make(chan struct{})
		for _, at := range []time.Duration{2 * time.Hour, 3 * time.Hour} {
			time.AfterFunc(at, func() { hangup <- struct{}{} })
		}
		c, err := loader(nil).Load(write(t, r.dir, r.config(sites)))
		must(t, err)
		ctx, stop := context.WithTimeout(t.Context(), 8*time.Hour)
		defer stop()
		reload := func() (*watch.Config, error) { <-answers; return c, nil }
		_, err = watch.RunWith(ctx, watch.Options{Config: c, Hangup: hangup, Reload: reload, Env: job.Env{Log: slog.New(slog.NewTextHandler(io.Discard, nil))}}, r.audit)
		must(t, err)
		if took := time.Since(midnight); took != 8*time.Hour {
			t.Errorf("it ends after %s", took)
		}
		r.beganAre("1 00:00 a", "1 06:00 a")
		close(answers)
	})
}

// midnight is when the clock of synctest begins.
var midnight = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// healthOf is what /healthz answers.
func healthOf(h http.HandlerFunc) string {
	w := httptest.NewRecorder()
	h(w, httptest.NewRequest(http.MethodGet, "/healthz", nil))
	return strconv.Itoa(w.Code) + " " + strings.TrimSpace(w.Body.String())
}

// A full disk ends nothing: it is said, nothing is audited meanwhile, and all goes on as soon as
// there is room. What ended meanwhile is told once, and no site failed.
func TestAFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t, sitesOf("0 * * * *"))
		r.takes["a"] = 45 * time.Minute
		full := func() bool {
			since := time.Now().UTC().Sub(midnight)
			return since > 150*time.Minute && since < 330*time.Minute
		}
		var mu sync.Mutex // timers have goroutines of their own
		var said []string
		var health func() string
		for _, at := range []time.Duration{time.Hour, 200 * time.Minute, 400 * time.Minute} {
			time.AfterFunc(at, func() {
				mu.Lock()
				defer mu.Unlock()
				said = append(said, health())
			})
		}
		c, err := loader(nil).Load(write(t, r.dir, r.config(r.sites)))
		must(t, err)
		ctx, stop := context.WithTimeout(t.Context(), 8*time.Hour-time.Minute)
		defer stop()
		err = watch.RunOn(ctx, watch.Options{Config: c, Env: job.Env{Log: slog.New(slog.NewTextHandler(io.Discard, nil))}}, r.audit, func() bool { return !full() },
			func(h http.HandlerFunc) {
				mu.Lock()
				defer mu.Unlock()
				health = func() string { return healthOf(h) }
			})
		must(t, err)
		r.beganAre("1 00:00 a", "1 01:00 a", "1 02:00 a", "1 05:30 a", "1 07:00 a")
		mu.Lock()
		defer mu.Unlock()
		if want := []string{"200 ok", "503 nothing can be written: audits.db: no space left on device", "200 ok"}; !slices.Equal(said, want) {
			t.Errorf("/healthz said %q, want %q", said, want)
		}
		if sent := letters(t, r.dir); !slices.Equal(sent, []string{"first"}) {
			t.Errorf("told %q", sent)
		}
	})
}

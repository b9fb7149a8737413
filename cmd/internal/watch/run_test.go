package watch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/watch"
	"sitemend/crawler/audit"
	"sitemend/storage"
)

// A rehearsal watches sites whose audits are made up, on the clock of synctest, which begins on
// 2000-01-01 at midnight UTC and goes on whenever nothing else does.
type rehearsal struct {
	t     *testing.T
	dir   string
	sites string // of the configuration
	takes map[string]time.Duration
	fails func(site string, run int) error

	mu      sync.Mutex
	runs    map[string]int
	began   []string // "d hh:mm site"
	targets []string // of each
	running int
	most    int // at once
}

func rehearse(t *testing.T, sites string) *rehearsal {
	return &rehearsal{t: t, dir: t.TempDir(), sites: sites, takes: map[string]time.Duration{}, runs: map[string]int{}}
}

// run watches for a time, or once where that is 0.
func (r *rehearsal) run(d time.Duration) watch.Summary {
	r.t.Helper()
	c, err := loader(nil).Load(write(r.t, r.dir, r.config(r.sites)))
	must(r.t, err)
	ctx := r.t.Context()
	if d > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, d)
		defer stop()
	}
	env := job.Env{Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	s, err := watch.RunWith(ctx, watch.Options{Config: c, Secrets: new(watch.Secrets), Env: env, Once: d == 0}, r.audit, nil, nil)
	must(r.t, err)
	return s
}

// config is a configuration of sites.
func (r *rehearsal) config(sites string) string {
	return "store: audits\ntimezone: UTC\ndefaults: { notify: [ops] }\nsites:\n" + sites + "notify:\n  ops: { webhook: \"http://127.0.0.1:1/\" }\n"
}

func write(t *testing.T, dir, text string) string {
	path := filepath.Join(dir, "watch.yaml")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// audit makes an audit up that changed nothing.
func (r *rehearsal) audit(ctx context.Context, s job.Spec, env job.Env) (failed, stopped bool, err error) {
	name := filepath.Base(s.Out)
	r.mu.Lock()
	r.runs[name]++
	n := r.runs[name]
	r.began = append(r.began, time.Now().UTC().Format("2 15:04 ")+name)
	before := "20000101T000000Z"
	if !slices.Contains(r.targets, s.Targets[0]) {
		before = ""
	}
	r.targets = append(r.targets, s.Targets...)
	r.running++
	r.most = max(r.most, r.running)
	r.mu.Unlock()
	select {
	case <-time.After(r.takes[name]):
	case <-ctx.Done():
	}
	r.mu.Lock()
	r.running--
	r.mu.Unlock()
	if ctx.Err() != nil {
		return false, true, nil
	}
	if r.fails != nil {
		if err := r.fails(name, n); err != nil {
			return false, false, err
		}
	}
	a, err := env.Store.Begin(audit.Info{Targets: s.Targets, Identity: "googlebot", Started: time.Now()}, name)
	if err != nil {
		return false, false, err
	}
	news := fmt.Sprintf(`{"ID":%q,"Before":%q,"Entries":3}`, a.ID(), before)
	return false, false, errors.Join(a.Put("news", []byte(news)), a.Finish(audit.Info{Targets: s.Targets, Identity: "googlebot", Started: time.Now()}), a.Close())
}

// sitesOf are sites with their schedules.
func sitesOf(schedules ...string) string {
	var b strings.Builder
	for i, s := range schedules {
		name := string(rune('a' + i))
		fmt.Fprintf(&b, "  - { name: %s, targets: \"http://%s.example/sitemap.xml\", schedule: \"%s\" }\n", name, name, s)
	}
	return b.String()
}

// beganAre compares when audits began.
func (r *rehearsal) beganAre(want ...string) {
	r.t.Helper()
	slices.Sort(r.began) // of two that begin in a moment either may come first
	if !slices.Equal(r.began, want) {
		r.t.Errorf("began\n%q\nwant\n%q", r.began, want)
	}
	r.began = nil
}

// A site that was never audited is due at once, then when its schedule says so.
func TestRunsWhenDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t, sitesOf("0 6 * * *", "every 20h"))
		r.run(59 * time.Hour)
		r.beganAre("1 00:00 a", "1 00:00 b", "1 06:00 a", "1 20:00 b", "2 06:00 a", "2 16:00 b", "3 06:00 a")
		// A time that passed while nothing ran is made up for, once.
		time.Sleep(10 * 24 * time.Hour)
		r.run(19*time.Hour + 30*time.Minute)
		r.beganAre("13 11:00 a", "13 11:00 b", "14 06:00 a")
	})
}

// No more audits run at once than may, what waits is what is due the longest, and one that still
// runs is not started again: what passed meanwhile is not made up for.
func TestRunsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t, sitesOf("0 6 * * *", "0 5 * * *", "0 4 * * *", "@daily"))
		r.takes = map[string]time.Duration{"a": 26 * time.Hour, "b": time.Hour, "c": 3 * time.Hour, "d": time.Minute}
		r.run(53 * time.Hour)
		if r.most != 2 {
			t.Errorf("%d audits ran at once, want 2", r.most)
		}
		r.beganAre("1 00:00 a", "1 00:00 b", "1 01:00 c", "1 04:00 d", "1 05:00 b",
			"2 00:00 d", "2 04:00 c", "2 05:00 b", "2 06:00 a", "3 00:00 d", "3 04:00 c")
	})
}

// An audit that was stopped goes on with the next start, whatever its schedule says.
func TestStoppedGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t, sitesOf("@monthly"))
		r.takes["a"] = time.Hour
		r.run(time.Minute)
		time.Sleep(time.Hour)
		r.run(2 * time.Hour)
		r.beganAre("1 00:00 a", "1 01:01 a")
		r.run(48 * time.Hour)
		r.beganAre()
	})
}

// That a site cannot be audited is told the second time in a row, once, and so is that it can be
// again: also by a process that looks once a day.
func TestFailuresAreReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t, sitesOf("@daily"))
		r.fails = func(_ string, run int) error {
			if run == 2 || run >= 4 && run <= 8 {
				return errors.New("no sitemap was found")
			}
			return nil
		}
		for day := range 11 {
			s := r.run(0)
			if run := day + 1; s.Trouble != (run == 2 || run >= 4 && run <= 8) {
				t.Errorf("run %d: %+v", run, s)
			}
			got := letters(t, r.dir)
			var want []string
			if day+1 >= 5 {
				want = append(want, "failed")
			}
			if day+1 >= 9 {
				want = append(want, "recovered")
			}
			if !slices.Equal(got, want) {
				t.Errorf("after run %d: told %q, want %q", day+1, got, want)
			}
			time.Sleep(24 * time.Hour)
		}
		if r.runs["a"] != 11 {
			t.Errorf("%d runs in 11 days", r.runs["a"])
		}
	})
}

// letters are the kinds of the letters that wait in the store.
func letters(t *testing.T, dir string) (kinds []string) {
	t.Helper()
	s, err := storage.OpenReadOnly(filepath.Join(dir, "audits", "audits.db"))
	must(t, err)
	defer s.Close()
	must(t, s.NotedUnder("watch/out/", func(_ string, value []byte) error {
		_, kind, _ := strings.Cut(string(value), `"kind":"`)
		kind, _, _ = strings.Cut(kind, `"`)
		kinds = append(kinds, kind)
		return nil
	}))
	return kinds
}

// A clock that was a year ahead when a site was audited, and is right again, stops the site for
// no longer than its schedule says: also where a process looks once a day.
func TestTheClockIsSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t, sitesOf("@daily", "every 20h"))
		r.run(0)
		r.beganAre("1 00:00 a", "1 00:00 b")
		s, err := storage.Open(filepath.Join(r.dir, "audits", "audits.db"))
		must(t, err)
		next := time.Now().AddDate(1, 0, 0).Format(time.RFC3339)
		for _, name := range []string{"a", "b"} {
			must(t, s.Note("watch/site/"+name, fmt.Appendf(nil, `{"Began":%q,"Ended":%q,"Seq":9}`, next, next)))
		}
		must(t, s.Close())
		for range 3 {
			time.Sleep(23 * time.Hour)
			r.run(0)
		}
		r.beganAre("1 23:00 a", "1 23:00 b", "2 22:00 a", "2 22:00 b", "3 21:00 a", "3 21:00 b")
	})
}

// An audit that is stopped by a fault of this machine (no network), or canceled, is none of the
// site's fault: it goes on in five minutes, and nobody is told that the site failed.
func TestAnAuditThatIsStopped(t *testing.T) {
	for _, why := range []error{errors.New("no route"), nil} {
		synctest.Test(t, func(t *testing.T) {
			r := rehearse(t, sitesOf("@daily"))
			c, err := loader(nil).Load(write(t, r.dir, "store: audits\nsites:\n"+r.sites))
			must(t, err)
			var began []string
			ctx, stop := context.WithTimeout(t.Context(), 12*time.Minute)
			defer stop()
			o := watch.Options{Config: c, Secrets: new(watch.Secrets), Env: job.Env{Log: slog.New(slog.NewTextHandler(io.Discard, nil))}}
			_, err = watch.RunWith(ctx, o, func(context.Context, job.Spec, job.Env) (failed, stopped bool, err error) {
				began = append(began, time.Now().UTC().Format("15:04"))
				return false, true, why
			}, nil, nil)
			must(t, err)
			if want := []string{"00:00", "00:05", "00:10"}; !slices.Equal(began, want) {
				t.Errorf("%v: began at %q, want %q", why, began, want)
			}
			if sent := letters(t, r.dir); len(sent) > 0 {
				t.Errorf("%v: told %q", why, sent)
			}
		})
	}
}

// A panic of an audit is a failure of that audit alone.
func TestAPanicOfAnAudit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t, sitesOf("every 1h", "every 1h"))
		r.fails = func(site string, _ int) error {
			if site == "a" {
				panic("lost")
			}
			return nil
		}
		r.run(150 * time.Minute)
		r.beganAre("1 00:00 a", "1 00:00 b", "1 01:00 a", "1 01:00 b", "1 02:00 a", "1 02:00 b")
		if sent := letters(t, r.dir); !slices.Equal(sent, []string{"failed"}) {
			t.Errorf("told %q", sent)
		}
	})
}

// A configuration is read again all or nothing: what is wrong, and what takes a new start, leaves
// the one before in force.
func TestReload(t *testing.T) {
	for name, x := range map[string]struct {
		text string
		want []string
	}{
		"another schedule": {sitesOf("0 3 * * *"), []string{"1 00:00 a", "1 03:00 a"}},
		"one site more":    {sitesOf("0 6 * * *", "@daily"), []string{"1 00:00 a", "1 01:00 b", "1 06:00 a"}},
		"a mistake":        {sitesOf("0 3 * * *", "never"), []string{"1 00:00 a", "1 06:00 a"}},
		"another listen":   {sitesOf("0 3 * * *") + "listen: 127.0.0.1:1\n", []string{"1 00:00 a", "1 06:00 a"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := rehearse(t, "")
				hangup := make(chan os.Signal)
				time.AfterFunc(time.Hour, func() { hangup <- os.Interrupt })
				ctx, stop := context.WithTimeout(t.Context(), 8*time.Hour)
				defer stop()
				load := func(sites string) (*watch.Config, error) { return loader(nil).Load(write(t, r.dir, r.config(sites))) }
				c, err := load(sitesOf("0 6 * * *"))
				must(t, err)
				_, err = watch.RunWith(ctx, watch.Options{Config: c, Secrets: new(watch.Secrets), Hangup: hangup, Reload: func() (*watch.Config, error) { return load(x.text) },
					Env: job.Env{Log: slog.New(slog.DiscardHandler)}}, r.audit, nil, nil)
				must(t, err)
				r.beganAre(x.want...)
			})
		})
	}
}

// A full disk ends nothing: it is said, nothing is audited meanwhile, and all goes on as soon as
// there is room. No site failed.
func TestAFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t, sitesOf("0 * * * *"))
		r.takes["a"] = 45 * time.Minute
		began := time.Now()
		c, err := loader(nil).Load(write(t, r.dir, r.config(r.sites)))
		must(t, err)
		ctx, stop := context.WithTimeout(t.Context(), 8*time.Hour-time.Minute)
		defer stop()
		var said []string
		_, err = watch.RunWith(ctx, watch.Options{Config: c, Secrets: new(watch.Secrets), Env: job.Env{Log: slog.New(slog.DiscardHandler)}}, r.audit, func() bool {
			since := time.Since(began)
			return since < 150*time.Minute || since >= 330*time.Minute
		}, func(h http.HandlerFunc) {
			for _, at := range []time.Duration{time.Hour, 200 * time.Minute, 400 * time.Minute} {
				time.AfterFunc(at, func() {
					w := httptest.NewRecorder()
					h(w, httptest.NewRequest(http.MethodGet, "/healthz", nil))
					r.mu.Lock()
					defer r.mu.Unlock()
					said = append(said, strings.TrimSpace(w.Body.String()))
				})
			}
		})
		must(t, err)
		r.beganAre("1 00:00 a", "1 01:00 a", "1 02:00 a", "1 05:30 a", "1 07:00 a")
		if want := []string{"ok", "nothing can be written: audits.db: no space left on device", "ok"}; !slices.Equal(said, want) {
			t.Errorf("/healthz said %q, want %q", said, want)
		}
		if sent := letters(t, r.dir); len(sent) > 0 {
			t.Errorf("told %q", sent)
		}
	})
}

package watch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"sitemend/cmd/internal/job"
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
	stops bool // audits are stopped
	spoil int  // the run whose record is damaged

	mu      sync.Mutex
	runs    map[string]int
	began   []string // "d hh:mm site"
	running int
	most    int // at once
}

func rehearse(t *testing.T, schedules ...string) *rehearsal {
	return &rehearsal{t: t, dir: t.TempDir(), sites: sitesOf(schedules...), takes: map[string]time.Duration{}, runs: map[string]int{}}
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

func (r *rehearsal) config(sites string) (*Config, error) {
	return load(r.t, r.dir, nil, "store: audits\ntimezone: UTC\ndefaults: { notify: [ops] }\nsites:\n"+sites+"notify:\n  ops: { webhook: \"http://127.0.0.1:1/\" }\n")
}

// run watches for a time, or once where that is 0.
func (r *rehearsal) run(d time.Duration) error {
	r.t.Helper()
	c, err := r.config(r.sites)
	must(r.t, err)
	ctx := r.t.Context()
	if d > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, d)
		defer stop()
	}
	w, err := begin(Options{Config: c, Env: loader(nil).Env, Once: d == 0})
	must(r.t, err)
	w.audit = r.audit
	return errors.Join(w.loop(ctx), w.store.Close())
}

// audit makes an audit up that changed nothing.
func (r *rehearsal) audit(ctx context.Context, s job.Spec, env job.Env) (failed, stopped bool, err error) {
	name := filepath.Base(s.Out)
	r.mu.Lock()
	r.runs[name]++
	n := r.runs[name]
	r.began = append(r.began, time.Now().UTC().Format("2 15:04 ")+name)
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
	if ctx.Err() != nil || r.stops {
		return false, true, nil
	}
	if r.fails != nil {
		if err := r.fails(name, n); err != nil {
			return false, false, err
		}
	}
	info := audit.Info{Targets: s.Targets, Identity: "googlebot", Part: `"" "" 0 false`, Started: time.Now()}
	a, err := env.Store.Begin(info, name)
	if err != nil {
		return false, false, err
	}
	info.Ended = time.Now()
	news := fmt.Sprintf(`{"ID":%q,"Before":"20000101T000000Z","Entries":3}`, a.ID())
	if n == r.spoil {
		news = "{"
	}
	return false, false, errors.Join(a.Put("news", []byte(news)), a.SetInfo(info), a.Close())
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

// told are the kinds of the letters that wait in the store.
func (r *rehearsal) told() (kinds []string) {
	r.t.Helper()
	s, err := storage.OpenReadOnly(filepath.Join(r.dir, "audits", "audits.db"))
	must(r.t, err)
	defer s.Close()
	must(r.t, s.NotedUnder(outboxPrefix, func(_ string, value []byte) error {
		_, kind, _ := strings.Cut(string(value), `"kind":"`)
		kind, _, _ = strings.Cut(kind, `"`)
		kinds = append(kinds, kind)
		return nil
	}))
	return kinds
}

// A site that was never audited is due at once, then when its schedule says so.
func TestRunsWhenDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t, "0 6 * * *", "every 20h")
		must(t, r.run(59*time.Hour))
		r.beganAre("1 00:00 a", "1 00:00 b", "1 06:00 a", "1 20:00 b", "2 06:00 a", "2 16:00 b", "3 06:00 a")
		// A time that passed while nothing ran is made up for, once.
		time.Sleep(10 * 24 * time.Hour)
		must(t, r.run(19*time.Hour+30*time.Minute))
		r.beganAre("13 11:00 a", "13 11:00 b", "14 06:00 a")
		// So is one at a time that is yet to come: the clock was set back.
		s, err := storage.Open(filepath.Join(r.dir, "audits", "audits.db"))
		must(t, err)
		must(t, s.NoteAll(map[string][]byte{statePrefix + "b": []byte(`{"Ended":"2001-01-01T00:00:00Z","Seq":9}`)}))
		must(t, s.Close())
		must(t, r.run(0))
		r.beganAre("14 06:30 b")
	})
}

// No more audits run at once than may, what waits is what is due the longest, and one that still
// runs is not started again: what passed meanwhile is not made up for.
func TestRunsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t, "0 6 * * *", "0 5 * * *", "0 4 * * *", "@daily")
		r.takes = map[string]time.Duration{"a": 26 * time.Hour, "b": time.Hour, "c": 3 * time.Hour, "d": time.Minute}
		must(t, r.run(53*time.Hour))
		if r.most != 2 {
			t.Errorf("%d audits ran at once, want 2", r.most)
		}
		r.beganAre("1 00:00 a", "1 00:00 b", "1 01:00 c", "1 04:00 d", "1 05:00 b",
			"2 00:00 d", "2 04:00 c", "2 05:00 b", "2 06:00 a", "3 00:00 d", "3 04:00 c")
	})
}

// An audit that was stopped goes on with the next start, whatever its schedule says; one that this
// machine stopped goes on in five minutes, and nobody is told that the site failed.
func TestStoppedGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t, "@monthly")
		r.takes["a"] = time.Hour
		for _, d := range []time.Duration{time.Minute, 2 * time.Hour} {
			must(t, r.run(d))
		}
		r.beganAre("1 00:00 a", "1 00:01 a")
		r = rehearse(t, "@daily")
		r.stops = true
		must(t, r.run(12*time.Minute))
		r.beganAre("1 02:01 a", "1 02:06 a", "1 02:11 a")
		if sent := r.told(); len(sent) > 0 {
			t.Errorf("told %q", sent)
		}
	})
}

// That a site cannot be audited is told the second time in a row, once, and so is that it can be
// again: also by a process that looks once a day.
func TestFailuresAreReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t, "@daily")
		r.spoil = 10 // one that cannot be read is one that could not be made
		r.fails = func(_ string, run int) error {
			switch {
			case run == 2:
				panic("lost")
			case run >= 4 && run <= 8:
				return errors.New("no sitemap was found")
			}
			return nil
		}
		for run := 1; run <= 11; run++ {
			must(t, r.run(0))
			var want []string
			if run >= 5 {
				want = append(want, "failed")
			}
			if run >= 9 {
				want = append(want, "recovered")
			}
			if got := r.told(); !slices.Equal(got, want) || r.runs["a"] != run {
				t.Errorf("after run %d: told %q, want %q, %d runs", run, got, want, r.runs["a"])
			}
			time.Sleep(24 * time.Hour)
		}
	})
}

// A full disk is no failure of the site: the process ends, and the next one goes on.
func TestAFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t, "@daily")
		r.fails = func(_ string, run int) error {
			if run <= 2 {
				return fmt.Errorf("audits.db: %w", syscall.ENOSPC)
			}
			return nil
		}
		for run := 1; run <= 3; run++ {
			if err := r.run(0); errors.Is(err, syscall.ENOSPC) != (run <= 2) {
				t.Errorf("run %d ended with %v", run, err)
			}
		}
		if sent := r.told(); len(sent) > 0 {
			t.Errorf("told %q", sent)
		}
	})
}

package watch

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"sitemend/storage"
)

// A receiver that is down is left alone ever longer, an hour at most, and gets all that waited as
// soon as it takes one. A letter that it never takes does not hold back the others, and is given up
// after seven days; that of another receiver stays.
func TestTheOutbox(t *testing.T) {
	path, dawn := filepath.Join(t.TempDir(), "audits.db"), time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	s, err := storage.Open(path)
	must(t, err)
	o, err := openOutbox(s)
	must(t, err)
	put := func(receiver string, at time.Time) {
		must(t, o.keep("site", state{}, &letter{Receiver: receiver, Created: at}))
	}
	put("ops", dawn)
	put("other", dawn)
	var tries, taken []int
	for minute := range 24 * 60 {
		now := dawn.Add(time.Duration(minute) * time.Minute)
		if minute == 600 {
			put("ops", now)
			put("ops", now)
			must(t, s.Close())
			s, err = storage.Open(path)
			must(t, err)
			o, err = openOutbox(s) // as another process
			must(t, err)
		}
		for l := o.next("ops", now); l != nil; l = o.next("ops", now) {
			if l.Seq != 1 && minute > 700 {
				taken = append(taken, minute)
				must(t, o.drop(func(x *letter) bool { return x == l }))
				continue
			}
			if l.Seq == 1 {
				tries = append(tries, minute)
			}
			must(t, o.refused(l, now))
		}
	}
	if want := []int{0, 1, 3, 7, 15, 31, 63, 123, 183}; !slices.Equal(tries[:len(want)], want) {
		t.Errorf("tried after %v minutes", tries)
	}
	if len(taken) != 2 || taken[0] != taken[1] || taken[0] > 760 || len(o.letters) != 2 {
		t.Errorf("taken after %v minutes, %d letters wait", taken, len(o.letters))
	}
	must(t, s.Close())
}

// A letter is given up after seven days.
func TestLettersExpire(t *testing.T) {
	s, err := storage.Open(filepath.Join(t.TempDir(), "audits.db"))
	must(t, err)
	defer s.Close()
	o, err := openOutbox(s)
	must(t, err)
	w := &watcher{c: &Config{}, outbox: o, metrics: newMetrics(), log: loader(nil).Env.Log}
	for _, age := range []time.Duration{keepLetters - time.Minute, keepLetters + time.Minute, -time.Hour} {
		must(t, o.keep("site", state{}, &letter{Receiver: "ops", Created: now().Add(-age)}))
	}
	must(t, w.deliver())
	if len(o.letters) != 2 || o.letters[0].Seq != 1 || o.letters[1].Seq != 3 {
		t.Errorf("%d letters are left", len(o.letters))
	}
}

package watch_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"sitemend/cmd/internal/watch"
	"sitemend/storage"
)

// A receiver that is down for a day is tried after 1, 5 and 30 minutes and then every hour, also by
// processes that begin in between, and gets all that waited as soon as it takes one.
func TestAReceiverThatIsDown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audits.db")
	s, err := storage.Open(path)
	must(t, err)
	o, err := watch.NewOutbox(s)
	must(t, err)
	began := dawn
	must(t, o.Put("ops", began))
	must(t, o.Put("other", began))
	var tries []time.Duration
	up := began.Add(24 * time.Hour)
	for now := began; now.Before(up.Add(2 * time.Hour)); now = now.Add(time.Minute) {
		if now.Sub(began)%(7*time.Hour) == 0 && now.After(began) { // another process
			must(t, s.Close())
			s, err = storage.Open(path)
			must(t, err)
			o, err = watch.NewOutbox(s)
			must(t, err)
		}
		if now.Sub(began) == 20*time.Hour {
			for range 3 {
				must(t, o.Put("ops", now))
			}
		}
		for {
			seq, err := o.Try("ops", now, func(uint64) bool { return !now.Before(up) })
			must(t, err)
			if seq == 0 {
				break
			}
			if seq == 1 || !now.Before(up) {
				tries = append(tries, now.Sub(began))
			}
		}
	}
	minutes := func(d ...time.Duration) (n []int) {
		for _, x := range d {
			n = append(n, int(x/time.Minute))
		}
		return n
	}
	if got := minutes(tries[:6]...); !slices.Equal(got, []int{0, 1, 6, 36, 96, 156}) {
		t.Errorf("tried after %v minutes", got)
	}
	last := tries[len(tries)-4:]
	if last[0] != last[3] || last[0] < 24*time.Hour || last[0] > 25*time.Hour {
		t.Errorf("what waited was delivered after %v", last)
	}
	if o.Waiting() != 1 {
		t.Errorf("%d letters wait, want that of the other receiver alone", o.Waiting())
	}
	must(t, s.Close())
}

// A letter that its receiver never takes does not hold back those that it does, and is given up
// after seven days; nothing is given up for a clock that was set back.
func TestALetterThatIsNeverTaken(t *testing.T) {
	s, err := storage.Open(filepath.Join(t.TempDir(), "audits.db"))
	must(t, err)
	defer s.Close()
	o, err := watch.NewOutbox(s)
	must(t, err)
	must(t, o.Put("ops", dawn))
	delivered := 0
	for now := dawn; now.Before(dawn.Add(3 * 24 * time.Hour)); now = now.Add(time.Minute) {
		if now.Sub(dawn)%(6*time.Hour) == time.Hour {
			must(t, o.Put("ops", now))
		}
		for range 3 { // one that is never taken must not be tried for ever
			seq, err := o.Try("ops", now, func(seq uint64) bool { return seq != 1 })
			must(t, err)
			if seq > 1 {
				delivered++
			}
		}
	}
	if delivered != 12 || o.Waiting() != 1 {
		t.Errorf("%d were delivered and %d wait, want 12 and 1", delivered, o.Waiting())
	}
	for _, x := range []struct {
		after time.Duration
		want  int
	}{{-24 * time.Hour, 0}, {7*24*time.Hour - time.Second, 0}, {7 * 24 * time.Hour, 1}, {8 * 24 * time.Hour, 0}} {
		if gone, err := o.Expire(dawn.Add(x.after)); gone != x.want || err != nil {
			t.Errorf("after %s: %d were given up, %v; want %d", x.after, gone, err, x.want)
		}
	}
}

// There are never more letters than Most: the oldest go.
func TestTheOutboxIsBounded(t *testing.T) {
	s, err := storage.Open(filepath.Join(t.TempDir(), "audits.db"))
	must(t, err)
	defer s.Close()
	notes := map[string][]byte{}
	for i := range watch.Most + 5 {
		notes[fmt.Sprintf("watch/out/%016x", i+1)] = fmt.Appendf(nil, `{"Receiver":"ops","Created":%q}`, dawn.Format(time.RFC3339))
	}
	must(t, s.NoteAll(notes))
	o, err := watch.NewOutbox(s)
	must(t, err)
	if gone, err := o.Expire(dawn); gone != 5 || err != nil || o.Waiting() != watch.Most {
		t.Errorf("%d went, %v, %d wait", gone, err, o.Waiting())
	}
	if first, err := o.Try("ops", dawn, func(uint64) bool { return true }); first != 6 || err != nil {
		t.Errorf("the oldest is number %d, %v; want 6", first, err)
	}
}

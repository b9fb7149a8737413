package watch_test

import (
	"strings"
	"testing"
	"time"

	"sitemend/cmd/internal/watch"
)

// When is a site due? Each row is a schedule, a zone, a moment, and the times that follow, as
// the clock on the wall shows them with its distance from UTC.
func TestSchedules(t *testing.T) {
	for _, x := range []struct{ schedule, zone, from, want string }{
		{"17 3 * * 1", "Asia/Tokyo", "2026-11-22T10:00:00+09:00", "11-23 03:17+09 11-30 03:17+09 12-07 03:17+09"},
		{"@daily", "UTC", "2026-11-22T10:00:00Z", "11-23 00:00+00 11-24 00:00+00"},
		{"@weekly", "UTC", "2026-11-22T10:00:00Z", "11-29 00:00+00"},
		{"every 6h", "UTC", "2026-11-22T10:00:00Z", "11-22 16:00+00 11-22 22:00+00 11-23 04:00+00"},
		{"0 3 * * 7", "UTC", "2026-11-22T10:00:00Z", "11-29 03:00+00"},
		// Once on the day without 02:30, and once on the day with two.
		{"30 2 * * *", "Europe/Berlin", "2026-03-28T03:00:00+01:00", "03-29 03:30+02 03-30 02:30+02"},
		{"30 2 * * *", "Europe/Berlin", "2026-10-24T03:00:00+02:00", "10-25 02:30+01 10-26 02:30+01"},
		{"30 1 * * *", "America/New_York", "2026-10-31T03:00:00-04:00", "11-01 01:30-04 11-02 01:30-05"},
		// Every hour goes by time that passes.
		{"0 * * * *", "Europe/Berlin", "2026-10-24T23:30:00Z", "10-25 02:00+02 10-25 02:00+01 10-25 03:00+01"},
		{"0 * * * *", "Europe/Berlin", "2026-03-29T00:30:00Z", "03-29 03:00+02 03-29 04:00+02"},
		{"*/20 3 29 2 *", "UTC", "2026-11-22T10:00:00Z", "02-29 03:00+00 02-29 03:20+00 02-29 03:40+00"},
	} {
		loc, err := time.LoadLocation(x.zone)
		must(t, err)
		at, err := time.Parse(time.RFC3339, x.from)
		must(t, err)
		s, err := watch.ParseSchedule(x.schedule, loc)
		must(t, err)
		var got []string
		for range len(strings.Fields(x.want)) / 2 {
			at = s.Next(at)
			got = append(got, at.In(loc).Format("01-02 15:04-07"))
		}
		if g := strings.Join(got, " "); g != x.want {
			t.Errorf("%s in %s from %s:\ngot  %s\nwant %s", x.schedule, x.zone, x.from, g, x.want)
		}
	}
}

// What is due after a run: a time that passed while it ran is not made up for.
func TestAfterARun(t *testing.T) {
	day := func(s string) time.Time {
		at, err := time.Parse("2006-01-02 15:04", s)
		must(t, err)
		return at
	}
	for _, x := range []struct{ schedule, began, ended, want string }{
		{"@daily", "2026-11-20 00:00", "2026-11-20 00:10", "2026-11-21 00:00"},
		{"@daily", "2026-11-20 00:00", "2026-11-21 03:00", "2026-11-22 00:00"},
		{"@daily", "2026-11-20 17:00", "2026-11-20 17:10", "2026-11-21 00:00"},
		{"every 6h", "2026-11-20 00:00", "2026-11-20 00:10", "2026-11-20 06:00"},
		{"every 6h", "2026-11-20 00:00", "2026-11-20 13:00", "2026-11-20 19:00"},
	} {
		s, err := watch.ParseSchedule(x.schedule, time.UTC)
		must(t, err)
		if got := s.After(day(x.began), day(x.ended)); !got.Equal(day(x.want)) {
			t.Errorf("%s, began %s, ended %s: due %s, want %s", x.schedule, x.began, x.ended, got, x.want)
		}
	}
}

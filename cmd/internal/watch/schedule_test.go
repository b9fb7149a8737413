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
		// Clocks are put forward: 02:30 does not exist on that day.
		{"30 2 * * *", "Europe/Berlin", "2026-03-28T03:00:00+01:00", "03-29 03:00+02 03-30 02:30+02"},
		{"30 2 * * *", "America/New_York", "2026-03-07T12:00:00-05:00", "03-08 03:00-04 03-09 02:30-04"},
		{"0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00:00-03:00", "11-04 01:00-02 11-05 00:00-02"}, // midnight is what is missing
		// Clocks are put back: 02:30 comes twice.
		{"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00+02:00", "10-25 02:30+02 10-26 02:30+01"},
		{"30 1 * * *", "America/New_York", "2026-10-31T12:00:00-04:00", "11-01 01:30-04 11-02 01:30-05"},
		{"45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00:00+11:00", "04-05 01:45+11 04-06 01:45+10"}, // by half an hour
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

// Sunday is 0 and 7, and sun at both ends of a range. 2026-11-22 is a Sunday.
func TestSundays(t *testing.T) {
	for days, want := range map[string]string{
		"7": "29 06", "0": "29 06", "sun": "29 06", "5-7": "27 28 29 04", "fri-sun": "27 28 29 04", "FRI-SUN": "27 28 29 04", "1,7": "23 29 30", "6-7": "28 29 05",
		"1-7": "23 24 25 26 27 28 29 30", "0-7": "23 24 25 26 27 28 29 30", "1-7/2": "23 25 27 29 30", "7-7": "29 06", "0-6": "23 24 25", "sun-mon": "23 29 30", "*/2": "24 26 28 29",
		"1-5": "23 24 25 26 27 30", "8": "", "7-8": "", "5-9": "", "7-1": "", "1-": "", "7/0": "",
	} {
		s, err := watch.ParseSchedule("0 3 * * "+days, time.UTC)
		if (err != nil) != (want == "") {
			t.Errorf("%s: %v", days, err)
		}
		if err != nil {
			continue
		}
		at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
		var got []string
		for range strings.Fields(want) {
			at = s.Next(at)
			got = append(got, at.Format("02"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: due on %s, want %s", days, got, want)
		}
		if s.String() != "0 3 * * "+days {
			t.Errorf("%s is shown as %s", days, s)
		}
	}
}

// A year in each zone: a daily schedule is due once a day, whatever the clocks do.
func TestOnceADay(t *testing.T) {
	for _, zone := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "America/Sao_Paulo", "Asia/Tokyo", "Europe/Dublin", "America/Havana"} {
		loc, err := time.LoadLocation(zone)
		must(t, err)
		for _, clock := range []string{"0 0 * * *", "30 0 * * *", "30 1 * * *", "0 2 * * *", "30 2 * * *", "59 2 * * *", "0 3 * * *", "15 */12 * * *"} {
			s, err := watch.ParseSchedule(clock, loc)
			must(t, err)
			want := 365
			if strings.Contains(clock, "*/12") {
				want *= 2
			}
			n, end := 0, time.Date(2019, 1, 1, 0, 0, 0, 0, loc).Add(-time.Second)
			for at := time.Date(2018, 1, 1, 0, 0, 0, 0, loc).Add(-time.Second); ; n++ {
				next := s.Next(at)
				if !next.After(at) {
					t.Fatalf("%s in %s: after %s comes %s", clock, zone, at, next)
				}
				if at = next; at.After(end) {
					break
				}
			}
			if n != want {
				t.Errorf("%s in %s: due %d times in 2018, want %d", clock, zone, n, want)
			}
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
		{"every 6h", "2026-11-20 00:00", "2026-11-20 13:00", "2026-11-20 18:00"},
	} {
		s, err := watch.ParseSchedule(x.schedule, time.UTC)
		must(t, err)
		if got := s.After(day(x.began), day(x.ended)); !got.Equal(day(x.want)) {
			t.Errorf("%s, began %s, ended %s: due %s, want %s", x.schedule, x.began, x.ended, got, x.want)
		}
	}
}

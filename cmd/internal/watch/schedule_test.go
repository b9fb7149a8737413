package watch

import (
	"strings"
	"testing"
	"time"
)

// When is a site due? Each row is a schedule, a zone, a moment, and the times that follow, as
// the clock on the wall shows them with its distance from UTC.
func TestSchedules(t *testing.T) {
	for _, x := range []struct{ schedule, zone, from, want string }{
		{"17 3 * * 1", "Asia/Tokyo", "2026-11-22T10:00:00+09:00", "11-23 03:17+09 11-30 03:17+09 12-07 03:17+09"},
		{"@daily", "UTC", "2026-11-22T10:00:00Z", "11-23 00:00+00 11-24 00:00+00"},
		{"@weekly", "UTC", "2026-11-22T10:00:00Z", "11-29 00:00+00"},
		{"every 6h", "UTC", "2026-11-22T10:00:00Z", "11-22 16:00+00 11-22 22:00+00 11-23 04:00+00"},
		{"30 3 * * *", "Europe/Berlin", "2026-03-28T02:00:00+01:00", "03-28 03:30+01 03-29 03:30+02 03-30 03:30+02"},
		{"*/20 3 29 2 *", "UTC", "2026-11-22T10:00:00Z", "02-29 03:00+00 02-29 03:20+00 02-29 03:40+00"},
	} {
		loc, err := time.LoadLocation(x.zone)
		must(t, err)
		at, err := time.Parse(time.RFC3339, x.from)
		must(t, err)
		s, err := ParseSchedule(x.schedule, loc)
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

package watch

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // a container without /usr/share/zoneinfo has time zones, too

	"github.com/robfig/cron/v3"

	"sitemend/cmd/internal/cli"
)

// leastInterval is the shortest time from one run to the next that a schedule may have.
const leastInterval = time.Minute

// A Schedule says when a site is due: at times of the clock on the wall (cron), or so long
// after the last run.
type Schedule struct {
	text string
	next cron.Schedule
	loc  *time.Location
}

// descriptors are the names that a schedule may have.
var descriptors = []string{"@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"}

// ParseSchedule reads a schedule: cron's five fields (minute, hour, day of the month, month, day
// of the week), @hourly, @daily (@midnight), @weekly, @monthly, @yearly, or "every 6h" with a
// duration of Go of a minute or more. loc is the time zone whose clock counts.
func ParseSchedule(text string, loc *time.Location) (s Schedule, err error) {
	s = Schedule{text: strings.Join(strings.Fields(text), " "), loc: loc}
	spec := s.text
	if strings.HasPrefix(spec, "every ") {
		spec = "@" + spec
	}
	if rest, ok := strings.CutSuffix(spec, " 7"); ok { // Sunday, which the library knows as 0 alone
		spec = rest + " 0"
	}
	s.next, err = cron.ParseStandard(spec)
	every, interval := s.next.(cron.ConstantDelaySchedule)
	switch {
	case strings.Contains(spec, "TZ="):
		return s, fmt.Errorf("schedule %q: the time zone of all schedules is that of the key timezone", text)
	case err != nil && strings.HasPrefix(s.text, "@"):
		return s, fmt.Errorf("schedule %q is unknown; %sthere are %s", text, cli.DidYouMean(s.text, descriptors), strings.Join(descriptors, ", "))
	case err != nil:
		return s, fmt.Errorf(`schedule %q: %v; it takes cron's minute, hour, day of the month, month and day of the week, as "17 3 * * 1", or @daily or "every 6h"`, text, err)
	case interval && every.Delay < leastInterval:
		return s, fmt.Errorf("schedule %q: the shortest interval is %s", text, leastInterval)
	case s.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, loc)).IsZero():
		return s, fmt.Errorf("schedule %q: there is no such day", text)
	}
	return s, nil
}

// String returns the schedule as it was written.
func (s Schedule) String() string { return s.text }

// anyBit is set by the library in a field that is *.
const anyBit = 1 << 63

// Next returns the first time after t that the schedule names; the zero time where there is none.
//
// A schedule whose hour is * goes by time that passes. Any other goes by the clock on the wall,
// read as if it were in UTC, where no hour is missing or double: a time that the clock jumps over
// is due an hour off, and one that comes twice is due once.
func (s Schedule) Next(t time.Time) time.Time {
	t = t.In(s.loc)
	spec, ok := s.next.(*cron.SpecSchedule)
	if !ok || spec.Hour&anyBit != 0 {
		return s.next.Next(t)
	}
	wall := inZone(t, time.UTC)
	for {
		if wall = spec.Next(wall); wall.IsZero() {
			return wall
		}
		if at := inZone(wall, s.loc); at.After(t) {
			return at
		}
	}
}

// inZone returns the time at which the clock of loc shows what that of t shows.
func inZone(t time.Time, loc *time.Location) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), loc)
}

// After returns the first time that is due after a run that began and ended then: a time that
// passed while it ran is not made up for.
func (s Schedule) After(began, ended time.Time) time.Time {
	if next := s.Next(began); next.After(ended) {
		return next
	}
	return s.Next(ended)
}

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
// after the last run. The zero value is never due again once a run was made.
type Schedule struct {
	text  string
	every time.Duration      // for "every 6h"
	spec  *cron.SpecSchedule // else
	loc   *time.Location
}

// descriptors are the names that a schedule may have.
var descriptors = []string{"@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"}

// ParseSchedule reads a schedule: cron's five fields (minute, hour, day of the month, month, day
// of the week), @hourly, @daily (@midnight), @weekly, @monthly, @yearly, or "every 6h" with a
// duration of Go of a minute or more. loc is the time zone whose clock counts.
func ParseSchedule(text string, loc *time.Location) (Schedule, error) {
	s := Schedule{text: strings.Join(strings.Fields(text), " "), loc: loc}
	if rest, ok := strings.CutPrefix(strings.TrimPrefix(s.text, "@"), "every "); ok {
		d, err := time.ParseDuration(strings.ReplaceAll(rest, " ", ""))
		if err != nil {
			return s, fmt.Errorf("schedule %q: %q is no duration, as 6h or 90m", text, rest)
		}
		if d < leastInterval {
			return s, fmt.Errorf("schedule %q: the shortest interval is %s", text, leastInterval)
		}
		s.every = d
		return s, nil
	}
	fields := strings.Fields(s.text)
	if len(fields) == 5 && fields[4] == "7" { // Sunday, which the library knows as 0 alone
		fields[4] = "0"
	}
	parsed, err := cron.ParseStandard(strings.Join(fields, " "))
	spec, ok := parsed.(*cron.SpecSchedule)
	switch {
	case strings.Contains(s.text, "TZ="):
		return s, fmt.Errorf("schedule %q: the time zone of all schedules is that of the key timezone", text)
	case err != nil && strings.HasPrefix(s.text, "@"):
		return s, fmt.Errorf("schedule %q is unknown; %sthere are %s", text, cli.DidYouMean(s.text, descriptors), strings.Join(descriptors, ", "))
	case err != nil || !ok:
		return s, fmt.Errorf(`schedule %q: %v; it takes cron's minute, hour, day of the month, month and day of the week, as "17 3 * * 1", or @daily or "every 6h"`, text, err)
	}
	spec.Location = loc
	s.spec = spec
	if s.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, loc)).IsZero() {
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
	switch {
	case s.every > 0:
		return t.Add(s.every)
	case s.spec == nil:
		return time.Time{}
	}
	t = t.In(s.loc)
	if s.spec.Hour&anyBit != 0 {
		return s.spec.Next(t)
	}
	spec := *s.spec
	spec.Location = time.UTC
	for wall := inZone(t, time.UTC); ; {
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
	next := s.Next(began)
	for s.every > 0 && !next.After(ended) {
		next = next.Add(s.every)
	}
	if !next.IsZero() && !next.After(ended) {
		next = s.Next(ended)
	}
	return next
}

package watch

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // a container without /usr/share/zoneinfo has time zones, too

	"github.com/robfig/cron/v3"
)

// A Schedule says when a site is due: at times of the clock on the wall (cron), or so long
// after the last run.
type Schedule struct {
	cron.Schedule
	text string
}

// ParseSchedule reads a schedule: cron's five fields (minute, hour, day of the month, month, day
// of the week), @hourly, @daily, @weekly, @monthly, @yearly, or "every 6h" with a duration of Go.
// loc is the time zone whose clock counts.
func ParseSchedule(text string, loc *time.Location) (s Schedule, err error) {
	s.text = strings.Join(strings.Fields(text), " ")
	spec := s.text
	if strings.HasPrefix(spec, "every ") {
		spec = "@" + spec
	}
	if s.Schedule, err = cron.ParseStandard("CRON_TZ=" + loc.String() + " " + spec); err != nil {
		return s, fmt.Errorf(`schedule %q: it takes cron's minute (0-59), hour (0-23), day of the month, month and day of the week (0-6, 0 is Sunday), as "17 3 * * 1", or @daily, @weekly or "every 6h"`, text)
	}
	if s.Next(time.Now()).IsZero() {
		return s, fmt.Errorf("schedule %q: there is no such day", text)
	}
	return s, nil
}

// String returns the schedule as it was written.
func (s Schedule) String() string { return s.text }

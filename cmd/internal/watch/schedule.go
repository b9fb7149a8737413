package watch

import (
	"fmt"
	"slices"
	"strconv"
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
	hours bool // any hour will do: it goes by time that passes
}

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
	if strings.Contains(s.text, "TZ=") {
		return s, fmt.Errorf("schedule %q: the time zone of all schedules is that of the key timezone", text)
	}
	parsed, err := cron.ParseStandard(sundays(s.text))
	if err != nil {
		return s, wrongSchedule(text, s.text)
	}
	spec, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return s, wrongSchedule(text, s.text)
	}
	s.spec, s.hours = spec, spec.Hour&anyBit != 0
	s.spec.Location = time.UTC
	if s.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return s, fmt.Errorf("schedule %q: there is no such day", text)
	}
	return s, nil
}

// sundays writes 0 for each Sunday that the last of five fields calls 7, as cron takes both
// (crontab(5)) and the library only 0; at the end of a range it may be sun, too. What is not
// understood stays as it is.
func sundays(text string) string {
	fields := strings.Fields(text)
	if len(fields) != 5 {
		return text
	}
	var days []string
	for _, part := range strings.Split(fields[4], ",") {
		days = append(days, sundaysOf(part)...)
	}
	fields[4] = strings.Join(days, ",")
	return strings.Join(fields, " ")
}

// weekdays are the names of days, by their number.
var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// sundaysOf are the days of one element of a list, a range or a day: as it stands where it does
// not end with Sunday.
func sundaysOf(part string) (days []string) {
	span, every, stepped := strings.Cut(part, "/")
	first, last, ranged := strings.Cut(span, "-")
	number := func(day string) int {
		if i := slices.Index(weekdays, strings.ToLower(day)); i >= 0 {
			return i
		}
		n, err := strconv.Atoi(day)
		if err != nil {
			return -1
		}
		return n
	}
	from, to, step := number(first), number(last), 1
	if stepped {
		step = number(every)
	}
	switch {
	case !ranged && !stepped && first == "7":
		return []string{"0"}
	case ranged && to == 0 && last != "0" && from > 0: // fri-sun
		to = 7
	}
	if !ranged || to != 7 || from < 0 || from > to || step < 1 {
		return []string{part}
	}
	for day := from; day <= to; day += step {
		days = append(days, strconv.Itoa(day%7))
	}
	return days
}

// anyBit is set by the library in a field that is *.
const anyBit = 1 << 63

// descriptors are the names that a schedule may have.
var descriptors = []string{"@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"}

// wrongSchedule says what a schedule should have been.
func wrongSchedule(text, word string) error {
	if strings.HasPrefix(word, "@") {
		return fmt.Errorf("schedule %q is unknown; %sthere are %s", text, cli.DidYouMean(word, descriptors), strings.Join(descriptors, ", "))
	}
	if n := len(strings.Fields(word)); n != 5 {
		return fmt.Errorf(`schedule %q has %s, not the five of cron (minute, hour, day of the month, month, day of the week); as "17 3 * * 1", @daily or "every 6h"`,
			text, cli.Plural(n, "field", "fields"))
	}
	for i, field := range strings.Fields(word) {
		alone := slices.Repeat([]string{"*"}, len(cronFields))
		alone[i] = field
		if _, err := cron.ParseStandard(sundays(strings.Join(alone, " "))); err != nil {
			return fmt.Errorf("schedule %q: %q is no %s; it takes %s, each alone, as a list (1,3), a range (1-3), or every so many (*/2)",
				text, field, cronFields[i].name, cronFields[i].takes)
		}
	}
	return fmt.Errorf("schedule %q is unknown", text)
}

// cronFields are cron's five fields, with what each takes (crontab(5)).
var cronFields = []struct{ name, takes string }{
	{"minute", "0 to 59"}, {"hour", "0 to 23"}, {"day of the month", "1 to 31"}, {"month", "1 to 12 or jan to dec"}, {"day of the week", "0 to 7 or sun to sat"},
}

// String returns the schedule as it was written.
func (s Schedule) String() string { return s.text }

// Next returns the first time after t that the schedule names; the zero time where there is none.
//
// Where clocks are put forward, a time of the clock that does not exist counts as the moment at
// which they are; where they are put back, one that comes twice counts the first time. A schedule
// whose hour is * (every ten minutes) goes by time that passes. That is how Vixie's cron does it
// (cron(8)); the library alone leaves the first out, and has the second twice.
func (s Schedule) Next(t time.Time) time.Time {
	switch {
	case s.every > 0:
		return t.Add(s.every)
	case s.spec == nil:
		return time.Time{}
	case s.hours:
		spec := *s.spec
		spec.Location = s.loc
		return spec.Next(t.In(s.loc))
	}
	// The clock on the wall is read as if it were in UTC, where no hour is missing or double.
	wall := onWall(t.In(s.loc))
	for {
		if wall = s.spec.Next(wall); wall.IsZero() {
			return wall
		}
		if at := s.moment(wall); at.After(t) {
			return at
		}
	}
}

// After returns the first time that is due after a run that began and ended then: a time that
// passed while it ran is not made up for.
func (s Schedule) After(began, ended time.Time) time.Time {
	next := s.Next(began)
	if s.every > 0 {
		for !next.IsZero() && !next.After(ended) {
			next = next.Add(s.every)
		}
		return next
	}
	if !next.IsZero() && !next.After(ended) {
		next = s.Next(ended)
	}
	return next
}

// onWall returns what the clock on the wall shows at t, as a time of UTC.
func onWall(t time.Time) time.Time {
	y, m, d := t.Date()
	h, min, sec := t.Clock()
	return time.Date(y, m, d, h, min, sec, t.Nanosecond(), time.UTC)
}

// moment returns the first moment at which the clock on the wall shows wall, or at which it
// jumps over it.
func (s Schedule) moment(wall time.Time) time.Time {
	y, m, d := wall.Date()
	h, min, sec := wall.Clock()
	at := time.Date(y, m, d, h, min, sec, 0, s.loc)
	from, to := at.ZoneBounds()
	if shown := onWall(at); !shown.Equal(wall) { // it is jumped over: the zone that at is in begins or ends there
		if shown.After(wall) {
			return from
		}
		return to
	}
	if from.IsZero() {
		return at
	}
	// It may have been shown before the clock was put back, too.
	_, now := at.Zone()
	_, before := from.Add(-time.Second).Zone()
	if earlier := at.Add(time.Duration(now-before) * time.Second); earlier.Before(from) && onWall(earlier).Equal(wall) {
		return earlier
	}
	return at
}

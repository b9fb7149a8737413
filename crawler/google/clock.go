package google

import (
	"context"
	"time"
	_ "time/tzdata" // for the days of the quota, where the system has no zones
)

// A Clock returns the time and waits.
type Clock interface {
	Now() time.Time
	// Sleep returns after d, or when ctx ends, with its error.
	Sleep(ctx context.Context, d time.Duration) error
}

// SystemClock is the clock of the system.
type SystemClock struct{}

// Now implements Clock.
func (SystemClock) Now() time.Time { return time.Now() }

// Sleep implements Clock.
func (SystemClock) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pacific is the zone in which the days of the quotas begin at midnight.
var pacific = func() *time.Location {
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		panic(err) // the zones are embedded
	}
	return zone
}()

// Day returns the day of t in Pacific time, as 2026-11-22: daily quotas are counted by it.
func Day(t time.Time) string { return t.In(pacific).Format(time.DateOnly) }

// NextDay returns when the day after that of t begins in Pacific time.
func NextDay(t time.Time) time.Time {
	y, m, d := t.In(pacific).Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, pacific)
}

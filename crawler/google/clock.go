package google

import (
	"context"
	"time"
	_ "time/tzdata" // the days of the quota are Pacific ones, also where the system has no zones
)

// A Clock tells the time and waits.
type Clock interface {
	Now() time.Time
	// Sleep returns after d, or with ctx's error when that ends before.
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

// pacific is the zone whose midnight begins a day of the quotas.
var pacific = func() *time.Location {
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		panic(err) // it is built in
	}
	return zone
}()

// Day returns the Pacific day of t, as 2026-11-22: the quota of a day counts by it.
func Day(t time.Time) string { return t.In(pacific).Format(time.DateOnly) }

// NextDay returns when the Pacific day after that of t begins.
func NextDay(t time.Time) time.Time {
	y, m, d := t.In(pacific).Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, pacific)
}

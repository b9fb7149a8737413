package service

import (
	"context"
	"time"
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
	select {
	case <-time.After(d):
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

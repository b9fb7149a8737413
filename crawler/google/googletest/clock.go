package googletest

import (
	"context"
	"strings"
	"sync"
	"time"
)

// A Clock is a google.Clock that moves only when a caller waits. It records the waits.
type Clock struct {
	mu    sync.Mutex
	now   time.Time
	waits []time.Duration
}

// NewClock returns a Clock that shows 10:00 UTC of 22 November 2026.
func NewClock() *Clock { return &Clock{now: time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)} }

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Sleep moves the clock by d and returns at once, with the error of ctx, if any.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(max(d, 0))
	if d >= time.Second {
		c.waits = append(c.waits, d)
	}
	return ctx.Err()
}

// Waited returns the waits of a second and more, in words, separated by spaces.
func (c *Clock) Waited() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []string
	for _, d := range c.waits {
		all = append(all, d.String())
	}
	return strings.Join(all, " ")
}

package google

import (
	"context"
	"sync"
	"time"
)

// The pace of calls. The service allows 600 inspections a minute for a property, and 200 other
// calls a minute for a user (developers.google.com/webmaster-tools/limits).
const (
	inspectEvery = 125 * time.Millisecond // 480 a minute
	userEvery    = 350 * time.Millisecond // 171 a minute
)

// A pace spaces calls. The zero pace is ready to use.
type pace struct {
	mu   sync.Mutex
	next time.Time
}

// wait returns when the next call may be made, which is every after the one before.
func (p *pace) wait(ctx context.Context, clock Clock, every time.Duration) error {
	p.mu.Lock()
	now := clock.Now()
	at := now
	if p.next.After(now) {
		at = p.next
	}
	p.next = at.Add(every)
	p.mu.Unlock()
	return clock.Sleep(ctx, at.Sub(now))
}

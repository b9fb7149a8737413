package watch

import "time"

// A Clock is by whose time sites are due and letters are tried again. How fast a host is
// requested is no matter of it.
type Clock interface {
	// Now returns the time. It may jump: clocks are set, and machines sleep.
	Now() time.Time
	// After returns a channel that gets a value once d has passed.
	After(d time.Duration) <-chan time.Time
}

// system is the clock of the machine.
type system struct{}

// Now is without the reading of the monotonic clock: that stands still while the machine sleeps.
func (system) Now() time.Time                         { return time.Now().Round(0) }
func (system) After(d time.Duration) <-chan time.Time { return time.After(d) }

// lookEvery is how long is waited at most before the clock is looked at again: it may have been
// set, or the machine may have slept.
const lookEvery = time.Minute

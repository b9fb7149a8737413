package crawler

import (
	"cmp"
	"context"
	"sync"
	"time"

	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

// What fails on this machine says nothing of a site: too many open files, no route to
// the network, a name server that is down. It is never remembered as an answer. The
// request is made again when that is over, and where it lasts the audit stops.

// How long a failure of this machine is waited for: where nothing has been answered
// yet it is most likely there to stay.
const (
	firstPatience = 15 * time.Second
	lastPatience  = 2 * time.Minute
	longestPause  = 15 * time.Second
)

// An OutageError says that an audit was stopped because something lasts that fails on
// this machine. What was answered is remembered, and the audit can be continued.
type OutageError struct{ Why string }

// Error says what fails.
func (e *OutageError) Error() string { return "this machine has " + e.Why }

// Hint returns what the user can do.
func (e *OutageError) Hint() string {
	if e.Why == fetch.NoFiles {
		return "raise ulimit -n, or lower --parallel-all; the same command continues the audit"
	}
	return "look after the network of this machine; the same command continues the audit"
}

// outage is a failure of this machine as the crawler lives with it: while it lasts
// nobody sends anything but to see whether it is over.
type outage struct {
	warn func(format string, args ...any) // called with words when it begins and ends; may be nil

	mu       sync.Mutex
	since    time.Time // zero where there is none
	until    time.Time // nothing is sent before
	answered bool      // some request was answered in this run
	err      error     // it lasted for too long
	gone     chan struct{}
}

// hold waits while nothing is to be sent. Its error is ctx's, or an *OutageError.
func (o *outage) hold(ctx context.Context) error {
	for {
		o.mu.Lock()
		wait, err := time.Until(o.until), o.err
		o.mu.Unlock()
		if err = cmp.Or(err, ctx.Err()); err != nil || wait <= 0 {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-o.gone:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// failed notes that a request failed on this machine, which it does since first; zero
// is now. Its error is an *OutageError where nothing else was answered for too long. alone is set
// where others are, so that this one has been waited for long enough.
func (o *outage) failed(why string, first *time.Time) (alone bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now, most := time.Now(), firstPatience
	if first.IsZero() {
		*first = now
	}
	if o.answered {
		most = lastPatience
	}
	if o.since.IsZero() {
		o.since = now
		if o.warn != nil {
			o.warn("this machine has %s: waiting for %s at most", why, most)
		}
	}
	if o.err == nil && now.Sub(o.since) >= most {
		o.err = &OutageError{why}
		close(o.gone)
	}
	if !now.Before(o.until) { // else another one that was under way together has noted it
		o.until = now.Add(min(longestPause, max(time.Second, now.Sub(o.since))))
	}
	return o.since.After(*first) && now.Sub(*first) >= lastPatience, o.err
}

// unanswered is the fault of a request that failed on this machine for as long as it is
// waited for, while others were answered: one request is not to hold up an audit.
func unanswered(why string) (audit.Fault, string) {
	return audit.FaultUnreachable, "this machine has " + why
}

// passed notes that a request was answered by its server, or by its silence.
func (o *outage) passed() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answered = true
	if o.since.IsZero() {
		return
	}
	if o.warn != nil {
		o.warn("it goes on after %s", time.Since(o.since).Round(time.Second))
	}
	o.since, o.until = time.Time{}, time.Time{}
}

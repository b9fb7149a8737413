package crawler

import (
	"cmp"
	"context"
	"sync"
	"time"

	"sitemend/crawler/answers"
	"sitemend/crawler/fetch"
)

// A failure of this machine says nothing about a site: too many open files, no route to the
// network, a name server that is down. It is never stored as an answer. The request is repeated
// when the failure is over, and where it lasts the audit stops.

// How long a failure of this machine may last. The limit is shorter where nothing has been answered
// yet, because such a failure is probably permanent.
const (
	firstPatience = 15 * time.Second
	lastPatience  = 2 * time.Minute
	longestPause  = 15 * time.Second
)

// An OutageError is the error of an audit that was stopped because a failure of this machine lasts.
// Its answers are stored, and the audit can be continued.
type OutageError struct{ Why string }

// Error says what fails.
func (e *OutageError) Error() string { return "this machine has " + e.Why }

// Hint returns what the user can do.
func (e *OutageError) Hint() string {
	if e.Why == fetch.NoFiles {
		return "raise ulimit -n; the same command continues the audit"
	}
	return "look after the network of this machine; the same command continues the audit"
}

// outage is the state of a failure of this machine: while it lasts the only requests are those that
// find out whether it is over.
type outage struct {
	warn func(format string, args ...any) // called when a failure begins and ends; may be nil

	mu       sync.Mutex
	since    time.Time // zero where there is none
	until    time.Time // no request is sent before
	answered bool      // a request was answered in this run
	err      error     // the failure lasted too long
	gone     chan struct{}
}

// hold waits while no request is to be sent. Its error is that of ctx, or an *OutageError.
func (o *outage) hold(ctx context.Context) error {
	for {
		o.mu.Lock()
		wait, err := time.Until(o.until), o.err
		o.mu.Unlock()
		if err = cmp.Or(err, ctx.Err()); err != nil || wait <= 0 {
			return err
		}
		select {
		case <-time.After(wait):
		case <-o.gone:
		case <-ctx.Done():
		}
	}
}

// failed records that a request has failed on this machine since first; zero means now. Its error
// is an *OutageError where no other request was answered for too long. Where others are answered and
// this one has failed for the whole waiting time, it replaces the fault: one request must not hold up
// an audit.
func (o *outage) failed(fault *answers.Fault, why *string, first *time.Time) error {
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
			o.warn("this machine has %s: waiting for %s at most", *why, most)
		}
	}
	if o.err == nil && now.Sub(o.since) >= most {
		o.err = &OutageError{*why}
		close(o.gone)
	}
	if !now.Before(o.until) { // otherwise another request that was under way has recorded it
		o.until = now.Add(min(longestPause, max(time.Second, now.Sub(o.since))))
	}
	if o.err == nil && o.since.After(*first) && now.Sub(*first) >= lastPatience {
		*fault, *why = answers.FaultUnreachable, "this machine has "+*why
	}
	return o.err
}

// passed records that a request was answered, or that its server was silent.
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

package crawler

import (
	"context"
	"sync"
	"time"

	"sitemend/crawler/audit"
)

// Numbers of the pace (contract, --rate; Google's crawlers slow down on 429, 5xx
// and slow answers in the same way).
const (
	startRate         = 2.0              // requests a second at first, where the user gave no rate
	slowest           = 0.1              // requests a second; backing off ends here
	slowestForLatency = 0.5              // the same, where answers are only slow
	freeRate          = 500.0            // the rate above which a pace without a ceiling no longer waits
	maxRest           = 10 * time.Minute // the longest Retry-After that is waited for
	calmBefore        = 2 * time.Second  // after a backing off, how long a further bad answer is of the same cause
	minSamples        = 8                // answers before latency is judged
)

// An Outcome is what a Pace learns from one answer.
type Outcome struct {
	Status     int
	Fault      audit.Fault
	Latency    time.Duration
	RetryAfter time.Duration // 0 for none
}

// A Pace says when the next request to one host may be sent. It has a ceiling,
// and below it goes by what the host answers: it rises a little with each quick
// answer, and halves on 429, 503, a reset or a timeout, and when answers take
// three times as long as they did. A Retry-After stops the host for as long
// as it says, at most ten minutes.
//
// Its methods may be called from several goroutines at once. How many requests
// are under way at a time is not its concern.
type Pace struct {
	mu      sync.Mutex
	ceiling float64 // 0 for none
	rate    float64 // 0 for as fast as asked; only without a ceiling
	next    time.Time
	rest    time.Time // nothing is sent before
	backed  time.Time // of the last backing off
	usual   float64   // seconds: the latency's slow average
	recent  float64   // seconds: its quick one
	samples int

	now  func() time.Time
	wait func(context.Context, time.Duration) error
}

// NewPace returns a Pace with a ceiling of rate requests a second, 0 for none.
// A rate that the user gave is used from the start, else the pace starts at 2 a
// second, or at the ceiling where that is less.
func NewPace(rate float64, given bool) *Pace {
	p := &Pace{ceiling: max(rate, 0), now: time.Now, wait: pause}
	switch {
	case given:
		p.rate = p.ceiling
	case p.ceiling == 0:
		p.rate = startRate
	default:
		p.rate = min(startRate, p.ceiling)
	}
	return p
}

// Rate returns the requests a second that are sent now, 0 for no limit.
func (p *Pace) Rate() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rate
}

// Resting returns how long the host is at rest because of a Retry-After.
func (p *Pace) Resting() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, p.rest.Sub(p.now()))
}

// Wait returns when it is the caller's turn, or with ctx's error when ctx ends
// first. Callers have their turns in the order of their calls. After a rest that
// began while callers waited, each has a new turn, so that they do not all go at
// once.
func (p *Pace) Wait(ctx context.Context) error {
	for turn := p.book(); ; {
		if err := p.wait(ctx, turn.Sub(p.now())); err != nil {
			return err
		}
		if !p.restsAfter(turn) {
			return nil
		}
		turn = p.book()
	}
}

func (p *Pace) restsAfter(turn time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rest.After(turn)
}

// book takes the next turn.
func (p *Pace) book() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	turn := later(p.now(), later(p.next, p.rest))
	p.next = turn
	if p.rate > 0 {
		p.next = turn.Add(time.Duration(float64(time.Second) / p.rate))
	}
	return turn
}

// Done tells what came of a request. Every Wait that returned nil is followed
// by one Done.
func (p *Pace) Done(o Outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if o.RetryAfter > 0 {
		p.rest = later(p.rest, now.Add(min(o.RetryAfter, maxRest)))
	}
	switch {
	case struggling(o):
		p.backOff(now, slowest)
	case o.Fault != "":
	case p.slowing(o.Latency.Seconds()):
		p.backOff(now, slowestForLatency)
	default:
		p.rise()
	}
}

// struggling tells the answers of a host that is asked too much.
func struggling(o Outcome) bool {
	switch o.Fault {
	case audit.FaultReset, audit.FaultTimeout:
		return true
	}
	return o.Status == 429 || o.Status == 503
}

// slowing keeps two averages of the latency, one slow and one quick to move, and
// tells whether the quick one ran away; a tenth of a second more is nothing. Once
// told, the slow one comes halfway: a host that stays slow is a slow host.
func (p *Pace) slowing(s float64) bool {
	if p.samples++; p.samples == 1 {
		p.usual, p.recent = s, s
		return false
	}
	p.recent += (s - p.recent) / 4
	if p.samples > minSamples && p.recent > 3*p.usual && p.recent > p.usual+0.1 {
		p.usual = (p.usual + p.recent) / 2
		return true
	}
	p.usual += (s - p.usual) / 64
	return false
}

// backOff halves the rate, but not below least, and once for what has one cause:
// the answers that were under way at the same time come back bad together.
func (p *Pace) backOff(now time.Time, least float64) {
	if !p.backed.IsZero() && now.Sub(p.backed) < calmBefore {
		return
	}
	p.backed = now
	if p.rate == 0 {
		p.rate = freeRate
	}
	p.rate = max(p.rate/2, min(least, p.rate))
	if gap := now.Add(time.Duration(float64(time.Second) / p.rate)); p.next.Before(gap) {
		p.next = gap
	}
}

// rise makes the rate a twentieth higher, up to the ceiling.
func (p *Pace) rise() {
	if p.rate == 0 {
		return
	}
	p.rate *= 1.05
	switch {
	case p.ceiling > 0:
		p.rate = min(p.rate, p.ceiling)
	case p.rate > freeRate:
		p.rate = 0
	}
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// outcome is what a hop tells a Pace: nothing, where it came to the end of an old
// connection.
func outcome(hop *audit.Hop, retryAfter time.Duration, stale bool) Outcome {
	if stale {
		return Outcome{Fault: audit.FaultUnreachable}
	}
	if retryAfter > maxRetryAfter || hop.Status >= 200 && hop.Status < 300 {
		retryAfter = 0 // nobody waits so long: the host is left; beside what was asked for it means nothing (RFC 9110 10.2.3)
	}
	return Outcome{
		Status: hop.Status, Fault: hop.Fault, RetryAfter: retryAfter,
		Latency: time.Duration(hop.MS) * time.Millisecond,
	}
}

// pause waits, unless ctx ends first.
func pause(ctx context.Context, d time.Duration) error {
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

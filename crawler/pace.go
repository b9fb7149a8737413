package crawler

import (
	"cmp"
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"sitemend/crawler/answers"
)

// Numbers of the pace (contract, section 5 and --rate; Google's crawlers slow down on 429, 5xx and
// slow answers in the same way).
const (
	slowest           = 0.1              // requests a second at which slowing down ends
	slowestForLatency = 0.5              // the same where answers are only slow
	freeRate          = 500.0            // the rate above which a pace without a ceiling no longer waits
	maxRest           = 10 * time.Minute // the longest Retry-After that is observed; an address that asks for more is not tried again
	minSamples        = 8                // answers before latency is judged, and requests before their rate
	mildAfter, mildly = 4, 0.75          // good answers after which one refusal is mild, and what then remains of the pace
	plateau           = 0.1              // how far below the refused rate the pace begins to rise slowly
	plateauTime       = 10.0             // seconds until it is back at that rate
	plateauAnswers    = 30               // answers after which it is, where that is sooner
	leaveAfter        = 20               // requests in a row without an answer, or with 403, 429 or 503
)

// startRate is how many requests a second are sent to a host at first, where the user gave no rate.
const startRate = 2.0

// Paces are the paces of hosts that the Crawlers of one process share: together they send requests to a
// host no faster than one of them would. It is safe for concurrent use.
type Paces struct {
	mu sync.Mutex
	of map[string]*pace // by the name of the host
}

// use returns the pace of a host for one more Crawler, with the parameters of newPace. Of several
// Crawlers the lowest rate applies. A host that was abandoned long ago starts anew.
func (p *Paces) use(name string, rate float64, given bool) *pace {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.of[name]
	if at == nil {
		at = newPace(rate, given)
		if p.of == nil {
			p.of = map[string]*pace{}
		}
		p.of[name] = at
	}
	at.mu.Lock()
	defer at.mu.Unlock()
	s := &at.s
	if at.users.Add(1) == 1 { // whoever had it before has ended
		s.Ceiling, s.Silent = 0, 0
	}
	if rate > 0 && (s.Ceiling == 0 || rate < s.Ceiling) {
		s.Ceiling = rate
		s.atMost()
	}
	if s.Left && time.Since(at.left) > maxRest {
		s.Left, s.Silent = false, 0
	}
	return at
}

// An outcome is what a pace learns from one answer.
type outcome struct {
	Status     int
	Fault      answers.Fault
	Latency    time.Duration
	RetryAfter time.Duration // 0 for none
	Again      bool          // the address was refused before
}

// A pace determines when the next request to one host may be sent, and whether any may. It has a
// ceiling; below it the rate depends on the answers of the host: it is halved after 429, 503, a reset
// or a timeout, and when answers take three times as long as they did, and rises with good answers. After
// a single refusal that follows four good answers it falls by a quarter only: a host that refuses some
// addresses at any rate must not end at the slowest. For the same reason an address that is refused
// again changes nothing at the pace of the start. A connection that is refused slows down a host that
// answered before, from the fourth in a row on. A Retry-After stops the requests for as long as it says;
// one of more than ten minutes stops none.
//
// Slowing down takes effect at once: it begins a new stretch, and a caller that waits for a turn of
// the previous one gets a new turn. A bad answer counts once for the stretch in which its request
// was sent: several bad answers to requests that were under way together halve the rate, and a host
// that still refuses slows down again with the next answer. The rate that is lowered is the one at
// which requests were really sent, where that is less than the allowed one. The rate that was
// refused is remembered: up to nine tenths of it the pace recovers quickly, then it comes back to it in
// ten seconds, slower and slower, and rises beyond it faster and faster (as CUBIC does, RFC 9438).
//
// Its methods are safe for concurrent use. A pace does not limit how many requests are under way at
// a time.
type pace struct {
	users   atomic.Int32 // Crawlers that share it and are not closed
	mu      sync.Mutex
	s       HostState
	left    time.Time // with s.Left: since when
	stretch int       // counts how often the pace slowed down
	mild    bool      // the last time, it did so mildly
	last    time.Time // when the last request of this stretch was sent
	sent    int       // requests of this stretch
	lag     float64   // moving average of the time between two of them, as a multiple of the allowed

	now  func() time.Time
	wait func(context.Context, time.Duration) error
}

// A HostState is all that the next process to send requests to a host has to know. It can be
// serialized as JSON or CBOR.
type HostState struct {
	PaceState
	Silent int  // requests in a row without an answer, or with 403, 429 or 503
	Left   bool // it was abandoned: because of that, or because it asks for too long a rest
	Status int  // of the last answer that asked for a rest, or because of which it was left; 0 for no answer
}

// A PaceState is what a pace has learned about the speed of its host. Rates are in requests a second.
type PaceState struct {
	Ceiling float64   // 0 for none
	Rate    float64   // 0 for no limit, which occurs only without a ceiling
	Limit   float64   // the last rate that was refused; 0 for none
	Passed  int       // good answers since the pace last slowed down
	Next    time.Time // when the next request may be sent
	Rest    time.Time // no request is sent before
	Usual   float64   // slowly moving average of the latency in seconds
	Recent  float64   // quickly moving average of the latency in seconds
	Samples int       // latencies in these averages
}

// atMost keeps the rate below the ceiling.
func (s *PaceState) atMost() {
	if s.Ceiling > 0 && (s.Rate == 0 || s.Rate > s.Ceiling) {
		s.Rate = s.Ceiling
	}
}

// A turn is the permission to send one request. It must be passed to Done.
type turn struct{ stretch int }

// newPace returns a pace with a ceiling of rate requests a second, 0 for none. A rate that the user
// gave is used from the start; otherwise the pace starts at 2 a second, or at the ceiling where
// that is less.
func newPace(rate float64, given bool) *pace {
	p := &pace{now: time.Now, wait: pause}
	p.s.Ceiling = max(rate, 0)
	if !given {
		p.s.Rate = startRate
	}
	p.s.atMost()
	return p
}

// adopt continues from the state in which another process left the host. The next request is not sent
// before a gap is over, for the last one may have been sent just now. Of two times the later counts. The
// ceiling stays that of p. The zero HostState, or PaceState, says nothing.
func (p *pace) adopt(s HostState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	mine := &p.s.PaceState
	if theirs := s.PaceState; theirs != (PaceState{}) {
		theirs.Ceiling, theirs.Next, theirs.Rest = mine.Ceiling, later(theirs.Next, mine.Next), later(theirs.Rest, mine.Rest)
		theirs.atMost()
		*mine = theirs
	}
	mine.Next = later(mine.Next, p.now().Add(mine.gap()))
	if s != (HostState{}) {
		p.s.Silent = s.Silent
	}
	if s.Left && !p.s.Left {
		p.s.Left, p.s.Status, p.left = true, s.Status, p.now()
	}
}

// State returns what p has learned so far.
func (p *pace) State() HostState {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.s
}

// count counts refusals and silences, and abandons the host for them; it reports whether the host is
// abandoned. Further attempts for one address count, too. A host that refuses because of the number of
// requests (429, 503) is abandoned once it refuses the slowest pace, too, and one that asks for too long a
// rest after five in a row: where a single page does, the others may well answer.
func (p *pace) count(hop *answers.Hop, retryAfter time.Duration) (left bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// A challenge does not depend on the number of requests.
	busy := hop.Status == 429 || hop.Status == 503 && hop.Challenge == ""
	refused := hop.Fault != "" && !hop.Fault.Traits().Unsent || hop.Status == 403 || hop.Status == 503 || busy
	if p.s.Silent++; !refused {
		p.s.Silent = 0
	}
	// At the end the last attempts for silent pages come in a row: they alone leave no host.
	enough := p.s.Silent >= leaveAfter && (!busy && hop.Tries <= 1 || busy && p.s.Rate > 0 && p.s.Rate <= slowest)
	if (enough || p.s.Silent >= leaveAfter/4 && retryAfter > maxRest) && !p.s.Left {
		p.s.Left, p.s.Status, p.left = true, hop.Status, p.now()
	}
	return p.s.Left
}

// Wait returns when it is the caller's turn, or with ctx's error when ctx ends first. Callers get
// their turns in the order of their calls. After a rest that began while callers waited, and after
// the pace slowed down, each gets a new turn, so that they do not all send at once.
func (p *pace) Wait(ctx context.Context) (turn, error) {
	for {
		at, after, next := p.book()
		if err := p.wait(ctx, after); err != nil {
			return turn{}, err
		}
		if p.take(at, next) {
			return next, nil
		}
	}
}

// book reserves the next turn, which is at a time, after some time.
func (p *pace) book() (at time.Time, after time.Duration, next turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	at = later(now, later(p.s.Next, p.s.Rest))
	p.s.Next = at.Add(p.s.gap())
	return at, at.Sub(now), turn{p.stretch}
}

// take reports whether a reserved turn is still valid, and records that its request is sent.
func (p *pace) take(at time.Time, turn turn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if turn.stretch != p.stretch || p.s.Rest.After(at) {
		return false
	}
	now := p.now()
	if p.sent++; p.sent > 1 {
		p.lag += (now.Sub(later(p.last, p.s.Rest)).Seconds()*p.allowed() - p.lag) / float64(min(p.sent-1, 16))
	}
	p.last = now
	return true
}

// gap returns the time between two requests.
func (s *PaceState) gap() time.Duration {
	if s.Rate == 0 {
		return 0
	}
	return time.Duration(float64(time.Second) / s.Rate)
}

// Done records the outcome of a request. Every Wait that returned no error must be followed by one
// Done.
func (p *pace) Done(turn turn, o outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o.RetryAfter > 0 && !p.s.Left {
		p.s.Rest, p.s.Status = later(p.s.Rest, p.now().Add(min(o.RetryAfter, maxRest))), o.Status
	}
	current := turn.stretch == p.stretch
	// It gets too many requests, or is being restarted: one that never answered is not there.
	busy := o.Fault.Traits().Busy || o.Status == 429 || o.Status == 503 || o.Fault == answers.FaultRefused && p.s.Samples > 0 && p.s.Silent > 2
	switch {
	case busy && current && !(o.Again && p.allowed() <= startRate):
		p.refused()
	case busy && p.mild && turn.stretch == p.stretch-1: // it was not alone
		p.mild = false
		p.s.Rate = max(p.s.Rate*0.5/mildly, min(slowest, p.s.Rate))
	case busy || o.Fault != "":
	case p.slowing(o.Latency.Seconds()):
		if current {
			p.slow(0.5, slowestForLatency)
		}
	case current:
		p.rise()
	}
}

// slowing updates the two averages of the latency, and reports whether the quick one is much higher
// than the slow one; a difference of a tenth of a second is ignored. After that the slow average
// moves halfway to the quick one: a host that stays slow is simply slow.
func (p *pace) slowing(s float64) bool {
	if p.s.Samples++; p.s.Samples == 1 {
		p.s.Usual, p.s.Recent = s, s
		return false
	}
	p.s.Recent += (s - p.s.Recent) / 4
	if p.s.Samples > minSamples && p.s.Recent > 3*p.s.Usual && p.s.Recent > p.s.Usual+0.1 {
		p.s.Usual = (p.s.Usual + p.s.Recent) / 2
		return true
	}
	p.s.Usual += (s - p.s.Usual) / 64
	return false
}

// refused slows down for a host that gets too many requests. The refused rate becomes the limit,
// unless no request was answered since the pace last slowed down: then the host is in trouble at
// any rate.
func (p *pace) refused() {
	if p.s.Passed > 0 || p.s.Limit == 0 {
		p.s.Limit = p.real()
	}
	part := 0.5
	if p.mild = p.s.Passed >= mildAfter; p.mild {
		part = mildly
	}
	p.slow(part, slowest)
}

// allowed returns the rate of p, a number where there is no limit, too.
func (p *pace) allowed() float64 { return cmp.Or(p.s.Rate, freeRate) }

// real returns the rate at which requests were really sent: a caller that sends few at a time to a
// slow host does not reach the allowed rate.
func (p *pace) real() float64 {
	if p.sent >= minSamples && p.lag > 1.1 {
		return p.allowed() / p.lag
	}
	return p.allowed()
}

// slow lowers the rate to a part of it, but not below least, and begins a new stretch: turns of the old
// rate become void.
func (p *pace) slow(part, least float64) {
	rate := p.real()
	p.s.Rate = max(rate*part, min(least, rate))
	p.stretch++
	p.s.Passed = 0
	p.s.Next = p.now().Add(p.s.gap())
	p.sent, p.lag = 0, 0
}

// rise raises the rate after a good answer, up to the ceiling.
func (p *pace) rise() {
	p.s.Passed++
	switch {
	case p.s.Rate == 0:
		return
	case p.s.Limit == 0:
		p.s.Rate *= 1.05
	case p.s.Rate < p.s.Limit*(1-plateau):
		p.s.Rate = min(p.s.Rate*1.25, p.s.Limit*(1-plateau))
	default: // at is -1 at the beginning of the plateau, and 0 at the limit
		at := math.Cbrt((p.s.Rate/p.s.Limit - 1) / plateau)
		at += min(max(1/p.s.Rate/plateauTime, 1.0/plateauAnswers), 0.2)
		p.s.Rate = p.s.Limit * (1 + plateau*at*at*at)
	}
	switch {
	case p.s.Ceiling > 0:
		p.s.Rate = min(p.s.Rate, p.s.Ceiling)
	case p.s.Rate > freeRate:
		p.s.Rate = 0
	}
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// outcomeOf returns what a pace learns from a hop: nothing, where an old connection had ended.
func outcomeOf(hop *answers.Hop, retryAfter time.Duration, stale, again bool) outcome {
	if stale {
		return outcome{Fault: answers.FaultUnreachable}
	}
	if retryAfter > maxRest || !heals(hop) {
		retryAfter = 0 // the host may be abandoned; or it says nothing of other requests (RFC 9110 10.2.3)
	}
	return outcome{
		Status: hop.Status, Fault: hop.Fault, RetryAfter: retryAfter, Again: again,
		Latency: time.Duration(hop.MS) * time.Millisecond,
	}
}

// pause waits for d, or until ctx ends, and then returns its error.
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

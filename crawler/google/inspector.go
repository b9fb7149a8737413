package google

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"sitemend/crawler/audit"
)

// DayLimit is how many inspections of a property are made in a Pacific day: less than the 2,000
// that the service allows, since other programs may use some, too.
const DayLimit = 1800

const (
	atOnce = 8 // inspections
	// doubtful is after how many calls in a row without an answer no further address is inspected
	// until those that wait for their next attempt are done.
	doubtful = 5
	// tooMany is after how many addresses in a row without an answer to the last attempt the
	// inspection ends.
	tooMany = 5
)

// A Ledger stores how much of the daily quota of each property was used.
type Ledger interface {
	// Take counts an inspection before it is sent. ok is false where DayLimit is reached or End was
	// called for the day: then it must not be sent.
	Take(property, day string) (ok bool, err error)
	// End records that the service accepts no more inspections that day.
	End(property, day string) error
}

// An Inspector inspects addresses within the quota.
type Inspector struct {
	Client *Client
	Ledger Ledger
	// Got is called with each answer, one at a time. Its error ends the inspection.
	Got func(audit.Inspection) error
}

// A Rest is what was not inspected.
type Rest struct {
	URLs []string // in the given order
	// Day is set where the quota of the day is used up, by the Ledger's count or according to the
	// service.
	Day bool
	// Err is what ended the inspection early; nil for nothing, and for Day.
	Err error
}

// question is one address to inspect.
type question struct {
	place int // index among the given addresses
	url   string
	retry retry
	due   time.Time
}

// inspecting is the state of one Inspect.
type inspecting struct {
	*Inspector
	property string
	queue    []question
	answers  chan answered
	running  int
	walled   bool // a 429 came: nothing is sent until a single attempt succeeds
	failed   int  // calls in a row without an answer
	lost     int  // addresses in a row without an answer to the last attempt
	pace     pace
	rest     Rest
	over     bool            // nothing more is sent
	said     map[string]bool // texts of the errors in rest
}

// answered is the result of a question.
type answered struct {
	of    question
	in    audit.Inspection
	err   error
	alone bool // no other question was under way: the one more attempt after a 429
}

// Inspect inspects the addresses of one property in their order, eight at once and below 500 a
// minute. After a 429 it waits for all answers under way, then for a minute, and sends a single
// inspection: where that gets a 429 as well, the quota of the day is used up, and no more are sent.
// Answers that came before are kept.
func (i *Inspector) Inspect(ctx context.Context, property string, urls []string) Rest {
	n := &inspecting{Inspector: i, property: property, answers: make(chan answered, atOnce),
		said: map[string]bool{}}
	for place, url := range urls {
		n.queue = append(n.queue, question{place: place, url: url})
	}
	for n.step(ctx) {
	}
	for _, q := range n.queue {
		n.rest.URLs = append(n.rest.URLs, q.url)
	}
	return n.rest
}

// step sends a question, takes an answer, or waits. It returns false at the end.
func (n *inspecting) step(ctx context.Context) bool {
	n.takeAll()
	clock := n.Client.clock
	switch {
	case n.over && n.running == 0, len(n.queue) == 0 && n.running == 0:
		return false
	case n.over, n.running == atOnce, n.running > 0 && (n.walled || len(n.queue) == 0):
		n.take(<-n.answers)
		return true
	case n.walled:
		return n.stopped(n.Client.wait(ctx, wall)) && n.send(ctx, 0)
	}
	at, wait := n.next(clock.Now())
	if at < 0 && n.running > 0 {
		n.take(<-n.answers)
		return true
	}
	if at < 0 {
		return n.stopped(clock.Sleep(ctx, wait))
	}
	if !n.stopped(n.pace.wait(ctx, clock, inspectEvery)) {
		return true
	}
	n.takeAll()
	if n.over || n.walled { // an answer that came meanwhile may set these
		return true
	}
	// that answer was a failure and changed the queue
	if at, _ = n.next(clock.Now()); at < 0 {
		return true
	}
	return n.send(ctx, at)
}

// next returns the index of the first question that is due; -1 where none is, with the time until
// one will be. Where the service does not seem to answer, only questions that were sent before are
// due: each gets all its attempts before calls are spent on others.
func (n *inspecting) next(now time.Time) (at int, wait time.Duration) {
	triedBefore := func(q question) bool { return q.retry.tries > 0 }
	again := n.failed >= doubtful && (n.running > 0 || slices.ContainsFunc(n.queue, triedBefore))
	for i, q := range n.queue {
		if again && !triedBefore(q) {
			continue
		}
		left := q.due.Sub(now)
		if left <= 0 {
			return i, 0
		}
		if wait == 0 || left < wait {
			wait = left
		}
	}
	return -1, wait
}

// stopped ends the inspection with an error, if any, and reports whether there was none. It reports
// an error of several calls under way once.
func (n *inspecting) stopped(err error) (goOn bool) {
	if err == nil {
		return true
	}
	n.over = true
	if said := err.Error(); !n.said[said] {
		n.said[said] = true
		n.rest.Err = errors.Join(n.rest.Err, err)
	}
	return false
}

// send sends the question at an index of the queue. It always returns true: there is an answer to
// take, or the next step finds that the inspection is over.
func (n *inspecting) send(ctx context.Context, at int) bool {
	ok, err := n.Ledger.Take(n.property, Day(n.Client.clock.Now()))
	if !n.stopped(err) {
		return true
	}
	if !ok {
		n.over, n.rest.Day = true, true
		return true
	}
	q := n.queue[at]
	n.queue = slices.Delete(n.queue, at, at+1)
	n.running++
	alone := n.walled
	ask := func() {
		a := answered{of: q, alone: alone}
		a.err = audit.Guard(func() (err error) {
			a.in, err = n.Client.inspect(ctx, n.property, q.url)
			return err
		})
		n.answers <- a
	}
	if alone {
		ask()
		return true
	}
	go ask()
	return true
}

// takeAll takes the answers that have come.
func (n *inspecting) takeAll() {
	for {
		select {
		case a := <-n.answers:
			n.take(a)
		default:
			return
		}
	}
}

// take takes an answer.
func (n *inspecting) take(a answered) {
	n.running--
	var e *Error
	switch {
	case a.err == nil:
		n.through(&a)
		n.stopped(n.Got(a.in))
		return
	case !errors.As(a.err, &e):
		n.back(&a.of)
		n.stopped(a.err)
		return
	}
	switch e.kind() {
	case ofAddress:
		n.through(&a)
		n.without(&a.of, e)
	case overQuota:
		n.walled = true
		n.back(&a.of)
		if a.alone {
			n.ended()
		}
	case dayOver:
		n.back(&a.of)
		n.ended()
	case passing:
		n.passed(&a.of, e)
	default:
		n.lasts(&a.of, e)
	}
}

// back puts a question back at its place among those that are left.
func (n *inspecting) back(q *question) {
	at, _ := slices.BinarySearchFunc(n.queue, q.place,
		func(x question, place int) int { return x.place - place })
	n.queue = slices.Insert(n.queue, at, *q)
}

// through records the answer about an address.
func (n *inspecting) through(a *answered) {
	n.failed, n.lost = 0, 0
	if a.alone {
		n.walled = false
	}
}

// without records that there is no answer about an address.
func (n *inspecting) without(q *question, e *Error) {
	n.stopped(n.Got(audit.Inspection{URL: q.url, Property: n.property,
		Asked: n.Client.clock.Now().UTC().Truncate(time.Second), Failure: e.Error()}))
}

// ended ends the day.
func (n *inspecting) ended() {
	n.over, n.rest.Day = true, true
	n.stopped(n.Ledger.End(n.property, Day(n.Client.clock.Now())))
}

// passed schedules a further attempt after a failure that may pass. After the last attempt it
// records that the address has no answer; it ends the inspection where the service no longer
// answers at all, or asks for fewer calls.
func (n *inspecting) passed(q *question, e *Error) {
	n.failed++
	wait, again := q.retry.after(e)
	switch {
	case again:
		q.due = n.Client.clock.Now().Add(wait)
		n.back(q)
	case e.Status == http.StatusForbidden:
		n.back(q)
		n.stopped(e)
		return
	default:
		n.without(q, e)
		if n.lost++; n.lost == tooMany {
			n.stopped(e)
		}
	}
}

// lasts ends the inspection with an error that the next call would have, too, except for a token
// that is refused for the first time.
func (n *inspecting) lasts(q *question, e *Error) {
	again := e.kind() == unauthorized && !q.retry.refreshed
	q.retry.refreshed = true
	n.back(q)
	if !again {
		n.stopped(e)
	}
}

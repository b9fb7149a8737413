package google

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"sitemend/crawler/audit"
)

// DayLimit is how many inspections are made of a property in a Pacific day: less than the
// 2,000 that the service allows, which others may use, too.
const DayLimit = 1800

const (
	atOnce = 8 // inspections
	// doubtful is after how many calls in a row that nobody answered no further address is asked
	// about, until those that wait for their next try are through.
	doubtful = 5
	// tooMany is after how many addresses in a row that have no answer after their last try no
	// more are asked about.
	tooMany = 5
)

// A Ledger remembers what was used up of the quota of each property's Pacific day.
type Ledger interface {
	// Take counts an inspection, before it is sent. ok is false where DayLimit is reached or the
	// day was ended: then it may not be sent.
	Take(property, day string) (ok bool, err error)
	// End remembers that the service gives no more that day.
	End(property, day string) error
}

// An Inspector inspects addresses within the quota.
type Inspector struct {
	Client *Client
	Ledger Ledger
	// Got takes each answer as it comes, one at a time. An error of it ends the inspecting.
	Got func(audit.Inspection) error
}

// A Rest is what was not inspected.
type Rest struct {
	URLs []string // in the order in which they were given
	// Day is set where the day's quota is used up, by the Ledger's count or because the
	// service gives no more.
	Day bool
	// Err is what ended the inspecting before its end; nil for nothing, and for Day.
	Err error
}

// question is one address to ask.
type question struct {
	place int // in what was given
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
	walled   bool // a 429 came: nothing is sent until one try alone got through
	failed   int  // calls in a row that nobody answered
	lost     int  // addresses in a row that have no answer after their last try
	pace     pace
	rest     Rest
	over     bool            // nothing more is sent
	said     map[string]bool // the texts of the errors in rest
}

// answered is what came of a question.
type answered struct {
	of    question
	in    audit.Inspection
	err   error
	alone bool // nothing else was asked at that time: the one more try after a 429
}

// Inspect asks for the addresses in their order, eight at once and below 500 a minute, all in
// one property. After a 429 it waits until all that is on its way has come, then a minute, and
// asks for one alone: where that is a 429 as well the day's quota is used up, and nothing more
// is sent. What was got by then stays.
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

// step sends what may be sent, or takes an answer, or waits. It is false at the end.
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
	if n.over || n.walled { // an answer that came meanwhile says so
		return true
	}
	// that answer is a failure, and the queue is another one
	if at, _ = n.next(clock.Now()); at < 0 {
		return true
	}
	return n.send(ctx, at)
}

// next is the first question that is due; -1 where none is, with how long that takes. Where
// nobody seems to answer only those that were asked before are due: each has its tries before
// calls are spent on others.
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

// stopped ends the inspecting with an error, and reports whether there was none. What several that
// were on their way end with is said once.
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

// send asks the question at a place of the queue. It is true: there is an answer to take, or
// to see that nothing more is sent.
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

// takeAll takes the answers that are there.
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

// back puts a question back where it stood among those that are left.
func (n *inspecting) back(q *question) {
	at, _ := slices.BinarySearchFunc(n.queue, q.place,
		func(x question, place int) int { return x.place - place })
	n.queue = slices.Insert(n.queue, at, *q)
}

// through takes note of an answer about an address.
func (n *inspecting) through(a *answered) {
	n.failed, n.lost = 0, 0
	if a.alone {
		n.walled = false
	}
}

// without says of an address that there is no answer about it.
func (n *inspecting) without(q *question, e *Error) {
	n.stopped(n.Got(audit.Inspection{URL: q.url, Property: n.property,
		Asked: n.Client.clock.Now().UTC().Truncate(time.Second), Failure: e.Error()}))
}

// ended ends the day.
func (n *inspecting) ended() {
	n.over, n.rest.Day = true, true
	n.stopped(n.Ledger.End(n.property, Day(n.Client.clock.Now())))
}

// passed asks once more what may heal. Of an address without an answer after the last try it
// is told; where nobody answers any more, or the service asks for fewer calls, that ends it.
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

// lasts ends the inspecting with what the next call would end with, too: all but a token that
// is refused for the first time.
func (n *inspecting) lasts(q *question, e *Error) {
	again := e.kind() == unauthorized && !q.retry.refreshed
	q.retry.refreshed = true
	n.back(q)
	if !again {
		n.stopped(e)
	}
}

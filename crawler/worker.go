package crawler

import (
	"strings"
	"time"

	"sitemend/crawler/answers"
)

// worker sends requests to one host, one at a time.
type worker struct {
	judge
	h *host
}

// do sends the requests that a task needs, as long as they go to w.h. An entry whose next answer is
// on its way waits for it; one whose next address is on another host is passed on to that.
func (w *worker) do(t *Task) {
	for begins := true; w.c.soft.Err() == nil; begins = false {
		if !t.claimed && !w.finds(t, begins) || !w.answer(t) {
			return
		}
		t.claimed, t.Last = false, nil
	}
}

// finds finds and claims the next request of a task, and reports whether w is to send it.
func (w *worker) finds(t *Task, begins bool) bool {
	c := w.c
	for ; ; begins = false {
		switch {
		case t.Lone && !begins:
			c.Progress.over()
			return false
		case !t.Lone && !(begins && w.begins(t)) && !w.judged(t), !w.claim(t):
			return false
		}
		last, known := c.store.Hop(t.Request)
		if err := c.store.Err(); err != nil {
			c.fail(err)
			return false
		}
		if t.claimed = !known || last.Pending; t.claimed {
			if known { // an audit that was stopped stored it
				t.Last = lasting(last)
			}
			return true
		}
		w.release(t.Request) // it was answered before the claim
	}
}

// lasting returns a copy of an answer on the heap. Most answers need none.
func lasting(hop answers.Hop) *answers.Hop { return &hop }

// begins reports whether the address that an entry lists is on w.h, and makes it the next request. Judge
// would say the same of an entry of which nothing is known, in more time.
func (w *worker) begins(t *Task) bool {
	at, ok := t.Entry.Begins()
	if !ok || w.c.o.Key(at) != w.h.name {
		return false
	}
	t.Request = t.Entry.Request(at, answers.AsRobot, &w.c.o.Rules)
	return true
}

// judged judges the entry of a task, and makes its next request t.Request. It returns false if the entry
// needs none, or if that of another host: then the entry is passed on.
func (w *worker) judged(t *Task) bool {
	c := w.c
	err := w.entry(t.Entry, c.want)
	switch {
	case err != nil:
		c.fail(err)
	case len(w.row.Needs) == 0:
		c.Progress.over()
	default:
		t.Request = w.row.Needs[0]
		name := c.keyOf(t.Request.URL)
		if name == w.h.name {
			return true
		}
		c.push(c.host(name), t.Entry.N)
	}
	return false
}

// claim reports whether w is to send t.Request. If not, the entry waits for the answer.
func (w *worker) claim(t *Task) bool {
	h := w.h
	h.mu.Lock()
	defer h.mu.Unlock()
	waiters, busy := h.asking[t.Request]
	switch {
	case busy && t.Lone:
		w.c.Progress.over() // the answer to one serves both
	case busy:
		waiters = append(waiters, t.Entry.N)
	}
	h.asking[t.Request] = waiters
	return !busy
}

// release ends a claim: entries that waited for the answer continue.
func (w *worker) release(r answers.Request) {
	w.h.mu.Lock()
	defer w.h.mu.Unlock()
	w.c.release(w.h, r)
}

// release is worker.release for a caller that holds h.mu.
func (c *Crawler) release(h *host, r answers.Request) {
	waiters := h.asking[r]
	delete(h.asking, r)
	for _, n := range waiters {
		h.ahead = add(h.ahead, n)
	}
	if len(waiters) > 0 {
		c.wake(h)
	}
}

// answer gets the answer to the request of a task. It returns false where the task cannot continue
// yet: the request is tried again later, or the audit was stopped. The answer is stored all the same,
// so that it is not lost when the audit ends.
func (w *worker) answer(t *Task) bool {
	c := w.c
	if c.o.Via != nil && !c.abandons(w.h) {
		w.send(t)
		return false
	}
	hop, wait, ok := c.politely(w.h, t)
	if !ok {
		return false
	}
	hop.Pending = wait > 0
	if missing := c.o.Rules.MissingPath; t.Lone || c.want.AltSpelling || missing != "" && strings.Contains(t.Request.URL, missing) {
		hop.Links = "" // not a page of the site, or one in another spelling
	}
	if err := c.store.Keep(hop); err != nil {
		c.failAt(w.h, err)
		return false
	}
	hop.Links = "" // they are stored
	if hop.Pending {
		t.Last = lasting(hop)
		w.later(*t, wait)
		return false
	}
	w.mem.Answered(&hop)
	w.release(t.Request)
	return true
}

// later puts a task back after some time. The claim on its request stays.
func (w *worker) later(t Task, after time.Duration) {
	c, h, soft := w.c, w.h, w.c.soft
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timers++
	c.all.Go(func() {
		_ = pause(soft, after)
		h.mu.Lock()
		h.timers--
		h.tasks = append(h.tasks, t)
		c.wake(h)
		c.unlock(h)
	})
}

package audit

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// What is taken out for what it answers is looked at twice. Of the last answers of an audit the second
// look comes within seconds of the first, in the same outage. So where an origin ends with endingAt or
// more that would be taken out, at least half of all that it answered from there on, some of its pages
// that were fine before are asked once more, and then some of that ending.
const (
	endingAt     = 3
	endingLong   = 10 * 60 // seconds of the ending that are looked at
	endingMargin = 2 * time.Second
	// controlsFirst and controlsLast are how many pages are asked, of the first ones and of those before the ending.
	controlsFirst = 3
	controlsLast  = 4
)

// An ending is how the asking of an origin ended.
type ending struct {
	from     time.Time // what would be taken out and was answered from then on is of it
	controls []Request
	down     bool // in this evaluation
}

// A clock is what an origin answered, by second.
type clock struct {
	first   []second // with its page alone
	seconds map[int64]*second
	latest  int64
}

// A second is how many answers of one would take an entry out, and how many there are, and the page of
// the last of them that is fine.
type second struct {
	at        int64
	gone, all int
	fine      Request
}

// tick takes a row into the clock of its origin.
func (s *surveying) tick(r *Row) {
	if len(r.Trail.Steps) == 0 {
		return
	}
	hop := &r.Trail.Steps[0].Hop
	if hop.At.IsZero() || unseen(hop) {
		return
	}
	origin := r.Address.Origin()
	c := s.clocks[origin]
	if c == nil {
		c = &clock{seconds: map[int64]*second{}}
		if s.clocks == nil {
			s.clocks = map[string]*clock{}
		}
		s.clocks[origin] = c
	}
	c.see(r, hop)
}

func (c *clock) see(r *Row, hop *Hop) {
	at := hop.At.Unix()
	c.latest = max(c.latest, at)
	if r.fine() && len(c.first) < controlsFirst {
		c.first = append(c.first, second{at: at, fine: hop.by(AsProof)})
	}
	if at < c.latest-endingLong {
		return
	}
	if len(c.seconds) > 2*endingLong {
		maps.DeleteFunc(c.seconds, func(at int64, _ *second) bool { return at < c.latest-endingLong })
	}
	n := c.seconds[at]
	if n == nil {
		n = &second{at: at}
		c.seconds[at] = n
	}
	switch n.all++; {
	case r.vanished():
		n.gone++
	case r.fine():
		n.fine = hop.by(AsProof)
	}
}

// vanished reports whether a row is, or was when it was first requested, what is taken out for what it answers.
func (r *Row) vanished() bool { return gone(r.Status) || r.Verdict == Noindex }

// ending returns how the asking of an origin ended, nil where that is like the rest.
func (c *clock) ending() *ending {
	var start int64
	var goneThen, gone, all int
	seconds := slices.SortedFunc(maps.Values(c.seconds), func(a, b *second) int { return cmp.Compare(b.at, a.at) })
	for _, n := range seconds {
		if gone, all = gone+n.gone, all+n.all; n.gone > 0 && gone*2 >= all {
			start, goneThen = n.at, gone
		}
	}
	if goneThen < endingAt {
		return nil
	}
	e := &ending{from: time.Unix(start, 0).Add(-endingMargin)}
	for _, n := range c.first {
		e.control(&n, start)
	}
	for _, n := range seconds {
		if len(e.controls) < controlsFirst+controlsLast {
			e.control(n, start)
		}
	}
	if len(e.controls) == 0 { // there was no other time
		return nil
	}
	return e
}

// control takes the page of a second before the ending.
func (e *ending) control(n *second, start int64) {
	if n.at < start && n.fine != (Request{}) && !slices.Contains(e.controls, n.fine) {
		e.controls = append(e.controls, n.fine)
	}
}

// endings leaves in evaluation.endings how the asking of origins ended.
func (s *surveying) endings() {
	for origin, c := range s.clocks {
		if e := c.ending(); e != nil {
			if s.t.endings == nil {
				s.t.endings = map[string]*ending{}
			}
			e.down = e.isDown(s.t.mem)
			s.t.endings[origin], s.t.down = e, s.t.down || e.down
		}
	}
	s.clocks = nil
}

// isDown reports whether pages that were fine before the ending are not any more: two of them, or all that
// could be seen. Where none could, nothing of the ending is believed either.
func (e *ending) isDown(mem Answers) bool {
	asked, fine, turned := 0, 0, 0
	for _, r := range e.controls {
		hop, ok := mem.Hop(r)
		switch {
		case !ok:
			continue
		case unseen(&hop):
		case answers200(hop.Status) && !noindex(&hop):
			fine++
		default:
			turned++
		}
		asked++
	}
	return turned > 1 || asked > 0 && fine == 0
}

// late reports whether a row is of the ending of its origin, which it returns.
func (t *evaluation) late(r *Row) (*ending, bool) {
	e := t.endings[r.Address.Origin()]
	return e, e != nil && r.vanished() && len(r.Trail.Steps) > 0 && !r.Trail.Steps[0].Hop.At.Before(e.from)
}

// holdLate keeps a row that would be taken out for what it answered when its site was down.
func (t *evaluation) holdLate(r *Row) {
	if e, late := t.late(r); late && e.down && r.Fix.Action == Drop {
		r.hold(HeldUnsteady)
		r.Fix.Why = Why{Key: whyDown}
	}
}

// late takes a row into the sample of those of an ending that the robot is asked for once more.
func (p *proving) late(r *Row) {
	e, late := p.t.late(r)
	if !late || p.t.info.Partial {
		return
	}
	origin := r.Address.Origin()
	switch {
	case r.Fix.Stop == HeldUnsteady:
		p.cameBack[origin] = true
	case r.Fix.Action == Drop && r.variable():
		p.endings[origin] = e
		rs := []Request{r.Trail.Steps[0].Hop.by(AsProof)}
		p.lates.add(readKind{at: r.readAt(), verdict: r.Verdict}, rs[0], reading{rs, r.Entry, Drop, origin}, p.allLate[origin])
	}
}

// judgeLate reports whether an entry of an ending is not to be taken out any more.
func (p *proving) judgeLate() bool {
	for _, e := range p.endings {
		if !e.down && e.isDown(p.t.src) {
			return true
		}
	}
	for x := range p.lates.all() {
		if Judge(p.t.src, x.entry, p.t.rules, Want{}).Fix.Stop == HeldUnsteady {
			return true
		}
	}
	return false
}

// lateRequests returns what is to be asked of the endings: the pages that were fine first, for the outage
// may end in between.
func (p *proving) lateRequests() (rs []Request) {
	for _, origin := range slices.Sorted(maps.Keys(p.endings)) {
		for _, r := range p.endings[origin].controls {
			if _, ok := p.t.src.Hop(r); !ok {
				rs = append(rs, r)
			}
		}
	}
	if len(rs) > 0 {
		return rs
	}
	for x := range p.lates.all() {
		if _, ok := p.t.src.Hop(x.requests[0]); !ok {
			rs = append(rs, x.requests[0])
		}
	}
	return rs
}

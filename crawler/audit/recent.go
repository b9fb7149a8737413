package audit

import "sitemend/crawler/address"

// walkHops is how many answers a walk over the entries has at hand.
const walkHops = 256

// A Recent is a Memory with the last answers at hand: one walk over the entries
// of an audit looks some of them up again and again, as the page that many entries
// redirect to. It is for one goroutine at a time.
type Recent struct {
	mem  Memory
	last nowhere
	hops []recentHop
}

type recentHop struct {
	Hop
	ok bool
}

// NewRecent returns a Recent of mem with up to hops answers at hand, one at least.
// An answer that is kept in mem after it was looked up is not seen.
func NewRecent(mem Memory, hops int) *Recent {
	return &Recent{mem: mem, hops: make([]recentHop, max(1, hops))}
}

// Hop implements Memory.
func (c *Recent) Hop(r Request) (Hop, bool) {
	slot := c.slot(r)
	if slot.ok && slot.Request == r {
		return slot.Hop, true
	}
	h, ok := c.mem.Hop(r)
	if ok {
		slot.Hop, slot.ok = h, true
	}
	return h, ok
}

// Err implements Memory.
func (c *Recent) Err() error { return c.mem.Err() }

// Answered puts an answer at hand that was just kept in the memory.
func (c *Recent) Answered(h *Hop) {
	slot := c.slot(h.Request)
	slot.Hop, slot.ok = *h, true
}

func (c *Recent) slot(r Request) *recentHop {
	return &c.hops[(hash(r.URL)+uint64(r.As))%uint64(len(c.hops))]
}

// nowhere is what an origin answers for an address that cannot exist.
type nowhere struct {
	rules  *Rules
	origin string
	from   address.Address // zero where the rules have no name for it
	trail  Trail
}

// nowhere returns what the origin of a gives for an address that cannot exist.
// Most entries have the origin of the one before.
func (j *judging) nowhere(a address.Address) *nowhere {
	c, keeps := j.mem.(*Recent)
	if keeps && c.last.rules == j.rules && c.last.origin == a.Origin() {
		return &c.last
	}
	n := &nowhere{rules: j.rules, origin: a.Origin(), from: j.rules.nowhere(a)}
	if !n.from.IsZero() {
		n.trail = Follow(j.mem, n.from, AsRobot, j.rules)
	}
	if keeps && n.trail.End != EndUnknown {
		c.last = *n
	}
	return n
}

package audit

import "sitemend/crawler/address"

// walkHops is how many answers a walk over the entries has at hand.
const walkHops = 256

// A Recent is a Memory with the last answers at hand: one walk over the entries
// of an audit looks some of them up again and again, as the page that many entries
// redirect to. It is for one goroutine at a time.
type Recent struct {
	mem  Memory
	last [2]nowhere // of a root and of a section
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

// nowhere is what a place answers for an address that cannot exist.
type nowhere struct {
	rules *Rules
	place nowhereAt
	from  address.Address // zero where the rules have no name for it
	trail Trail
}

// nowhere returns what a place gives for an address that cannot exist. Most entries
// have the places of the one before, each in its slot.
func (j *judging) nowhere(slot int, at nowhereAt) *nowhere {
	c, keeps := j.mem.(*Recent)
	if keeps && c.last[slot].rules == j.rules && c.last[slot].place == at {
		return &c.last[slot]
	}
	n := &nowhere{rules: j.rules, place: at, from: j.rules.nowhere(at)}
	if !n.from.IsZero() {
		n.trail = Follow(j.mem, n.from, way(at.plain), j.rules)
	}
	if keeps && n.trail.End != EndUnknown {
		c.last[slot] = *n
	}
	return n
}

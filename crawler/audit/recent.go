package audit

import "sitemend/crawler/address"

// recentHops is how many answers Recent holds; a power of two.
const recentHops = 256

// Recent returns mem with the last answers at hand: one walk over the entries of
// an audit looks some of them up again and again, as the page that many entries
// redirect to. An answer that is kept in mem after it was looked up is not seen.
// Unlike mem it is for one goroutine at a time.
func Recent(mem Memory) Memory { return &recent{mem: mem} }

type recent struct {
	mem  Memory
	last nowhere
	hops [recentHops]struct {
		Hop
		ok bool
	}
}

func (c *recent) Hop(r Request) (Hop, bool) {
	slot := &c.hops[(hash(r.URL)+uint64(r.As))%recentHops]
	if slot.ok && slot.Request == r {
		return slot.Hop, true
	}
	h, ok := c.mem.Hop(r)
	if ok {
		slot.Hop, slot.ok = h, true
	}
	return h, ok
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
	c, keeps := j.mem.(*recent)
	if keeps && c.last.rules == j.rules && c.last.origin == a.Origin() {
		return &c.last
	}
	n := nowhere{rules: j.rules, origin: a.Origin(), from: j.rules.nowhere(a)}
	if !n.from.IsZero() {
		n.trail = Follow(j.mem, n.from, AsRobot, j.rules)
	}
	if keeps && n.trail.End != EndUnknown {
		c.last = n
		return &c.last
	}
	return &n
}

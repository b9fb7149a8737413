package audit

import (
	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// walkHops is how many answers a walk over the entries has at hand.
const walkHops = 256

// An AnswerCache is Answers with the last answers at hand: one walk over the entries
// of an audit looks some of them up again and again, as the page that many entries
// redirect to. It is for one goroutine at a time.
type AnswerCache struct {
	mem  Answers
	last [2 * missingSlots]missingPage // of the places of a page, and, from listedSlot, of those of a listed address
	hops []recentHop
}

type recentHop struct {
	Hop
	ok bool
}

// NewAnswerCache returns an AnswerCache of mem with up to hops answers at hand, one at least.
// An answer that is kept in mem after it was looked up is not seen.
func NewAnswerCache(mem Answers, hops int) *AnswerCache {
	return &AnswerCache{mem: mem, hops: make([]recentHop, max(1, hops))}
}

// Hop implements Answers.
func (c *AnswerCache) Hop(r Request) (Hop, bool) {
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

// Err implements Answers.
func (c *AnswerCache) Err() error { return c.mem.Err() }

// Answered puts an answer at hand that was just kept in the memory.
func (c *AnswerCache) Answered(h *Hop) {
	slot := c.slot(h.Request)
	slot.Hop, slot.ok = *h, true
}

func (c *AnswerCache) slot(r Request) *recentHop {
	return &c.hops[(sketch.Hash(r.URL)+uint64(r.Purpose))%uint64(len(c.hops))]
}

// missingSlots is how many places an address has at most: root, first path segment, folder.
const missingSlots = 3

// listedSlot is the first of the slots of AnswerCache.last for the places of a listed
// address, where those of what would be written in its place are looked up, too.
const listedSlot = missingSlots

// missingPage is what a place answers for an address that cannot exist.
type missingPage struct {
	rules *Rules
	place missingAt
	from  address.Address // zero where the rules have no name for it
	trail Trail
}

// missingPage returns what a place gives for an address that cannot exist. Most entries
// have the places of the one before, each in its slot.
func (j *judging) missingPage(slot int, at missingAt) *missingPage {
	c, keeps := j.mem.(*AnswerCache)
	if keeps && c.last[slot].rules == j.rules && c.last[slot].place == at {
		return &c.last[slot]
	}
	n := &missingPage{rules: j.rules, place: at, from: j.rules.missingAddress(at)}
	if !n.from.IsZero() {
		n.trail = Follow(j.mem, n.from, way(at.plain), j.rules)
	}
	if keeps && n.trail.End != EndUnknown {
		c.last[slot] = *n
	}
	return n
}

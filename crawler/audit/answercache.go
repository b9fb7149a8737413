package audit

import (
	"cmp"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// walkHops is how many answers a walk over the entries has at hand.
const walkHops = 256

// An AnswerCache is Answers with the last answers at hand: one walk over the entries
// of an audit looks some of them up again and again, as the page that many entries
// redirect to. It is for one goroutine at a time.
type AnswerCache struct {
	mem     Answers
	missing map[missingAt]*missingPage
	hops    []recentHop
	err     error
}

type recentHop struct {
	Hop
	ok bool
}

// NewAnswerCache returns an AnswerCache of mem with up to hops answers at hand, one at least.
// An answer that is kept in mem after it was looked up is not seen.
func NewAnswerCache(mem Answers, hops int) *AnswerCache {
	return &AnswerCache{mem: mem, missing: map[missingAt]*missingPage{},
		hops: make([]recentHop, max(1, hops))}
}

// Hop implements Answers.
func (c *AnswerCache) Hop(r Request) (Hop, bool) {
	h := c.find(r)
	if h == nil {
		return Hop{}, false
	}
	return *h, true
}

// find returns the answer to r, which is lent until the next call; nil where there is none.
func (c *AnswerCache) find(r Request) *Hop {
	slot := c.slot(r)
	if slot.ok && slot.Request == r {
		return &slot.Hop
	}
	h, ok := c.mem.Hop(r)
	if !ok {
		return nil
	}
	slot.Hop, slot.ok = h, true
	return &slot.Hop
}

// Err implements Answers.
func (c *AnswerCache) Err() error { return cmp.Or(c.err, c.mem.Err()) }

// Answered puts an answer at hand that was just kept in the memory.
func (c *AnswerCache) Answered(h *Hop) {
	slot := c.slot(h.Request)
	slot.Hop, slot.ok = *h, true
}

func (c *AnswerCache) slot(r Request) *recentHop {
	return &c.hops[(sketch.Hash(r.URL)+uint64(r.Purpose))%uint64(len(c.hops))]
}

// missingPages is how many places of addresses that cannot exist an AnswerCache has at hand. The
// entries of a file lie in few of them, and go from one to another.
const missingPages = 64

// missingSlots is how many places an address has at most: root and first path segment.
const missingSlots = 2

// missingPage is what a place answers for an address that cannot exist.
type missingPage struct {
	rules *Rules
	place missingAt
	from  address.Address // zero where the rules have no name for it
	trail Trail
}

// missingPage returns what a place gives for an address that cannot exist.
func (j *judging) missingPage(at missingAt) *missingPage {
	c, keeps := j.mem.(*AnswerCache)
	if !keeps {
		return j.askMissing(at)
	}
	n := c.missing[at]
	if n == nil || n.rules != j.rules || n.trail.End == EndUnknown && !n.from.IsZero() {
		if len(c.missing) >= missingPages {
			clear(c.missing)
		}
		n = j.askMissing(at)
		c.missing[at] = n
	}
	return n
}

// askMissing is missingPage of a place that is not at hand.
func (j *judging) askMissing(at missingAt) *missingPage {
	n := &missingPage{rules: j.rules, place: at, from: j.rules.missingAddress(at)}
	if !n.from.IsZero() {
		n.trail = Follow(j.mem, n.from, way(at.plain), j.rules)
	}
	return n
}

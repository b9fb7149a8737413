package audit

import (
	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/internal/sketch"
)

// walkHops is how many answers a walk over the entries has at hand.
const walkHops = 256

// An AnswerCache is a Memory with the last answers at hand, from which Judge judges: one walk over the
// entries of an audit looks some of them up again and again, as the page that many entries redirect to. It
// is for one goroutine at a time.
type AnswerCache struct {
	answers.Memory
	ended   bool          // nothing more is requested
	hops    []answers.Hop // zero where there is none
	missing map[missingAt]*answers.Trail
}

// NewAnswerCache returns an AnswerCache of mem with up to hops answers at hand, one at least. Until the audit
// has ended an answer after which another try is due (Hop.Pending) is none. One that is kept in mem after it
// was looked up is not seen.
func NewAnswerCache(mem answers.Memory, hops int, ended bool) *AnswerCache {
	return &AnswerCache{Memory: mem, ended: ended, hops: make([]answers.Hop, max(1, hops)), missing: map[missingAt]*answers.Trail{}}
}

// Hop implements answers.Memory.
func (c *AnswerCache) Hop(r answers.Request) (answers.Hop, bool) {
	slot := c.slot(r)
	if slot.Request == r {
		return *slot, true
	}
	h, ok := c.Memory.Hop(r)
	if ok = ok && (c.ended || !h.Pending); ok {
		*slot = h
	}
	return h, ok
}

// Answered puts an answer at hand that was just kept in the memory.
func (c *AnswerCache) Answered(h *answers.Hop) { *c.slot(h.Request) = *h }

func (c *AnswerCache) slot(r answers.Request) *answers.Hop {
	return &c.hops[(sketch.Hash(r.URL)+uint64(r.Purpose))%uint64(len(c.hops))]
}

// missingPages is how many places of addresses that cannot exist an AnswerCache has at hand. The
// entries of a file lie in few of them, and go from one to another.
const missingPages = 64

// missingAt returns what a place answers for an address that cannot exist.
func (c *AnswerCache) missingAt(at missingAt, rules *Rules) *answers.Trail {
	if c.missing[at] != nil {
		return c.missing[at]
	}
	t := rules.Follow(c, address.Wire(at.at+rules.MissingPath), at.way)
	if t.End != answers.EndUnknown {
		if len(c.missing) >= missingPages {
			clear(c.missing)
		}
		c.missing[at] = &t
	}
	return &t
}

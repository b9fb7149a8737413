package audit

import "github.com/cespare/xxhash/v2"

// recentHops is how many answers Recent holds; a power of two.
const recentHops = 256

// Recent returns mem with the last answers at hand: one walk over the entries of
// an audit looks some of them up again and again, as the page that many entries
// redirect to. An answer that is kept in mem after it was looked up is not seen.
// Unlike mem it is for one goroutine at a time.
func Recent(mem Memory) Memory { return &recent{mem: mem} }

type recent struct {
	mem  Memory
	hops [recentHops]*Hop
}

func (c *recent) Hop(r Request) (Hop, bool) {
	slot := &c.hops[(xxhash.Sum64String(r.URL)+uint64(r.As))%recentHops]
	if *slot != nil && (*slot).Request == r {
		return **slot, true
	}
	h, ok := c.mem.Hop(r)
	if ok {
		*slot = &h
	}
	return h, ok
}

package audit

// recentHops is how many answers Recent holds; a power of two.
const recentHops = 256

// Recent returns mem with the last answers at hand: one walk over the entries of
// an audit looks some of them up again and again, as the page that many entries
// redirect to. An answer that is kept in mem after it was looked up is not seen.
// Unlike mem it is for one goroutine at a time.
func Recent(mem Memory) Memory { return &recent{mem: mem} }

type recent struct {
	mem  Memory
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

package crawler

import "sitemend/crawler/audit"

// recall is the memory as one worker sees it: the answer that it just got, and
// those that it looks up for entry after entry, come without the store. That is
// enough to say what an entry needs: while an audit asks, no answer changes.
type recall struct {
	audit.Memory
	last audit.Hop
}

func newRecall(mem audit.Memory) *recall { return &recall{Memory: audit.Recent(mem)} }

// Hop implements audit.Memory.
func (r *recall) Hop(req audit.Request) (audit.Hop, bool) {
	if r.last.Request == req {
		return r.last, true
	}
	return r.Memory.Hop(req)
}

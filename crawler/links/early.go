package links

import "sitemend/crawler/audit"

// Limits of what is kept of the links of a page before its base element.
const (
	maxEarly      = 2 * maxTargets
	maxEarlyBytes = 1 << 20 // of their references
)

// An early link was read before the base element of its page, which every link of the page is
// resolved against, wherever it stands (HTML Standard, "document base URL").
type early struct {
	a     *anchor // nil for that of another element, whose reference is in refs
	place audit.LinkPlace
	flags byte
}

// earlyLinks are the links of a page before its base element.
type earlyLinks struct {
	all  []early
	refs []string // of those without an anchor, in order
	size int      // bytes of their references
	over bool     // there are more than are kept
}

// reset removes all links.
func (e *earlyLinks) reset() {
	clear(e.all)
	if cap(e.all) > maxEarly/8 {
		e.all = nil
	}
	e.all, e.refs, e.size, e.over = e.all[:0], nil, 0, false
}

// add adds a link: its anchor, or ref.
func (e *earlyLinks) add(l early, ref string) {
	size := len(ref)
	if l.a != nil {
		size = len(l.a.ref)
	}
	if e.over = e.over || len(e.all) == maxEarly || e.size+size > maxEarlyBytes; e.over {
		return
	}
	if e.all, e.size = append(e.all, l), e.size+size; l.a == nil {
		e.refs = append(e.refs, ref)
	}
}

// add records a link of the current page: its anchor, or ref.
func (r *Reader) add(l early, ref string) {
	if !r.rebased {
		r.early.add(l, ref)
	}
	var to *target
	if l.a != nil {
		to = r.leads(l.a)
	} else {
		to = r.resolve(ref)
	}
	r.take(to, l.place, l.flags)
}

// again records the links before the base element once more, against the base. Where not all of
// them were kept the page is cut.
func (r *Reader) again() {
	r.page++ // no target belongs to it
	r.found, r.size, r.cut = r.found[:0], 0, false
	refs := r.early.refs
	for _, l := range r.early.all {
		ref := ""
		if l.a == nil {
			ref, refs = refs[0], refs[1:]
		}
		r.add(l, ref)
	}
	r.cut = r.cut || r.early.over
	r.early.reset()
}

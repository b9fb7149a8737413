package audit

import (
	"slices"

	"sitemend/crawler/address"
)

// moving finds whether the edited entries of a file all go to one other origin.
type moving struct {
	to, fine []uint32 // origins that entries go to, and those on which others are fine and stay
	replaced int
	left     int  // entries that would be dropped, or are listed twice
	named    bool // one goes to what its page names as canonical
}

// rules applies the rules to the entries of a file that would be edited, and finds whether it moves.
func (d *decisions) rules(file int) {
	t, p := d.t, &d.plans[file]
	p.base = t.base(file)
	var m moving
	if uneditable := t.editable(file); uneditable != "" {
		d.each(file, func(n int, x *settled) {
			if x.action != keeps {
				d.stop(n, uneditable)
			}
		})
		return
	}
	d.each(file, func(n int, x *settled) {
		if x.action != keeps {
			d.check(n, x)
		}
		m.see(x, d.of[n])
	})
	if m.moves(t.sitemaps[file].Entries) {
		p.move = t.origin(file, p.base, m.to[0])
	}
}

func (m *moving) see(x *settled, is decision) {
	stays := x.action == keeps || is.stop != 0
	switch {
	case is.act == merges, x.action == drops && !stays:
		m.left++
	case !stays:
		m.replaced++
		m.named = m.named || x.has(isCanonical)
		m.to = once(m.to, x.to)
	}
	if stays && x.has(isFine) {
		m.fine = once(m.fine, x.from)
	}
}

func once(list []uint32, origin uint32) []uint32 {
	if slices.Contains(list, origin) {
		return list
	}
	return append(list, origin)
}

// moves reports whether a file of so many entries goes to one origin: all edited entries and most of
// those that are left redirect there, and none that is fine stays behind.
func (m *moving) moves(entries int) bool {
	if len(m.to) != 1 || m.named || 2*m.replaced <= entries-m.left {
		return false
	}
	return !slices.ContainsFunc(m.fine, func(origin uint32) bool { return origin != m.to[0] })
}

// origin returns the origin that a file goes to; "" where it is there, where that is another site,
// and where another sitemap is served there.
func (t *evaluation) origin(file int, base address.Address, number uint32) string {
	to, at := t.settled.origins[number], address.Wire(t.sitemaps[file].AnsweredAt).Target()
	if to == base.Origin() || address.Wire(to+"/").Site() != base.Site() ||
		slices.ContainsFunc(t.sitemaps, func(s Sitemap) bool { return s.AnsweredAt == to+at }) {
		return ""
	}
	return to
}

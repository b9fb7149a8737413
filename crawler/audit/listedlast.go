package audit

import (
	"slices"

	"sitemend/crawler/address"
)

// ListedLast is under which name Source.Standing has what a sitemap of the audit that could not be
// read, or not to its end, listed when an earlier audit read it, with what the sitemaps listed that
// it named.
func ListedLast(url string) string { return "last " + url }

// Join adds what another Standing lists, as far as there is room.
func (s *Standing) Join(o *Standing) {
	s.listed = append(s.listed, o.listed[:min(len(o.listed), max(0, MaxStanding-len(s.listed)))]...)
}

// hiding is what a sitemap that was not read to its end may list still.
type hiding struct {
	group string
	*Standing
}

// hidden returns what the sitemaps that were not read to their end listed last, where that is known.
func (t *evaluation) hidden() (out []hiding, err error) {
	for i := range t.sitemaps {
		sm := &t.sitemaps[i]
		if !sm.Listed() || sm.Kind != "" && !sm.InPart() {
			continue
		}
		s, err := t.src.Standing(ListedLast(sm.URL))
		if err != nil {
			return nil, err
		}
		if s != nil {
			out = append(out, hiding{groupOf(address.Wire(sm.URL)), s})
		}
	}
	return out, nil
}

// hides reports whether a sitemap that was not read to its end may list an address still, one that
// belongs to the file or to the address: written as well, that would be listed twice.
func (m *merging) hides(file int, a address.Address) bool {
	return slices.ContainsFunc(m.hidden, func(h hiding) bool {
		_, listed := h.find(a)
		return listed && (h.group == m.groups[file] || h.group == groupOf(a))
	})
}

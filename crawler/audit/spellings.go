package audit

import (
	"sitemend/crawler/address"
	"sitemend/crawler/pattern"
)

// Spellings infers from final rows how servers spell their addresses. A second spelling
// that is redirected back speaks for the listed one; for the rest see pattern.Spellings.
// The zero Spellings is ready; it is not for several goroutines.
type Spellings struct{ pattern.Spellings }

// Add counts a final row. An address that is listed again counts once.
func (s *Spellings) Add(r *Row) {
	if r.Address.IsZero() || r.Verdict == Skipped || r.Has(Duplicate) {
		return
	}
	s.redirects(&r.Trail)
	if r.fine() {
		s.Listed(r.Address)
	}
	switch {
	case r.Other == nil || len(r.Other.Steps) == 0:
	case r.Other.direct():
		s.Both(r.Address, address.Wire(r.Other.Steps[0].Hop.URL))
	case r.Verdict == SpellingBounce && r.Other.End == EndAnswer:
		s.Redirect(address.Wire(r.Other.Steps[0].Hop.URL), r.Address)
	default:
		s.redirects(r.Other)
	}
}

// redirects counts the permanent redirects of a trail.
func (s *Spellings) redirects(t *Trail) {
	for i := range t.Steps {
		if st := &t.Steps[i]; st.Permanent && st.Kind == ByHTTP {
			s.Redirect(address.Wire(st.Hop.URL), st.Next)
		}
	}
}

package audit

import "sitemend/crawler/address"

// nowhere returns the address in the root of a's scheme, host and port that
// cannot exist; zero where the rules have no name for it.
func (r *Rules) nowhere(a address.Address) address.Address {
	if r.Nowhere == "" {
		return address.Address{}
	}
	return address.Wire(a.Origin() + "/" + r.Nowhere)
}

// soft404 tells whether a page that answers 200 is what its host also gives for
// an address that cannot exist: the same final address, or a 200 with the same
// title, not empty, and the same canonical (Search docs, "soft-404-errors": a
// page that tells the user that it does not exist, and a 200). known is false
// where the host must be asked first; one that robots.txt keeps us from asking,
// or that does not answer, has no soft 404s.
func (j *judging) soft404(a address.Address, page *Page) (soft, known bool) {
	n := j.nowhere(a)
	if n.from.IsZero() || n.from == a {
		return false, true
	}
	t := &n.trail
	if t.End == EndUnknown {
		j.need(t.Need)
		return false, false
	}
	last := &t.last().Hop
	if t.End != EndAnswer || !answers200(last.Status) {
		return false, true
	}
	if last.URL == a.String() {
		// A site that sends what it does not know to its home page has a soft 404
		// for all of it, but the home page itself is none.
		return !j.rules.isHome(a), true
	}
	same := page.Title != "" && page.Title == last.Page.Title && canonical(a, page) == canonical(address.Wire(last.URL), &last.Page)
	return same, true
}

// NeverGone returns the origins, of those that were asked for an address that
// cannot exist, which answered 200 all the same: there, a page that is gone
// cannot be told from one that is not.
func (t *Told) NeverGone() []string { return t.neverGone }

// seeNowhere notes what the origin of a row that answers 200 says to an address
// that cannot exist.
func (t *telling) seeNowhere(r *Row, seen map[string]bool) (origin string) {
	if !r.Trail.direct() {
		return ""
	}
	o := r.Address.Origin()
	if seen[o] {
		return ""
	}
	seen[o] = true
	from := t.rules.nowhere(r.Address)
	if from.IsZero() {
		return ""
	}
	end := Follow(t.src, from, AsRobot, t.rules)
	if end.End == EndAnswer && answers200(end.last().Hop.Status) {
		return o
	}
	return ""
}

package audit

import (
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// missingAt is a place at which an address that cannot exist is asked for.
type missingAt struct {
	at    string // its beginning, to the last slash; "" for none
	plain bool   // asked without the user's headers and credentials, as what it is compared with
}

// missingPlaces returns the places at which an address that cannot exist shows what a
// host says of pages like a: the root of its scheme, host and port, and, of its first
// path segment and the folder it lies in, those that are among the sections. plain is set where
// secrets are withheld on the way to a: its places are asked so, too, and are others than those
// of what the user's own hosts list.
func (r *Rules) missingPlaces(a address.Address, plain bool) (places [missingSlots]missingAt) {
	sections := r.Sections
	if plain {
		sections = r.PlainSections
	}
	at, end := a.String(), len(a.Origin())+1 // every path begins with a slash
	places[0] = missingAt{at[:min(end, len(at))], plain}
	for i, path := range [...]string{firstSegment(a.Path()), folder(a.Path())} {
		if path != "" && slices.Contains(sections[a.Origin()], path) {
			places[1+i] = missingAt{at[:end+len(path)+1], plain}
		}
	}
	return places
}

// missingAddress returns the address that cannot exist at a place; zero where the rules
// have no name for it.
func (r *Rules) missingAddress(p missingAt) address.Address {
	if r.MissingPath == "" || p.at == "" {
		return address.Address{}
	}
	return address.Wire(p.at + r.MissingPath)
}

// firstSegment returns the first segment of a path where a slash ends it, "" for
// none.
func firstSegment(path string) string {
	seg, _, more := strings.Cut(path[min(1, len(path)):], "/")
	if !more {
		return ""
	}
	return seg
}

// folder returns the folder that the page at a path lies in, without its outer slashes, where
// it is deeper than the first segment; "" where it is not. "/en/product/old" and "/en/product/old/"
// lie in "en/product".
func folder(path string) string {
	path = strings.TrimSuffix(path[min(1, len(path)):], "/")
	path = path[:max(0, strings.LastIndexByte(path, '/'))]
	if !strings.Contains(path, "/") {
		return ""
	}
	return path
}

// soft404 says why a page that answers 200 is a soft 404 (Search docs,
// "soft-404-errors": a page without content, or one that says to the user that it does
// not exist), as it stands in Fix.Why; zero where it is not one. It is one where it is
// empty, where its title or first heading is a phrase for not found, or where it
// is what its host also gives for an address that cannot exist. What only
// scripts fill can be recognized from its bytes by the first of these alone. known is
// false where the host must be asked first; one that robots.txt keeps us from
// asking, or that does not answer, has no soft 404s of the last kind.
//
// plain is set where the page was asked without secrets, or would have been: so is
// what it is compared with.
func (j *judging) soft404(a address.Address, page *Page, plain bool) (why Why, known bool) {
	switch {
	case page.Empty:
		return Why{Key: whyEmpty}, true
	case page.Shell:
		return Why{}, true
	case page.saysNotFound(a):
		return Why{Key: whySaysGone}, true
	}
	known = true
	for _, at := range j.rules.missingPlaces(a, plain) {
		n := j.missingPage(at)
		switch {
		case n.from.IsZero() || n.from == a:
		case n.trail.End == EndUnknown:
			j.need(n.trail.Need)
			known = false
		case n.gives(a, page):
			j.row.veiled = j.rules.ledWithoutSecrets(&n.trail)
			return whyVerdict(Keep, Soft404), true
		}
	}
	return Why{}, known
}

// gives reports whether a place answers an address that cannot exist with a page: the
// same final address, or a 200 with the same title, not empty, and the same
// canonical. The page of the place itself does not count: a site that sends
// what it does not know to its home page has soft 404s, but no soft home page.
func (n *missingPage) gives(a address.Address, page *Page) bool {
	_, home := mayBeHome(a)
	return !home && a.String() != n.place.at && n.endsOn(a, page)
}

// endsOn reports whether the page of an address is what a place answers an address that
// cannot exist with. What a script fills has the same title everywhere: that says nothing.
func (n *missingPage) endsOn(a address.Address, page *Page) bool {
	last := &n.trail.last().Hop
	if n.trail.End != EndAnswer || !answers200(last.Status) {
		return false
	}
	if last.URL == a.String() {
		return true
	}
	return !page.Shell && page.Title != "" && page.Title == last.Page.Title && canonical(a, page) == canonical(address.Wire(last.URL), &last.Page)
}

// catchAll reports whether an address that cannot exist beside the listed one leads to
// target, too: then a rule sends all there that the server does not know, and
// target is in place of none of them. The same is true of a canonical that all pages name,
// whether they exist or not. A home page is looked at by swallowed, and the page of the place
// itself moves on its own, as does one that keeps its path and query.
func (j *judging) catchAll(target address.Address, page *Page) bool {
	r := j.row
	if _, home := j.rules.home(target); home || !r.changesPage() {
		return false
	}
	for _, at := range j.rules.missingPlaces(r.Address, j.rules.plain(&r.Entry)) {
		n := j.missingPage(at)
		switch {
		case n.from.IsZero() || r.Address.String() == at.at:
		case n.trail.End == EndUnknown:
			j.need(n.trail.Need)
		case n.endsOn(target, page) || r.Verdict == Noncanonical && n.names(target):
			return true
		}
	}
	return false
}

// changesPage reports whether the row's address differs from that which it is compared with in
// more than how it is written, or on which host.
func (r *Row) changesPage() bool { return r.has(address.Path) || r.has(address.Query) }

// names reports whether the page that a place answers an address that cannot exist with
// has a as its canonical.
func (n *missingPage) names(a address.Address) bool {
	last := &n.trail.last().Hop
	return n.trail.End == EndAnswer && answers200(last.Status) && canonical(address.Wire(last.URL), &last.Page) == a
}

// NeverGone returns the places, of those that were asked for an address that
// cannot exist, which answered 200 all the same, with a page that does not say so: there,
// a page that is gone cannot be told from one that is not. A place that redirects it to
// its home page, or to one page for all, is not listed: what is gone there has the verdict
// homepage, temporary or soft-404. A place is an origin, "https://shop.example",
// or one with a path, "https://shop.example/policies/".
func (t *Result) NeverGone() []string { return t.neverGone }

// seeMissing notes which places of a row that answers 200 say so to an address that
// cannot exist.
func (t *evaluation) seeMissing(r *Row, seen map[missingAt]bool, found []string) []string {
	if !r.Trail.direct() {
		return found
	}
	for i, at := range t.rules.missingPlaces(r.Address, r.Trail.WithoutSecrets) {
		if seen[at] {
			continue
		}
		seen[at] = true
		from := t.rules.missingAddress(at)
		if from.IsZero() {
			continue
		}
		if end := Follow(t.src, from, way(at.plain), t.rules); !t.rules.hidesGone(&end) {
			continue
		}
		name := at.at
		if i == 0 {
			name = strings.TrimSuffix(name, "/")
		}
		if !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	return found
}

// hidesGone reports whether the answer to an address that cannot exist leaves no sign
// by which a page that is gone could be recognized: neither an error, nor a page that is empty
// or says so, nor a redirect to one page for all of them.
func (r *Rules) hidesGone(end *Trail) bool {
	last := &end.last().Hop
	page := &last.Page
	switch {
	case end.End != EndAnswer || !answers200(last.Status):
		return false
	case page.Empty || page.saysNotFound(address.Wire(last.URL)): // of a shell, too: what is gone is one, and noted as such
		return false
	case end.direct():
		return true
	}
	for i := range end.Steps[:len(end.Steps)-1] {
		if !end.Steps[i].Permanent {
			return false
		}
	}
	_, home := r.home(address.Wire(last.URL))
	return !home && strings.Contains(last.URL, r.MissingPath)
}

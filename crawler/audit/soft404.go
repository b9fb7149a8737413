package audit

import (
	"slices"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
)

// missingAt is a place at which an address that cannot exist is asked for.
type missingAt struct {
	at  string          // its beginning, to the last slash
	way answers.Purpose // as whom it is asked, as what it is compared with
}

// missingPlaces returns the places at which an address that cannot exist shows what a host says of pages
// like a: the root of its scheme, host and port, and its first path segment if that is among the
// sections. way is as whom a was requested: WithoutSecrets only the root is, in the same way.
func (r *Rules) missingPlaces(a address.Address, way answers.Purpose) (places []missingAt) {
	if r.MissingPath == "" {
		return nil
	}
	at, end := a.String(), len(a.Origin())+1 // every path begins with a slash
	places = append(places, missingAt{at[:end], way})
	if path := a.Section(); path != "" && way == 0 && slices.Contains(r.Sections[a.Origin()], path) {
		places = append(places, missingAt{at[:end+len(path)+1], way})
	}
	return places
}

// soft404 reports whether a page that answers 200 is a soft 404 (Search docs,
// "soft-404-errors": a page without content, or one that says to the user that it does
// not exist): it is empty, its title or first heading is a phrase for not found, or it
// is what its host also gives for an address that cannot exist. What only
// scripts fill can be recognized from its bytes by the first of these alone. known is
// false where the host must be asked first; one that robots.txt keeps us from
// asking, or that does not answer, has no soft 404s of the last kind.
//
// way is as whom the page was asked, or would have been: so is what it is compared with. A home page, and
// the page of the place that is asked, do not count: a site that sends what it does not know to its home
// page has soft 404s, but no soft home page.
func (j *judging) soft404(a address.Address, page *answers.Page, way answers.Purpose) (is, known bool) {
	if page.Empty || page.Shell || page.SaysNotFound() {
		return page.Empty || !page.Shell, true
	}
	known = true
	for _, at := range j.rules.missingPlaces(a, way) {
		missing := j.mem.missingAt(at, j.rules)
		switch {
		case missing.End == answers.EndUnknown:
			j.need(missing.Need)
			known = false
		case gives(missing, a, page, a != j.row.Address) && a.String() != at.at && !a.IsHome():
			j.row.veiled = j.rules.ledWithoutSecrets(missing)
			return true, true
		}
	}
	return false, known
}

// gives reports whether an address that cannot exist is answered with the page of an address: the same
// final address, or a 200 with the same title and the same canonical. For a page that would be written in
// place of another it is enough that both have the same text, and each names itself.
func gives(missing *answers.Trail, a address.Address, page *answers.Page, written bool) bool {
	last := &missing.Last().Hop
	if missing.End != answers.EndAnswer || !answers.Is200(last.Status) {
		return false
	}
	if last.URL == a.String() {
		return true
	}
	if page.Title == "" || page.Title != last.Page.Title {
		return false
	}
	from, named := address.Wire(last.URL), page.CanonicalURL(a)
	other := last.Page.CanonicalURL(from)
	return named == other || written && named == a && other == from && page.Said() == last.Page.Said()
}

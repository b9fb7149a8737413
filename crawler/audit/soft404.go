package audit

import (
	"iter"
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// nowheres returns the places at which an address that cannot exist tells what a
// host says of pages like a: the root of its scheme, host and port, and its first
// path segment, where enough entries share that. section is "" where it does not
// count.
func (r *Rules) nowheres(a address.Address) (root, section string) {
	root = a.Origin() + "/"
	if seg := firstSegment(a.Path()); seg != "" && slices.Contains(r.Sections[a.Origin()], seg) {
		section = root + seg + "/"
	}
	return root, section
}

// nowhere returns the address that cannot exist at a place; zero where the rules
// have no name for it.
func (r *Rules) nowhere(place string) address.Address {
	if r.Nowhere == "" || place == "" {
		return address.Address{}
	}
	return address.Wire(place + r.Nowhere)
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

const (
	sectionAt   = 5       // entries that share a first path segment, from which it is one
	maxSections = 8       // of an origin, those with the most entries
	maxCounted  = 100_000 // first path segments that are counted
)

// Sections returns, for each scheme, host and port, the first path segments that
// Rules.Sections is made of: those that five or more of the entries share, the
// eight with most, sorted. What a server says to an address that does not exist
// often depends on the rule, and so on the path. It returns an error only where
// entries does.
func Sections(entries iter.Seq2[Entry, error]) (map[string][]string, error) {
	type section struct{ origin, segment string }
	counts := map[section]int{}
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		if e.Skip != SkipNone {
			continue
		}
		a, err := address.Parse(e.Loc)
		if err != nil {
			continue
		}
		s := section{a.Origin(), firstSegment(a.Path())}
		if s.segment == "" {
			continue
		}
		if _, known := counts[s]; known || len(counts) < maxCounted {
			counts[section{strings.Clone(s.origin), strings.Clone(s.segment)}]++
		}
	}
	found := map[string][]string{}
	for s, n := range counts {
		if n >= sectionAt {
			found[s.origin] = append(found[s.origin], s.segment)
		}
	}
	for origin, segments := range found {
		slices.SortFunc(segments, func(a, b string) int {
			if more := counts[section{origin, b}] - counts[section{origin, a}]; more != 0 {
				return more
			}
			return strings.Compare(a, b)
		})
		segments = segments[:min(maxSections, len(segments))]
		slices.Sort(segments)
		found[origin] = segments
	}
	return found, nil
}

// soft404 says why a page that answers 200 is a soft 404 (Search docs,
// "soft-404-errors": a page without content, or one that tells the user that it does
// not exist), as it stands in Fix.Why; "" where it is none. It is one where it is
// empty, where its title or first heading is a phrase for not found, or where it
// is what its host also gives for an address that cannot exist. What only
// scripts fill can be told from its bytes by the first of these alone. known is
// false where the host must be asked first; one that robots.txt keeps us from
// asking, or that does not answer, has no soft 404s of the last kind.
func (j *judging) soft404(a address.Address, page *Page) (why string, known bool) {
	switch {
	case page.Empty:
		return whyEmpty, true
	case page.Shell:
		return "", true
	case page.saysNotFound(a):
		return whySaysGone, true
	}
	root, section := j.rules.nowheres(a)
	known = true
	for i, place := range []string{root, section} {
		n := j.nowhere(i, place)
		switch {
		case n.from.IsZero() || n.from == a:
		case n.trail.End == EndUnknown:
			j.need(n.trail.Need)
			known = false
		case n.gives(a, page):
			return whyKept[Soft404], true
		}
	}
	return "", known
}

// gives tells whether a place answers an address that cannot exist with a page: the
// same final address, or a 200 with the same title, not empty, and the same
// canonical. The page of the place itself is none of those: a site that sends
// what it does not know to its home page has soft 404s, but no soft home page.
func (n *nowhere) gives(a address.Address, page *Page) bool {
	last := &n.trail.last().Hop
	if _, home := mayBeHome(a); home || n.trail.End != EndAnswer || !answers200(last.Status) || a.String() == n.place {
		return false
	}
	if last.URL == a.String() {
		return true
	}
	return page.Title != "" && page.Title == last.Page.Title && canonical(a, page) == canonical(address.Wire(last.URL), &last.Page)
}

// NeverGone returns the places, of those that were asked for an address that
// cannot exist, which answered 200 all the same, with a page that does not say so: there,
// a page that is gone cannot be told from one that is not. A place that redirects it to
// its home page, or to one page for all, is none of these: what is gone there is told as
// homepage, temporary or soft-404. A place is an origin, "https://shop.example",
// or one with its first path segment, "https://shop.example/policies/".
func (t *Told) NeverGone() []string { return t.neverGone }

// seeNowhere notes which places of a row that answers 200 say so to an address that
// cannot exist.
func (t *telling) seeNowhere(r *Row, seen map[string]bool, found []string) []string {
	if !r.Trail.direct() {
		return found
	}
	root, section := t.rules.nowheres(r.Address)
	for _, place := range []string{root, section} {
		from := t.rules.nowhere(place)
		if from.IsZero() || seen[place] {
			continue
		}
		seen[place] = true
		if end := Follow(t.src, from, AsRobot, t.rules); !t.rules.hidesGone(&end) {
			continue
		}
		if place == root {
			place = strings.TrimSuffix(place, "/")
		}
		found = append(found, place)
	}
	return found
}

// hidesGone reports whether the answer to an address that cannot exist leaves no sign
// by which a page that is gone would be told: neither an error, nor a page that is empty
// or says so, nor a redirect to one page for all of them.
func (r *Rules) hidesGone(end *Trail) bool {
	last := &end.last().Hop
	page := &last.Page
	switch {
	case end.End != EndAnswer || !answers200(last.Status):
		return false
	case page.Empty || !page.Shell && page.saysNotFound(address.Wire(last.URL)):
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
	return !home && strings.Contains(last.URL, r.Nowhere)
}

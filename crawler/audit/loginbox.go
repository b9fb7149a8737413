package audit

import (
	"maps"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// boxAt is how many pages of different titles must have a field for a password before it is taken for a part of all
// pages of their site. What stands before all of them has one title.
const boxAt = 5

// A loginBox counts the listed pages of an origin that answer 200 at once.
type loginBox struct {
	all, with int
	titles    []uint64 // of those with a field for a password: hashes of the first boxAt
}

// seeBox counts the page of a row.
func (n *EditedSections) seeBox(r *Row) {
	if r.Verdict != OK || !r.Trail.direct() || r.Status != 200 || r.Entry.Reported.Is || r.Entry.Also != nil {
		return
	}
	if n.boxes == nil {
		n.boxes = map[string]*loginBox{}
	}
	origin := r.Address.Origin()
	b := n.boxes[origin]
	if b == nil {
		b = &loginBox{}
		n.boxes[strings.Clone(origin)] = b
	}
	b.all++
	page := &r.Trail.last().Hop.Page
	if !page.Password {
		return
	}
	b.with++
	if title := sketch.Hash(page.Title); page.Title != "" && len(b.titles) < boxAt && !slices.Contains(b.titles, title) {
		b.titles = append(b.titles, title)
	}
}

// loginBoxes returns the origins of which most pages have a field for a password, sorted.
func (n *EditedSections) loginBoxes() (origins []string) {
	for _, origin := range slices.Sorted(maps.Keys(n.boxes)) {
		if b := n.boxes[origin]; len(b.titles) == boxAt && b.with*2 > b.all {
			origins = append(origins, origin)
		}
	}
	return origins
}

// behindBox returns the address that was not written for its field for a password alone; zero for
// any other row.
func (r *Row) behindBox(rules *Rules) address.Address {
	action, _ := rules.action(r.Verdict)
	switch {
	case action != Replace || r.Fix.Why.Key != whyPassword:
		return address.Address{}
	case r.Verdict == Noncanonical:
		return r.named
	}
	return r.Final
}

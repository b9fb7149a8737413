package audit

import (
	"path"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// gatherAt is the number of distinct entries that lead to, or name as their canonical, one end from which that end may be no
// replacement of any of them: where so many entries have such ends that the brake would hold them
// back, were they dropped. Of a shop whose products redirect to their categories nothing but these
// would be left.
const gatherAt = 3

// gathers returns a hash of the page that is to be written for a row and has another path, where that
// has another name. ok is false for any other row: one that keeps its name, or has it with more
// words behind it ("/teapot-navy" for "/teapot"), has a page of
// its own there, however many of its old addresses are listed.
func (r *Row) gathers() (end uint64, ok bool) {
	if r.Fix.Action != Replace || !r.has(address.Path) {
		return 0, false
	}
	name, to := nameOf(r.Address), nameOf(address.Wire(r.Fix.Loc))
	if n := len(to); n > 0 && len(name) >= n && strings.EqualFold(name[:n], to) && (len(name) == n || name[n] == '-' || name[n] == '_') {
		return 0, false
	}
	return sketch.Hash(r.Fix.Loc), true
}

// variant returns a hash of the name of a row below the page that is to be written for it; 0 where it does not lie
// there. Where many pages have the same names below them ("/teapot/navy", "/kettle/navy"), these are
// variants of a page, and not what a category lists.
func (r *Row) variant() uint64 {
	path := func(a address.Address) string { return strings.ToLower(strings.TrimSuffix(a.Path(), "/")) }
	below, under := strings.CutPrefix(path(r.Address), path(address.Wire(r.Fix.Loc))+"/")
	if _, queried := r.Address.Query(); !under || queried {
		return 0
	}
	return sketch.Hash(below)
}

// nameOf is the last segment of a path, without its extension.
func nameOf(a address.Address) string {
	name := path.Base(a.Path())
	return strings.TrimSuffix(name, path.Ext(name))
}

// names reports whether a row names a page as its canonical with which it has no word of its name or of its title in
// common, though it answers at its own address: more likely a fault of a template than the
// same page.
func (r *Row) names(target address.Address, page *Page) bool {
	if r.Verdict != Noncanonical || !r.Trail.direct() {
		return false
	}
	own, other := ownWords(r.Trail.last().Hop.Page.Title, page.Title)
	return len(own) > 0 && len(other) > 0 && apart(own, other) && apart(letters(nameOf(r.Address)), letters(nameOf(target)))
}

// ownWords returns the words of two titles but for the parts that both have, the name of the site.
func ownWords(a, b string) (own, other []string) {
	as, bs := titleParts(folded(a)), titleParts(folded(b))
	for _, part := range as {
		if !slices.Contains(bs, part) {
			own = append(own, letters(part)...)
		}
	}
	for _, part := range bs {
		if !slices.Contains(as, part) {
			other = append(other, letters(part)...)
		}
	}
	return own, other
}

// letters returns the words of a text but for numbers and the shortest.
func letters(text string) []string {
	return slices.DeleteFunc(strings.Fields(plainWords(text)), func(word string) bool { return len(strings.Trim(word, "0123456789")) < 3 })
}

// apart reports whether no word of one list holds one of the other: "cups" and "cup" are the same.
func apart(a, b []string) bool {
	return !slices.ContainsFunc(a, func(x string) bool {
		return slices.ContainsFunc(b, func(y string) bool { return strings.Contains(x, y) || strings.Contains(y, x) })
	})
}

// A gathering is an entry whose end is that of gatherAt or more, or of one that is Row.unlike.
type gathering struct {
	file         int
	end, variant uint64 // of Row.gathers and Row.variant
}

// gather sets aside an entry that may be one of many with its end.
func (s *surveying) gather(row *Row) {
	end, ok := row.gathers()
	unlike := s.unlike.Has(row.Entry.N)
	if !ok || !unlike && !s.few.Maybe(end) {
		return
	}
	n, _ := s.crowds.At(end)
	if *n++; unlike {
		*n = max(*n, gatherAt)
	}
	s.gatherings = append(s.gatherings, gathering{row.Entry.Sitemap, end, row.variant()})
}

// braked leaves in evaluation.gathered the ends that too many entries of a file, or of the audit, have.
func (s *surveying) braked() {
	t := s.t
	s.leaveVariants()
	files, all, entries := map[int]int{}, 0, 0
	for _, g := range s.gatherings {
		if n, _ := s.crowds.Get(g.end); n >= gatherAt {
			files[g.file]++
			all++
		}
	}
	for i := range t.sitemaps {
		if t.weighs(i) {
			entries += t.sitemaps[i].Entries
		}
	}
	// Of what filters leave out nobody knows how many lead there, too.
	whole := t.info.Part != "" || all > brakeAt && mostOf(all, entries, t.rules.MaxDrop)
	for _, g := range s.gatherings {
		n, _ := s.crowds.Get(g.end)
		file := files[g.file]
		if n >= gatherAt && (whole || file > brakeAt && float64(file) > t.rules.MaxDrop*float64(t.sitemaps[g.file].Entries)) {
			if t.gathered == nil {
				t.gathered = map[uint64]bool{}
			}
			t.gathered[g.end] = true
		}
	}
	s.gatherings, s.crowds, s.few = nil, sketch.Numbers{}, sketch.CountMin{}
}

// leaveVariants takes the variants of pages out of the gatherings: of those below their ends, the ones with a name that
// gatherAt or more of these ends have.
func (s *surveying) leaveVariants() {
	var names sketch.Numbers
	for _, g := range s.gatherings {
		if g.variant != 0 {
			n, _ := names.At(g.variant)
			*n++
		}
	}
	s.gatherings = slices.DeleteFunc(s.gatherings, func(g gathering) bool {
		n, _ := names.Get(g.variant)
		return g.variant != 0 && n >= gatherAt
	})
}

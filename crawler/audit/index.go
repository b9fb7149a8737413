package audit

import (
	"maps"
	"slices"

	"sitemend/crawler/address"
)

// children are the edits of a sitemap index, by the place of the address.
type children map[int]Row

// index says what a sitemap index should say of its children: one that was redirected for good is
// named where it answered, one that is gone for browsers, too, is taken out. --fix and the safety limit
// hold for an index too, and what is in doubt is kept: a child that was
// asked without the user's secrets (heldSecrets), one on another host, at an address with a session in
// it or by http in place of https, one that the index names by its new address already, or one that
// cannot be taken out of the file.
func (t *Plan) index(file int) children {
	index := &t.sitemaps[file]
	if index.Kind != "index" || t.info.Partial || index.unclear() {
		return nil
	}
	ofGone, gonePolicy := t.rules.action(NotFound)
	ofMoved, movedPolicy := t.rules.action(Moved)
	base, named, edits := address.Wire(index.AnsweredAt), map[string]bool{}, children{}
	var listed []*Sitemap
	gone := 0 // of these
	fine := slices.ContainsFunc(t.settled.records, func(x settled) bool { return x.fine() })
	for i := range t.sitemaps {
		if c := &t.sitemaps[i]; c.Parent == index.N {
			listed, named[c.URL] = append(listed, c), true
		}
	}
	for _, c := range listed {
		from, to := address.Wire(c.URL), address.Wire(c.AnsweredAt)
		row, differs := c.RowOf(Fix{}), address.Relate(from, to, nil)
		row.Address, row.Status, row.Entry.WithoutSecrets = from, c.Status, c.Strange
		switch {
		case c.Strange && (t.rules.knows(from.Host()) || t.rules.knows(to.Host())):
			continue // with the user's secrets the answer may be another
		case c.Kind == "" && c.GoneTwice && ofGone == Drop && !c.Bound:
			row.Verdict, row.Fix = NotFound, Fix{Action: Drop, Policy: gonePolicy, Why: Why{Key: string(NotFound)}}
			gone++
		case c.Permanent && c.Kind != "" && ofMoved == Replace && !named[c.AnsweredAt] && base.SameTwin(to) && !differs.AddsSession && !differs.ToHTTP:
			named[c.AnsweredAt] = true
			row.Verdict, row.Fix = Moved, Fix{Action: Replace, Loc: c.AnsweredAt, Policy: movedPolicy, Why: Why{Key: string(Moved)}}
		default:
			continue
		}
		edits[c.Place] = row
	}
	// It goes on to list those that are gone where it would list nothing else, no entry of the audit is
	// fine, or more are gone than the safety limit allows.
	all := len(listed)
	if gone == all || !fine || exceeds(gone, all, t.rules.MaxDrop) || gone > 1 && float64(gone) > max(0.5, t.rules.MaxDrop)*float64(all) {
		maps.DeleteFunc(edits, func(_ int, row Row) bool { return row.Fix.Action == Drop })
	}
	return edits
}

// Child returns what is done with the n-th address, from 0, of the sitemap index
// Files[file]: a row with Fix, Entry.Line and Verdict. false means that it is kept as it is.
func (t *Result) Child(file, n int) (Row, bool) {
	row, ok := t.Files[file].children[n]
	return row, ok
}

// Edits counts the entries of a file that are edited in it, and of a sitemap index
// the children.
func (f *File) Edits() int {
	a := f.Counts.Actions
	return a[Replace] + a[Drop] + a[Merge] + len(f.children)
}

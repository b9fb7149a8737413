package audit

import (
	"maps"
	"slices"

	"sitemend/crawler/address"
)

// Lasting says why a sitemap index goes on to list sitemaps that are gone.
type Lasting string

// The reasons to leave an index as it is.
const (
	LastingAll   Lasting = "all"   // it would list nothing
	LastingEmpty Lasting = "empty" // no sitemap of the audit has an entry: what is gone is to be put back first
	LastingMany  Lasting = "many"  // more are gone than Rules.MaxDrop allows to take out, or more than half
)

// children are the edits of a sitemap index, by the place of the address.
type children map[int]Row

// index says what a sitemap index should say of its children: one that was redirected for good is
// named where it answered, one that is gone for browsers, too, is taken out. --fix and the brake
// hold for an index too, and what is in doubt is kept: a child that was
// asked without the user's secrets (HeldSecrets), one on another host, at an address with a session in
// it or by http in place of https, one that the index names by its new address already, or one that
// cannot be taken out of the file. An address that names a sitemap once more is taken out. It returns why none of
// what is gone is, "" where that is not so.
func (t *evaluation) index(file int) (children, Lasting) {
	sm := &t.sitemaps[file]
	if sm.Kind != "index" || t.info.Partial || sm.unclear() {
		return nil, ""
	}
	ofGone, gonePolicy := t.rules.action(NotFound)
	ofMoved, movedPolicy := t.rules.action(Moved)
	base, named, all, drops := address.Wire(sm.AnsweredAt), map[string]bool{}, 0, 0
	for i := range t.sitemaps {
		if c := &t.sitemaps[i]; c.Parent == sm.N {
			named[c.URL] = true
			all++
		}
	}
	edits := children{}
	for i := range t.sitemaps {
		c := &t.sitemaps[i]
		if c.Parent != sm.N || c.Kind == KindEarlier {
			continue
		}
		to := address.Wire(c.AnsweredAt)
		row := Row{Entry: Entry{N: c.Place, Sitemap: sm.N, Loc: c.URL, Line: c.Line, WithoutSecrets: c.Strange}, Address: address.Wire(c.URL), Status: c.Status}
		switch {
		case c.Strange && (t.rules.knows(row.Address.Host()) || t.rules.knows(to.Host())):
			continue // with the user's secrets the answer may be another
		case c.Kind == "" && c.GoneTwice && ofGone == Drop && !c.Bound:
			row.Verdict, row.Fix = NotFound, Fix{Action: Drop, Policy: gonePolicy, Why: Why{Key: whyNoSitemap}}
			drops++
		case c.Permanent && c.Kind != "" && ofMoved == Replace && !named[c.AnsweredAt] && base.SameTwin(to) && !addsSession(to, row.Address) && !losesHTTPS(to, row.Address):
			named[c.AnsweredAt] = true
			row.Verdict, row.Fix = Moved, Fix{Action: Replace, Loc: c.AnsweredAt, Policy: movedPolicy, Why: Why{Key: whySitemapMoved}}
		default:
			continue
		}
		edits[c.Place] = row
	}
	why := t.lasting(drops, all)
	if why != "" {
		edits.keepGone()
	}
	return edits, why
}

// lasting says why none of so many sitemaps that are gone is taken out of an index that lists so many
// in all; "" where they are.
func (t *evaluation) lasting(drops, all int) Lasting {
	switch {
	case drops == 0:
		return ""
	case drops == all:
		return LastingAll
	case !t.listsAny():
		return LastingEmpty
	case drops > limitAt && float64(drops) > t.rules.MaxDrop*float64(all),
		drops > 1 && float64(drops) > max(0.5, t.rules.MaxDrop)*float64(all):
		return LastingMany
	}
	return ""
}

// listsAny reports whether any sitemap of the audit has an entry. Where none has, an index without
// what is gone would name nothing but empty sitemaps.
func (t *evaluation) listsAny() bool {
	for i := range t.sitemaps {
		if s := &t.sitemaps[i]; s.Kind != "" && s.Kind != "index" && s.Entries > 0 {
			return true
		}
	}
	return false
}

func (c children) keepGone() {
	for place, row := range c {
		if row.Fix.Action == Drop {
			delete(c, place)
		}
	}
}

// Child returns what is done with the n-th address, from 0, of the sitemap index
// Files[file]: a row with Fix, Entry.Line and Verdict; Entry.Loc is for who reads the file to fill
// in, as Fix.Loc is of a merge into an address that stays as it is. false means that it is kept as
// it is.
func (t *Result) Child(file, n int) (Row, bool) {
	row, ok := t.Files[file].children[n]
	return row, ok
}

// Redated returns the row of a sitemap whose lastmod is written into its index: a date in
// place of an address.
func Redated(s *Sitemap, date string) Row {
	return Row{Entry: Entry{N: s.Place, Sitemap: s.Parent, Loc: s.URL, Line: s.Line},
		Fix: Fix{Action: Redate, Loc: date, Why: Why{Key: whyRedated}}}
}

// RedatedEntry returns the row of the lastmod that is written for an entry whose address is
// replaced: a date in place of an address, on the line of the entry.
func RedatedEntry(r *Row, date string) Row {
	return Row{Entry: r.Entry, Fix: Fix{Action: Redate, Loc: date, Why: Why{Key: whyRedated}}}
}

// Added returns the row of a part of a sitemap that is added to its index, behind the sitemap.
func Added(s *Sitemap, part string) Row {
	return Row{Entry: Entry{N: s.Place, Sitemap: s.Parent, Loc: s.URL, Line: s.Line},
		Fix: Fix{Action: AddPart, Loc: part, Why: Why{Key: whyPart}}}
}

// ChildrenOut counts the sitemaps that are taken out of an index, each once: they are not there.
func (f *File) ChildrenOut() int { return len(f.childrenOut()) }

// childrenOut returns the rows of these sitemaps, in the order of the index.
func (f *File) childrenOut() (out []Row) {
	for _, place := range slices.Sorted(maps.Keys(f.children)) {
		if row := f.children[place]; row.Fix.Action == Drop && !f.Sitemap.Cut {
			out = append(out, row)
		}
	}
	return out
}

// Edits counts the entries of a file that are edited in it, and of a sitemap index
// the children.
func (f *File) Edits() int {
	a := f.Counts.Actions
	return a[Replace] + a[Drop] + a[Merge] + len(f.children)
}

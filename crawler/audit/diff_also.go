package audit

import (
	"cmp"
	"context"
	"iter"
	"regexp"
	"slices"

	"sitemend/crawler/internal/sketch"
)

// AlsoSights is what an audit saw at the addresses of a list that sitemaps name beside what they
// list. Observation.Sitemap and Line are the first entry that names an address, Listed is how many
// do.
type AlsoSights struct {
	List      AlsoList
	Addresses int
	Sights    func() iter.Seq2[Observation, error] // as Snapshot.Sights
}

// ObserveAlso hands keep what was seen of each address of result.Also[n], as Observe does of the
// entries. It returns an error of result's rows or of keep, and ctx's once that ends.
func ObserveAlso(ctx context.Context, result *Result, n int, keep func(*Observation) error) error {
	for r, err := range result.AlsoRows(ctx, n) {
		if err != nil {
			return err
		}
		s := ObservationOf(&r)
		s.correctedBy(&r)
		x := r.Entry.Also
		s.Listed = max(1, x.Of)
		if len(x.By) > 0 {
			s.Sitemap, s.Line = x.By[0].Sitemap, x.By[0].Line
		}
		for _, by := range x.By {
			s.By = append(s.By, by.Loc)
		}
		if loc := r.Entry.Loc; loc != s.Address {
			s.Loc = loc
		}
		if err := keep(&s); err != nil {
			return err
		}
	}
	return nil
}

// An AlsoDiff is what changed of a list of addresses that sitemaps name beside what they list.
type AlsoDiff struct {
	List AlsoList
	// InOld and InNew report whether the older and the newer audit crawled the list, or saw that
	// no sitemap names an address of it.
	InOld, InNew bool
	// Diff compares the addresses of the list as those of the entries are compared; nil where one
	// audit did not crawl them. What it says of Files and Since is nothing. An alternate that the
	// other audit lists as an entry is compared with what was seen of that entry; an image or a
	// video is not compared then, for what is right as a page may be none as an image.
	Diff *Diff
}

// also returns what was seen of a list; nil for none.
func (s *Snapshot) also(list AlsoList) *AlsoSights {
	at := slices.IndexFunc(s.Also, func(x AlsoSights) bool { return x.List == list })
	if at < 0 {
		return nil
	}
	return &s.Also[at]
}

// knows reports whether an audit crawled a list, or saw that no sitemap that it read can name an
// address of it: then there is no list, whatever --also says.
func (s *Snapshot) knows(list AlsoList) bool {
	named := false
	for i := range s.Tallies {
		f := &s.Tallies[i].Sitemap
		if f.Kind == string(list) {
			return true
		}
		if list == AlsoAlternates {
			named = named || f.Links
		} else {
			named = named || f.Kind == kindURLSet && f.Spool != ""
		}
	}
	return !named
}

// names returns whether an audit would have in a list an address that o has in it, as far as its
// sitemaps were read, by what o saw of the address: it was not stopped, took no sample, and its
// filters leave out neither the address nor an entry that names it. What an entry names that was
// left out nobody noted, so all that name it in o must be known.
func (s *Snapshot) names(o *Snapshot, list AlsoList) func(at *Observation) bool {
	never := func(*Observation) bool { return false }
	switch i := &s.Info; {
	case i.Ended.IsZero() || i.Partial:
		return never
	case i.Part == "" || i.Part == o.Info.Part:
		return func(*Observation) bool { return true }
	case i.Include == "" && i.Exclude == "":
		return never
	}
	include, errOf := regexp.Compile(s.Info.Include)
	exclude, err := regexp.Compile(s.Info.Exclude)
	if errOf != nil || err != nil {
		return never
	}
	left := func(loc string) bool { return s.Info.Exclude != "" && exclude.MatchString(loc) }
	entry := func(loc string) bool { return left(loc) || !include.MatchString(loc) }
	return func(at *Observation) bool {
		loc := cmp.Or(at.Loc, at.Address)
		return !left(loc) && (list != AlsoAlternates || !entry(loc)) &&
			len(at.By) == at.Listed && !slices.ContainsFunc(at.By, entry)
	}
}

// kindURLSet is the Kind of a sitemap that can name images and videos.
const kindURLSet = "urlset"

// Any reports whether there is something to say of the list: an address, or that one audit alone
// crawled it.
func (x *AlsoDiff) Any() bool { return x.Diff == nil || x.Diff.Addresses > 0 }

// compareAlso compares the lists that both audits know, and notes those of which one alone has any
// address.
func (d *Diff) compareAlso(ctx context.Context, shelf func() Shelf) error {
	var removed sketch.Numbers
	if len(d.old.Also) > 0 {
		var err error
		if removed, err = d.removedEntries(ctx); err != nil {
			return err
		}
	}
	for _, list := range AlsoLists() {
		then, now := d.old.also(list), d.new.also(list)
		x := AlsoDiff{List: list, InOld: d.old.knows(list), InNew: d.new.knows(list)}
		compared := x.InOld && x.InNew
		if !compared && then.none() && now.none() {
			continue
		}
		if compared {
			x.Diff = &Diff{Old: d.Old, New: d.New, Differ: d.Differ, list: list, old: d.old.of(then), new: d.new.of(now),
				beside: [2]func() iter.Seq2[Observation, error]{d.old.Sights, d.new.Sights}, removed: removed}
			if err := x.Diff.compare(ctx, shelf); err != nil {
				return err
			}
		}
		d.Also = append(d.Also, x)
	}
	return nil
}

// removedEntries returns the entries that the older audit removes, or merges into others, and that
// the sitemaps have no more. What they name beside themselves left with them.
func (d *Diff) removedEntries(ctx context.Context) (removed sketch.Numbers, err error) {
	for c, err := range d.Changes(ctx) {
		if err != nil {
			return removed, err
		}
		if c.Effect == Applied && c.Old.Fix != Replace {
			removed.At(sketch.Hash(c.Address))
		}
	}
	return removed, nil
}

// leftWithEntry marks an address of a list that is named no more, where the older audit had something
// to say of it and each entry that named it was removed as it says.
func (d *Diff) leftWithEntry(c *Change) {
	if d.list == "" || c.Effect != Better || c.Old.Fix == "" && !c.Old.Decide || len(c.Old.By) != c.Old.Listed {
		return
	}
	for _, by := range c.Old.By {
		if _, is := d.removed.Get(sketch.Hash(cmp.Or(wireOf(by), by))); !is {
			return
		}
	}
	c.Effect, c.Kinds = Applied, []ChangeKind{LeftWithEntry, NoLongerListed}
}

func (x *AlsoSights) none() bool { return x == nil || x.Addresses == 0 }

// of returns the snapshot of a list in place of the entries.
func (s *Snapshot) of(x *AlsoSights) Snapshot {
	list := Snapshot{Info: s.Info, Tallies: s.Tallies, Sights: noSights}
	if x != nil {
		list.Sights = x.Sights
	}
	return list
}

func noSights() iter.Seq2[Observation, error] { return func(func(Observation, error) bool) {} }

// besides finds in one walk what the entries of two audits say of addresses that are no entries of
// the other.
type besides struct{ old, new sightCursor }

func (d *Diff) openBesides() *besides {
	b := &besides{}
	for i, c := range []*sightCursor{&b.old, &b.new} {
		if d.beside[i] != nil {
			c.open(d.beside[i]())
		}
	}
	return b
}

// asPages reports whether d compares what is judged as pages are: entries or alternates.
func (d *Diff) asPages() bool { return d.list == "" || d.list == AlsoAlternates }

func (b *besides) close() {
	for _, c := range []*sightCursor{&b.old, &b.new} {
		if c.stop != nil {
			c.stop()
		}
	}
}

// named yields what the newer audit saw at the addresses of all its lists, in order, where d
// compares entries.
func (d *Diff) named() iter.Seq2[Observation, error] {
	all := noSights()
	if d.list == "" {
		for i := range d.new.Also {
			all = merged(all, d.new.Also[i].Sights())
		}
	}
	return all
}

// A sightCursor finds the sights of addresses that rise.
type sightCursor struct {
	next func() (Observation, error, bool)
	stop func()
	at   Observation
	err  error
	more bool
}

// open begins with the sights; what it returns lets go of them.
func (c *sightCursor) open(sights iter.Seq2[Observation, error]) (stop func()) {
	c.next, c.stop = iter.Pull2(distinct(sights))
	c.at, c.err, c.more = c.next()
	return c.stop
}

// find returns what was seen at an address, which is never lower than the last one; nil for
// nothing.
func (c *sightCursor) find(address string) (*Observation, error) {
	for c.more && c.err == nil && c.at.Address < address {
		c.at, c.err, c.more = c.next()
	}
	if !c.more || c.err != nil || c.at.Address != address {
		return nil, c.err
	}
	s := c.at
	return &s, nil
}

// anySights yields what the newer audit saw at its addresses and at those beside them, in order. Of
// an entry that is to be an image or a video it saw nothing: it judged a page.
func (d *Diff) anySights() iter.Seq2[Observation, error] {
	switch {
	case d.beside[1] == nil:
		return d.new.Sights()
	case d.asPages():
		return merged(d.new.Sights(), d.beside[1]())
	}
	return merged(d.new.Sights(), func(yield func(Observation, error) bool) {
		for s, err := range d.beside[1]() {
			s.Verdict = Skipped
			if !yield(s, err) {
				return
			}
		}
	})
}

// merged yields the sights of two that are in order of address, in that order; an error ends it.
func merged(one, two iter.Seq2[Observation, error]) iter.Seq2[Observation, error] {
	return func(yield func(Observation, error) bool) {
		next, stop := iter.Pull2(two)
		defer stop()
		b, err, more := next()
		for a, errOf := range one {
			for more && err == nil && b.Address < a.Address {
				if !yield(b, nil) {
					return
				}
				b, err, more = next()
			}
			if err != nil {
				break
			}
			if !yield(a, errOf) || errOf != nil {
				return
			}
		}
		for more && yield(b, err) && err == nil {
			b, err, more = next()
		}
	}
}

package audit

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"sitemend/crawler/internal/sketch"
)

// Snapshot is an audit as Compare reads it: what Look returned, with what it saw.
type Snapshot struct {
	Info    Info
	Tallies []Tally
	Causes  []Cause // as its report has them
	// numbered says which of Causes Observation.Cause is, the first number first; nil for those
	// numbers less 1.
	numbered []int
	// Sights yields what Look saw, in order of address; it may be ranged over
	// again. An error ends it.
	Sights func() iter.Seq2[Observation, error]
	Also   []AlsoSights // of the lists that it crawled beside the entries
}

// A Diff is what changed between two audits.
type Diff struct {
	Old, New Info
	Differ   Differ
	// Addresses counts those that either lists, Both those that both list.
	Addresses, Both int
	Effects         map[Effect]int
	// Parts counts the changes of an effect by their most telling kind, Kinds
	// all kinds: an address may have several.
	Parts map[Effect]map[ChangeKind]int
	Kinds map[ChangeKind]int
	// Problems counts the addresses whose verdict is a problem now and was
	// another or none before, by verdict; NewVerdicts does so for all verdicts.
	NewVerdicts map[Verdict]int
	// Newest are the first addresses of each of NewVerdicts, at most 10, in order; nil but of
	// SinceSeen.
	Newest map[Verdict][]Change
	Causes []CauseChange
	Files  []FileChange
	// First are the gravest changes of each effect, at most mostFirst.
	First map[Effect][]Change
	// Shrunk are the sitemaps that much left, in the order of the older audit.
	Shrunk []Shrunk
	// Since says what became of the older audit's corrections and decisions.
	Since Since
	// Also are the lists of addresses that sitemaps name beside what they list, as far as both
	// audits know them or either has any. Nothing else counts them.
	Also []AlsoDiff
	// Faults are the faults of sitemaps by name, those that changed most first (CompareFaults); nil
	// where nobody compared them.
	Faults []FaultChange
	// Linked is what changed of the links of pages (CompareLinks); nil where no audit read them, or
	// nobody compared them.
	Linked *LinkedDiff

	old, new Snapshot
	list     AlsoList // that d compares; "" for the entries
	// beside yields the entries of the two audits where d compares addresses that are not entries.
	beside  [2]func() iter.Seq2[Observation, error]
	removed sketch.Numbers // entries, where d compares a list: Diff.removedEntries
	applied applied
	shrunk  map[int]bool // numbers of Shrunk in the older audit; nil where nobody looked yet
	changes Shelf        // all but Same, by address; nil for none
}

// mostFirst bounds Diff.First for each effect.
const mostFirst = 100

// Worse reports whether an address got worse, be it an entry or named beside one, a sitemap has an
// error that it had not, or one cannot be read that could be, or that nothing named (FileLosses).
// Links of pages, and warnings, count for nothing.
func (d *Diff) Worse() bool {
	list := func(x AlsoDiff) bool { return x.Diff != nil && x.Diff.Worse() }
	return d.Effects[Worse]+d.NewErrors()+d.unread() > 0 || slices.ContainsFunc(d.Also, list)
}

// NewErrors counts the faults of sitemaps that are errors and that the older audit had not; 0 where
// the two audits asked as different robots.
func (d *Diff) NewErrors() (n int) {
	for i := range d.Faults {
		if !d.Differ.As {
			n += d.Faults[i].NewErrors
		}
	}
	return n
}

// Place returns the first place that lists the address of a change, in the newer
// audit, else in the older: the sitemap's URL, and the line from 1.
func (d *Diff) Place(c *Change) (sitemap string, line int) {
	if c.New != nil {
		return d.new.Tallies[c.New.Sitemap].Sitemap.URL, c.New.Line
	}
	return d.old.Tallies[c.Old.Sitemap].Sitemap.URL, c.Old.Line
}

// Compare compares two audits and adds up: in one walk over both, and another where
// addresses that the older audit replaces are gone. It holds the causes, the sitemaps and the first
// changes, no other; all changes, and addresses that were replaced, lie on shelves, which
// must stay readable as long as the Diff. It returns the first error of the sights and the
// shelves, and ctx's once that ends.
func Compare(ctx context.Context, old, new Snapshot, shelf func() Shelf) (*Diff, error) {
	d := &Diff{Old: old.Info, New: new.Info, Differ: differ(&old.Info, &new.Info), Files: files(&old, &new), old: old, new: new}
	if err := d.compare(ctx, shelf); err != nil {
		return nil, err
	}
	if err := d.compareAlso(ctx, shelf); err != nil {
		return d, err
	}
	d.Since.beside(d)
	return d, nil
}

// compare adds up, with the corrections that were applied.
func (d *Diff) compare(ctx context.Context, shelf func() Shelf) error {
	replaced, err := d.addUp(ctx, shelf)
	if err == nil && replaced != nil {
		if err = d.pair(ctx, replaced, shelf()); err == nil {
			_, err = d.addUp(ctx, shelf)
		}
	}
	if err == nil && len(d.Shrunk) > 0 { // now that it is known, less counts as better
		_, err = d.addUp(ctx, shelf)
	}
	return err
}

// addUp walks over both audits. Where addresses are gone that the older audit replaces, and
// nobody paired them yet, it returns them by what was to be written in their place: then all
// is to be added up once that is done.
func (d *Diff) addUp(ctx context.Context, shelf func() Shelf) (replaced Shelf, err error) {
	d.Addresses, d.Both, d.Since, d.changes = 0, 0, Since{}, nil
	d.Effects, d.Parts, d.Kinds = map[Effect]int{}, map[Effect]map[ChangeKind]int{}, map[ChangeKind]int{}
	d.NewVerdicts, d.First = map[Verdict]int{}, map[Effect][]Change{}
	causes, flows := newCauseChanges(&d.old, &d.new), newFlows()
	var line []byte
	for c, err := range Until(ctx, d.walk()) {
		switch {
		case err != nil:
			return nil, err
		case d.toPair(&c):
			if replaced == nil {
				replaced = shelf()
			}
			if err := replaced.Add(c.Old.Written, c.Address); err != nil {
				return nil, err
			}
			continue
		case replaced != nil:
			continue
		}
		d.add(&c)
		flows.add(&c)
		causes.add(&c, &d.Differ)
		if c.Effect == Same {
			continue
		}
		if d.changes == nil {
			d.changes = shelf()
		}
		line = c.appendTo(line[:0])
		if err := d.changes.Add(c.Address, string(line)); err != nil {
			return nil, err
		}
	}
	d.Causes = causes.list()
	d.Shrunk, d.shrunk = d.shrink(&flows)
	if !d.Differ.As { // else nothing was counted
		d.Since.Left -= flows.again
	}
	d.Since.shrunk(d.Shrunk)
	return replaced, nil
}

// Changes yields every address that is not as before, in order of address. It may be ranged
// over again. An error ends it, and so does ctx.
func (d *Diff) Changes(ctx context.Context) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		if d.changes == nil {
			return
		}
		for r, err := range Until(ctx, d.changes.Sorted()) {
			c := Change{Address: r[0]}
			if err == nil {
				err = c.read(r[1])
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

func (d *Diff) add(c *Change) {
	d.Addresses++
	if c.Old != nil && c.New != nil {
		d.Both++
	}
	d.Effects[c.Effect]++
	if d.Parts[c.Effect] == nil {
		d.Parts[c.Effect] = map[ChangeKind]int{}
	}
	if c.Effect != Same {
		d.Parts[c.Effect][c.Kind()]++
		d.first(c)
	}
	for _, k := range c.Kinds {
		d.Kinds[k]++
	}
	if !d.Differ.As {
		d.Since.add(c, 1)
	}
	if c.New != nil && (c.Old == nil || c.Old.Verdict != c.New.Verdict) {
		d.NewVerdicts[c.New.Verdict]++
	}
}

// first keeps c if it is among the gravest of its effect.
func (d *Diff) first(c *Change) {
	list := d.First[c.Effect]
	at, _ := slices.BinarySearchFunc(list, c, func(x Change, c *Change) int {
		return cmp.Or(c.gravity()-x.gravity(), strings.Compare(x.Address, c.Address))
	})
	if at >= mostFirst {
		return
	}
	kept := *c
	if len(list) == mostFirst {
		list = list[:mostFirst-1]
	}
	d.First[c.Effect] = slices.Insert(list, at, kept)
}

// gravity orders changes of one effect: by the graver of both sights.
func (c *Change) gravity() int {
	g := 0
	for _, s := range []*Observation{c.Old, c.New} {
		if s != nil && s.seen() {
			g = max(g, s.Verdict.Facts().gravity)
		}
	}
	return g
}

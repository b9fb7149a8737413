package audit

import (
	"context"
	"iter"
	"slices"
)

// Since says what became of what an older audit had to say, in addresses: one that several
// sitemaps list counts once. All are 0 where the two audits asked as different robots.
type Since struct {
	// Corrected is how many were a problem then and are not now, or are not listed any more:
	// corrections that were applied, and what was repaired or removed otherwise.
	Corrected int
	// Applied is how many of its corrections the sitemaps have now: the address that was
	// to be removed is not listed any more, and what was to be written in its place is
	// listed and was seen to be no problem.
	Applied int
	// Waiting is how many they do not have: the address is listed as before, is a problem
	// still, and would be corrected now, too.
	Waiting int
	// New is how many addresses are a problem now that were not then, or not listed.
	New int
	// Open is how many needed a decision then and need one now; Settled how many needed
	// one then, and are no problem now or are not listed any more.
	Open, Settled int
	// Better is how many others got better: they were no problem then, or are one still.
	Better int
}

// add counts an address.
func (s *Since) add(c *Change) {
	old, new := c.Old, c.New
	if slices.Contains(c.Kinds, NewProblem) {
		s.New++
	}
	if slices.Contains(c.Kinds, Fixed) || slices.Contains(c.Kinds, CorrectedSince) {
		s.Corrected++
	} else if c.Effect == Better {
		s.Better++
	}
	switch {
	case c.Effect == Applied:
		s.Applied++
	case c.Effect == NotCompared || old == nil:
	case old.Decide && new != nil && new.Decide:
		s.Open++
	case old.Decide && (new == nil || !new.Verdict.Problem()):
		s.Settled++
	case old.Fix != "" && new != nil && new.Fix != "" && new.Verdict.Problem():
		s.Waiting++
	}
}

// A Shelf keeps more records than memory holds, and gives them back in order.
type Shelf interface {
	// Add keeps a record; both strings are copied. Nothing is added once Sorted was called.
	Add(key, value string) error
	// Sorted yields the records in order of key, those of one key in order of value. It may
	// be ranged over again; an error ends it.
	Sorted() iter.Seq2[[2]string, error]
}

// applied are the replacements of the older audit that the sitemaps have now.
type applied struct {
	// replaced has the addresses that are not listed any more, by what was to be written
	// for them; gone those of them for which that is listed, and no problem. Both are nil
	// where there are none, or nobody looked yet.
	replaced, gone Shelf
}

// toPair reports whether a change is to be held against what the newer audit lists before
// anything is said of it. Of two robots nothing is said.
func (d *Diff) toPair(c *Change) bool {
	return d.applied.gone == nil && !d.Differ.As && c.New == nil && c.Effect != NotCompared && c.Old.Written != ""
}

// pair finds the replacements of the older audit that the sitemaps have now, among those
// that are not listed any more: gone takes them.
func (d *Diff) pair(ctx context.Context, replaced, gone Shelf) error {
	next, stop := iter.Pull2(distinct(d.anySights()))
	defer stop()
	at, err, more := next()
	for r, e := range Until(ctx, replaced.Sorted()) {
		if e != nil {
			return e
		}
		for err == nil && more && at.Address < r[0] {
			at, err, more = next()
		}
		if err != nil {
			return err
		}
		if more && at.Address == r[0] && at.fine() {
			if err := gone.Add(r[1], ""); err != nil {
				return err
			}
		}
	}
	d.applied = applied{replaced, gone}
	return err
}

// fine reports whether the address was seen, and is no problem.
func (s *Observation) fine() bool { return s.seen() && !s.Verdict.Problem() }

// pairing marks the changes of one walk that are corrections which were applied.
type pairing struct{ replaced, gone cursor }

func (a *applied) open() *pairing {
	p := &pairing{}
	if a.gone != nil {
		p.replaced.open(a.replaced)
		p.gone.open(a.gone)
	}
	return p
}

func (p *pairing) close() {
	p.replaced.close()
	p.gone.close()
}

// left marks an address that only the older audit lists. Those of a walk come in order.
func (p *pairing) left(c *Change) error {
	is := c.Old.Fix == Drop
	if c.Old.Written != "" {
		var err error
		if is, err = p.gone.has(c.Address); err != nil {
			return err
		}
	}
	if is && c.Effect != NotCompared {
		c.Effect, c.Kinds = Applied, []ChangeKind{CorrectedSince, NoLongerListed}
	}
	return nil
}

// joined marks an address that only the newer audit lists. Those of a walk come in order.
func (p *pairing) joined(c *Change) error {
	is, err := p.replaced.has(c.Address)
	if is && c.Effect == Otherwise && c.New.fine() {
		c.Effect, c.Kinds = Written, []ChangeKind{WrittenSince, NewlyListed}
	}
	return err
}

// A cursor says of keys that rise whether a shelf has them.
type cursor struct {
	next func() ([2]string, error, bool)
	stop func()
	key  string
	err  error
	more bool
}

func (c *cursor) open(s Shelf) {
	c.next, c.stop = iter.Pull2(s.Sorted())
	c.read()
}

func (c *cursor) read() {
	var r [2]string
	r, c.err, c.more = c.next()
	c.key = r[0]
}

// has reports whether the shelf has a key, which is never lower than the last one.
func (c *cursor) has(key string) (bool, error) {
	for c.more && c.err == nil && c.key < key {
		c.read()
	}
	return c.more && c.err == nil && c.key == key, c.err
}

func (c *cursor) close() {
	if c.stop != nil {
		c.stop()
	}
}

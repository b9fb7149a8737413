package audit

import (
	"cmp"
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
	// listed and was not seen to be a problem.
	Applied int
	// Waiting is how many they do not have: the address is listed as before, is a problem
	// still, and would be corrected now, too.
	Waiting int
	// New is how many addresses are a problem now that were not then, or not listed.
	New int
	// Open is how many needed a decision then and need one now; Settled how many needed
	// one then, and are no problem now or are not listed any more.
	Open, Settled int
	// Better is how many others got better: they were no problem then, or are one still. Worse is how
	// many got worse that are no New problem.
	Better, Worse int
	// Left is how many left the sitemaps that were fine, Shrunk in how many sitemaps they were a large
	// part (Diff.Shrunk): Lost of LostOf addresses, first in LostIn.
	Left, Shrunk, Lost, LostOf int
	LostIn                     string
	// Undone is how many of New a correction had taken out before; of SinceSeen alone.
	Undone int
	// Beside is how many of its corrections of addresses that sitemaps name beside their entries
	// the sitemaps have now, where these were compared; BesideWorse is how many of these got worse.
	Beside, BesideWorse int
	// Unnamed is how many sitemaps that were not there (404 or 410) nothing names any more.
	Unnamed int
}

// beside adds what is no address of an entry.
func (s *Since) beside(d *Diff) {
	if d.Differ.As {
		return
	}
	for i := range d.Also {
		if x := d.Also[i].Diff; x != nil {
			s.Beside += x.Effects[Applied]
			s.BesideWorse += x.Effects[Worse]
		}
	}
	for i := range d.Files {
		if f := &d.Files[i]; f.New == nil && f.Old.gone() && !d.Differ.Targets {
			s.Unnamed++
		}
	}
}

// shrunk notes which sitemaps much left.
func (s *Since) shrunk(list []Shrunk) {
	s.Shrunk = len(list)
	for i := range list {
		s.LostIn = cmp.Or(s.LostIn, list[i].URL)
		s.Lost += list[i].Left
		s.LostOf += list[i].Of
	}
}

// add counts an address by times: -1 takes it back.
func (s *Since) add(c *Change, times int) {
	old, new := c.Old, c.New
	has := func(kinds ...ChangeKind) bool {
		return slices.ContainsFunc(kinds, func(k ChangeKind) bool { return slices.Contains(c.Kinds, k) })
	}
	switch {
	case has(NewProblem):
		s.New += times
	case c.Effect == Worse:
		s.Worse += times
	case has(Fixed, CorrectedSince, CorrectedUnseen):
		s.Corrected += times
	case c.Effect == Better:
		s.Better += times
	case c.leftFine():
		s.Left += times
	}
	if has(Undone) {
		s.Undone += times
	}
	switch {
	case c.Effect == Applied:
		s.Applied += times
	case c.Effect == NotCompared || old == nil:
	case old.Decide && new != nil && new.Decide:
		s.Open += times
	case has(ListedBeside): // what is to be decided is asked there
	case old.Decide && (new == nil || !new.Verdict.Problem()):
		s.Settled += times
	case old.Fix != "" && new != nil && new.Fix != "" && new.Verdict.Problem():
		s.Waiting += times
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
	// for them. gone has those of them for which that is listed, and no problem, with whether that
	// was seen. Both are nil where there are none, or nobody looked yet.
	replaced, gone Shelf
}

// unseenMark is the value of an address in applied.gone for which what is listed was not seen.
const unseenMark = "unseen"

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
		if !more || at.Address != r[0] || at.Verdict.Problem() {
			continue
		}
		mark := ""
		if !at.seen() {
			mark = unseenMark
		}
		if err := gone.Add(r[1], mark); err != nil {
			return err
		}
	}
	d.applied = applied{replaced, gone}
	return err
}

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
func (p *pairing) left(c *Change, d *Differ) error {
	is, kind := c.Old.Fix == Drop && !d.As, CorrectedSince
	if c.Old.Written != "" {
		var err error
		if is, err = p.gone.has(c.Address); err != nil {
			return err
		}
		if p.gone.value == unseenMark {
			kind = CorrectedUnseen
		}
	}
	if is && c.Effect != NotCompared {
		c.Effect, c.Kinds = Applied, []ChangeKind{kind, NoLongerListed}
	}
	return nil
}

// joined marks an address that only the newer audit lists. Those of a walk come in order.
func (p *pairing) joined(c *Change) error {
	is, err := p.replaced.has(c.Address)
	if is && c.Effect == Otherwise {
		c.Effect, c.Kinds = Written, []ChangeKind{WrittenSince, NewlyListed}
	}
	return err
}

// A cursor says of keys that rise whether a shelf has them.
type cursor struct {
	next       func() ([2]string, error, bool)
	stop       func()
	key, value string // the last value of the key that has found
	err        error
	more       bool
	at         [2]string // the next record
}

func (c *cursor) open(s Shelf) {
	c.next, c.stop = iter.Pull2(s.Sorted())
	c.read()
}

func (c *cursor) read() { c.at, c.err, c.more = c.next() }

// has reports whether the shelf has a key, which is never lower than the last one. Then value is
// the last of its values.
func (c *cursor) has(key string) (bool, error) {
	for c.more && c.err == nil && c.at[0] <= key {
		c.key, c.value = c.at[0], c.at[1]
		c.read()
	}
	return c.err == nil && c.key == key, c.err
}

func (c *cursor) close() {
	if c.stop != nil {
		c.stop()
	}
}

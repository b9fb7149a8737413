package audit

import (
	"cmp"
	"iter"
)

// walk merges the sights of both audits.
func (d *Diff) walk() iter.Seq2[Change, error] {
	m := &merger{d: d, inOld: d.knows(&d.old, &d.new), inNew: d.knows(&d.new, &d.old)}
	return func(yield func(Change, error) bool) {
		m.pairs, m.others = d.applied.open(), d.openBesides()
		defer m.pairs.close()
		defer m.others.close()
		defer m.beside.open(d.named())()
		send := func(c Change, err error) bool { return yield(c, err) && err == nil }
		next, stop := iter.Pull2(distinct(d.old.Sights()))
		defer stop()
		old, err, more := next()
		for new, errNew := range distinct(d.new.Sights()) {
			for err == nil && errNew == nil && more && old.Address < new.Address {
				if !send(m.left(old)) {
					return
				}
				old, err, more = next()
			}
			if err = cmp.Or(err, errNew); err != nil {
				yield(Change{}, err)
				return
			}
			if !more || old.Address != new.Address {
				if !send(m.joined(new)) {
					return
				}
				continue
			}
			was := old
			old, err, more = next()
			if !yield(between(&was, &new, &d.Differ), nil) {
				return
			}
		}
		for ; err == nil && more; old, err, more = next() {
			if !send(m.left(old)) {
				return
			}
		}
		if err != nil {
			yield(Change{}, err)
		}
	}
}

// merger makes the changes of one walk at addresses that one audit alone lists.
type merger struct {
	d            *Diff
	inOld, inNew func(at *Observation) bool // whether that audit would have it
	pairs        *pairing
	others       *besides
	beside       sightCursor // what the newer audit saw at the addresses of its lists
}

// left is an address that only the older audit lists.
func (m *merger) left(was Observation) (Change, error) {
	is, err := m.others.new.find(was.Address)
	if err != nil {
		return Change{}, err
	}
	if is != nil && m.d.asPages() {
		return between(&was, is, &m.d.Differ), nil
	}
	if is != nil {
		return Change{Address: was.Address, Old: &was, Effect: NotCompared, Kinds: []ChangeKind{AsEntry}}, nil
	}
	c := delisted(&was, &m.d.Differ, m.inNew(&was))
	if err := m.pairs.left(&c, &m.d.Differ); err != nil {
		return Change{}, err
	}
	m.d.leftWithEntry(&c)
	if m.d.shrunk[was.Sitemap] {
		c.fellOut()
	}
	return c, m.named(&c)
}

// named notes where an address that is no entry any more is named beside one still. A correction
// that was applied is one all the same.
func (m *merger) named(c *Change) error {
	named, err := m.beside.find(c.Address)
	if named != nil && (c.Effect == Better || c.Effect == Otherwise) {
		c.Effect, c.Kinds = Otherwise, []ChangeKind{ListedBeside}
	}
	return err
}

// joined is an address that only the newer audit lists.
func (m *merger) joined(is Observation) (Change, error) {
	was, err := m.others.old.find(is.Address)
	if err != nil {
		return Change{}, err
	}
	if was != nil && m.d.asPages() {
		return between(was, &is, &m.d.Differ), nil
	}
	if was != nil {
		return Change{Address: is.Address, New: &is, Effect: NotCompared, Kinds: []ChangeKind{AsEntry}}, nil
	}
	c := newlyListed(&is, &m.d.Differ, m.inOld(&is))
	return c, m.pairs.joined(&c)
}

// knows returns whether an audit would have an address that another one has and it has not, as d
// compares entries or a list of addresses beside them.
func (d *Diff) knows(s, o *Snapshot) func(at *Observation) bool {
	read := coverageOf(s, o)
	if d.list == "" {
		return read.knows
	}
	names := s.names(o, d.list)
	return func(at *Observation) bool { return names(at) && read.knows(at) }
}

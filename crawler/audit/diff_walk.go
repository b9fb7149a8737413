package audit

import (
	"cmp"
	"iter"
)

// walk merges the sights of both audits.
func (d *Diff) walk() iter.Seq2[Change, error] {
	m := &merger{d: d, inOld: readWhole(&d.old), inNew: readWhole(&d.new)}
	return func(yield func(Change, error) bool) {
		m.pairs, m.others = d.applied.open(), d.openBesides()
		defer m.pairs.close()
		defer m.others.close()
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
	inOld, inNew func(of *Snapshot, at *Observation) bool
	pairs        *pairing
	others       *besides
}

// left is an address that only the older audit lists.
func (m *merger) left(was Observation) (Change, error) {
	is, err := m.others.new.find(was.Address)
	if err != nil {
		return Change{}, err
	}
	if is != nil {
		return between(&was, is, &m.d.Differ), nil
	}
	c := delisted(&was, &m.d.Differ, m.inNew(&m.d.old, &was))
	return c, m.pairs.left(&c)
}

// joined is an address that only the newer audit lists.
func (m *merger) joined(is Observation) (Change, error) {
	was, err := m.others.old.find(is.Address)
	if err != nil {
		return Change{}, err
	}
	if was != nil {
		return between(was, &is, &m.d.Differ), nil
	}
	c := newlyListed(&is, &m.d.Differ, m.inOld(&m.d.new, &is))
	return c, m.pairs.joined(&c)
}

// readWhole returns whether an audit would have an address that another one has
// and it has not: it read to the end the file that lists the address, or all
// files where that is another one now.
func readWhole(s *Snapshot) func(of *Snapshot, at *Observation) bool {
	files, all := wholeFiles(s)
	return func(of *Snapshot, at *Observation) bool {
		whole, has := files[of.Tallies[at.Sitemap].Sitemap.URL]
		return all || has && whole && at.Listed == 1
	}
}

// wholeFiles says of each sitemap of an audit, by URL, whether it was read to the end,
// and whether all were: then there is no other one.
func wholeFiles(s *Snapshot) (files map[string]bool, all bool) {
	files, all = map[string]bool{}, !s.Info.Ended.IsZero()
	for i := range s.Tallies {
		f := &s.Tallies[i].Sitemap
		whole := !f.Cut && !f.InPart() && (f.Kind != "" || f.Status == 404 || f.Status == 410)
		files[f.URL] = whole
		all = all && whole
	}
	return files, all
}

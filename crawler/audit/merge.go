package audit

import (
	"iter"
	"strings"

	"sitemend/crawler/address"
)

// merging finds the entries whose replacement is listed already by an entry that
// stays, or was written for an earlier one, in any file of the audit that belongs to
// the same origin or its twin.
//
// The survey leaves two sets that may hold too much: the entries that have a
// replacement, and those whose address may be one. Only these are looked at again,
// and only addresses that may come twice are remembered.
type merging struct {
	s *surveying
	// listed are the addresses that stay or are written, by file group: their
	// numbers are places in exts, from 1; 0 is for no extension blocks.
	listed numbered
	exts   []uint64
	groups []string // of the files, by number

	merged, lost set // those of telling, which others read meanwhile
}

// merge decides the merges of all files, and which files would have nothing left.
func (s *surveying) merge() error {
	t := s.t
	if s.targets.slots == 0 {
		return nil // nothing is replaced
	}
	m := merging{s: s}
	for i := range t.plans {
		m.groups = append(m.groups, t.plans[i].group())
	}
	for i := range t.sitemaps {
		for row, err := range m.rows(i, s.named) {
			if err != nil {
				return err
			}
			if row.Fix.Action == Keep {
				m.stay(m.key(i, row.Address), row.Entry.Ext)
			}
		}
	}
	for i := range t.sitemaps {
		merges, unlisted := 0, 0
		for row, err := range m.rows(i, s.replaced) {
			switch {
			case err != nil:
				return err
			case row.Fix.Action != Replace:
			case m.decide(i, row):
				merges++
			case !m.merged.has(row.Entry.N) && !m.lost.has(row.Entry.N):
				unlisted++
			}
		}
		t.plans[i].leave(merges, unlisted)
	}
	t.merged, t.lost = m.merged, m.lost
	return nil
}

// rows yields the rows of those entries of a file that are in a set, with all that
// is decided but the merges.
func (m *merging) rows(file int, in set) iter.Seq2[*Row, error] {
	t := m.s.t
	sm := &t.sitemaps[file]
	entries := func(yield func(Entry, error) bool) {
		if sm.Kind == KindEarlier || !in.hasAny(sm.First, sm.First+sm.Entries) {
			return
		}
		for e, err := range t.entries(file) {
			if (err != nil || in.has(e.N)) && !yield(e, err) {
				return
			}
		}
	}
	return t.walk(entries, sm.Entries, func(row *Row, mem Memory, e Entry) {
		t.brief(row, mem, e)
		t.apply(file, row)
	})
}

// decide says what becomes of a row that would be replaced. It tells whether the
// entry is taken out.
func (m *merging) decide(file int, r *Row) bool {
	t := m.s.t
	to := address.Wire(r.Fix.Loc)
	key := m.key(file, to)
	at, listed := m.listed.get(key)
	var ext uint64
	if at > 0 {
		ext = m.exts[at-1]
	}
	if !listed {
		ext, listed = t.plans[file].dest.standing.find(to)
	}
	switch {
	case !listed:
		if m.s.targets.maybe(hash(to.String())) {
			m.stay(key, r.Entry.Ext)
		}
		return false
	case r.Entry.Ext != 0 && r.Entry.Ext != ext:
		m.lost.add(r.Entry.N)
		return t.rules.Lift[MergeWouldLose] && !r.Entry.Bound
	}
	m.merged.add(r.Entry.N)
	return !r.Entry.Bound
}

// stay adds an address that stays or is written. Of one that is listed again the
// first extension blocks count.
func (m *merging) stay(key, ext uint64) {
	at, _ := m.listed.at(key)
	if *at == 0 && ext != 0 {
		m.exts = append(m.exts, ext)
		*at = uint32(len(m.exts))
	}
}

// key stands for an address in the files that belong together.
func (m *merging) key(file int, a address.Address) uint64 {
	return hash(m.groups[file] + " " + a.String())
}

// group names the files that belong to one origin and its twins.
func (p *plan) group() string {
	at := p.base
	if p.move != "" {
		at = address.Wire(p.move + "/")
	}
	if at.IsZero() {
		return ""
	}
	name := strings.TrimPrefix(at.HostPort(), "www.")
	if at.Port() != "" {
		return at.Scheme() + "://" + name
	}
	return name
}

// leave plans a file of which merges entries are taken out for what is listed
// elsewhere, and unlisted ones are replaced by what is not: where nothing would
// remain, nothing is edited, nor where all that moved is listed in the sitemap that
// stands at its new place.
func (p *plan) leave(merges, unlisted int) {
	switch {
	case p.move != "" && p.dest.taken && unlisted == 0:
		p.elsewhere, p.move = whyElsewhereMoved, ""
	case merges == 0 || merges+p.drops < p.entries:
	case p.move != "":
		p.elsewhere, p.move = whyElsewhereMoved, ""
	default:
		p.elsewhere = whyElsewhere
	}
}

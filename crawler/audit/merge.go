package audit

import (
	"context"
	"iter"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// merging finds the entries whose replacement is listed already by an entry that
// stays, or was written for an earlier one, in any file of the audit that belongs to
// the same origin or its twin. What a feed or a sitemap of news lists will be in none soon: with
// that, only entries of such files are merged.
//
// The survey leaves two sets that may hold too much: the entries that have a
// replacement, and those whose address may be one. Only these are looked at again,
// and only addresses that may come twice are remembered.
type merging struct {
	s *surveying
	// stay are the addresses of entries that stay and have no extension blocks, by file group;
	// listed those that have some, and those that are written: their numbers are places in exts,
	// from 1; 0 is for no extension blocks. writtenHere is added where the corrected sitemaps alone
	// list the address.
	stay   sketch.Members
	listed sketch.Numbers
	exts   []blocks
	groups []string // of the files, by number
	like   []int    // the file like which one is corrected, by number
	sums   []mergeSums
	guests bool // entries of other hosts than that of their file are decided
	hidden []hiding
	tongues

	merged, joined, lost, unsure, translated sketch.Set // those of evaluation, which others read meanwhile
}

// writtenHere marks an address that is written for an entry, and that no entry lists today.
const writtenHere = 1 << 31

// merge decides the merges of all files, and which files would have nothing left.
func (s *surveying) merge(ctx context.Context) error {
	t := s.t
	if s.targets.IsZero() {
		return nil // nothing is replaced
	}
	named, err := s.nameUnlisted(ctx)
	if err != nil {
		return err
	}
	// What only the walks before needed is let go of.
	s.twice, s.ends, s.leads, s.listed = sketch.Bloom{}, sketch.CountMin{}, nil, sketch.Numbers{}
	s.targets.OnlyMaybe()
	hidden, err := t.hidden()
	if err != nil {
		return err
	}
	m := merging{s: s, stay: sketch.NewMembers(s.named.Len()), hidden: hidden, tongues: named}
	for i := range t.plans {
		m.groups = append(m.groups, t.plans[i].group())
	}
	m.matching()
	for i := range t.sitemaps {
		if m.copies(i) {
			continue
		}
		for row, err := range m.rows(ctx, i, s.named) {
			if err != nil {
				return err
			}
			if row.Fix.Action == Keep && row.standsFor() {
				m.standing(i, row)
			}
		}
	}
	if err := m.files(ctx); err != nil {
		return err
	}
	for i, sum := range m.sums {
		t.plans[i].leave(sum.writes, sum.merges, sum.named)
	}
	t.merged, t.joined, t.lost, t.unsure, t.translated = m.merged, m.joined, m.lost, m.unsure, m.translated
	if t.lost.Len() > 0 {
		t.mergeable = [2]sketch.Set{s.replaced, s.named}
	}
	return nil
}

// files decides the merges of all files, of one that moves to where another like it stays after that.
func (m *merging) files(ctx context.Context) error {
	m.sums = make([]mergeSums, len(m.like))
	for _, m.guests = range []bool{false, true} {
		for _, later := range []bool{false, true} {
			for i, like := range m.like {
				if m.copies(i) || (like != i) != later {
					continue
				}
				if err := m.file(ctx, i); err != nil {
					return err
				}
			}
		}
	}
	for i := range m.like {
		if m.copies(i) {
			m.copy(i)
		}
	}
	return nil
}

// standing takes note of an entry that stays.
func (m *merging) standing(file int, r *Row) {
	m.name(pageHash(r.Address), r.Entry.Langs)
	if key := m.key(file, r.Address); r.Entry.Ext == 0 {
		m.stay.Add(key)
	} else {
		m.list(key, m.s.t.blocksOf(&r.Entry), 0)
	}
}

// mergeSums are what becomes of the replaced entries of a file; guests is how many of them it lists
// for another host.
type mergeSums struct{ writes, merges, named, guests int }

// file decides the merges of a file: first those of the entries of its own host, then those of its
// guests, which are merged with what the files of their host list and write, too.
func (m *merging) file(ctx context.Context, file int) error {
	sum := &m.sums[file]
	if m.guests && sum.guests == 0 {
		return nil
	}
	for row, err := range m.rows(ctx, file, m.s.replaced) {
		if err != nil {
			return err
		}
		if row.Fix.Action != Replace {
			continue
		}
		if guest := groupOf(address.Wire(row.Fix.Loc)) != m.groups[file]; guest != m.guests {
			if guest {
				sum.guests++
			}
			continue
		}
		switch action := m.decide(file, row); {
		case action == Replace:
			sum.writes++
		case action == Merge && !row.Entry.Bound:
			sum.merges++
			if row.Verdict == Noncanonical {
				sum.named++
			}
		}
	}
	return nil
}

// readsOn is how many entries that are not wanted are read for less than it takes to begin to read
// anew behind them.
const readsOn = 12

// rows yields the rows of those entries of a file that are in a set, with all that
// is decided but the merges.
func (m *merging) rows(ctx context.Context, file int, in sketch.Set) iter.Seq2[*Row, error] {
	t := m.s.t
	sm := &t.sitemaps[file]
	entries := func(yield func(Entry, error) bool) {
		if sm.Kind == KindEarlier || t.plans[file].old { // what leaves one day is in place of nothing
			return
		}
		for from, to := range in.Clusters(sm.First, sm.First+sm.Entries, readsOn) {
			for e, err := range t.src.Entries(ctx, from, to) {
				if (err != nil || in.Has(e.N)) && !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
	return t.walk(entries, sm.Entries, func(row *Row, mem Answers, e Entry) {
		t.brief(row, mem, e)
		t.apply(file, row)
	})
}

// decide says what becomes of a row that would be replaced.
func (m *merging) decide(file int, r *Row) Action {
	t := m.s.t
	to := address.Wire(r.Fix.Loc)
	if !t.rules.Lift[Locale] && m.translates(r, to) {
		m.translated.Add(r.Entry.N)
		return Keep
	}
	key := m.key(file, to)
	own := sketch.Hash(groupOf(to) + " " + pageOf(to))
	if elsewhere := m.guests || t.sitemaps[file].forgets(); elsewhere && m.lists(own) && !m.lists(key) {
		key = own
	}
	at, listed := m.listed.Get(key)
	var ext blocks
	if n := at &^ writtenHere; n > 0 {
		ext = m.exts[n-1]
	}
	listed = listed || m.stay.Has(key)
	if !listed {
		ext.listed, listed = t.plans[file].dest.standing.find(to)
		ext.written = ext.listed
	}
	switch {
	case !listed && m.hides(file, to):
		m.unsure.Add(r.Entry.N)
		return Keep
	case !listed:
		if m.s.targets.Maybe(pageHash(to)) {
			m.list(key, t.blocksOf(&r.Entry), writtenHere)
		}
		return Replace
	case at&writtenHere != 0 && !m.stay.Has(key):
		m.joined.Add(r.Entry.N)
	}
	switch {
	case t.blocksOf(&r.Entry).in(ext):
		m.merged.Add(r.Entry.N)
		return Merge
	}
	m.lost.Add(r.Entry.N)
	if t.rules.Lift[MergeWouldLose] {
		return Merge
	}
	return Keep
}

// lists reports whether an entry stays or is written under a key.
func (m *merging) lists(key uint64) bool {
	_, listed := m.listed.Get(key)
	return listed || m.stay.Has(key)
}

// sameBlocks reports whether the extension blocks of two entries say the same: they are
// the same, as where the alternates of two translations name both of them, or are so
// but for the entry's own address, as where a page and its successor name themselves.
func sameBlocks(a, b uint64) bool {
	return a>>32 != 0 && a>>32 == b>>32 || uint32(a) == uint32(b)
}

// list adds an address that stays or is written. Of one that is listed again the
// first extension blocks count. mark is writtenHere or 0.
func (m *merging) list(key uint64, ext blocks, mark uint32) {
	at, known := m.listed.At(key)
	if !known {
		*at = mark
	}
	if *at&^writtenHere == 0 && ext.listed != 0 {
		m.exts = append(m.exts, ext)
		*at |= uint32(len(m.exts))
	}
}

// key stands for an address in the files that belong together.
func (m *merging) key(file int, a address.Address) uint64 {
	if m.s.t.sitemaps[file].forgets() {
		return sketch.Hash("forgets " + m.groups[file] + " " + pageOf(a))
	}
	return sketch.Hash(m.groups[file] + " " + pageOf(a))
}

// pageOf returns an address with the hex digits of its escapes in upper case: others in lower case
// are the same address (RFC 3986 6.2.2.1), and Googlebot asks for both in this way.
func pageOf(a address.Address) string {
	if strings.IndexByte(a.String(), '%') < 0 {
		return a.String()
	}
	return address.SpellHex(a, true).String()
}

// standsFor reports whether a row that stays lists what pageOf names: it is fine, or written so.
// That of the other hex case may redirect there.
func (r *Row) standsFor() bool { return r.fine() || pageOf(r.Address) == r.Address.String() }

// pageHash stands for pageOf.
func pageHash(a address.Address) uint64 { return sketch.Hash(pageOf(a)) }

// group names the files that belong to one origin and its twins.
func (p *plan) group() string {
	at := p.base
	if p.move != "" {
		at = address.Wire(p.move + "/")
	}
	return groupOf(at)
}

// groupOf names the files that belong to the origin of an address and its twins.
func groupOf(at address.Address) string {
	if at.IsZero() {
		return ""
	}
	name := strings.TrimPrefix(at.HostPort(), "www.")
	if at.Port() != "" {
		return at.Scheme() + "://" + name
	}
	return name
}

// leave plans a file in which writes entries are to be replaced, and of which merges are taken out
// for what is listed elsewhere, named of them for their canonical: where nothing would remain,
// nothing is edited. Of a file that moved as a whole, that is all that is listed at its new place:
// the old file is how Google finds the redirects.
func (p *plan) leave(writes, merges, named int) {
	p.idle = writes == 0
	switch {
	case p.move != "" && p.idle && (merges > 0 || p.dest.taken):
		p.elsewhere = HeldMoved
		p.braked, p.all = nil, false // whatever --max-drop says, nothing is taken out
	case merges > 0 && merges+p.drops == p.entries && named > 0:
		p.elsewhere = HeldCanonical
	case merges > 0 && merges+p.drops == p.entries:
		p.elsewhere = HeldElsewhere
	}
}

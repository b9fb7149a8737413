package audit

import (
	"cmp"
	"slices"
	"strconv"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// This file is section 4 of the contract, as far as it takes more than one entry: which URLs many
// entries lead to, whether a file moves as a whole, what is listed already, and the safety limit. It
// walks over the settled records and looks up no answer. What one entry decides alone is in fix.go and relation.go; what is asked before a decision holds, in confirm.go.

const (
	maxSame = 2  // entries that may redirect to one new page, or name one canonical, from another path
	limitAt = 10 // entries that may leave a file whatever their share is
)

// A newURL is what the entries say of one URL that would be written.
type newURL struct {
	redirects  uint8  // entries of another path that redirect there and whose name it does not begin; counted up to maxSame+1
	canonicals uint8  // entries of another path that name it as canonical; likewise
	listed     bool   // an entry that stays lists it, or it was written for an earlier one
	coming     bool   // it would be written for an entry that is not one of many
	passing    bool   // the same, in a feed or a sitemap of news alone
	ext        uint32 // what that entry has beside its URL
	alike      bool   // another one has the same title and text
	merged     int    // entries of another path that are merged into it
}

// decisions are what becomes of each entry.
type decisions struct {
	t        *evaluation
	c        *confirmed // nil before anything was asked
	records  []settled
	act      []action     // by N
	stops    []uint8      // by N: what keeps it, as a place in stopNotes; 0 for nothing
	lifted   map[int]Note // by N: the rule that --fix lifted
	repeated sketch.Set   // entries whose URL an earlier one lists
	edits    sketch.Set   // entries that are edited, or would be but for the safety limit
	plans    []plan       // by file
	numbers  sketch.Numbers
	urls     []newURL
}

// A plan is what the entries of one file decide for each other.
type plan struct {
	base      address.Address // where the file is served; of local input, its first entry
	move      string          // the origin that the whole file goes to; "" where it stays
	replaced  int             // entries that are replaced, or would be but for their host
	leaves    int             // entries that would leave the file for good
	held      map[Verdict]int // of these, those that the safety limit keeps, by verdict
	why       Why             // why it does
	unlimited bool            // nothing would remain: no --max-drop changes that
}

// stopNotes are what stops means; the first means nothing.
var stopNotes = append([]Note{""}, Stops()...)

func stopNumber(n Note) uint8 { return uint8(slices.Index(stopNotes, n)) }

// decide decides on all entries. c is what was confirmed; nil where nothing was asked yet.
func (t *evaluation) decide(c *confirmed) *decisions {
	d := &decisions{t: t, c: c, records: t.settled.records, lifted: map[int]Note{}, plans: make([]plan, len(t.sitemaps))}
	d.act, d.stops = make([]action, len(d.records)), make([]uint8, len(d.records))
	d.repeat()
	d.count()
	for i := range t.sitemaps {
		d.rules(i)
	}
	for _, many := range []bool{false, true} { // these merge with what the others write
		for i := range t.sitemaps {
			if first := d.copyOf(i); first < i {
				d.alike(i, first)
			} else {
				d.place(i, many)
			}
		}
	}
	d.limit()
	return d
}

// copyOf returns the first file to be edited that lists what a file does, in the same order: it is
// one file under two URLs, and whatever is uploaded to one of them is found at the other.
func (d *decisions) copyOf(file int) int {
	s := &d.t.sitemaps[file]
	for i := range file {
		o := &d.t.sitemaps[i]
		if s.Entries == 0 || o.Entries != s.Entries || o.Kind == KindEarlier || s.Kind == KindEarlier || d.t.editable(i) != "" {
			continue
		}
		if slices.EqualFunc(d.records[s.First:s.First+s.Entries], d.records[o.First:o.First+o.Entries], func(x, y settled) bool { return x.own == y.own }) {
			return i
		}
	}
	return file
}

// alike decides on a file as on another that lists the same.
func (d *decisions) alike(file, as int) {
	s, o := &d.t.sitemaps[file], &d.t.sitemaps[as]
	if d.t.editable(file) != "" {
		return
	}
	copy(d.act[s.First:s.First+s.Entries], d.act[o.First:o.First+o.Entries])
	copy(d.stops[s.First:s.First+s.Entries], d.stops[o.First:o.First+o.Entries])
}

// each calls do with the entries of a file that sitemaps list, in order.
func (d *decisions) each(file int, do func(n int, x *settled)) {
	s := &d.t.sitemaps[file]
	if s.Kind == KindEarlier {
		return
	}
	for n := s.First; n < s.First+s.Entries; n++ {
		do(n, &d.records[n])
	}
}

func (d *decisions) all(do func(file, n int, x *settled)) {
	for i := range d.t.sitemaps {
		d.each(i, func(n int, x *settled) { do(i, n, x) })
	}
}

// repeat finds the entries whose URL an earlier one lists.
func (d *decisions) repeat() {
	twice, listed := sketch.NewBloom(len(d.records)), sketch.Numbers{}
	d.all(func(_, _ int, x *settled) {
		if x.own != 0 {
			twice.Add(x.own)
		}
	})
	twice.OnlyMaybe()
	d.all(func(_, n int, x *settled) {
		if x.own == 0 || !twice.Maybe(x.own) {
			return
		}
		first, again := listed.At(x.own)
		if again {
			d.repeated.Add(n)
			d.t.rich.Add(n) // there is something to say of it now
		} else {
			*first = uint32(n)
		}
	})
	d.merge(&listed)
}

// merge takes out the entries that the same file lists before, with nothing beside them that the
// first has not.
func (d *decisions) merge(listed *sketch.Numbers) {
	d.all(func(file, n int, x *settled) {
		if !d.repeated.Has(n) || x.action != keeps || x.has(isBound|isFiltered) || x.verdictOf() == Unverified || d.t.rules.KeepAll {
			return
		}
		first, _ := listed.Get(x.own)
		y := &d.records[first]
		if int(first) >= d.t.sitemaps[file].First && y.own == x.own && (x.ext == 0 || x.ext == y.ext) && d.t.editable(file) == "" {
			d.act[n] = merges
		}
	})
}

// of returns what the entries say of the target of x.
func (d *decisions) of(x *settled) *newURL {
	n, _ := d.numbers.At(x.target)
	if *n == 0 {
		d.urls = append(d.urls, newURL{})
		*n = uint32(len(d.urls))
	}
	return &d.urls[*n-1]
}

// count finds what the entries say of each target.
func (d *decisions) count() {
	d.all(func(_, n int, x *settled) {
		if x.action != replaces {
			return
		}
		u := d.of(x)
		switch {
		case d.repeated.Has(n) || !x.has(isAnother):
		case x.has(isCanonical):
			u.canonicals = min(u.canonicals+1, maxSame+1)
		case !x.has(isBegun):
			u.redirects = min(u.redirects+1, maxSame+1)
		}
	})
	if len(d.urls) == 0 {
		return
	}
	d.all(func(file, n int, x *settled) {
		number, is := d.numbers.Get(x.own)
		if !is || x.own == 0 || x.action != keeps || d.act[n] == merges {
			return
		}
		u := &d.urls[number-1]
		u.listed, u.passing = u.listed || !d.t.sitemaps[file].forgets(), u.passing || d.t.sitemaps[file].forgets()
		u.ext = cmp.Or(u.ext, x.ext)
	})
	d.all(func(file, n int, x *settled) {
		if x.action == replaces && !d.isOfMany(x) && d.t.editable(file) == "" && (d.c == nil || len(d.c.failed(n, x)) == 0) {
			d.of(x).coming = true
		}
	})
	texts := sketch.Numbers{} // by what a page says: the number of the first target that says it
	d.all(func(_, _ int, x *settled) {
		if x.action != replaces || x.said == 0 || x.has(isCanonical) || d.of(x).listed {
			return
		}
		number, _ := d.numbers.Get(x.target)
		first, again := texts.At(x.said)
		if !again {
			*first = number
		} else if *first != number {
			d.urls[*first-1].alike, d.urls[number-1].alike = true, true
		}
	})
}

// rules applies the rules that need other entries, or answers of their own, to the entries of a file,
// and finds whether it moves.
func (d *decisions) rules(file int) {
	t, p := d.t, &d.plans[file]
	p.base = t.base(file)
	uneditable, m := t.editable(file), moving{d: d, base: p.base}
	d.each(file, func(n int, x *settled) {
		if x.action == keeps {
			if m.stays(x); d.act[n] == merges {
				m.left++
			}
			return
		}
		if uneditable != "" {
			d.stop(n, uneditable)
			return
		}
		for _, rule := range d.failed(x) {
			d.fails(n, rule)
		}
		if d.c != nil {
			for _, rule := range d.c.failed(n, x) {
				d.fails(n, rule)
			}
		}
		if d.stops[n] != 0 {
			m.stays(x)
			return
		}
		if x.action == replaces {
			p.replaced++
		}
		m.edited(x)
	})
	p.move = m.to(t.sitemaps[file].Entries)
	at := address.Wire(t.sitemaps[file].AnsweredAt).Target()
	if slices.ContainsFunc(t.sitemaps, func(s Sitemap) bool { return p.move != "" && s.AnsweredAt == p.move+at }) {
		p.move = "" // another one is served there
	}
}

// failed returns the rules of what may be written that an entry does not meet for what others say.
func (d *decisions) failed(x *settled) (rules []Note) {
	if x.action != replaces {
		return nil
	}
	u := d.of(x)
	if x.has(isPassword) && x.has(isAnother) && !d.t.passwords(x.to) {
		rules = append(rules, Gate)
	}
	if x.has(isCanonical) && x.has(isAnother) && u.canonicals > maxSame ||
		!x.has(isCanonical) && !u.listed && u.alike || !u.listed && !u.coming && d.isOfMany(x) {
		rules = append(rules, Collapsed)
	}
	return rules
}

// isOfMany reports whether x is one of several entries of other paths that redirect to one URL.
// They are not replaced by it, and merged with an entry that is.
func (d *decisions) isOfMany(x *settled) bool {
	return !x.has(isCanonical) && x.has(isAnother) && d.of(x).redirects > maxSame
}

// fails keeps an entry for a rule that it does not meet, unless --fix lifted it. Whoever says with
// --fix what is right answers for what was not asked, too.
func (d *decisions) fails(n int, rule Note) {
	x := &d.records[n]
	_, lifted := d.lifted[n]
	switch {
	case d.t.rules.Lift[rule]:
		d.lifted[n] = rule
	case rule == HeldUnasked && (lifted || x.has(isSaid) || x.from != x.to && d.t.rules.Lift[OtherHost]):
	case d.stops[n] == 0:
		d.stop(n, rule)
	}
}

// unasked keeps an entry about which nothing was asked: it became an edit only as another one failed.
func (d *decisions) unasked(n int) bool {
	if d.c != nil && !d.c.d.edits.Has(n) {
		d.fails(n, HeldUnasked)
	}
	return d.stops[n] != 0
}

func (d *decisions) edit(n int, what action) {
	d.act[n] = what
	d.edits.Add(n)
}

func (d *decisions) stop(n int, why Note) { d.act[n], d.stops[n] = keeps, stopNumber(why) }

// moving finds whether the edited entries of a file all go to one other origin.
type moving struct {
	d         *decisions
	base      address.Address
	origin    uint32 // that the first replaced entry goes to
	replaced  int
	left      int    // entries that would be dropped, or are listed twice
	scattered bool   // they go to several origins, or one of them names its canonical
	fine      uint32 // the origin of the first entry that is fine and stays
	stay      bool   // there is one
	apart     bool   // others of them are on other origins
}

func (m *moving) stays(x *settled) {
	switch {
	case !x.has(isFine):
	case !m.stay:
		m.fine, m.stay = x.from, true
	default:
		m.apart = m.apart || x.from != m.fine
	}
}

func (m *moving) edited(x *settled) {
	if x.action == drops {
		m.left++
		return
	}
	if m.replaced == 0 {
		m.origin = x.to
	}
	m.scattered = m.scattered || x.to != m.origin || x.has(isCanonical)
	m.replaced++
}

// to returns the origin that the file goes to, of so many entries: all edited entries and most of
// those that are left redirect there, and none that is fine stays behind; "" where it stays.
func (m *moving) to(entries int) string {
	behind := m.apart || m.stay && m.fine != m.origin
	if m.replaced == 0 || m.scattered || behind || 2*m.replaced <= entries-m.left {
		return ""
	}
	to := m.d.t.settled.origins[m.origin]
	if at := address.Wire(to + "/"); to == m.base.Origin() || at.Site() != m.base.Site() {
		return ""
	}
	return to
}

// place decides what is written in a file, and what leaves it for it is listed already; many is set
// for the entries of which many lead to one URL.
func (d *decisions) place(file int, many bool) {
	t, p := d.t, &d.plans[file]
	allowed := map[uint32]bool{}
	d.each(file, func(n int, x *settled) {
		if x.action == keeps || d.stops[n] != 0 || many != (x.action == replaces && d.isOfMany(x)) {
			return
		}
		if x.action == drops {
			d.edit(n, drops)
			return
		}
		may, known := allowed[x.to]
		if !known {
			to := t.settled.origins[x.to]
			may = to == p.move || p.base.SameTwin(address.Wire(to+"/"))
			allowed[x.to] = may
		}
		if !may {
			if d.fails(n, OtherHost); d.stops[n] != 0 {
				return
			}
		}
		d.write(file, n, x)
	})
}

// write replaces an entry, or merges it with the one that lists its new URL.
func (d *decisions) write(file, n int, x *settled) {
	u := d.of(x)
	if !u.listed && !(u.passing && d.t.sitemaps[file].forgets()) {
		if d.isOfMany(x) {
			d.fails(n, Collapsed)
		}
		if d.stops[n] != 0 || d.unasked(n) {
			return
		}
		d.edit(n, replaces)
		u.ext = x.ext
		if u.listed = !d.t.sitemaps[file].forgets(); !u.listed {
			u.passing = true
		}
		return
	}
	if x.has(isRich) && x.ext != u.ext {
		if d.fails(n, MergeWouldLose); d.stops[n] != 0 {
			return
		}
	}
	if x.has(isBound) {
		d.stop(n, HeldBound)
		return
	}
	if d.unasked(n) {
		return
	}
	d.edit(n, merges)
	if x.has(isAnother) {
		u.merged++
	}
}

// leaves reports whether an entry would leave its file for good: it is dropped, or merged from
// another path with many into one URL.
func (d *decisions) leaves(n int, x *settled) bool {
	return d.act[n] == drops || d.act[n] == merges && x.action == replaces && x.has(isAnother) && d.of(x).merged >= limitAt
}

// limit is the safety limit: nothing leaves a file that would lose more than --max-drop of its
// entries, nor any file where more than half of the audit's would, and no file is emptied.
func (d *decisions) limit() {
	entries, leaving := 0, 0
	out := make([]int, len(d.plans)) // entries that leave a file, merged ones too
	d.all(func(file, n int, x *settled) {
		entries++
		if d.act[n] == drops || d.act[n] == merges {
			out[file]++
		}
		if d.leaves(n, x) {
			d.plans[file].leaves++
			leaving++
		}
	})
	everywhere := leaving > limitAt && float64(leaving) > max(0.5, d.t.rules.MaxDrop)*float64(entries)
	for i := range d.plans {
		p, s := &d.plans[i], &d.t.sitemaps[i]
		switch {
		case out[i] > 0 && out[i] == s.Entries:
			d.refuse(i, HeldAlone, func(int, *settled) bool { return true })
		case p.leaves > limitAt && float64(p.leaves) > d.t.rules.MaxDrop*float64(s.Entries):
			p.why = Why{string(Braked), [4]string{strconv.Itoa(p.leaves), strconv.Itoa(s.Entries)}}
			d.refuse(i, Braked, d.leaves)
		case p.leaves > 0 && everywhere:
			p.why = Why{whyAuditBraked, [4]string{strconv.Itoa(leaving), strconv.Itoa(entries)}}
			d.refuse(i, Braked, d.leaves)
		}
	}
}

// refuse keeps the entries of a file that would leave it, those that which names.
func (d *decisions) refuse(file int, why Note, which func(n int, x *settled) bool) {
	p := &d.plans[file]
	p.held = map[Verdict]int{}
	p.unlimited = why == HeldAlone
	var held []int
	d.each(file, func(n int, x *settled) {
		if (d.act[n] == drops || d.act[n] == merges) && which(n, x) {
			held = append(held, n)
		}
	})
	for _, n := range held {
		p.held[d.records[n].verdictOf()]++
		d.stop(n, why)
	}
}

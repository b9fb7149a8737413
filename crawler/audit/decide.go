package audit

import (
	"cmp"
	"slices"
	"strconv"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// This file is section 4 of the contract, as far as it takes more than one entry: which URLs many
// entries lead to, what is listed already, and the safety limit; whether a file moves as a whole is
// in moves.go. It walks over the settled records and looks up no answer. What one entry decides alone
// is in fix.go and relation.go; what is asked before a decision holds, in confirm.go.

const (
	maxSame = 2  // entries that may redirect to one new page, or name one canonical, from another path
	limitAt = 10 // entries that may leave a file whatever their share is
)

// A decision is what becomes of one entry. Its notes are places in stopNotes; 0 is none.
type decision struct {
	act    action
	stop   uint8 // what keeps it
	lifted uint8 // the rule that --fix lifted
}

// stopNotes are the notes of decisions; the first means nothing.
var stopNotes = append([]Note{""}, Stops()...)

func stopNumber(n Note) uint8 { return uint8(slices.Index(stopNotes, n)) }

// A newURL is what the entries say of one URL that would be written.
type newURL struct {
	redirects  uint8  // entries of another path that redirect there and whose name it does not begin; counted up to maxSame+1
	canonicals uint8  // entries of another path that name it as canonical; likewise
	listed     bool   // an entry that stays lists it, or it was written for an earlier one
	coming     bool   // it would be written for an entry that is not one of many
	passing    bool   // it is listed, or was written, in a feed or a sitemap of news alone
	ext        uint32 // what that entry has beside its URL
	alike      bool   // another one has the same title and text
	merged     int    // entries of another path that are merged into it
}

// decisions are what becomes of the entries, and of their files.
type decisions struct {
	t        *evaluation
	c        *confirmed // nil before anything was asked
	records  []settled
	of       []decision // by N
	repeated sketch.Set // entries whose URL an earlier one lists
	edits    sketch.Set // entries that are edited, or would be but for the safety limit
	plans    []plan     // by file
	numbers  sketch.Numbers
	urls     []newURL
}

// A plan is what the entries of one file decide for each other.
type plan struct {
	base      address.Address // where the file is served; of local input, its first entry
	move      string          // the origin that the whole file goes to; "" where it stays
	leaves    int             // entries that would leave the file for good
	held      map[Verdict]int // of these, those that the safety limit keeps, by verdict
	why       Why             // why it does
	unlimited bool            // nothing would remain: no --max-drop changes that
}

// decide decides on all entries. c is what was confirmed; nil where nothing was asked yet.
func (t *evaluation) decide(c *confirmed) *decisions {
	d := &decisions{t: t, c: c, records: t.settled.records, plans: make([]plan, len(t.sitemaps))}
	d.of = make([]decision, len(d.records))
	d.repeats()
	d.targets()
	for i := range t.sitemaps {
		d.rules(i)
	}
	first := d.copies()
	for _, many := range []bool{false, true} { // these merge with what the others write
		for i := range t.sitemaps {
			if first[i] == i {
				d.place(i, many)
			}
		}
	}
	for i, of := range first {
		if of != i && t.editable(i) == "" {
			s, o := &t.sitemaps[i], &t.sitemaps[of]
			copy(d.of[s.First:s.First+s.Entries], d.of[o.First:o.First+o.Entries])
		}
	}
	d.limit()
	return d
}

// copies returns, for each file, the first one to be edited that lists the same in the same order:
// it is one file under two URLs, and whatever is uploaded to one of them is found at the other.
func (d *decisions) copies() []int {
	first, seen := make([]int, len(d.t.sitemaps)), map[uint64][]int{}
	for i := range d.t.sitemaps {
		first[i] = i
		if s := &d.t.sitemaps[i]; s.Kind == KindEarlier || s.Entries == 0 {
			continue
		}
		list, hash := d.list(i), uint64(0)
		for j := range list {
			hash = hash*31 + list[j].own
		}
		same := func(of int) bool {
			return slices.EqualFunc(list, d.list(of), func(x, y settled) bool { return x.own == y.own })
		}
		if at := slices.IndexFunc(seen[hash], same); at >= 0 {
			first[i] = seen[hash][at]
		} else if d.t.editable(i) == "" {
			seen[hash] = append(seen[hash], i)
		}
	}
	return first
}

func (d *decisions) list(file int) []settled {
	s := &d.t.sitemaps[file]
	return d.records[s.First : s.First+s.Entries]
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

// repeats finds the entries whose URL an earlier one lists, and merges those that the same file
// lists before, with nothing beside them that the first has not.
func (d *decisions) repeats() {
	twice, listed := sketch.NewBloom(len(d.records)), sketch.Numbers{}
	d.all(func(_, _ int, x *settled) {
		if x.own != 0 {
			twice.Add(x.own)
		}
	})
	twice.OnlyMaybe()
	d.all(func(file, n int, x *settled) {
		if x.own == 0 || !twice.Maybe(x.own) {
			return
		}
		first, again := listed.At(x.own)
		if !again {
			*first = uint32(n)
			return
		}
		d.repeated.Add(n)
		d.t.rich.Add(n) // there is something to say of it now
		y := &d.records[*first]
		if y.own == x.own && int(*first) >= d.t.sitemaps[file].First && x.action == keeps && !x.has(isBound|isFiltered) && x.verdictOf() != Unverified &&
			(x.ext == 0 || x.ext == y.ext) && !d.t.rules.KeepAll && d.t.editable(file) == "" {
			d.of[n].act = merges
		}
	})
}

// target returns what the entries say of the target of x.
func (d *decisions) target(x *settled) *newURL {
	n, _ := d.numbers.At(x.target)
	if *n == 0 {
		d.urls = append(d.urls, newURL{})
		*n = uint32(len(d.urls))
	}
	return &d.urls[*n-1]
}

// targets finds what the entries say of each target.
func (d *decisions) targets() {
	d.all(func(_, n int, x *settled) {
		if x.action != replaces {
			return
		}
		u := d.target(x)
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
		switch {
		case x.action == replaces:
			if !d.isOfMany(x) && d.t.editable(file) == "" && d.c.why(n, x) == "" {
				d.target(x).coming = true
			}
		case x.action == keeps && x.own != 0 && d.of[n].act != merges:
			if number, is := d.numbers.Get(x.own); is {
				u := &d.urls[number-1]
				u.list(&d.t.sitemaps[file])
				u.ext = cmp.Or(u.ext, x.ext)
			}
		}
	})
	d.texts()
}

// texts finds the targets whose pages say the same.
func (d *decisions) texts() {
	texts := sketch.Numbers{} // by what a page says: the number of the first target that says it
	d.all(func(_, _ int, x *settled) {
		if x.action != replaces || x.said == 0 || x.has(isCanonical) || d.target(x).listed {
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

// list notes that a file lists the URL.
func (u *newURL) list(s *Sitemap) {
	if s.forgets() {
		u.passing = true
	} else {
		u.listed = true
	}
}

// isOfMany reports whether x is one of several entries of other paths that redirect to one URL.
// They are not replaced by it, and merged with an entry that is.
func (d *decisions) isOfMany(x *settled) bool {
	return !x.has(isCanonical) && x.has(isAnother) && d.target(x).redirects > maxSame
}

// check applies the rules that need other entries, or answers of their own, to an entry that would
// be edited.
func (d *decisions) check(file, n int, x *settled) {
	if kind := d.t.sitemaps[file].Kind; x.verdictOf() == Invalid && (kind == "rss" || kind == "atom") { // URLs of feeds may be relative
		d.stop(n, HeldUnclear)
	}
	if x.action == replaces {
		u := d.target(x)
		if x.has(isPassword) && x.has(isAnother) && !d.t.passwords(x.to) {
			d.fails(n, Gate)
		}
		if x.has(isCanonical) && x.has(isAnother) && u.canonicals > maxSame ||
			!x.has(isCanonical) && !u.listed && u.alike || !u.listed && !u.coming && d.isOfMany(x) {
			d.fails(n, Collapsed)
		}
	}
	if why := d.c.why(n, x); why != "" {
		d.fails(n, why)
	}
}

// fails keeps an entry for a rule that it does not meet, unless --fix lifted it, and reports whether
// the entry is kept. Whoever says with --fix what is right answers for what was not asked, too.
func (d *decisions) fails(n int, rule Note) bool {
	x, is := &d.records[n], &d.of[n]
	switch {
	case d.t.rules.Lift[rule]:
		is.lifted = stopNumber(rule)
	case rule == HeldUnasked && (is.lifted != 0 || x.has(isSaid) || x.from != x.to && d.t.rules.Lift[OtherHost]):
	case is.stop == 0:
		d.stop(n, rule)
	}
	return is.stop != 0
}

func (d *decisions) stop(n int, why Note) { d.of[n].act, d.of[n].stop = keeps, stopNumber(why) }

// edit decides an edit, unless nothing was asked about the entry: it became one only as another
// failed.
func (d *decisions) edit(n int, what action) bool {
	if d.c != nil && what != drops && !d.c.d.edits.Has(n) && d.fails(n, HeldUnasked) {
		return false
	}
	d.of[n].act = what
	d.edits.Add(n)
	return true
}

// place decides what is written in a file, and what leaves it for it is listed already; many is set
// for the entries of which many lead to one URL.
func (d *decisions) place(file int, many bool) {
	t, p := d.t, &d.plans[file]
	allowed := map[uint32]bool{} // by the number of an origin
	d.each(file, func(n int, x *settled) {
		if x.action == keeps || d.of[n].stop != 0 || many != (x.action == replaces && d.isOfMany(x)) {
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
		if may || !d.fails(n, OtherHost) {
			d.write(file, n, x)
		}
	})
}

// write replaces an entry, or merges it with the one that lists its new URL.
func (d *decisions) write(file, n int, x *settled) {
	u, s := d.target(x), &d.t.sitemaps[file]
	switch listed := u.listed || u.passing && s.forgets(); {
	case !listed:
		if d.isOfMany(x) && d.fails(n, Collapsed) || !d.edit(n, replaces) {
			return
		}
		u.ext = x.ext
		u.list(s)
	case x.has(isRich) && x.ext != u.ext && d.fails(n, MergeWouldLose):
	case x.has(isBound):
		d.stop(n, HeldBound)
	case d.edit(n, merges) && x.has(isAnother):
		u.merged++
	}
}

// leaves reports whether an entry would leave its file for good: it is dropped, or merged from
// another path with many into one URL.
func (d *decisions) leaves(n int, x *settled) bool {
	act := d.of[n].act
	return act == drops || act == merges && x.action == replaces && x.has(isAnother) && d.target(x).merged >= limitAt
}

// limit is the safety limit: nothing leaves a file that would lose more than --max-drop of its
// entries, nor any file where more than half of the audit's would, and no file is emptied.
func (d *decisions) limit() {
	entries, leaving := 0, 0
	out := make([]int, len(d.plans)) // entries that leave a file, merged ones too
	d.all(func(file, n int, x *settled) {
		entries++
		if d.of[n].act.out() {
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
			p.unlimited = true
			d.refuse(i, HeldAlone)
		case p.leaves > limitAt && float64(p.leaves) > d.t.rules.MaxDrop*float64(s.Entries):
			p.why = Why{string(Braked), [4]string{strconv.Itoa(p.leaves), strconv.Itoa(s.Entries)}}
			d.refuse(i, Braked)
		case p.leaves > 0 && everywhere:
			p.why = Why{string(Braked), [4]string{strconv.Itoa(leaving), strconv.Itoa(entries)}}
			d.refuse(i, Braked)
		}
	}
}

// refuse keeps the entries of a file that would leave it: for good, or at all where none would
// remain.
func (d *decisions) refuse(file int, why Note) {
	p := &d.plans[file]
	p.held = map[Verdict]int{}
	d.each(file, func(n int, x *settled) {
		if d.leaves(n, x) || p.unlimited && d.of[n].act == merges {
			p.held[x.verdictOf()]++
			d.stop(n, why)
		}
	})
}

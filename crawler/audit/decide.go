package audit

import (
	"iter"
	"slices"
	"strconv"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
)

// This file is section 4 of the contract, as far as it takes more than one entry: which URLs many
// entries lead to, what is listed already, whether a file moves as a whole, and the safety limit. It
// walks over the settled records and looks up no answer. What one entry decides alone is in fix.go
// and address.Relate; what is asked before a decision holds, in confirm.go.

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
	alike      bool   // another one has the same title and text
	ext        uint32 // what the entry that lists it has beside its URL
	merged     uint32 // entries of another path that are merged into it
}

// decisions are what becomes of the entries, and of their files.
type decisions struct {
	t        *Plan
	c        *confirmed // nil before anything was asked
	records  []settled
	of       []decision // by N
	repeated sketch.Set // entries whose URL an earlier one lists
	edits    sketch.Set // entries that are edited, or would be but for the safety limit
	files    []fate
	numbers  sketch.Numbers // by the hash of a URL that would be written: its place in urls, from 1
	urls     []newURL
}

// A fate is what the entries of one file decide for each other.
type fate struct {
	move   string          // the origin that the whole file goes to; "" where it stays
	leaves int             // entries that would leave the file for good
	held   map[Verdict]int // of these, those that the safety limit keeps, by verdict
	why    Why             // why it does
	empty  bool            // nothing would remain: no --max-drop changes that
}

// decide decides on all entries. c is what was confirmed; nil where nothing was asked yet.
func (t *Plan) decide(c *confirmed) *decisions {
	d := &decisions{t: t, c: c, records: t.settled.records[:t.entries], of: make([]decision, t.entries), files: make([]fate, len(t.sitemaps))}
	d.repeats()
	d.targets()
	for i := range t.sitemaps {
		d.check(i)
	}
	for _, part := range []bool{false, true} { // nothing merges with what only a copy lists that is not for upload
		for _, many := range []bool{false, true} { // these merge with what the others write
			for i := range t.sitemaps {
				if t.sitemaps[i].InPart() == part {
					d.place(i, many)
				}
			}
		}
	}
	d.limit()
	d.numbers, d.urls = sketch.Numbers{}, nil // some 50 bytes a URL, which nobody needs any more
	return d
}

// in yields the entries of a file, in order.
func (d *decisions) in(file int) iter.Seq2[int, *settled] {
	return func(yield func(int, *settled) bool) {
		s := &d.t.sitemaps[file]
		for n := s.First; n < s.First+s.Entries && yield(n, &d.records[n]); n++ {
		}
	}
}

// replaced yields the entries that would be replaced, if nothing but themselves counted, by N.
func (d *decisions) replaced() iter.Seq2[int, *settled] {
	return func(yield func(int, *settled) bool) {
		for n := range d.records {
			if x := &d.records[n]; x.action == replaces && !yield(n, x) {
				return
			}
		}
	}
}

// repeats finds the entries whose URL an earlier one lists, and merges those that the same file
// lists before, with nothing beside them that the first has not.
func (d *decisions) repeats() {
	twice, listed := sketch.NewBloom(len(d.records)), sketch.Numbers{}
	for n := range d.records {
		if own := d.records[n].own; own != 0 {
			twice.Add(own)
		}
	}
	twice.OnlyMaybe()
	for file := range d.t.sitemaps {
		here := sketch.Numbers{} // the first of the file
		for n, x := range d.in(file) {
			if x.own == 0 || !twice.Maybe(x.own) {
				continue
			}
			if _, again := listed.At(x.own); again {
				d.repeated.Add(n)
				d.t.eventful.Add(n) // there is something to say of it now
			}
			first, again := here.At(x.own)
			if !again {
				*first = uint32(n)
				continue
			}
			v, same := x.verdictOf(), x.ext == 0 || x.ext == d.records[*first].ext
			if same && x.action == keeps && !x.has(isBound) && v != Skipped && v != Unverified && !d.t.rules.KeepAll && d.t.editable(file) == "" {
				d.of[n].act = merges
			}
		}
	}
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
	most := 0
	for range d.replaced() {
		most++
	}
	d.numbers, d.urls = sketch.NewNumbers(most), make([]newURL, 0, most)
	for n, x := range d.replaced() {
		u := d.target(x)
		switch {
		case d.repeated.Has(n) || !x.has(isAnother):
		case x.canonical():
			u.canonicals = min(u.canonicals+1, maxSame+1)
		case !x.has(isBegun):
			u.redirects = min(u.redirects+1, maxSame+1)
		}
	}
	if len(d.urls) == 0 {
		return
	}
	for file := range d.t.sitemaps {
		editable := d.t.editable(file) == "" && !d.t.sitemaps[file].InPart()
		for n, x := range d.in(file) {
			switch {
			case x.action == replaces:
				if editable && !d.isOfMany(x) && d.c.why(n, x) == "" {
					d.target(x).coming = true
				}
			case x.action == keeps && x.own != 0 && d.of[n].act != merges:
				if number, is := d.numbers.Get(x.own); is && !d.urls[number-1].listed {
					d.urls[number-1].listed, d.urls[number-1].ext = true, x.ext
				}
			}
		}
	}
	texts := sketch.NewNumbers(len(d.urls)) // by what a page says: the number of the first target that says it
	for _, x := range d.replaced() {
		if x.said == 0 || x.canonical() || d.target(x).listed {
			continue
		}
		number, _ := d.numbers.Get(x.target)
		first, again := texts.At(x.said)
		if !again {
			*first = number
		} else if *first != number {
			d.urls[*first-1].alike, d.urls[number-1].alike = true, true
		}
	}
}

// isOfMany reports whether x is one of several entries of other paths that redirect to one URL.
// They are not replaced by it, and merged with an entry that is.
func (d *decisions) isOfMany(x *settled) bool { return x.another() && d.target(x).redirects > maxSame }

// check applies to the entries of a file the rules that need other entries, or answers of their own,
// and finds whether the file moves.
func (d *decisions) check(file int) {
	s, uneditable := &d.t.sitemaps[file], d.t.editable(file)
	relative := s.Kind == "rss" || s.Kind == "atom" // URLs of feeds may be
	for n, x := range d.in(file) {
		switch {
		case x.action == keeps:
			continue
		case uneditable != "":
			d.stop(n, uneditable)
			continue
		case x.verdictOf() == Invalid && relative:
			d.stop(n, heldUnclear)
		case x.action == replaces:
			if x.has(isPassword) && x.has(isAnother) && !d.t.passwords(x.to) {
				d.fails(n, gate)
			}
			if d.collapses(x) {
				d.fails(n, Collapsed)
			}
		}
		if why := d.c.why(n, x); why != "" {
			d.fails(n, why)
		}
	}
	if uneditable == "" {
		d.files[file].move = d.moves(file)
	}
}

// collapses reports whether what x would be replaced by is not its page, as far as other entries show.
func (d *decisions) collapses(x *settled) bool {
	u := d.target(x)
	if x.canonical() {
		return x.has(isAnother) && u.canonicals > maxSame
	}
	return !u.listed && (u.alike || !u.coming && d.isOfMany(x))
}

// fails keeps an entry for a rule that it does not meet, unless --fix lifted it, and reports whether
// the entry is kept. Whoever says with --fix what is right answers for what was not asked, too.
func (d *decisions) fails(n int, rule Note) bool {
	x, is := &d.records[n], &d.of[n]
	switch {
	case d.t.rules.Lift[rule]:
		is.lifted = stopNumber(rule)
	case rule == heldUnasked && (is.lifted != 0 || x.has(isSaid) || x.from != x.to && d.t.rules.Lift[OtherHost]):
	case is.stop == 0:
		d.stop(n, rule)
	}
	return is.stop != 0
}

func (d *decisions) stop(n int, why Note) { d.of[n].act, d.of[n].stop = keeps, stopNumber(why) }

// moves returns the origin that a file goes to as a whole; "" for none. Four things must hold: all entries
// that would be replaced redirect to one other origin of the site, or name their canonicals on its www or
// https twin; they are most of the entries that are left; no other sitemap is served there; and no entry
// that is fine stays elsewhere.
func (d *decisions) moves(file int) string {
	s, base, to, replaced, left := &d.t.sitemaps[file], d.t.base(file), uint32(0), 0, d.t.sitemaps[file].Entries
	for n, x := range d.in(file) {
		switch is := d.of[n]; {
		case is.act == merges, x.action == drops && is.stop == 0:
			left--
		case x.action != replaces || is.stop != 0:
		case x.canonical() && !d.may(file, base, x.to), replaced > 0 && x.to != to:
			return ""
		default:
			to, replaced = x.to, replaced+1
		}
	}
	if replaced == 0 || 2*replaced <= left {
		return ""
	}
	for n, x := range d.in(file) {
		if x.fine() && x.from != to && d.of[n].act != merges {
			return ""
		}
	}
	origin := d.t.settled.Origins[to]
	at := origin + address.Wire(s.AnsweredAt).Target()
	if origin == base.Origin() || address.Wire(origin+"/").Site() != base.Site() ||
		slices.ContainsFunc(d.t.sitemaps, func(s Sitemap) bool { return s.AnsweredAt == at }) {
		return ""
	}
	return origin
}

// place decides what is written in a file, and what leaves it for it is listed already; many is set
// for the entries of which many lead to one URL.
func (d *decisions) place(file int, many bool) {
	base := d.t.base(file)
	for n, x := range d.in(file) {
		switch {
		case x.action == keeps, d.of[n].stop != 0, many != d.isOfMany(x):
		case x.action == drops:
			d.edit(n, drops)
		case d.may(file, base, x.to), !d.fails(n, OtherHost):
			d.write(n, x)
		}
	}
}

// may reports whether a file may list an origin, by its number.
func (d *decisions) may(file int, base address.Address, origin uint32) bool {
	to := d.t.settled.Origins[origin]
	return to == d.files[file].move || base.SameTwin(address.Wire(to+"/"))
}

// write replaces an entry, or merges it with the one that lists its new URL.
func (d *decisions) write(n int, x *settled) {
	u := d.target(x)
	switch {
	case !u.listed:
		if !(d.isOfMany(x) && d.fails(n, Collapsed)) && d.edit(n, replaces) {
			u.listed, u.ext = true, x.ext
		}
	case x.has(hasMedia) && x.ext != u.ext && d.fails(n, mergeWouldLose):
	case x.canonical() && x.has(isAnother) && x.ext != 0 && x.ext == u.ext && d.fails(n, Locale): // they are alternates of each other
	case x.has(isBound):
		d.stop(n, heldUnclear)
	case d.edit(n, merges) && x.differs():
		u.merged++
	}
}

// edit decides an edit, unless nothing was asked about the entry: it was no edit until another one
// failed.
func (d *decisions) edit(n int, what action) bool {
	if d.c != nil && what != drops && !d.c.d.edits.Has(n) && d.fails(n, heldUnasked) {
		return false
	}
	d.of[n].act = what
	d.edits.Add(n)
	return true
}

// leaves reports whether an entry would leave its file for good: it is dropped, or it is one of many that
// are merged into one URL and may be other pages than that.
func (d *decisions) leaves(n int, x *settled) bool {
	act := d.of[n].act
	return act == drops || act == merges && x.action == replaces && x.differs() && d.target(x).merged >= limitAt
}

// limit is the safety limit: nothing leaves a file that would lose more than --max-drop of its
// entries, nor any file where more than half of the audit's would, and no file is emptied.
func (d *decisions) limit() {
	leaving := 0
	for i := range d.files {
		f := &d.files[i]
		f.empty = d.t.sitemaps[i].Entries > 0
		for n, x := range d.in(i) {
			if d.leaves(n, x) {
				f.leaves++
				leaving++
			}
			f.empty = f.empty && (d.of[n].act == drops || d.of[n].act == merges)
		}
	}
	everywhere := exceeds(leaving, len(d.records), max(0.5, d.t.rules.MaxDrop))
	for i := range d.files {
		switch f, entries := &d.files[i], d.t.sitemaps[i].Entries; {
		case f.empty:
			d.refuse(i, heldAlone)
		case exceeds(f.leaves, entries, d.t.rules.MaxDrop):
			f.why = Why{string(Braked), [4]string{strconv.Itoa(f.leaves), strconv.Itoa(entries)}}
			d.refuse(i, Braked)
		case f.leaves > 0 && everywhere:
			f.why = Why{string(Braked), [4]string{strconv.Itoa(leaving), strconv.Itoa(len(d.records))}}
			d.refuse(i, Braked)
		}
	}
}

// exceeds reports whether so many are more than may leave a list.
func exceeds(leaving, of int, most float64) bool {
	return leaving > limitAt && float64(leaving) > most*float64(of)
}

// refuse keeps the entries of a file that would leave it: for good, or at all where none would
// remain.
func (d *decisions) refuse(file int, why Note) {
	f := &d.files[file]
	f.held = map[Verdict]int{}
	for n, x := range d.in(file) {
		if d.leaves(n, x) || f.empty && d.of[n].act == merges {
			f.held[x.verdictOf()]++
			d.stop(n, why)
		}
	}
}

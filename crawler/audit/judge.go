package audit

import (
	"sitemend/crawler/address"
	"slices"
	"strconv"
)

// Want says which requests beyond the trails of the listed addresses and the
// replacements a caller is ready to make. With the zero Want those are judged
// from what is remembered alone.
type Want struct {
	// AltSpelling asks for the second spellings of what would be written, and of listed addresses:
	// where Sampler is not nil, of those alone that it wants.
	AltSpelling bool
	Sampler     *Sampler `json:"-"`
	// Recheck asks for the second look at a 404 or 410, which is due when all
	// else is asked.
	Recheck bool
	// Last is set where nothing more will be asked: an entry of which all is known but what must
	// be known to edit it, as rules of today ask for that were not those of the audit, is kept.
	Last bool
}

// Judge says what an entry is, from what is remembered. A row with Needs is not
// decided: its verdict is Skipped, and asking for the Needs leads further. Judge
// decides all that concerns the entry alone; what depends on other entries
// (collapsed, merge, other-host, the brake) is added by Evaluate.
func Judge(mem Answers, e Entry, rules *Rules, want Want) (r Row) {
	r.Judge(mem, e, rules, want)
	return r
}

// Judge makes r the row of an entry, as the function does. It reuses r's Steps and Needs;
// a copy of what r held before must not be used afterwards.
func (r *Row) Judge(mem Answers, e Entry, rules *Rules, want Want) {
	r.reset(e)
	j := judging{mem: mem, rules: rules, want: want, row: r}
	j.judge()
	decided := len(j.row.Needs) == 0
	if !decided {
		j.row.Verdict, j.row.Reasons = Skipped, nil
	}
	j.fix()
	if e.Earlier && j.row.fine() {
		j.row.note(CameBack)
	}
	switch {
	case len(j.row.Needs) == 0:
	case decided && want.Last:
		_, policy := rules.action(j.row.Verdict)
		j.row.Needs, j.row.Fix = j.row.Needs[:0], Fix{Action: Keep, Policy: policy, Why: whyNote(HeldUnasked), Stop: HeldUnasked}
	default:
		j.row.Verdict, j.row.Reasons = Skipped, nil
		j.row.Fix = Fix{Action: Keep, Policy: defaultPolicy, Why: j.row.unfinished()}
	}
}

// unfinished says why a row with Needs is not decided. An answer 404 or 410 that came once is said,
// though only a second one is believed.
func (r *Row) unfinished() Why {
	if r.onceGone() {
		return Why{Key: whyOnceGone, Args: [4]string{strconv.Itoa(r.Status)}}
	}
	return Why{Key: whyNotToTheEnd}
}

// onceGone reports whether the address of a skipped row answered 404 or 410, and was not requested
// again yet.
func (r *Row) onceGone() bool {
	return r.Verdict == Skipped && (r.Status == 404 || r.Status == 410)
}

// Filtered reports whether the entry was not to be crawled: a filter, a sample or --no-fetch leaves
// it out. What is never requested (Unrequested) is not.
func (r *Row) Filtered() bool { return r.Entry.Skip != SkipNone && !r.Unrequested() }

// Unrequested reports whether a row is decided though its address was never requested: it is no
// URL, is too long to be requested, or robots.txt forbids it. Where a redirect leads to what
// robots.txt forbids, the address itself was requested.
func (r *Row) Unrequested() bool {
	switch {
	case r.Verdict == Skipped:
		return false
	case r.Entry.TooLong:
		return true
	}
	return r.Verdict == Invalid || r.Verdict == Disallowed && len(r.Trail.Steps) <= 1
}

// reset makes r the row of an entry of which nothing is known.
func (r *Row) reset(e Entry) {
	clear(r.room[:cap(r.room)]) // a shorter trail is not to keep what a longer one said
	*r = Row{Entry: e, Verdict: Skipped, room: r.room, Needs: r.Needs[:0]}
}

// follow makes r the row of an entry that was found plain, but for its verdict: with its trail and
// what that shows by itself. It reports false where that is no answer of 200 at once.
func (r *Row) follow(mem Answers, e Entry, rules *Rules) bool {
	r.reset(e)
	r.Address, _ = e.Parse() // it was parsed before
	r.Trail = follow(mem, r.Address, e.as(AsRobot), rules, r.room)
	r.room = r.Trail.Steps[:0]
	(&judging{row: r}).remark()
	return r.Trail.direct() && r.Status == 200
}

// judging is the state of one call of Judge.
type judging struct {
	mem   Answers
	rules *Rules
	want  Want
	row   *Row
}

func (j *judging) judge() {
	r := j.row
	if r.Entry.TooLong {
		j.tooLong()
		return
	}
	a, err := r.Entry.Parse()
	if r.Entry.Skip != SkipNone && r.Entry.Skip != SkipFetch {
		r.Address = a
		return
	}
	if err != nil {
		r.Verdict, r.Syntax = Invalid, err.Error()
		return
	}
	r.Address = a
	if len(r.Entry.Loc) >= longLoc {
		r.note(Long)
	}
	if r.Entry.Skip == SkipFetch {
		return
	}
	r.Trail = follow(j.mem, a, r.Entry.as(AsRobot), j.rules, r.room)
	r.room = r.Trail.Steps[:0]
	if r.Trail.End == EndUnknown {
		j.need(r.Trail.Need)
		return
	}
	j.remark()
	j.byEnd()
}

// tooLong judges an entry of which only the beginning is kept, as one whose address
// is too long to ask.
func (j *judging) tooLong() {
	r := j.row
	if r.Entry.Skip != SkipNone && r.Entry.Skip != SkipFetch {
		return
	}
	r.note(Long)
	if r.Entry.Skip == SkipNone {
		r.Verdict, r.Trail.End = Error, EndBadLocation
	}
}

// remark fills in what a finished trail shows by itself.
func (j *judging) remark() {
	r := j.row
	r.reach()
	for i := range r.Trail.Steps {
		h := &r.Trail.Steps[i].Hop
		if h.Truncated {
			r.note(Truncated)
		}
		if h.Forbidden != "" && h.Fault != FaultForbidden {
			r.note(RobotsIgnored)
		}
	}
	if n := r.Trail.Redirects(); n >= 2 {
		r.note(Hops(n))
	}
	last := r.Trail.last()
	if r.Trail.End == EndAnswer && last.Hop.Page.Script {
		r.note(ScriptRedirect)
	}
	if r.Trail.End == EndAnswer && answers200(r.Status) && last.Hop.Page.Shell {
		r.note(NeedsJavaScript)
	}
}

// reach fills in where a finished trail ends, with which status, and when that was seen.
func (r *Row) reach() {
	for i := range r.Trail.Steps {
		if at := r.Trail.Steps[i].Hop.At; at.After(r.CheckedAt) {
			r.CheckedAt = at
		}
	}
	last := r.Trail.last()
	r.Status = last.Hop.Status
	switch r.Trail.End {
	case EndAnswer, EndUnseen, EndBadLocation:
		r.Final = address.Wire(last.Hop.URL)
		if last.Hop.URL == "" { // the listed address itself is too long to ask
			r.Final = address.Address{}
		}
	}
}

func (j *judging) byEnd() {
	r := j.row
	switch r.Trail.End {
	case EndForbidden:
		r.Verdict = Disallowed
	case EndUnseen:
		r.Verdict = Unverified
		r.compare(r.Trail.answered())
		switch r.Trail.last().Hop.Fault {
		case FaultOutside:
			r.note(Outside)
		case FaultUnmodelled:
			r.note(Unmodelled)
		}
	case EndLoop:
		r.Verdict = Loop
	case EndTooMany:
		r.Verdict = TooManyRedirects
	case EndBadLocation:
		r.Verdict = Error
		r.compare(r.Trail.answered())
	case EndAnswer:
		j.byStatus()
	}
}

func (j *judging) byStatus() {
	r := j.row
	r.compare(r.Final)
	switch {
	case gone(r.Status):
		j.lookAgain()
	case !answers200(r.Status):
		r.Verdict = Error
	case r.isPage():
	case len(r.Trail.Steps) > 1:
		j.redirected()
	case r.Entry.Also.File():
		r.Verdict = OK
	default:
		j.direct()
	}
}

// lookAgain takes the second look at a 404 or 410, as an ordinary browser: a
// page that is gone for robots alone is not gone.
func (j *judging) lookAgain() {
	r := j.row
	again := Follow(j.mem, r.Address, r.Entry.as(AsBrowser), j.rules)
	if again.End == EndUnknown {
		r.Verdict = NotFound
		if j.want.Recheck {
			j.need(again.Need)
		}
		return
	}
	r.veiled = j.rules.ledWithoutSecrets(&again)
	if again.End == EndAnswer && gone(again.last().Hop.Status) {
		r.Verdict = NotFound
		return
	}
	r.Verdict = Unverified
	r.unsure = again.last().Hop.Fault
	if r.unsure == FaultAbandoned { // nothing was sent: there is no second answer
		r.unsure = FaultNotAgain
		return
	}
	r.note(Unsteady)
}

func (j *judging) redirected() {
	r := j.row
	switch {
	case !r.Final.SameSite(r.Address):
		r.Verdict = Offsite
	case isHome(r.Final) && r.has(address.Path):
		r.Verdict = Homepage
	case r.Trail.temporary():
		r.Verdict = Temporary
	case address.OnlyEncoding(r.Reasons):
		r.Verdict = Respelled
	default:
		r.Verdict = Moved
	}
}

// direct judges an entry that answers 200 at once.
func (j *judging) direct() {
	r := j.row
	page := &r.Trail.Steps[0].Hop.Page
	why, known := j.soft404(r.Address, page, r.Trail.WithoutSecrets)
	if !known {
		return
	}
	if why != (Why{}) {
		r.Verdict, r.gone = Soft404, why
		return
	}
	if page.Noindex() {
		r.Verdict = Noindex
		return
	}
	if c := canonical(r.Address, page); !c.IsZero() && c != r.Address && !r.Entry.forDevice() {
		r.Verdict, r.named = Noncanonical, c
		r.compare(c)
		return
	}
	r.Verdict = OK
	j.second(r.Address)
}

// fine reports whether the entry is right as listed.
func (r *Row) fine() bool {
	return r.Verdict == OK || r.Verdict == SpellingBounce || r.Verdict == SpellingConflict
}

// second looks at the second spelling of an entry that is right as listed.
func (j *judging) second(a address.Address) {
	r := j.row
	other, seen := j.otherSpelling(a, way(r.Trail.WithoutSecrets))
	if !seen {
		return
	}
	kept := other
	r.Other = &kept
	switch spelled(r.Other, a) {
	case secondBounces:
		r.Verdict = SpellingBounce
	case secondConflicts:
		r.Verdict = SpellingConflict
	default:
		return
	}
	r.compare(j.rules.Second(a))
}

// otherSpelling returns the trail of a's second spelling, with as the way to a itself,
// where it is remembered whole, and asks for it where the caller and the sampler, if there is one,
// want that.
func (j *judging) otherSpelling(a address.Address, as Purpose) (Trail, bool) {
	s := j.want.Sampler
	b, seen := j.rules.second(a)
	if b == a {
		return Trail{}, false
	}
	// The sampler counts every address of a sample, remembered or not.
	wanted := j.want.AltSpelling && (seen || s == nil || s.Want(a, j.rules.Spelling.Kinds(a)))
	t := Follow(j.mem, b, as, j.rules)
	if t.End != EndUnknown {
		return t, true
	}
	// Once its first answer is known, a trail is followed to its end.
	if wanted || j.want.AltSpelling && len(t.Steps) > 0 {
		j.need(t.Need)
	}
	return Trail{}, false
}

// secondEnd is what the second spelling of an address does.
type secondEnd uint8

const (
	secondSame secondEnd = iota
	secondBounces
	secondConflicts
	secondHidden
)

// spelled says how the trail of a second spelling compares with an address that
// answers 200 at once.
func spelled(t *Trail, listed address.Address) secondEnd {
	switch t.End {
	case EndForbidden, EndUnseen:
		return secondHidden
	case EndLoop:
		return secondBounces
	case EndAnswer:
		last := &t.last().Hop
		switch {
		case len(t.Steps) == 1 && answers200(last.Status):
			return secondSame
		case last.URL == listed.String():
			return secondBounces
		}
	}
	return secondConflicts
}

func (j *judging) need(r Request) { j.row.Needs = append(j.row.Needs, r) }

func (r *Row) compare(b address.Address) {
	r.Reasons = nil
	if !b.IsZero() {
		r.Reasons = address.Compare(r.Address, b)
	}
}

func (r *Row) has(reason address.Reason) bool {
	return slices.Contains(r.Reasons, reason)
}

// Has reports whether n is among the row's notes.
func (r *Row) Has(n Note) bool {
	return slices.Contains(r.Notes, n)
}

// note adds n once and keeps the notes sorted.
func (r *Row) note(n Note) {
	if at, has := slices.BinarySearch(r.Notes, n); !has {
		r.Notes = slices.Insert(r.Notes, at, n)
	}
}

package audit

import (
	"slices"
	"strconv"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
)

// Want says which requests a caller is ready to make besides those for the trails of the listed addresses
// and for their replacements.
type Want struct {
	// AltSpelling asks for the second spellings of listed addresses: where Sampler is not nil, of those alone that it wants.
	AltSpelling bool
	Sampler     *Sampler
	// Recheck asks for the second look at a 404 or 410, which is due when all
	// else is asked.
	Recheck bool

	// last is set if nothing more will be requested: an entry whose edit needs another answer is kept.
	// That happens to an old audit, whose rules asked for less.
	last   bool
	before settled // what was said of the entry before; it is used again if it isFull
}

// Judge says what an entry is, from what is remembered, in place of what the row held, and returns the row.
// One with Needs is not decided: its verdict is Skipped, and asking for the Needs leads further. Judge
// decides all that concerns the entry alone; what depends on other entries
// (collapsed, merge, other-host, the brake) is added by a Plan.
func (r *Row) Judge(mem *AnswerCache, e Entry, rules *Rules, want Want) *Row {
	*r = Row{Entry: e, Verdict: Skipped, steps: r.steps}
	j := judging{mem: mem, rules: rules, want: want, row: r}
	j.judge()
	if len(r.Needs) == 0 {
		j.fix()
		if e.Earlier && r.fine() {
			r.note(cameBack)
		}
		if len(r.Needs) > 0 && want.last {
			r.Needs = nil
			r.stop(heldUnasked, rules)
		}
	}
	if len(r.Needs) > 0 {
		r.Verdict, r.Reasons, r.Fix = Skipped, nil, Fix{Action: Keep, Policy: defaultPolicy, Why: Why{Key: whyNotToTheEnd}}
	}
	return r
}

// judging is the state of one call of Judge.
type judging struct {
	mem   *AnswerCache
	rules *Rules
	want  Want
	row   *Row
}

func (j *judging) judge() {
	r, skip := j.row, j.row.Entry.Skip
	a, err := r.Entry.Parse()
	r.Address = a
	switch {
	case skip != SkipNone && skip != SkipFetch:
		return
	case r.Entry.TooLong: // only its beginning is kept
		r.note(Long)
		if skip == SkipNone {
			r.Verdict, r.Trail.End = Error, answers.EndBadLocation
		}
		return
	case err != nil:
		r.Verdict, r.Syntax = Invalid, err.Error()
		return
	case len(r.Entry.Loc) >= longLoc:
		r.note(Long)
	}
	if skip == SkipFetch {
		return
	}
	as := r.Entry.as(answers.AsRobot)
	r.Trail = answers.Follow(r.steps[:0], j.mem, a, as, j.rules.MaxHops, j.rules.withheld(as))
	r.steps = r.Trail.Steps
	if r.Trail.End == answers.EndUnknown {
		j.need(r.Trail.Need)
		return
	}
	r.remark()
	if j.want.before.has(isFull) {
		j.want.before.fill(r)
	} else {
		j.byEnd()
	}
}

// remark fills in what a finished trail shows by itself: where it ends, with which status, when that
// was seen, and notes.
func (r *Row) remark() {
	last := &r.Trail.Last().Hop
	for i := range r.Trail.Steps {
		h := &r.Trail.Steps[i].Hop
		if h.At.After(r.CheckedAt) {
			r.CheckedAt = h.At
		}
		if h.Truncated {
			r.note(Truncated)
		}
		if h.Forbidden != "" && h.Fault != answers.FaultForbidden {
			r.note(robotsIgnored)
		}
	}
	if n := r.Trail.Redirects(); n >= 2 {
		r.note(Note(hopsNote + strconv.Itoa(n)))
	}
	r.Status = last.Status
	switch r.Trail.End {
	case answers.EndAnswer, answers.EndUnseen, answers.EndBadLocation:
		if last.URL != "" { // else the listed address itself is too long to ask
			r.Final = address.Wire(last.URL)
		}
	}
	if r.Trail.End == answers.EndAnswer && last.Page.Script {
		r.note(ScriptRedirect)
	}
	if r.Trail.End == answers.EndAnswer && answers.Is200(r.Status) && last.Page.Shell {
		r.note(NeedsJavaScript)
	}
}

// byEnd gives the verdict of a finished trail.
func (j *judging) byEnd() {
	r := j.row
	switch r.Trail.End {
	case answers.EndForbidden:
		r.Verdict = Disallowed
	case answers.EndLoop:
		r.Verdict = Loop
	case answers.EndTooMany:
		r.Verdict = TooManyRedirects
	case answers.EndBadLocation:
		r.Verdict = Error
		r.compare(r.Trail.Answered())
	case answers.EndUnseen:
		r.Verdict = Unverified
		r.compare(r.Trail.Answered())
		if f := r.Trail.Last().Hop.Fault; f == answers.FaultOutside || f == answers.FaultUnmodelled {
			r.note(Note(f)) // notes have their names
		}
	case answers.EndAnswer:
		r.compare(r.Final)
		switch {
		case answers.Gone(r.Status):
			j.lookAgain()
		case !answers.Is200(r.Status):
			r.Verdict = Error
		case r.noPicture():
			r.Verdict = Soft404
		case len(r.Trail.Steps) > 1:
			r.Verdict = r.redirected()
		case r.Entry.Also.File() && r.Entry.Also.List == AlsoImages && r.Trail.Last().Hop.Page.Noindex(): // the page of a video may say it of itself
			r.Verdict = Noindex
		case r.Entry.Also.File():
			r.Verdict = OK
		default:
			j.direct()
		}
	}
}

// lookAgain takes the second look at a 404 or 410, as an ordinary browser: a
// page that is gone for robots alone is not gone.
func (j *judging) lookAgain() {
	r := j.row
	r.Verdict = NotFound
	again := j.rules.Follow(j.mem, r.Address, r.Entry.as(answers.AsBrowser))
	if again.End == answers.EndUnknown {
		if j.want.Recheck {
			j.need(again.Need)
		}
		return
	}
	last := &again.Last().Hop
	r.veiled = j.rules.ledWithoutSecrets(&again)
	if again.End == answers.EndAnswer && answers.Gone(last.Status) {
		return
	}
	r.Verdict, r.unsure = Unverified, last.Fault
	if last.Fault != answers.FaultAbandoned { // else nothing was sent: there is no second answer
		r.note(Unsteady)
	}
}

// redirected is the verdict of an entry that redirects to what answers 200.
func (r *Row) redirected() Verdict {
	switch {
	case !r.Final.SameSite(r.Address):
		return Offsite
	case r.Final.IsHome() && slices.Contains(r.Reasons, address.Path):
		return Homepage
	case r.Trail.Temporary():
		return Temporary
	case address.OnlyEncoding(r.Reasons):
		return Respelled
	}
	return Moved
}

// direct judges an entry that answers 200 at once.
func (j *judging) direct() {
	r := j.row
	r.Verdict, r.named = j.page(r.Address, &r.Trail.Steps[0].Hop.Page, r.Trail.Way)
	switch {
	case r.Verdict == Noncanonical && r.Entry.Also != nil && r.Entry.Also.Device: // that page is the one for all devices
		r.Verdict, r.named = OK, address.Address{}
	case r.Verdict == Noncanonical:
		r.compare(r.named)
		return
	}
	if r.Verdict == OK {
		j.second(r.Address)
	}
}

// page judges a page that answers 200 at an address: whether it is a soft 404, says noindex, or
// names another canonical. Where an answer is missing it is added to Needs.
func (j *judging) page(at address.Address, page *answers.Page, way answers.Purpose) (v Verdict, named address.Address) {
	is, known := j.soft404(at, page, way)
	switch c := page.CanonicalURL(at); {
	case !known:
		return Skipped, named
	case is:
		return Soft404, named
	case page.Noindex():
		return Noindex, named
	case !c.IsZero() && c != at:
		return Noncanonical, c
	}
	return OK, named
}

// second looks at the second spelling of an entry that is right as listed.
func (j *judging) second(a address.Address) {
	r := j.row
	other, seen := j.otherSpelling(a, r.Trail.Way)
	if !seen {
		return
	}
	r.Other = &other
	if r.Verdict = asSecond(&other, a); r.Verdict != OK {
		r.compare(j.rules.Second(a))
	}
}

// otherSpelling returns the trail of a's second spelling, with as the way to a itself,
// where it is remembered whole, and asks for it where the caller and the sampler, if there is one,
// want that.
func (j *judging) otherSpelling(a address.Address, as answers.Purpose) (t answers.Trail, known bool) {
	s := j.want.Sampler
	b, seen := j.rules.second(a)
	if b == a {
		return t, false
	}
	// The sampler counts every address of a sample, remembered or not. Reported addresses are few, and the
	// report may be about just this.
	wanted := j.want.AltSpelling && (seen || s == nil || j.row.Entry.Reported.suspect() || s.want(a, j.rules.Spelling.Kinds(a)))
	t = j.rules.Follow(j.mem, b, as)
	if t.End == answers.EndUnknown && (wanted || j.want.AltSpelling && len(t.Steps) > 0) { // it is followed to its end once its first answer is known
		j.need(t.Need)
	}
	return t, t.End != answers.EndUnknown
}

// asSecond says what an address that answers 200 at once is, by the trail of its second spelling.
func asSecond(t *answers.Trail, listed address.Address) Verdict {
	last := &t.Last().Hop
	switch {
	case t.End == answers.EndForbidden, t.End == answers.EndUnseen, t.End == answers.EndAnswer && len(t.Steps) == 1 && answers.Is200(last.Status):
		return OK
	case t.End == answers.EndLoop, t.End == answers.EndAnswer && last.URL == listed.String():
		return SpellingBounce
	}
	return SpellingConflict
}

func (j *judging) need(r answers.Request) { j.row.Needs = append(j.row.Needs, r) }

package audit

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"slices"
)

// An Observation is what one audit saw at one address, in as few words as two audits
// can be compared by. What is compared concerns the address alone; what the audit made of
// the entry (Fix, Written, Decide) says whether a change is that correction.
type Observation struct {
	Address string // wire form; as listed where that is invalid
	Verdict Verdict
	Status  int // the last one, 0 for none
	// Target is the wire form of where the trail ends, of noncanonical the
	// canonical; "" where that is the address itself, or nowhere.
	Target      string
	Hops        int  // redirects on the way
	Temporary   bool // one of them was not permanent
	AltSpelling bool // the second spelling was seen too
	// Leads is the wire form of the address that the finding leads to from the
	// listed one, "" for nowhere: of a loop the next one, of a second spelling
	// that spelling. Label is what the verdict leaves open: the status of what is
	// no page, the line of robots.txt that forbids. Both tell causes apart.
	Leads, Label string
	// Trait is what sets the finding apart from others of the verdict, as far as it is
	// there whatever is written: never Repeated.
	Trait Trait
	// Sitemap and Line are the first place that lists the address; Listed counts
	// the places.
	Sitemap, Line, Listed int
	// Loc and By are of an address that is named beside the entries: as it is named, "" where that
	// is Address, and the first entries that name it, as listed (Also.By).
	Loc string
	By  []string
	// Fix is what the audit does to an entry that lists the address: Replace (Written, a wire
	// form, is written), Merge (it is removed, for Written is listed already) or Drop (it is
	// removed), else "". Decide is set where such an entry needs a decision.
	Fix     Action
	Written string
	Decide  bool
	// Cause is what the report of the audit counts the first such entry under that has a cause:
	// a number of the audit, from 1, which says nothing in another one; 0 for nothing.
	Cause int `json:"-"`

	// files are the sitemaps that list the address where these are more than one, manyFiles is set
	// where they are not all of them.
	files     []int
	manyFiles bool
}

// ObservationOf returns what a row that Judge gave saw.
func ObservationOf(r *Row) Observation {
	s := Observation{Address: r.Address.String(), Verdict: r.Verdict, Status: r.Status, Hops: r.Trail.Redirects(), Temporary: r.Trail.temporary(),
		AltSpelling: r.Other != nil && !r.Has(AltSpellingUnseen), Sitemap: r.Entry.Sitemap, Line: r.Entry.Line, Listed: 1}
	if s.Verdict == Invalid || s.Address == "" {
		s.Address = r.Entry.Loc
	}
	switch to := r.Final; {
	case r.Verdict == Noncanonical:
		s.Target = r.named.String()
	case !to.IsZero() && to != r.Address:
		s.Target = to.String()
	}
	s.Label = r.label()
	if to := r.target(); !to.IsZero() {
		s.Leads = to.String()
	}
	s.Trait = r.seen()
	return s
}

// Observe hands keep what was seen of each entry that a sitemap of the audit lists. result is the
// same audit as Evaluate judged it. It returns the audit as Compare reads it but for its Sights,
// which are what keep was given, in order of address. All audits are judged by the rules of this
// version. It returns an error only where src, result's rows or keep do, and ctx's once that ends.
func Observe(ctx context.Context, src Source, result *Result, keep func(*Observation) error) (Snapshot, error) {
	sitemaps, err := src.Sitemaps()
	if err != nil {
		return Snapshot{Info: result.Info}, err
	}
	o := newObserving(src, &result.Info, sitemaps, keep)
	for file := range result.Files {
		if !result.Files[file].Sitemap.Listed() {
			continue
		}
		for final, err := range result.Edits(ctx, file) {
			if err == nil {
				err = o.row(final, result.found.number(final))
			}
			if err != nil {
				return o.seen, err
			}
		}
	}
	return o.end(result), nil
}

// EvaluateObserved is Evaluate and Observe in one, which spares a walk.
func EvaluateObserved(ctx context.Context, src Source, info Info, name func(url string) string, keep func(*Observation) error) (*Result, Snapshot, error) {
	sitemaps, err := src.Sitemaps()
	if err != nil {
		return nil, Snapshot{Info: info}, err
	}
	o := newObserving(src, &info, sitemaps, keep)
	result, err := evaluateWithout(ctx, src, info, name, nil, o)
	if err != nil {
		return nil, o.seen, err
	}
	return result, o.end(result), nil
}

// observing takes the final rows of an audit, in order.
type observing struct {
	seen  Snapshot
	keep  func(*Observation) error
	mem   *AnswerCache
	rules Rules
	again Row // one for all: rows are large
}

func newObserving(src Source, info *Info, sitemaps []Sitemap, keep func(*Observation) error) *observing {
	o := &observing{seen: Snapshot{Info: *info, Tallies: make([]Tally, len(sitemaps))}, keep: keep, mem: NewAnswerCache(src, walkHops), rules: info.Rules}
	for i := range sitemaps {
		o.seen.Tallies[i].Sitemap = sitemaps[i]
	}
	// What is written into a sitemap is not compared: where only an answer that writing
	// needs is missing, for the audit was stopped, what was seen counts.
	o.rules.Fix, o.rules.Lift, o.rules.KeepAll = nil, nil, true
	return o
}

// row takes a final row, with the number of its cause.
func (o *observing) row(final *Row, cause int) error {
	row := final
	if final.Verdict == Skipped && final.Entry.Skip == SkipNone {
		row = &o.again
		row.Judge(o.mem, final.Entry, &o.rules, Want{Recheck: true})
		if err := o.mem.Err(); err != nil {
			return err
		}
	}
	o.seen.Tallies[final.Entry.Sitemap].add(row)
	sight := ObservationOf(row)
	sight.correctedBy(final)
	sight.Cause = cause
	return o.keep(&sight)
}

// end is what was seen, as the audit was judged.
func (o *observing) end(result *Result) Snapshot {
	o.seen.Causes, o.seen.numbered = result.Causes, result.numbered()
	return o.seen
}

// correctedBy notes what the final row makes of the entry.
func (s *Observation) correctedBy(final *Row) {
	switch final.Fix.Action {
	case Replace, Merge:
		s.Fix, s.Written = final.Fix.Action, final.Fix.Loc
	case Drop:
		s.Fix = Drop
	}
	s.Decide = final.Group() == NeedsDecision
}

// A Tally counts the entries of one sitemap.
type Tally struct {
	Sitemap                          Sitemap
	Entries, OK, Skipped, Unverified int
	// Problems is how many are in the group `problem`.
	Problems int
	// Unread is set where a comparison does not know what the sitemap lists: it could not
	// be read, or what would name it could not. Outside is set with it where that was not looked
	// at, for the audit had other targets.
	Unread, Outside bool
}

func (t *Tally) add(r *Row) {
	t.Entries++
	switch r.Verdict {
	case OK:
		t.OK++
	case Skipped:
		t.Skipped++
	case Unverified:
		t.Unverified++
	}
	if r.Verdict.Problem() {
		t.Problems++
	}
}

// ErrorRate is the error rate, as that of Counts.
func (t *Tally) ErrorRate() float64 {
	asked := t.Entries - t.Skipped
	if asked == 0 {
		return 0
	}
	return float64(t.Problems) / float64(asked)
}

// seen reports whether the sight says anything about the address: it was asked,
// and what came back is more than a refusal.
func (s *Observation) seen() bool { return s.Verdict != Skipped && s.Verdict != Unverified }

// join adds another sight of the same address. One audit remembers one answer to
// an address, so that two sights differ at most in whether the entry was asked
// for.
func (s *Observation) join(o *Observation) {
	s.listedBy(o.Sitemap)
	files, many := s.files, s.manyFiles
	listed := s.Listed + o.Listed
	first := s.first(o)
	line, sitemap := first.Line, first.Sitemap
	fix, written := s.Fix, s.Written
	if fix == "" || fix != Replace && o.Written != "" {
		fix, written = o.Fix, o.Written
	}
	decide, cause := s.Decide || o.Decide, first.Cause
	if cause == 0 {
		cause = s.Cause + o.Cause // one of which is 0
	}
	if s.Verdict == Skipped {
		*s = *o
	}
	s.Listed, s.Sitemap, s.Line = listed, sitemap, line
	s.Fix, s.Written, s.Decide, s.Cause = fix, written, decide, cause
	s.files, s.manyFiles = files, many
}

// mostListing is how many of the sitemaps that list one address are known.
const mostListing = 64

// listedBy notes that another sitemap lists the address, too.
func (s *Observation) listedBy(file int) {
	if s.files == nil {
		s.files = []int{s.Sitemap}
	}
	switch {
	case slices.Contains(s.files, file):
	case len(s.files) == mostListing:
		s.manyFiles = true
	default:
		s.files = append(s.files, file)
	}
}

// first returns which of two sights stands first in the sitemaps.
func (s *Observation) first(o *Observation) *Observation {
	if o.Sitemap < s.Sitemap || o.Sitemap == s.Sitemap && o.Line < s.Line {
		return o
	}
	return s
}

// distinct joins the sights of the same address, which must stand together.
func distinct(sights iter.Seq2[Observation, error]) iter.Seq2[Observation, error] {
	return func(yield func(Observation, error) bool) {
		var last Observation
		for s, err := range sights {
			switch {
			case err != nil:
				yield(Observation{}, err)
				return
			case last.Listed > 0 && last.Address == s.Address:
				last.join(&s)
				continue
			case last.Listed > 0 && !yield(last, nil):
				return
			}
			last = s
		}
		if last.Listed > 0 {
			yield(last, nil)
		}
	}
}

// AppendBinary appends all of s but its Address, for keeping sights in a file.
// The form is for one run of the program. The error is always nil.
func (s *Observation) AppendBinary(b []byte) ([]byte, error) {
	flags := uint64(0)
	if s.Temporary {
		flags |= sightTemporary
	}
	if s.AltSpelling {
		flags |= observationAltSpelling
	}
	leads := s.Leads
	if leads != "" && leads == s.Target {
		flags |= sightLeads
		leads = ""
	}
	written := s.Written
	if written != "" && written == s.Target {
		flags |= sightWritten
		written = ""
	}
	if s.Decide {
		flags |= sightDecide
	}
	for _, n := range []uint64{flags, uint64(s.Status), uint64(s.Hops), uint64(s.Sitemap), uint64(s.Line), uint64(s.Listed), uint64(s.Cause)} {
		b = binary.AppendUvarint(b, n)
	}
	text := func(text string) { b = append(binary.AppendUvarint(b, uint64(len(text))), text...) }
	for _, of := range []string{string(s.Verdict), string(s.Trait), s.Target, s.Label, leads, string(s.Fix), written} {
		text(of)
	}
	if s.By != nil {
		text(s.Loc)
		for _, by := range s.By {
			text(by)
		}
	}
	return b, nil
}

// Bits of a sight's flags. sightLeads is set where it leads to its Target, sightWritten
// where that is written.
const (
	sightTemporary = 1 << iota
	observationAltSpelling
	sightLeads
	sightWritten
	sightDecide
)

// UnmarshalBinary reads what AppendBinary wrote; Address stays as it is. It
// returns an error where b is cut off.
func (s *Observation) UnmarshalBinary(b []byte) error {
	cut := false
	number := func() int {
		n, size := binary.Uvarint(b)
		cut = cut || size <= 0
		b = b[max(0, size):]
		return int(n)
	}
	text := func() string {
		n := number()
		if cut = cut || n < 0 || n > len(b); cut {
			return ""
		}
		t := string(b[:n])
		b = b[n:]
		return t
	}
	flags := number()
	s.Temporary, s.AltSpelling = flags&sightTemporary != 0, flags&observationAltSpelling != 0
	s.Decide = flags&sightDecide != 0
	s.Status, s.Hops, s.Sitemap, s.Line, s.Listed, s.Cause = number(), number(), number(), number(), number(), number()
	s.Verdict, s.Trait, s.Target, s.Label, s.Leads = Verdict(text()), Trait(text()), text(), text(), text()
	s.Fix, s.Written = Action(text()), text()
	s.Loc, s.By = "", nil
	if len(b) > 0 {
		s.Loc = text()
	}
	for len(b) > 0 && !cut {
		s.By = append(s.By, text())
	}
	if flags&sightLeads != 0 {
		s.Leads = s.Target
	}
	if flags&sightWritten != 0 {
		s.Written = s.Target
	}
	if cut {
		return errors.New("a sight is cut off")
	}
	return nil
}

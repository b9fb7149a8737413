package audit

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/address"
)

// A FaultChange is what became of the faults of a name that the sitemaps of two audits have, in
// places.
type FaultChange struct {
	Name      string // as SitemapFault.Name
	Severity  string // the graver of its faults: "error" or "warning"
	Then, Now int
	// Mended is how many the newer audit has no more, New how many it has that the older one had
	// not, Remain how many both have. A fault is the same where it says the same of the same entry,
	// whatever its line (faultSide). The entry may be in another sitemap now, if both audits list the
	// fault and would have found all such faults of the two (faultSide.pairMoved). Of places that an
	// audit counted and did not list (Unlisted) as many as can be count as the same as others of
	// their sitemap, or of one to which listed ones moved: then Mended and New are the least that
	// there are, but for what else moved.
	Mended, New, Remain int
	Unlisted            bool
	// NewErrors is how many of New are errors, but for those of UnreadErrors: they say why a sitemap is not read, or not to its
	// end, which FileChange.Loss tells. MendedErrors is how many of Mended are errors, UnseenErrors how many others of Now are
	// errors that are not among Remain: the older audit could not have seen them.
	NewErrors, UnreadErrors, MendedErrors, UnseenErrors int
	// NotCompared is how many one audit has of which the other could not have seen all: it did not
	// read the files to their ends, or did not see the answers.
	NotCompared int
	// Places are the first of New, by file and line, at most MostNewFaults.
	Places []NewFault
}

// MostNewFaults bounds FaultChange.Places.
const MostNewFaults = 5

// NewFault is a place of a fault that is new, or several of one file that nobody listed.
type NewFault struct {
	Sitemap string
	Line    int // of the newer audit; 0 where the fault has none, or it is not known which it is
	N       int // how many
}

// CompareFaults compares the faults of the sitemaps. old and new are the two audits as they were
// evaluated, with all faults (Result.AddFaults). It reads the entries of files that list faults at
// a line again, up to the last one. It is called once at most. It returns an error of the entries,
// and ctx's once that ends.
func (d *Diff) CompareFaults(ctx context.Context, old, new *Result) error {
	return d.CompareFaultsSeen(ctx, old, new, nil)
}

// CompareFaultsSeen is CompareFaults, but that a sitemap which the older audit did not read, or not
// to its end, had also the errors of the file with which one of earlier last read it to its end.
// earlier yields the audits before the older one, the last first, as far as that is wanted; each is
// read until the next one. An error ends it. nil yields none.
func (d *Diff) CompareFaultsSeen(ctx context.Context, old, new *Result, earlier iter.Seq2[Source, error]) error {
	then, now := newFaultSide(&d.old, &d.new, old), newFaultSide(&d.new, &d.old, new)
	then.answers, now.answers = d.answersSeen(FirstSeen), d.answersSeen(NoLongerSeen)
	then.robots, now.robots = !d.Differ.Robots, !d.Differ.Robots
	for _, s := range []*faultSide{then, now} {
		if err := s.nameEntries(ctx); err != nil {
			return err
		}
	}
	if err := then.seenBefore(ctx, now, earlier); err != nil {
		return err
	}
	if err := then.nameWritten(ctx); err != nil {
		return err
	}
	changes := map[string]*FaultChange{}
	for _, p := range then.pair(now) {
		x := changes[p.at.name]
		if x == nil {
			x = &FaultChange{Name: p.at.name, Severity: severityWarning}
			changes[p.at.name] = x
		}
		x.add(p, then, now)
	}
	d.Faults = []FaultChange{}
	for _, x := range changes {
		d.Faults = append(d.Faults, *x)
	}
	slices.SortFunc(d.Faults, func(a, b FaultChange) int {
		return cmp.Or(cmp.Compare(b.changed(), a.changed()), strings.Compare(a.Severity, b.Severity), cmp.Compare(b.Remain, a.Remain), strings.Compare(a.Name, b.Name))
	})
	return nil
}

// add adds what became of the faults of a kind in a sitemap. One that moved to another sitemap
// remains, and counts in the sitemap that it left.
func (x *FaultChange) add(p *faultPair, then, now *faultSide) {
	at, was, is, gone, added := p.at, p.was, p.is, p.gone, p.added
	if at.severity == severityError {
		x.Severity = severityError
	}
	x.Then, x.Now = x.Then+was.places, x.Now+is.places
	// What one audit counts and does not list may be what the other one lists.
	x.Unlisted = x.Unlisted || p.counted || !at.unread && (was.unlisted() > 0 && len(added)+is.unlisted() > 0 || is.unlisted() > 0 && len(gone)+was.unlisted() > 0)
	listed := min(len(added), was.unlisted()) + min(len(gone), is.unlisted())
	remain := p.both + listed + min(was.unlisted()-min(len(added), was.unlisted()), is.unlisted()-min(len(gone), is.unlisted()))
	x.Remain += remain + p.left
	switch n := was.places - remain - p.left; {
	case !now.sees(at):
		x.NotCompared += n
	case at.severity == severityError:
		x.Mended, x.MendedErrors = x.Mended+n, x.MendedErrors+n
	default:
		x.Mended += n
	}
	n, seen, errors := is.places-remain-p.came, then.sees(at), &x.NewErrors
	switch {
	case at.unread && !seen && !then.tally(at.url).Unknown(): // it was not read then either
		errors = new(int)
	case at.unread:
		errors = &x.UnreadErrors
	case !seen:
		errors = &x.UnseenErrors
	}
	if at.severity == severityError {
		*errors += n
	}
	if !seen {
		x.NotCompared += n
		return
	}
	x.New += n
	if was.unlisted() > 0 { // nobody knows which of them are new
		x.place(NewFault{Sitemap: at.url, N: n})
		return
	}
	for _, f := range added {
		x.place(NewFault{Sitemap: at.url, Line: f.line, N: 1})
	}
	x.place(NewFault{Sitemap: at.url, Line: is.first, N: n - len(added)})
}

// place keeps a place of new faults in order of file and line; none where n is 0.
func (x *FaultChange) place(f NewFault) {
	if f.N <= 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(x.Places, f, func(a, b NewFault) int {
		return cmp.Or(strings.Compare(a.Sitemap, b.Sitemap), cmp.Compare(a.Line, b.Line))
	})
	if x.Places = slices.Insert(x.Places, at, f); len(x.Places) > MostNewFaults {
		x.Places = x.Places[:MostNewFaults]
	}
}

// The values of SitemapFault.Severity, the graver first.
const (
	severityError   = "error"
	severityWarning = "warning"
)

// changed is how many are not as before.
func (x *FaultChange) changed() int { return x.Mended + x.New }

// answersSeen reports whether no address has a change of a kind, that is, whether one audit saw all
// answers that the other saw, and makes of them what the other does: an address that robots.txt
// forbids, say, is such for one of them only with another --robots. An audit of a part writes no
// sitemaps, so it counts links that stay in another way than one of the whole.
func (d *Diff) answersSeen(but ChangeKind) bool {
	if d.Differ.As || d.Differ.Part || d.Differ.Options() || d.Kinds[but] > 0 {
		return false
	}
	return !slices.ContainsFunc(d.Also, func(x AlsoDiff) bool {
		return x.Diff != nil && x.Diff.Kinds[but]+x.Diff.Kinds[AsEntry] > 0
	})
}

// A faultAt is what tells the faults of a sitemap apart.
type faultAt struct {
	url, name, severity string
	basis               FaultBasis
	list                AlsoList
	unread              bool // it says why the sitemap was not read, or not to its end (Sitemap.unreadFor)
}

// A faultSum adds up faults.
type faultSum struct {
	places int
	listed []listedFault // those of places that are each listed with what it is about
	first  int           // line of the first that is not
}

// unlisted is how many places are only counted.
func (s *faultSum) unlisted() int { return s.places - len(s.listed) }

// appendTo appends the faults that are listed.
func (s *faultSum) appendTo(list []*listedFault) []*listedFault {
	for i := range s.listed {
		list = append(list, &s.listed[i])
	}
	return list
}

// A listedFault is a fault at a line of a sitemap.
type listedFault struct {
	sitemap string // its URL
	line    int
	loc     string   // wire form of the entry that stands there, or as listed; "" where that is not known
	said    string   // Key and Args, addresses in their wire form, without those of named and, of a warning, counts
	named   []string // the addresses
}

// about is what tells a fault from others of its name, basis and file. written says of an address
// what was to be written in its place.
func (f *listedFault) about(written map[string]string) string {
	all := []string{f.said}
	for _, a := range append([]string{f.loc}, f.named...) {
		all = append(all, cmp.Or(written[a], a))
	}
	return strings.Join(all, "\x00")
}

// A faultSide is one of two audits of which the faults are compared. A line that is added moves
// all below it, so faults are told apart by what they say and by the entry at their line.
type faultSide struct {
	seen    *Snapshot
	result  *Result
	tally   func(url string) *Tally
	all     bool // all sitemaps that the other audit read were read to their ends, or are gone
	answers bool // what the other audit saw of addresses was seen
	robots  bool // it asked for robots.txt as the other audit did
	faults  map[faultAt]*faultSum
	before  map[string]bool   // sitemaps with the faults that an earlier audit saw (seenBefore)
	written map[string]string // by address that a fault names, what was to be written in its place
}

func newFaultSide(seen, other *Snapshot, result *Result) *faultSide {
	s := &faultSide{seen: seen, result: result, tally: talliesOf(seen, other), all: coverageOf(seen, other).covers(),
		faults: map[faultAt]*faultSum{}, before: map[string]bool{}, written: map[string]string{}}
	for i := range result.Files {
		addFaults(s.faults, &result.Files[i].Sitemap)
	}
	return s
}

// addFaults adds up the faults of a sitemap, but that no corrected copy of it was written: only who
// writes copies finds that.
func addFaults(sums map[faultAt]*faultSum, f *Sitemap) {
	for i := range f.Faults {
		fault := &f.Faults[i]
		if fault.withheld() {
			continue
		}
		at := faultAt{f.URL, fault.Name, fault.Severity, fault.Basis, fault.List, f.unreadFor(fault)}
		sum := sums[at]
		if sum == nil {
			sum = &faultSum{}
			sums[at] = sum
		}
		sum.places += fault.Places()
		if fault.Places() == 1 && fault.Line > 0 && !at.unread {
			sum.listed = append(sum.listed, listedAs(at.url, fault))
		} else {
			sum.first = cmp.Or(sum.first, fault.Line)
		}
	}
}

// listedAs returns a fault as it is compared, but for its entry.
func listedAs(sitemap string, f *SitemapFault) listedFault {
	x := listedFault{sitemap: sitemap, line: f.Line}
	said := []string{f.Key}
	for _, arg := range f.Args {
		if _, err := strconv.Atoi(arg); err == nil && f.Severity != "error" {
			continue // how many entries it is about: of one more it is the same fault
		}
		text, err := strconv.Unquote(arg)
		if err != nil {
			text = arg
		}
		a, err := address.Parse(text)
		if err != nil {
			said = append(said, arg)
			continue
		}
		said, x.named = append(said, ""), append(x.named, a.String())
	}
	x.said = strings.Join(said, "\x00")
	return x
}

// sumOf returns the faults of a kind in a sitemap.
func (s *faultSide) sumOf(at faultAt) *faultSum {
	if sum := s.faults[at]; sum != nil {
		return sum
	}
	return &faultSum{}
}

// nameEntries notes which entry stands at the line of each listed fault: the last one that begins
// there or above. Where several begin on that line it is not known which.
func (s *faultSide) nameEntries(ctx context.Context) error {
	byFile := map[string][]*listedFault{}
	for at, sum := range s.faults {
		byFile[at.url] = sum.appendTo(byFile[at.url])
	}
	for i := range s.result.Files {
		if err := nameEntries(s.result.entries(ctx, i), byFile[s.result.Files[i].Sitemap.URL]); err != nil {
			return err
		}
	}
	return nil
}

// nameEntries is faultSide.nameEntries of a file. It sorts the faults by line.
func nameEntries(entries iter.Seq2[Entry, error], list []*listedFault) error {
	slices.SortFunc(list, func(a, b *listedFault) int { return cmp.Compare(a.line, b.line) })
	loc, line := "", 0
	name := func(before int) {
		for len(list) > 0 && (before == 0 || list[0].line < before) {
			list[0].loc, list = loc, list[1:]
		}
	}
	if len(list) == 0 {
		return nil
	}
	for e, err := range entries {
		if err != nil {
			return err
		}
		if name(e.Line); len(list) == 0 {
			return nil
		}
		if e.Line == line {
			loc = ""
			continue
		}
		loc, line = cmp.Or(wireOf(e.Loc), e.Loc), e.Line
	}
	name(0)
	return nil
}

// entries yields the entries of Files[file]; none of a Result of MakeResult.
func (t *Result) entries(ctx context.Context, file int) iter.Seq2[Entry, error] {
	if t.proving == nil {
		return func(func(Entry, error) bool) {}
	}
	return t.proving.t.entries(ctx, t.Files[file].Sitemap.N)
}

// nameWritten notes what was to be written in place of the addresses that faults name.
func (s *faultSide) nameWritten(ctx context.Context) error {
	named := map[string]bool{}
	for _, sum := range s.faults {
		for i := range sum.listed {
			f := &sum.listed[i]
			for _, a := range append([]string{f.loc}, f.named...) {
				named[a] = true
			}
		}
	}
	if len(named) == 0 {
		return nil
	}
	all := []func() iter.Seq2[Observation, error]{s.seen.Sights}
	for i := range s.seen.Also {
		all = append(all, s.seen.Also[i].Sights)
	}
	for _, sights := range all {
		if sights == nil {
			continue
		}
		for x, err := range Until(ctx, sights()) {
			if err != nil {
				return err
			}
			if x.Written != "" && named[x.Address] {
				s.written[strings.Clone(x.Address)] = strings.Clone(x.Written)
			}
		}
	}
	return nil
}

// pairFaults returns how many of the listed faults both audits have, and those that one alone
// lists. A fault of an address that the older audit replaces is the same at the address that it
// was to be replaced by.
func (s *faultSide) pairFaults(was, is *faultSum) (both int, gone, added []listedFault) {
	gone, added = was.listed, is.listed
	for _, written := range []map[string]string{nil, s.written} {
		left := map[string]int{}
		for i := range gone {
			left[gone[i].about(written)]++
		}
		taken := map[string]int{}
		added = slices.DeleteFunc(slices.Clone(added), func(f listedFault) bool {
			about := f.about(nil)
			if taken[about] >= left[about] {
				return false
			}
			taken[about]++
			both++
			return true
		})
		gone = slices.DeleteFunc(slices.Clone(gone), func(f listedFault) bool {
			about := f.about(written)
			if taken[about] == 0 {
				return false
			}
			taken[about]--
			return true
		})
	}
	return both, gone, added
}

// with returns what either side has, by sitemap: the first of several equal faults is the one that
// moved.
func (s *faultSide) with(o *faultSide) (all []faultAt) {
	for at := range s.faults {
		all = append(all, at)
	}
	for at := range o.faults {
		if _, both := s.faults[at]; !both {
			all = append(all, at)
		}
	}
	slices.SortFunc(all, func(a, b faultAt) int { return strings.Compare(a.url, b.url) })
	return all
}

// sees reports whether the audit would have found all faults of a kind in a sitemap, or an earlier
// one did.
func (s *faultSide) sees(at faultAt) bool {
	t := s.tally(at.url)
	switch {
	case s.before[at.url] && at.basis == OnFile && at.severity == severityError && !at.unread:
	case t != nil && (t.Unread || t.failed()):
		return false
	case at.basis != OnFile && !s.all:
		return false
	case at.basis == OnAnswers && !s.answers, at.name == RobotsUnreachable && !s.robots:
		return false
	}
	return at.list == "" || s.seen.knows(at.list)
}

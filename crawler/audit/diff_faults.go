package audit

import (
	"cmp"
	"slices"
	"strings"
)

// A FaultChange is how many faults of a name the sitemaps of two audits have, in places. What is
// compared are their numbers in each sitemap: which line is which, nobody knows.
type FaultChange struct {
	Name      string // as SitemapFault.Name
	Severity  string // the graver of its faults: "error" or "warning"
	Then, Now int
	// Mended is how many the newer audit has no more, New how many it has beyond those of the
	// older one, Remain how many both have.
	Mended, New, Remain int
	// NotCompared is how many one audit has of which the other could not have seen all: it did not
	// read the files to their ends, or did not see the answers.
	NotCompared int
}

// CompareFaults compares the faults of the sitemaps. old and new are the two audits as they were
// evaluated, with all faults (Result.AddFaults). It is called once at most.
func (d *Diff) CompareFaults(old, new *Result) {
	then, now := newFaultSide(&d.old, &d.new, old), newFaultSide(&d.new, &d.old, new)
	then.answers, now.answers = d.answersSeen(FirstSeen), d.answersSeen(NoLongerSeen)
	changes := map[string]*FaultChange{}
	for _, at := range then.with(now) {
		was, is := then.faults[at], now.faults[at]
		x := changes[at.name]
		if x == nil {
			x = &FaultChange{Name: at.name, Severity: cmp.Or(was.severity, is.severity)}
			changes[at.name] = x
		}
		if was.severity == severityError || is.severity == severityError {
			x.Severity = severityError
		}
		x.Then, x.Now = x.Then+was.places, x.Now+is.places
		x.Remain += min(was.places, is.places)
		switch by := is.places - was.places; {
		case by > 0 && then.sees(at):
			x.New += by
		case by < 0 && now.sees(at):
			x.Mended -= by
		default:
			x.NotCompared += max(by, -by)
		}
	}
	d.Faults = []FaultChange{}
	for _, x := range changes {
		d.Faults = append(d.Faults, *x)
	}
	slices.SortFunc(d.Faults, func(a, b FaultChange) int {
		return cmp.Or(cmp.Compare(b.changed(), a.changed()), strings.Compare(a.Severity, b.Severity), cmp.Compare(b.Remain, a.Remain), strings.Compare(a.Name, b.Name))
	})
}

// severityError is the graver SitemapFault.Severity.
const severityError = "error"

// changed is how many are not as before.
func (x *FaultChange) changed() int { return x.Mended + x.New }

// answersSeen reports whether no address has a change of a kind, that is, whether one audit saw all
// answers that the other saw. An audit of a part writes no sitemaps, so it counts links that stay
// in another way than one of the whole.
func (d *Diff) answersSeen(but ChangeKind) bool {
	if d.Differ.As || d.Differ.Part || d.Kinds[but] > 0 {
		return false
	}
	return !slices.ContainsFunc(d.Also, func(x AlsoDiff) bool {
		return x.Diff != nil && x.Diff.Kinds[but]+x.Diff.Kinds[AsEntry] > 0
	})
}

// A faultAt is what tells the faults of a sitemap apart.
type faultAt struct {
	url, name string
	basis     FaultBasis
	list      AlsoList
}

// A faultSum adds up faults.
type faultSum struct {
	places   int
	severity string
}

// A faultSide is one of two audits of which the faults are compared.
type faultSide struct {
	seen    *Snapshot
	tally   func(url string) *Tally
	all     bool // all sitemaps were read to their ends
	answers bool // what the other audit saw of addresses was seen
	faults  map[faultAt]faultSum
}

func newFaultSide(seen, other *Snapshot, result *Result) *faultSide {
	s := &faultSide{seen: seen, tally: talliesOf(seen, other), all: filesReadOf(seen).all, faults: map[faultAt]faultSum{}}
	for i := range result.Files {
		for j := range result.Files[i].Sitemap.Faults {
			f := &result.Files[i].Sitemap.Faults[j]
			at := faultAt{result.Files[i].Sitemap.URL, f.Name, f.Basis, f.List}
			sum := s.faults[at]
			sum.places += f.Places()
			if sum.severity != severityError {
				sum.severity = f.Severity
			}
			s.faults[at] = sum
		}
	}
	return s
}

// with returns what either side has.
func (s *faultSide) with(o *faultSide) (all []faultAt) {
	for at := range s.faults {
		all = append(all, at)
	}
	for at := range o.faults {
		if _, both := s.faults[at]; !both {
			all = append(all, at)
		}
	}
	return all
}

// sees reports whether the audit would have found all faults of a kind in a sitemap.
func (s *faultSide) sees(at faultAt) bool {
	t := s.tally(at.url)
	switch {
	case t != nil && (t.Unread || t.failed()):
		return false
	case at.basis != OnFile && !s.all:
		return false
	case at.basis == OnAnswers && !s.answers:
		return false
	}
	return at.list == "" || s.seen.knows(at.list)
}

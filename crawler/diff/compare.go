package diff

import (
	"cmp"
	"context"
	"iter"

	"sitemend/crawler/audit"
)

// A Kind says what became of a URL.
type Kind string

// The kinds. Every URL of two audits has exactly one.
const (
	New           Kind = "new"            // a problem that the older audit did not have there
	Fixed         Kind = "fixed"          // a problem in the older audit, and none now or not listed any more
	Changed       Kind = "changed"        // seen otherwise, or decided otherwise
	Joined        Kind = "joined"         // listed now, and no problem
	Left          Kind = "left"           // not listed any more, and it was no problem
	NotComparable Kind = "not-comparable" // one of the audits could not see it
	Same          Kind = "same"           // as before; such URLs are counted, not listed
)

// Kinds returns all kinds, in the order in which they are shown.
func Kinds() []Kind { return []Kind{New, Fixed, Changed, Joined, Left, NotComparable, Same} }

// A Change is one URL in two audits; nil where it was not listed.
type Change struct {
	URL      string
	Kind     Kind
	Old, New *Observation
}

// A Result is what changed between two audits.
type Result struct {
	Old, New audit.Info
	Counts   map[Kind]int
	Both     int // URLs that both audits list
	Open     int // URLs about which somebody had to decide, and still has to
	// NewVerdicts counts the URLs with a verdict that the older audit did not have there, by verdict:
	// also of those that it could not see.
	NewVerdicts map[audit.Verdict]int
	First       map[Kind][]Change // the first mostFirst of each kind but Same
	Sitemaps    []SitemapChange   // in the order of the newer audit

	old, new *Seen
	problems map[audit.Verdict][]Change // the first turnFirst of each of NewVerdicts that is a problem
}

// mostFirst is how many changes of a kind a Result holds.
const mostFirst = 100

// Compare compares two audits in one walk. It returns the first error of reading what they saw, and
// ctx's once that ends.
func Compare(ctx context.Context, old, new *Seen) (*Result, error) {
	r := &Result{Old: old.Info, New: new.Info, Counts: map[Kind]int{}, NewVerdicts: map[audit.Verdict]int{},
		First: map[Kind][]Change{}, Sitemaps: sitemaps(old, new), old: old, new: new, problems: map[audit.Verdict][]Change{}}
	for c, err := range r.walk(ctx) {
		if err != nil {
			return nil, err
		}
		r.add(&c)
	}
	return r, nil
}

func (r *Result) add(c *Change) {
	r.Counts[c.Kind]++
	if c.Old != nil && c.New != nil {
		r.Both++
		if c.Old.Decide && c.New.Decide {
			r.Open++
		}
	}
	if c.Kind == Same {
		return
	}
	if len(r.First[c.Kind]) < mostFirst {
		r.First[c.Kind] = append(r.First[c.Kind], *c)
	}
	if c.New == nil || c.Old != nil && c.Old.Verdict == c.New.Verdict {
		return
	}
	v := c.New.Verdict
	r.NewVerdicts[v]++
	if v.Facts().Problem && len(r.problems[v]) < turnFirst {
		r.problems[v] = append(r.problems[v], *c)
	}
}

// Problems counts the URLs with a problem that the older audit did not have there.
func (r *Result) Problems() (n int) {
	for v, count := range r.NewVerdicts {
		if v.Facts().Problem {
			n += count
		}
	}
	return n
}

// Lost counts the sitemaps of which less can be read than before.
func (r *Result) Lost() (n int) {
	for i := range r.Sitemaps {
		if r.Sitemaps[i].lost() {
			n++
		}
	}
	return n
}

// Errors counts the places of errors in the sitemaps that are new, and those that are gone.
func (r *Result) Errors() (added, gone int) {
	for i := range r.Sitemaps {
		a, g := r.Sitemaps[i].errors()
		added, gone = added+a, gone+g
	}
	return added, gone
}

// Worse reports whether anything got worse.
func (r *Result) Worse() bool {
	worse, _ := r.Turns()
	return worse.Any()
}

// Place returns the first place that lists the URL of a change, in the newer audit, else in the
// older: the sitemap's URL, and the line from 1.
func (r *Result) Place(c *Change) (sitemap string, line int) {
	if c.New != nil {
		return r.new.Sitemaps[c.New.Sitemap].URL, c.New.Line
	}
	return r.old.Sitemaps[c.Old.Sitemap].URL, c.Old.Line
}

// Changes yields every URL that is not as before, in order. It may be ranged over again. An error
// ends it, and so does ctx.
func (r *Result) Changes(ctx context.Context) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		for c, err := range r.walk(ctx) {
			if (err != nil || c.Kind != Same) && !yield(c, err) {
				return
			}
		}
	}
}

// walk yields every URL of both audits, in order.
func (r *Result) walk(ctx context.Context) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		inOld, inNew := coverageOf(r.old, r.new), coverageOf(r.new, r.old)
		nextOld, stopOld := iter.Pull2(r.old.observations(ctx))
		defer stopOld()
		nextNew, stopNew := iter.Pull2(r.new.observations(ctx))
		defer stopNew()
		old, errOld, _ := nextOld()
		new, errNew, _ := nextNew()
		for {
			c := Change{Old: old, New: new}
			switch err := cmp.Or(errOld, errNew); {
			case err != nil:
				yield(Change{}, err)
				return
			case old == nil && new == nil:
				return
			case new == nil, old != nil && old.URL < new.URL:
				c = Change{URL: old.URL, Kind: alone(old, inNew, Fixed, Left), Old: old}
			case old == nil, new.URL < old.URL:
				c = Change{URL: new.URL, Kind: alone(new, inOld, New, Joined), New: new}
			default:
				c.URL, c.Kind = new.URL, between(old, new)
			}
			if !yield(c, nil) {
				return
			}
			if c.Old != nil {
				old, errOld, _ = nextOld()
			}
			if c.New != nil {
				new, errNew, _ = nextNew()
			}
		}
	}
}

// between compares what two audits saw at one URL.
func between(was, is *Observation) Kind {
	hidden := func(a, b *Observation) bool { // what robots.txt forbids now is neither fixed nor new
		return a.Verdict == audit.Disallowed && b.Verdict.Facts().Problem
	}
	if was.Verdict == is.Verdict && !was.seen() {
		return Same
	}
	if !was.seen() || !is.seen() || hidden(was, is) || hidden(is, was) {
		return NotComparable
	}
	old, new := was.Verdict, is.Verdict
	if was.spelling != is.spelling { // it is requested in samples: what only one audit asked for is no change
		old, new = unspelled(old), unspelled(new)
	}
	switch {
	case old != new && new.Facts().Problem:
		return New
	case old.Facts().Problem && !new.Facts().Problem:
		return Fixed
	case old != new, was.Status != is.Status, was.Target != is.Target, was.Fix != is.Fix:
		return Changed
	}
	return Same
}

// unspelled is a verdict without what the other spelling says.
func unspelled(v audit.Verdict) audit.Verdict {
	if v == audit.SpellingBounce || v == audit.SpellingConflict {
		return audit.OK
	}
	return v
}

// alone is the kind of a URL that only one of the audits lists: problem or fine, by what that audit saw.
func alone(o *Observation, other *coverage, problem, fine Kind) Kind {
	switch {
	case !other.knows(o):
		return NotComparable
	case o.Verdict.Facts().Problem:
		return problem
	}
	return fine
}

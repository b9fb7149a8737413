package audit

import (
	"context"
	"iter"
	"slices"

	"sitemend/crawler/internal/sketch"
)

// AlsoEdits are the edits of links to the addresses that sitemaps name beside what they list, while
// corrected sitemaps are written: an address is judged once, but each link to it by its element and
// its file. They take a few bits for each of these addresses.
type AlsoEdits struct {
	lists []AlsoSum
	// by the number of the address: a link to it is edited; stays, for its set would have no other
	// address; stays, for it cannot be taken out; stays, for the entry would list one image twice,
	// or two videos with one file, or its own page as a file; stays for another reason
	edited, only, content, twice, video, page, held sketch.Set
	// a link to it leaves with its entry; a link is written as it was listed
	left, same sketch.Set
	unseen     bool // links stay that are not among these
	partly     bool // an address has a link that is edited, and one that stays
}

// Add takes a link with what became of it in a file that is written. edited is set where the link
// differs now from what was listed.
func (e *AlsoEdits) Add(f LinkFix, edited bool) {
	if f.Also == "" {
		return
	}
	switch {
	case edited:
		at := slices.IndexFunc(e.lists, func(s AlsoSum) bool { return s.List == f.Also })
		if at < 0 {
			at, e.lists = len(e.lists), append(e.lists, AlsoSum{List: f.Also})
		}
		if f.Action == Relink {
			e.lists[at].Relinked++
		} else {
			e.lists[at].Unlinked++
		}
		e.edited.Add(f.n)
	case f.Held == HeldOnly:
		e.only.Add(f.n)
	case f.Held == HeldContent:
		e.content.Add(f.n)
	case f.Held == HeldTwice:
		e.twice.Add(f.n)
	case f.Held == HeldVideo:
		e.video.Add(f.n)
	case f.Held == HeldPage:
		e.page.Add(f.n)
	case f.Held != "":
		e.held.Add(f.n)
	default:
		e.same.Add(f.n)
	}
	e.partly = e.partly || e.edited.Has(f.n) && e.stays(f.n)
}

// Leave takes a link of an entry that is removed from a file that is written: the link leaves with
// it.
func (e *AlsoEdits) Leave(f LinkFix) {
	if f.Also != "" {
		e.left.Add(f.n)
	}
}

// Unseen notes that a sitemap keeps links that Add is not called with, so that no address is known
// to have left.
func (e *AlsoEdits) Unseen() { e.unseen = true }

// leaves reports whether no link to an address stays that is not edited, for each entry that names
// it is removed.
func (e *AlsoEdits) leaves(n int) bool {
	return e.left.Has(n) && !e.unseen && !e.same.Has(n) && !e.stays(n)
}

// kept returns why no link to an address is edited that was to be replaced or taken out.
func (e *AlsoEdits) kept(n int) Why {
	switch {
	case e.only.Has(n):
		return Why{Key: whyAlsoOnly}
	case e.content.Has(n):
		return Why{Key: whyAlsoContent}
	case e.twice.Has(n):
		return Why{Key: whyAlsoTwice}
	case e.video.Has(n):
		return Why{Key: whyAlsoVideo}
	case e.page.Has(n):
		return Why{Key: whyAlsoOwn}
	case e.held.Has(n):
		return Why{Key: whyAlsoHeld}
	}
	return Why{Key: whyAlsoUnwritten}
}

// stays reports whether a link to an address is known to stay.
func (e *AlsoEdits) stays(n int) bool { return e.kept(n).Key != whyAlsoUnwritten }

// final makes a row what became of the links to its address: one is replaced only where a link was,
// and taken out where one was, or where all left with their entries; with why others stay. It
// reports whether it is kept after all.
func (e *AlsoEdits) final(r *Row) (kept bool) {
	n := r.Entry.N
	switch {
	case r.Fix.Action == Keep && (r.Group() != NeedsDecision || !e.leaves(n)):
		return false
	case e.edited.Has(n):
		if e.stays(n) {
			r.Fix.Why = Why{Key: whyAlsoPartly[e.kept(n).Key]}
		}
		return false
	case e.leaves(n):
		r.Fix = Fix{Action: Drop, Policy: r.Fix.Policy, Why: Why{Key: whyAlsoLeaves}}
		return false
	}
	r.Fix = Fix{Action: Keep, Policy: r.Fix.Policy, Why: e.kept(n)}
	return true
}

// AlsoWritten makes the addresses that sitemaps name beside what they list what became of the links
// to them: Also counts as replaced and taken out those with an edit, and AlsoRows yields them so,
// with why the others stay. It is called at most once, on a Result of its own Also, when all
// corrected sitemaps are written; e may be empty, where none is. It walks over AlsoRows where any
// of them changes. An error of these ends it, and so does ctx. Reported addresses that are named so
// are classified by that, too.
func (t *Result) AlsoWritten(ctx context.Context, e *AlsoEdits) error {
	t.Also = slices.Clone(t.Also)
	judged := t.also
	due := 0
	for i := range t.Also {
		s := &t.Also[i]
		due += s.Counts.Actions[Replace] + s.Counts.Actions[Drop]
		if at := slices.IndexFunc(e.lists, func(w AlsoSum) bool { return w.List == s.List }); at >= 0 {
			s.Relinked, s.Unlinked = e.lists[at].Relinked, e.lists[at].Unlinked
		}
	}
	if due == e.edited.Len() && !e.partly && e.left.Len() == 0 {
		return nil
	}
	t.also = func(ctx context.Context, n int) iter.Seq2[Row, error] {
		return func(yield func(Row, error) bool) {
			for r, err := range judged(ctx, n) {
				if err == nil {
					e.final(&r)
				}
				if !yield(r, err) {
					return
				}
			}
		}
	}
	for i := range t.Also {
		s := &t.Also[i]
		s.Counts = Counts{}
		for r, err := range judged(ctx, i) {
			if err != nil {
				return err
			}
			if e.final(&r) {
				s.Kept++
			}
			s.Counts.add(&r, 1)
		}
	}
	return t.joins.besideAgain(ctx, t)
}

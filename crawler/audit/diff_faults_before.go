package audit

import (
	"cmp"
	"context"
	"iter"
	"slices"
)

// seenBefore adds the errors of sitemaps that the audit did not read, or not to their ends, and that
// now has, as the last of earlier that read them to their ends saw them.
func (s *faultSide) seenBefore(ctx context.Context, now *faultSide, earlier iter.Seq2[Source, error]) error {
	missing := map[string]bool{}
	for i := range now.result.Files {
		f := &now.result.Files[i].Sitemap
		if t := s.tally(f.URL); t != nil && (t.Unread || t.failed()) && f.Kind != "" {
			missing[f.URL] = true
		}
	}
	if len(missing) == 0 || earlier == nil {
		return nil
	}
	for src, err := range Until(ctx, earlier) {
		if err != nil {
			return err
		}
		files, err := src.Sitemaps()
		if err != nil {
			return err
		}
		for i := range files {
			f := &files[i]
			if !missing[f.URL] || !f.Listed() || extentOf(f) != wholeFile || f.Again() {
				continue
			}
			delete(missing, f.URL)
			if err := s.addBefore(src.Entries(ctx, f.First, f.First+f.Entries), f); err != nil {
				return err
			}
		}
		if len(missing) == 0 {
			return nil
		}
	}
	return nil
}

// addBefore adds the errors of a sitemap as an earlier audit saw them: what that one and the audit
// saw counts once.
func (s *faultSide) addBefore(entries iter.Seq2[Entry, error], f *Sitemap) error {
	s.before[f.URL] = true
	sums := map[faultAt]*faultSum{}
	addFaults(sums, f)
	var list []*listedFault
	for _, sum := range sums {
		list = sum.appendTo(list)
	}
	if err := nameEntries(entries, list); err != nil {
		return err
	}
	for at, sum := range sums {
		if at.severity != severityError || at.basis != OnFile {
			continue
		}
		was := s.sumOf(at)
		_, _, added := s.pairFaults(was, sum)
		listed := slices.Concat(was.listed, added)
		s.faults[at] = &faultSum{places: len(listed) + max(was.unlisted(), sum.unlisted()), listed: listed, first: cmp.Or(was.first, sum.first)}
	}
	return nil
}

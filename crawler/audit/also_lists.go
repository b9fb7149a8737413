package audit

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/internal/sketch"
)

// alsoJudging judges the addresses that the sitemaps name beside what they list. They count apart:
// neither how many redirects end on a page, nor the brake, looks at both.
type alsoJudging struct {
	t     *evaluation
	lists []Sitemap
	// ends counts, up to collapseAt, the distinct addresses that redirect, or name a canonical,
	// with path among their reasons, by where they end.
	ends   sketch.Numbers
	braked map[AlsoList]Why // where too many links would be taken out
	links  bool             // sitemaps name any
	edits  bool             // links to some of them may be edited
}

// newAlso looks at all addresses once; nil where there are none.
func newAlso(ctx context.Context, t *evaluation, aside []Sitemap) (*alsoJudging, error) {
	j := &alsoJudging{t: t, braked: map[AlsoList]Why{}}
	for _, s := range aside {
		if alsoKind(s.Kind) {
			j.lists = append(j.lists, s)
		}
	}
	j.links = len(j.assets()) > 0
	for i := range t.sitemaps {
		j.links = j.links || t.sitemaps[i].Links
	}
	for i := range j.lists {
		drops := 0
		for row, err := range j.walk(ctx, i, t.judge) {
			if err != nil {
				return nil, err
			}
			for end := range row.ends {
				if n, _ := j.ends.At(end); *n < collapseAt {
					*n++
				}
			}
			if row.Fix.Action == Drop {
				drops++
			}
			j.link(row)
		}
		j.brake(&j.lists[i], drops)
	}
	return j, t.src.Err()
}

// link takes note of an address whose links may be edited, and of one that needs a decision unless
// all links to it leave with their entries.
func (j *alsoJudging) link(r *Row) {
	f := r.linkFix()
	if !j.links || f.Verdict == "" && r.Group() != NeedsDecision {
		return
	}
	j.edits = j.edits || f.Verdict != ""
	if f.Action == Relink {
		j.t.labels.want(f.Loc)
		j.t.labels.devices = j.t.labels.devices || r.Entry.Also.Device
	}
	n, _ := j.t.linked.At(linkedKey(r.Entry.Also.List, r.Address))
	*n = uint32(r.Entry.N)
}

// assets returns as whom images and videos were looked for.
func (j *alsoJudging) assets() (as []Purpose) {
	for i := range j.lists {
		if x := (&Also{List: AlsoList(j.lists[i].Kind)}); x.File() {
			as = append(as, x.as())
		}
	}
	return as
}

// brake keeps the links of a list where very many would go: a host that answers 404 for a night
// must not cost all sitemaps their links to it.
func (j *alsoJudging) brake(s *Sitemap, drops int) {
	if drops > brakeAt && float64(drops) > j.t.rules.MaxDrop*float64(s.Entries) {
		j.braked[AlsoList(s.Kind)] = Why{whyAlsoBraked, [4]string{strconv.Itoa(drops), strconv.Itoa(s.Entries)}}
	}
}

func (j *alsoJudging) walk(ctx context.Context, n int, judge judger) iter.Seq2[*Row, error] {
	s := &j.lists[n]
	return j.t.walk(j.t.src.Entries(ctx, s.First, s.First+s.Entries), s.Entries, judge)
}

// final makes the row of an address with what all of them decide.
func (j *alsoJudging) final(row *Row, mem Answers, e Entry) {
	j.t.judge(row, mem, e)
	switch row.Fix.Action {
	case Replace:
		if why, held := j.held(row); held {
			row.Fix.Action, row.Fix.Loc, row.Fix.Why = Keep, "", why
			return
		}
		if row.collapses(&j.ends) {
			row.stop(Collapsed, j.t.rules)
		}
	case Drop:
		if why, braked := j.braked[e.Also.List]; braked {
			row.note(Braked)
			row.Fix.Action, row.Fix.Why = Keep, why
		}
	}
}

// held says why no link follows an address that would be replaced.
func (j *alsoJudging) held(row *Row) (why Why, held bool) {
	x, to := row.Entry.Also, row.Fix.Loc
	if x.Device && x.onlyBy(to) { // nobody's link would follow it (forDevice)
		return Why{Key: whyAlsoSelf}, true
	}
	if x.List != AlsoAlternates || !j.t.labels.settled {
		return why, false
	}
	l := j.t.labels.at(to)
	if x.Device && x.Langs == "" && l.listed {
		return Why{Key: whyAlsoListed}, true
	}
	if all := l.disputedBy(x.Langs); all != "" {
		return Why{whyAlsoDisputed, [4]string{strings.ReplaceAll(all, " ", ", ")}}, true
	}
	switch langs := l.langs(); {
	case x.otherLanguages(langs):
		return Why{whyAlsoLang, [4]string{langs}}, true
	case langs == "" && x.Langs != "" && row.Verdict == Noncanonical:
		return Why{Key: whyAlsoUnnamed}, true
	}
	return why, false
}

// rows yields the final rows of a list.
func (j *alsoJudging) rows(ctx context.Context, n int) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for row, err := range j.walk(ctx, n, j.final) {
			if err != nil {
				yield(Row{}, err)
				return
			}
			out := *row
			row.detach()
			if !yield(out, nil) {
				return
			}
		}
		if err := j.t.src.Err(); err != nil {
			yield(Row{}, err)
		}
	}
}

// also counts what is named beside the entries: what becomes of links to it, and what of it is
// proved before it is written.
func (c *counting) also(ctx context.Context) error {
	j := c.t.also
	for i := range j.lists {
		sum := AlsoSum{List: AlsoList(j.lists[i].Kind)}
		for row, err := range j.walk(ctx, i, j.final) {
			if err != nil {
				return err
			}
			sum.Counts.add(row, 1)
			c.proof.also(row)
			c.joins.seeBeside(row)
		}
		if sum.Counts.Entries > 0 {
			c.result.Also = append(c.result.Also, sum)
		}
	}
	c.result.also = func(ctx context.Context, n int) iter.Seq2[Row, error] {
		at := slices.IndexFunc(j.lists, func(s Sitemap) bool { return AlsoList(s.Kind) == c.result.Also[n].List })
		return j.rows(ctx, at)
	}
	return c.t.src.Err()
}

// also takes the row of an address that is named beside the entries: what is written in its place
// is proved as what is written into a <loc>, and what is taken out is asked for other readers.
func (p *proving) also(r *Row) {
	if r.shaken != "" {
		p.shaken[r.shaken] = true
	}
	if r.Has(Varies) {
		p.mixed[r.readAt()] = true
	}
	if r.Entry.Also.File() { // it was seen to answer where it leads
		return
	}
	p.readers(r)
	if r.Fix.Action == Replace {
		p.sample(r)
	}
}

package audit

import (
	"context"
	"iter"

	"sitemend/crawler/internal/sketch"
)

// alsoJudging judges the addresses that the sitemaps name beside what they list. How many redirect
// to one page is counted apart from the entries.
type alsoJudging struct {
	t     *evaluation
	lists []Sitemap
	ends  sketch.Numbers // by the hash of the new URL: how many other paths lead there, up to maxSame+1
}

// newAlso looks at all addresses once.
func newAlso(ctx context.Context, t *evaluation, aside []Sitemap) (*alsoJudging, error) {
	j := &alsoJudging{t: t}
	for _, s := range aside {
		if alsoKind(s.Kind) {
			j.lists = append(j.lists, s)
		}
	}
	for i := range j.lists {
		for row, err := range j.walk(ctx, i, t.judge) {
			if err != nil {
				return nil, err
			}
			if row.Fix.Action == Replace && anotherPage(row.Address, row.Reasons) {
				n, _ := j.ends.At(sketch.Hash(row.Fix.Loc))
				*n = min(*n+1, maxSame+1)
			}
			t.links.see(row)
		}
	}
	return j, t.src.Err()
}

func (j *alsoJudging) walk(ctx context.Context, n int, judge judger) iter.Seq2[*Row, error] {
	return j.t.rowsOf(ctx, j.lists[n:n+1], judge)
}

// final makes the row of an address with what all of them decide.
func (j *alsoJudging) final(row *Row, mem Answers, e Entry) {
	j.t.judge(row, mem, e)
	if row.Fix.Action != Replace || j.t.rules.Lift[Collapsed] {
		return
	}
	if n, _ := j.ends.Get(sketch.Hash(row.Fix.Loc)); n > maxSame && anotherPage(row.Address, row.Reasons) {
		row.stop(Collapsed)
	}
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

// also counts what is named beside the entries.
func (c *counting) also(ctx context.Context) error {
	j := c.t.also
	for i := range j.lists {
		sum := AlsoSum{List: AlsoList(j.lists[i].Kind), Rows: func(ctx context.Context) iter.Seq2[Row, error] { return j.rows(ctx, i) }}
		for row, err := range j.walk(ctx, i, j.final) {
			if err != nil {
				return err
			}
			sum.Counts.add(row, 1)
		}
		if sum.Counts.Entries > 0 {
			c.result.Also = append(c.result.Also, sum)
		}
	}
	return c.t.src.Err()
}

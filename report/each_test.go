package report

import (
	"fmt"
	"iter"
	"testing"

	"sitemend/crawler/audit"
)

// manyRows is an audit of two files with n rows each, which end with err.
func manyRows(n int, err error) *audit.Result {
	return audit.MakeResult(audit.Result{Files: make([]audit.File, 2)}, func(file int) iter.Seq2[audit.Row, error] {
		return func(yield func(audit.Row, error) bool) {
			for i := range n {
				if !yield(audit.Row{Entry: audit.Entry{N: file*n + i, Sitemap: file}}, nil) {
					return
				}
			}
			if err != nil {
				yield(audit.Row{}, err)
			}
		}
	}, nil)
}

func TestEachRowComesOnceAndInOrder(t *testing.T) {
	for _, n := range []int{0, 1, batchRows, 7*batchRows + 3} {
		result := manyRows(n, nil)
		var seen [3]int
		var sinks []sink
		for s := range seen {
			sinks = append(sinks, func(f *audit.File, r *audit.Row) error {
				if r.Entry.N != seen[s] || f != &result.Files[r.Entry.Sitemap] {
					return fmt.Errorf("row %d came after %d others", r.Entry.N, seen[s])
				}
				seen[s]++
				return nil
			})
		}
		if err := each(t.Context(), result, sinks...); err != nil || seen != [3]int{2 * n, 2 * n, 2 * n} {
			t.Errorf("of %d rows %d were seen, %v", 2*n, seen, err)
		}
	}
}

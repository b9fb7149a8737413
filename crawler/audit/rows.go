package audit

import "iter"

// rowsAs yields what each row is made.
func rowsAs[T any](rows iter.Seq2[*Row, error], as func(*Row) T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for row, err := range rows {
			var out T
			if err == nil {
				out = as(row)
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}

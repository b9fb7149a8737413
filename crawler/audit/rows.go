package audit

import "iter"

// chain yields what one after another does; an error ends it.
func chain[T any](seqs ...iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, seq := range seqs {
			for v, err := range seq {
				if !yield(v, err) || err != nil {
					return
				}
			}
		}
	}
}

// rowsAs yields what each row is made, as far as it is wanted.
func rowsAs[T any](rows iter.Seq2[*Row, error], as func(*Row) (out T, wanted bool)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for row, err := range rows {
			var out T
			wanted := err != nil
			if err == nil {
				out, wanted = as(row)
			}
			if wanted && !yield(out, err) || err != nil {
				return
			}
		}
	}
}

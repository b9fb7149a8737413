package audit

import (
	"context"
	"iter"
)

// Until yields what seq does until ctx ends: then ctx's error, which is the last, as
// an error of seq is.
func Until[T any](ctx context.Context, seq iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for v, err := range seq {
			if err == nil {
				err = ctx.Err()
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

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

// A Shelf keeps more records than memory holds, and gives them back in order.
type Shelf interface {
	// Add keeps a record; both strings are copied. Nothing is added once Sorted was called.
	Add(key, value string) error
	// Sorted yields the records in order of key, those of one key in order of value. It may
	// be ranged over again; an error ends it.
	Sorted() iter.Seq2[[2]string, error]
}

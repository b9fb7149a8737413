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

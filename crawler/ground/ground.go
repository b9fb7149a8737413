// Package ground is what every room stands on: a panic is an error, what cannot be read is never taken
// for what is not there, a walk ends with its context, and more is kept in order than memory holds.
package ground

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"runtime"
	"strings"
)

// ErrOurs is what an error is (errors.Is) that a fault of sitemend itself led to: a
// panic that Guard caught.
var ErrOurs = errors.New("this is a fault of sitemend itself")

// Guard runs fn, and returns an ErrOurs in place of a panic in it: what goes wrong in
// telling one file, or in asking for one address, must not cost the rest, nor what is
// remembered. Every goroutine that runs more than a line of ours has one, for nothing
// else catches its panic. Locks that fn takes must be let go of by defer.
func Guard(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v%s", ErrOurs, p, panicked())
		}
	}()
	return fn()
}

// panicked says where in sitemend a panic began, for the report of it; it is called
// while that is recovered from. "" where that is not known.
func panicked() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for inside := false; ; {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			inside = true
		case inside && strings.HasPrefix(f.Function, "sitemend/"):
			dir, file := path.Split(f.File)
			return fmt.Sprintf(" (%s/%s:%d)", path.Base(dir), file, f.Line)
		}
		if !more {
			return ""
		}
	}
}

// ErrDamaged is in the chain (errors.Is) of each error about a record that cannot be
// read as what it should be, whichever store keeps it.
var ErrDamaged = errors.New("the store is damaged")

// Damaged returns an ErrDamaged that names the record which cannot be read, and why;
// nil where err is nil.
func Damaged(record string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %s: %w", ErrDamaged, record, err)
}

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

// A Sorter keeps more records than memory holds, and gives them back in order.
type Sorter interface {
	// Add keeps a record; both strings are copied. Nothing is added once Sorted was called.
	Add(key, value string) error
	// Sorted yields the records in order of key, those of one key in order of value. It may
	// be ranged over again; an error ends it.
	Sorted() iter.Seq2[[2]string, error]
}

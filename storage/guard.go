package storage

import (
	"errors"
	"runtime/debug"
)

// guard runs fn and turns a panic in it into an error that is ErrDamaged.
//
// bbolt reads a mapped file without checking it: an invalid page makes it panic, and one beyond the
// end of a truncated file is a memory fault, which ends the process unless SetPanicOnFault turns it
// into a panic. Only reading and writing the store runs in guard, never a caller's code. The
// message of the panic is of no use to a user with a damaged file, and is not reported.
func guard(fn func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if p := recover(); p != nil {
			err = &fault{what: "a page of the file is not what was written", caught: true}
		}
	}()
	return fn()
}

// guard is the function guard for reading in this bucket, which the error names.
func (s *shelf) guard(fn func() error) error {
	err := guard(fn)
	if f, ok := errors.AsType[*fault](err); ok && f.caught {
		f.what = "a page of " + spoken(s.path) + " is not what was written"
	}
	return err
}

// A fault is the error that names what is damaged.
type fault struct {
	what   string
	caught bool // from a panic
}

func (f *fault) Error() string        { return f.what }
func (f *fault) Is(target error) bool { return target == ErrDamaged }

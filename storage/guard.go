package storage

import (
	"errors"
	"runtime/debug"
)

// guard runs fn and turns a panic in it into an error that is ErrDamaged.
//
// bbolt reads a mapped file and trusts it: a page that is not what it should
// be makes it panic, and one that lies behind the end of a cut-off file is a
// memory fault, which ends the process unless SetPanicOnFault makes it a panic
// too. Only reading and writing the store runs in here, never a caller's code. What
// the panic says is of no use to somebody with a damaged file, and is not reported.
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

// guard is the function guard for what reads in this bucket: the error names it.
func (s *shelf) guard(fn func() error) error {
	err := guard(fn)
	if f, ok := errors.AsType[*fault](err); ok && f.caught {
		f.what = "a page of " + spoken(s.path) + " is not what was written"
	}
	return err
}

// A fault says what is damaged.
type fault struct {
	what   string
	caught bool // from a panic
}

func (f *fault) Error() string        { return f.what }
func (f *fault) Is(target error) bool { return target == ErrDamaged }

package storage

import (
	"fmt"
	"runtime/debug"
)

// guard runs fn and turns a panic in it into an error that is ErrDamaged.
//
// bbolt reads a mapped file and trusts it: a page that is not what it should
// be makes it panic, and one that lies behind the end of a cut-off file is a
// memory fault, which ends the process unless SetPanicOnFault makes it a panic
// too. Only reading and writing the store runs in here, never a caller's code.
func guard(fn func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if p := recover(); p != nil {
			err = &fault{what: fmt.Sprint(p), caught: true}
		}
	}()
	return fn()
}

// A fault says what is damaged.
type fault struct {
	what   string
	caught bool // a panic told
}

func (f *fault) Error() string        { return f.what }
func (f *fault) Is(target error) bool { return target == ErrDamaged }

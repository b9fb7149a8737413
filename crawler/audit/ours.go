package audit

import (
	"errors"
	"fmt"
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

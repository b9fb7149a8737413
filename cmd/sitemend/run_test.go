package main

import (
	"errors"
	"fmt"
	"testing"
)

// An error is told on one line, however many were joined in it.
func TestSaid(t *testing.T) {
	a, b := errors.New("a.db: damaged"), errors.New("no room")
	for _, c := range []struct {
		err  error
		want string
	}{
		{a, "a.db: damaged"},
		{errors.Join(a, b), "a.db: damaged; no room"},
		{errors.Join(a, a), "a.db: damaged"},
		{errors.Join(fmt.Errorf("write: %w", a), a), "write: a.db: damaged"},
		{errors.Join(errors.New("1"), errors.New("2"), errors.New("3"), errors.New("4"), errors.New("5")), "1; 2; 3; and 2 more"},
		{errors.New("steers\x1b[2J the\tterminal\n"), "steers\\x1b[2J the terminal"},
	} {
		if got := said(c.err); got != c.want {
			t.Errorf("%q is told as %q, want %q", c.err, got, c.want)
		}
	}
}

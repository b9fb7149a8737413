//go:build unix

package fetch

import (
	"syscall"
	"testing"
)

// limitFiles lets this process have no more than n files open.
func limitFiles(t *testing.T, n uint64) {
	must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: n, Max: n}))
}

//go:build unix

package fetch

import (
	"math"
	"syscall"
)

// openFiles returns how many files this process may have open; 0 where there is no limit that
// matters.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || uint64(limit.Cur) > math.MaxInt32 {
		return 0
	}
	return int(limit.Cur)
}

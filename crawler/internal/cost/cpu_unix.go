//go:build unix

package cost

import (
	"syscall"
	"time"
)

// cpu returns how much CPU time the process has taken.
func cpu() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used) // fails for no process
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

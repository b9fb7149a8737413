//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package storage

import (
	"os"
	"syscall"
)

// unlock releases bbolt's lock on f. Closing f does not release it where the file is still mapped:
// the mapping keeps the lock.
func unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

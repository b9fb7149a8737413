//go:build !windows

package storage

import (
	"os"
	"syscall"
)

// codesFull are the system's errors where there is no space to write.
var codesFull = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

// unlock releases bbolt's lock on f. Closing f does not release it where the file is still mapped:
// the mapping keeps the lock.
func unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// mapFile returns memory that is the beginning of a file, or a copy of it as soon as it is written to.
func mapFile(f *os.File, size int, write bool) ([]byte, error) {
	how := syscall.MAP_PRIVATE
	if write {
		how = syscall.MAP_SHARED
	}
	return syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, how)
}

// unmap lets go of what mapFile returned.
func unmap(memory []byte) { _ = syscall.Munmap(memory) } // no error for what is mapped

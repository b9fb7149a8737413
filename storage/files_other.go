//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package storage

import (
	"os"
)

// unlock does nothing: on this system the lock ends with the file's handle.
func unlock(*os.File) error { return nil }

// mapFile returns a copy of the beginning of a file. What is written to it is not kept: it is not what
// its checksum says then, and is made anew.
func mapFile(f *os.File, size int, _ bool) ([]byte, error) {
	memory := make([]byte, size)
	_, err := f.ReadAt(memory, 0)
	return memory, err
}

func unmap([]byte) {}

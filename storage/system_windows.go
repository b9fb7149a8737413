package storage

import (
	"os"

	"golang.org/x/sys/windows"
)

// codesFull are the system's errors where there is no space to write.
// Package syscall has constants of the same names with numbers of its own, which no system call
// returns.
var codesFull = []error{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL,
	windows.ERROR_DISK_QUOTA_EXCEEDED, windows.ERROR_FILE_TOO_LARGE}

// unlock does nothing: the lock ends with the file's handle.
func unlock(*os.File) error { return nil }

// mapFile returns a copy of the beginning of a file. What is written to it is not kept: it is not what
// its checksum says then, and is made anew.
func mapFile(f *os.File, size int, _ bool) ([]byte, error) {
	memory := make([]byte, size)
	_, err := f.ReadAt(memory, 0)
	return memory, err
}

func unmap([]byte) {}

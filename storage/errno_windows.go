package storage

import "golang.org/x/sys/windows"

// The system's errors where there is no space to write, and those of a read-only file system.
// Package syscall has constants of the same names with numbers of its own, which no system call
// returns.
var codesFull = []error{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL,
	windows.ERROR_DISK_QUOTA_EXCEEDED, windows.ERROR_FILE_TOO_LARGE}

const codeReadOnly = windows.ERROR_WRITE_PROTECT

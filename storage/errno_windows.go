package storage

import "golang.org/x/sys/windows"

// codesFull are the system's errors where there is no space to write.
// Package syscall has constants of the same names with numbers of its own, which no system call
// returns.
var codesFull = []error{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL,
	windows.ERROR_DISK_QUOTA_EXCEEDED, windows.ERROR_FILE_TOO_LARGE}

package storage

import "golang.org/x/sys/windows"

// What the system says where there is no room to write, and of a file system that is
// not to be written to. Package syscall has numbers of its own for these, which no system
// call returns.
var codesFull = []error{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL,
	windows.ERROR_DISK_QUOTA_EXCEEDED, windows.ERROR_FILE_TOO_LARGE}

const codeReadOnly = windows.ERROR_WRITE_PROTECT

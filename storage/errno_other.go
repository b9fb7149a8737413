//go:build !windows

package storage

import "syscall"

// The system's errors where there is no space to write, and those of a read-only file system.
var codesFull = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

const codeReadOnly = syscall.EROFS

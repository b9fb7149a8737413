//go:build !windows

package storage

import "syscall"

// codesFull are the system's errors where there is no space to write.
var codesFull = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

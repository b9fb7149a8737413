//go:build !windows

package storage

import "syscall"

// What the system says where there is no room to write, and of a file system that is
// not to be written to.
var codesFull = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

const codeReadOnly = syscall.EROFS

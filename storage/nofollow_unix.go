//go:build unix

package storage

import "syscall"

// noFollow opens no link.
const noFollow = syscall.O_NOFOLLOW

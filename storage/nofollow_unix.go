//go:build unix

package storage

import "syscall"

// noFollow is the flag to open no link.
const noFollow = syscall.O_NOFOLLOW

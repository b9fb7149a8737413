//go:build !windows

package fetch

import "syscall"

// Errors of the system for a socket that cannot be made or connected.
var (
	codesFull      = []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM}
	codesNoAddress = []error{syscall.EADDRNOTAVAIL}
	codesNoRoute   = []error{syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.ENETDOWN}
	codesRefused   = []error{syscall.ECONNREFUSED}
	codesReset     = []error{syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED}
	codesTimeout   = []error{syscall.ETIMEDOUT}
)

//go:build !unix

package http1

import "syscall"

// Supported reports whether a Pool works on this system: where the system cannot tell whether a
// kept connection is still open, net/http's Transport has to watch it.
const Supported = false

// silent always returns false on this system.
func silent(syscall.RawConn) bool { return false }

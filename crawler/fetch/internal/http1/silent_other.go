//go:build !unix

package http1

import "syscall"

// Supported reports whether requests can go this way on this system: where it cannot tell
// whether a kept connection is still open, the Transport has to watch it.
const Supported = false

// silent is not known here.
func silent(syscall.RawConn) bool { return false }

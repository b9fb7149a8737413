//go:build !unix

package fetch

import "syscall"

// canPeek tells whether silent works on this system.
const canPeek = false

// silent is not known here.
func silent(syscall.RawConn) bool { return false }

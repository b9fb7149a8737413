//go:build unix

package http1

import "syscall"

// Supported reports whether a Pool works on this system: where the system cannot tell whether a
// kept connection is still open, net/http's Transport has to watch it.
const Supported = true

// silent reports whether a connection is open and has nothing to read.
func silent(raw syscall.RawConn) bool {
	quiet := false
	err := raw.Read(func(fd uintptr) bool {
		var one [1]byte
		_, err := syscall.Read(int(fd), one[:]) // the descriptor does not block
		quiet = err == syscall.EAGAIN
		return true
	})
	return err == nil && quiet
}

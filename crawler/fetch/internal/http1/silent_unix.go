//go:build unix

package http1

import "syscall"

// Supported reports whether requests can go this way on this system: where it cannot tell
// whether a kept connection is still open, the Transport has to watch it.
const Supported = true

// silent reports whether a connection is open and nothing came over it.
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

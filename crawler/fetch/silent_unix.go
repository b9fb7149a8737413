//go:build unix

package fetch

import "syscall"

// canPeek tells whether silent works on this system.
const canPeek = true

// silent tells whether a connection is open and nothing came over it.
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

//go:build unix

package http1

import (
	"net"
	"syscall"
	"time"
)

// silent reports whether a connection is open and has nothing to read.
func silent(c net.Conn, _ time.Time) bool {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return false
	}
	quiet := false
	err = raw.Read(func(fd uintptr) bool {
		var one [1]byte
		_, err := syscall.Read(int(fd), one[:]) // the descriptor does not block
		quiet = err == syscall.EAGAIN
		return true
	})
	return err == nil && quiet
}

//go:build !unix

package http1

import (
	"errors"
	"net"
	"os"
	"time"
)

// silent reports whether a connection is open and has nothing to read: whether waiting for a
// millisecond brings nothing. until is the deadline of what is read later.
func silent(c net.Conn, until time.Time) bool {
	var one [1]byte
	if c.SetReadDeadline(time.Now().Add(time.Millisecond)) != nil {
		return false
	}
	_, err := c.Read(one[:])
	return errors.Is(err, os.ErrDeadlineExceeded) && c.SetReadDeadline(until) == nil
}

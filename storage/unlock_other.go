//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package storage

import "os"

// unlock does nothing: on this system the lock ends with the file's handle.
func unlock(*os.File) error { return nil }

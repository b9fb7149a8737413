//go:build !linux

package storage

// holder names the process that holds the lock on path, or returns "" where
// the system does not say, as here.
func holder(string) string { return "" }

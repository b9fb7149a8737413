//go:build !unix

package storage

import "os"

// likeBefore gives a file the mode of another one.
func likeBefore(name string, before os.FileInfo) error {
	return os.Chmod(name, before.Mode().Perm())
}

//go:build !unix

package storage

import "os"

// likeBefore gives a file the mode that another one has.
func likeBefore(name string, before os.FileInfo) error {
	return os.Chmod(name, before.Mode().Perm())
}

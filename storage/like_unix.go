//go:build unix

package storage

import (
	"os"
	"syscall"
)

// likeBefore gives a file the owner and the mode of another one.
func likeBefore(name string, before os.FileInfo) error {
	now, err := os.Stat(name)
	if err != nil {
		return err
	}
	was, ok1 := before.Sys().(*syscall.Stat_t)
	is, ok2 := now.Sys().(*syscall.Stat_t)
	if ok1 && ok2 && (was.Uid != is.Uid || was.Gid != is.Gid) {
		if err := os.Chown(name, int(was.Uid), int(was.Gid)); err != nil {
			return err
		}
	}
	return os.Chmod(name, before.Mode().Perm())
}

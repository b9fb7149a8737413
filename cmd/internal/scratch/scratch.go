// Package scratch replaces files atomically.
package scratch

import (
	"errors"
	"io"
	"os"
)

// Replace writes a file of a folder under a temporary name and renames it when it is complete.
// Where write fails, an existing file of that name stays as it is.
func Replace(dir, name string, write func(io.Writer) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	temporary := ".sitemend-" + name
	f, err := root.OpenFile(temporary, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Close())
	if err == nil {
		err = root.Rename(temporary, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temporary))
	}
	return nil
}

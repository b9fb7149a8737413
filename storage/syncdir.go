package storage

import (
	"os"
	"runtime"
)

// syncDir makes the names in a folder survive a power loss. Windows cannot do that, and does not
// need to.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

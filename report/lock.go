package report

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"
)

// How long the outputs of another run are waited for, and how often that is looked
// at. A million entries are written in less than a minute.
const (
	lockPatience = 10 * time.Minute
	lockEvery    = 50 * time.Millisecond
)

// lockDir keeps a directory for one writer until what it returns is closed, or the
// process ends, however it ends. Another one is waited for until ctx ends. Where the file system
// cannot lock, it is not locked.
func lockDir(ctx context.Context, dir string) (*flock.Flock, error) {
	lock := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	if runtime.GOOS == "windows" { // where a file has to lie there to be locked
		const name = ".sitemend-lock"
		if err := notLinked(dir, name); err != nil {
			return nil, err
		}
		lock = flock.New(filepath.Join(dir, name))
	}
	patience, stop := context.WithTimeout(ctx, lockPatience)
	defer stop()
	_, err := lock.TryLockContext(patience, lockEvery)
	if ctx.Err() != nil {
		return nil, errors.Join(ctx.Err(), lock.Close())
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, errors.Join(fmt.Errorf("%s: another sitemend is writing its outputs there", dir), lock.Close())
	}
	return lock, nil
}

// notLinked returns an error where a file in a directory is a link.
func notLinked(dir, name string) error {
	f, err := openFolder(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.plain(name), f.Close())
}

//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package report

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// How long the outputs of another run are waited for, and how often that is looked
// at. A million entries are written in less than a minute.
const (
	lockPatience = 10 * time.Minute
	lockEvery    = 50 * time.Millisecond
)

// lockDir keeps a directory for one writer until the file that it returns is
// closed, or the process ends, however it ends. Another one is waited for. Where the
// file system cannot lock a directory, it is not locked.
func lockDir(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for until := time.Now().Add(lockPatience); ; time.Sleep(lockEvery) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return f, nil
		}
		if time.Now().After(until) {
			return nil, errors.Join(fmt.Errorf("%s: another sitemend is writing its outputs there", dir), f.Close())
		}
	}
}

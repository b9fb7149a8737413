package build

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// A place is the location of a file that a host or its tools may read.
type place struct {
	at     string // its path; "" where there is nothing of that name
	folder bool   // it is a folder
	lost   string // why it cannot be read; "" where it can
}

// file reports whether there is a regular file that may be read.
func (p place) file() bool { return p.at != "" && !p.folder && p.lost == "" }

// Reasons why an existing file is not read.
const (
	leadsOut  = "it is a link that leads out of the build, or to no file"
	leadsAway = "it is a link that leads to no file"
	irregular = "it is no regular file"
)

// inside looks for a file in the folder of the build.
func (c *config) inside(name string) place {
	// os.Root refuses a link that leads out of the folder.
	return look(filepath.Join(c.dir, name), leadsOut,
		func() (fs.FileInfo, error) { return c.build.root.Lstat(name) },
		func() (fs.FileInfo, error) { return c.build.root.Stat(name) })
}

// find looks for a file in the folder of the build, then beside it.
func (c *config) find(name string) place {
	if p := c.inside(name); p.at != "" && !p.folder {
		return p
	}
	at := filepath.Join(beside(c.dir), name)
	return look(at, leadsAway, func() (fs.FileInfo, error) { return os.Lstat(at) }, func() (fs.FileInfo, error) { return os.Stat(at) })
}

// look returns the place of a path, checked by lstat and stat; link is the reason where stat
// refuses a link.
func look(at, link string, lstat, stat func() (fs.FileInfo, error)) place {
	named, err := lstat()
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return place{}
	case err != nil:
		return place{at: at, lost: "it cannot be read: " + reason(err)}
	}
	info, err := stat()
	switch {
	case err != nil && named.Mode()&fs.ModeSymlink != 0:
		return place{at: at, lost: link}
	case err != nil:
		return place{at: at, lost: "it cannot be read: " + reason(err)}
	case info.IsDir():
		return place{at: at, folder: true}
	case !info.Mode().IsRegular():
		return place{at: at, lost: irregular}
	}
	return place{at: at}
}

// beside returns the parent of a folder.
func beside(dir string) string {
	clean := filepath.Clean(dir)
	if base := filepath.Base(clean); base == "." || base == ".." {
		return filepath.Join(clean, "..")
	}
	return filepath.Dir(clean)
}

// folder returns the entries of a folder beside the build; nil with there set where it exists but
// cannot be read.
func (c *config) folder(name string) (entries []os.DirEntry, there bool) {
	at := filepath.Join(beside(c.dir), name)
	if _, err := os.Lstat(at); errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	entries, err := os.ReadDir(at)
	switch {
	case errors.Is(err, syscall.ENOTDIR): // it is a file
		return nil, false
	case err != nil:
		return nil, true
	case entries == nil:
		entries = []os.DirEntry{}
	}
	return entries, true
}

// maxConfig is the longest rule file that is read, in bytes: some million rules.
const maxConfig = 128 << 20

// readFile reads a regular file of at most maxConfig bytes.
func readFile(at string) ([]byte, error) {
	fail := func(err error) error {
		return &Error{fmt.Sprintf("%s: %s", at, reason(err)), "--rules names a rule file that can be read"}
	}
	f, err := os.OpenFile(at, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fail(err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, fail(err)
	case !info.Mode().IsRegular():
		return nil, fail(errors.New("it is no regular file"))
	case info.Size() > maxConfig:
		return nil, fail(fmt.Errorf("it is longer than %d MB", maxConfig>>20))
	}
	text, err := io.ReadAll(io.LimitReader(f, maxConfig))
	if err != nil {
		return nil, fail(err)
	}
	return text, nil
}

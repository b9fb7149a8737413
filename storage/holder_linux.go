package storage

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// holder returns the name of the process that holds the lock on path ("process 812 (sitemend)"),
// from the kernel's list in /proc/locks; "" where that is not known. It needs no file of its own,
// which could be out of date.
func holder(path string) string {
	var st syscall.Stat_t
	if syscall.Stat(path, &st) != nil {
		return ""
	}
	f, err := os.Open("/proc/locks")
	if err != nil {
		return ""
	}
	defer f.Close()
	pid := lockPID(f, uint64(st.Dev), st.Ino)
	if pid == 0 {
		return ""
	}
	return describe(pid)
}

// lockPID returns the process that holds a flock on the file dev:inode; 0 for none. locks is in the
// format of proc_locks(5).
func lockPID(locks io.Reader, dev, inode uint64) int {
	major := dev>>8&0xfff | dev>>32&^0xfff
	minor := dev&0xff | dev>>12&^0xff
	want := fmt.Sprintf("%02x:%02x:%d", major, minor, inode)
	for sc := bufio.NewScanner(locks); sc.Scan(); {
		f := strings.Fields(sc.Text())
		if len(f) < 6 || f[1] != "FLOCK" || f[5] != want {
			continue
		}
		if pid, err := strconv.Atoi(f[4]); err == nil && pid > 0 {
			return pid
		}
	}
	return 0
}

// describe returns the number of a process with its name, without its arguments, which may contain
// a password.
func describe(pid int) string {
	if pid == os.Getpid() {
		return "this process"
	}
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return fmt.Sprintf("process %d", pid)
	}
	return fmt.Sprintf("process %d (%s)", pid, strings.TrimSpace(string(name)))
}

package storage

import (
	"fmt"
	"os"
	"strconv"
	"syscall"

	"sitemend/crawler/audit"
)

// fillDisk runs another process that must not write files longer than size. It keeps answers until
// that fails and prints how many a Flush has confirmed; -1 where not even the audit could be
// created.
func fillDisk(path, size string) int {
	n, _ := strconv.ParseUint(size, 10, 64)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s, err := Open(path)
	if err != nil {
		fmt.Println("confirmed -1")
		return 0
	}
	a, err := s.Begin(audit.Info{Started: start}, "shape")
	if err != nil {
		fmt.Println("confirmed -1")
		_ = s.Close()
		return 0
	}
	confirmed := keepUntilFull(a)
	err = a.Flush()
	if _, seen := a.Hop(usualHop(confirmed).Request); err == nil || a.Keep(usualHop(0)) == nil || a.Put("k", nil) == nil || s.Close() == nil || !seen && confirmed < 0 {
		fmt.Fprintln(os.Stderr, "the error of writing was lost:", err)
		return 1
	}
	fmt.Println("confirmed", confirmed)
	return 0
}

func keepUntilFull(a *Audit) (confirmed int) {
	for i := 0; ; i++ {
		if a.Keep(usualHop(i)) != nil {
			return confirmed
		}
		if i%100 == 99 {
			if a.Flush() != nil {
				return confirmed
			}
			confirmed = i + 1
		}
	}
}

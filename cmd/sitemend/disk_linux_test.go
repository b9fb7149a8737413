package main

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

func init() { programs["sitemend-on-a-small-disk"] = smallDisk }

// smallDisk is sitemend where no file can be longer than DISK bytes.
func smallDisk() {
	n, err := strconv.ParseUint(os.Getenv("DISK"), 10, 64)
	if err == nil {
		err = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(9)
	}
	main()
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"syscall"
)

func init() { programs["sitemend-without-files"] = withoutFiles }

// withoutFiles is sitemend that can open no more files, sockets among them, once it has
// said what is to be asked. Its last line is its exit status.
func withoutFiles() {
	ctx, stop := untilSignal(context.Background())
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, announced{})
	stop()
	fmt.Fprintln(os.Stderr, "exit status", code)
	os.Exit(code)
}

// announced is standard error, and takes all files away with the announcement.
type announced struct{}

func (announced) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("the sitemaps are read")) {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 0, Max: 0}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(9)
		}
	}
	return os.Stderr.Write(p)
}

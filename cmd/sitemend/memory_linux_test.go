package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// inProcess runs a test of this program in a process of its own, told by a variable of
// the environment what to do, and reads what it logs after mark, which with nothing to
// read it need not do.
func inProcess(b testing.TB, test, variable, mark string, into ...any) *os.ProcessState {
	b.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^"+test+"$", "-test.v")
	cmd.Env = append(os.Environ(), variable, "HTTP_PROXY=", "http_proxy=")
	out, err := cmd.CombinedOutput()
	if err == nil && len(into) > 0 {
		_, line, _ := bytes.Cut(out, []byte(mark))
		_, err = fmt.Sscan(string(line), into...)
	}
	if err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return cmd.ProcessState
}

// watchRSS samples the anonymous memory of this process; peak returns the most
// so far, in bytes.
func watchRSS(t *testing.T) (peak func() int64, stop func()) {
	var most atomic.Int64
	done := make(chan struct{})
	look := func() { most.Store(max(most.Load(), rssAnon(t))) }
	go func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				look()
			case <-done:
				return
			}
		}
	}()
	return func() int64 { look(); return most.Load() }, func() { close(done) }
}

func rssAnon(t *testing.T) int64 { return anonOf(t, "self") }

// anonOf returns the anonymous memory of a process, in bytes.
func anonOf(t testing.TB, process string) int64 {
	status, err := os.ReadFile("/proc/" + process + "/status")
	if err != nil {
		t.Error(err)
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("RssAnon:"))
	kb, err := strconv.ParseInt(strings.Fields(string(rest))[0], 10, 64)
	if err != nil {
		t.Error(err)
	}
	return kb << 10
}

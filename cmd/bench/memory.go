package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// memory returns the peak of a process's resident memory, and what of it is now
// anonymous, in bytes; 0 once it has ended. The system's own count of the peak
// (ru_maxrss) is that of this process where the child needs less.
func memory(pid int) (peak, anon int64) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0
	}
	return field(status, "VmHWM:"), field(status, "RssAnon:")
}

func field(status []byte, name string) int64 {
	_, rest, _ := bytes.Cut(status, []byte(name))
	words := bytes.Fields(rest[:min(len(rest), 40)])
	if len(words) == 0 {
		return 0
	}
	kb, _ := strconv.ParseInt(string(words[0]), 10, 64) // 0 where it is not a number
	return kb << 10
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// usage is the resources that a program used.
type usage struct {
	cpu, wall time.Duration
	// peak is the most resident memory, and anon the most of it that is not a
	// file's, in bytes; 0 where the system does not say.
	peak, anon int64
}

// sampleEvery is the interval at which a program's memory is read.
const sampleEvery = 10 * time.Millisecond

// measure runs a program to its end. An error contains the program's output.
func measure(ctx context.Context, p program) (usage, error) {
	if p.out != "" {
		if err := os.RemoveAll(p.out); err != nil {
			return usage{}, err
		}
	}
	cmd := exec.CommandContext(ctx, p.path, p.args...)
	cmd.Env = withoutProxy(os.Environ())
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return usage{}, err
	}
	stop, watched := make(chan struct{}), make(chan usage)
	go func() { watched <- watch(cmd.Process.Pid, stop) }()
	err := cmd.Wait()
	wall := time.Since(start)
	close(stop)
	u := <-watched
	u.wall, u.cpu = wall, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	if err != nil && (p.also == 0 || cmd.ProcessState.ExitCode() != p.also) {
		return u, fmt.Errorf("%s: %w\n%s", p.name, err, said.Bytes())
	}
	return u, nil
}

// watch samples a process's memory until stop is closed.
func watch(pid int, stop <-chan struct{}) usage {
	var most usage
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		peak, anon := memory(pid)
		most.peak, most.anon = max(most.peak, peak), max(most.anon, anon)
		select {
		case <-tick.C:
		case <-stop:
			return most
		}
	}
}

// withoutProxy removes proxies from the environment, so that the programs stay on this machine.
func withoutProxy(env []string) []string {
	var kept []string
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		if !strings.HasSuffix(strings.ToUpper(name), "_PROXY") {
			kept = append(kept, v)
		}
	}
	return kept
}

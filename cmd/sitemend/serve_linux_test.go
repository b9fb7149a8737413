package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// However serve is ended, by a closed terminal too, it leaves nothing in the temporary
// folder; under nohup a closed terminal does not end it.
func TestServeEndsClean(t *testing.T) {
	dir, _ := storeOf(t, 10)
	for name, c := range map[string]struct {
		command string
		signals []os.Signal
	}{
		"interrupt": {"exec", []os.Signal{os.Interrupt}},
		"terminate": {"exec", []os.Signal{syscall.SIGTERM}},
		"hangup":    {"exec", []os.Signal{syscall.SIGHUP}},
		"nohup":     {"exec nohup", []os.Signal{syscall.SIGHUP, syscall.SIGTERM}},
	} {
		t.Run(name, func(t *testing.T) {
			temp := t.TempDir()
			cmd := exec.Command("sh", "-c", c.command+` sitemend serve --out "$0" 2>/dev/null`, filepath.Join(dir, "out"))
			cmd.Env = append(os.Environ(), "TMPDIR="+temp)
			out, err := cmd.StdoutPipe()
			must(t, err)
			must(t, cmd.Start())
			lines := bufio.NewScanner(out)
			if !lines.Scan() {
				t.Fatalf("nothing is printed: %v", cmd.Wait())
			}
			if made, err := os.ReadDir(temp); err != nil || len(made) != 1 {
				t.Fatalf("while it runs: %v, %v", made, err)
			}
			for i, s := range c.signals {
				if status, _ := getStatus(t, lines.Text()); status != 200 {
					t.Errorf("before signal %d: %d", i, status)
				}
				must(t, cmd.Process.Signal(s))
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("it ends with %v", err)
			}
			if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
				t.Errorf("it leaves %v, %v", left, err)
			}
		})
	}
}

// An audit that is stopped while it waits for standard input leaves nothing there either.
func TestStopWhileReadingStdin(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	ctx, stop := context.WithCancel(t.Context())
	in, list := io.Pipe()
	defer list.Close()
	go func() {
		_, _ = io.WriteString(list, "https://shop.example/\n") // it is read
		stop()
	}()
	code := run(ctx, []string{"audit", "-", "--out", filepath.Join(t.TempDir(), "out")}, in, io.Discard, io.Discard)
	if left, err := os.ReadDir(temp); code != exitInterrupted || err != nil || len(left) != 0 {
		t.Errorf("it ends with %d and leaves %v, %v", code, left, err)
	}
}

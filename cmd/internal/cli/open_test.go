//go:build unix

package cli_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"sitemend/cmd/internal/cli"
)

// A pipe into which nobody writes keeps nobody from stopping, whether or not somebody has opened it.
func TestOpenOfASilentPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	f, err := cli.Open(ctx, pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	silent(t, f, stop)
	writer, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	ctx, stop = context.WithCancel(t.Context())
	defer stop()
	if f, err = cli.Open(ctx, pipe); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	silent(t, f, stop)
}

// So does standard input.
func TestReadingOfASilentInput(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r := cli.Reading(ctx, in)
	defer r.Close()
	silent(t, r, stop)
}

// silent stops a reading that has begun.
func silent(t *testing.T, r io.Reader, stop func()) {
	t.Helper()
	go stop()
	if _, err := io.ReadAll(r); !errors.Is(err, context.Canceled) {
		t.Errorf("reading returned %v once it was to stop", err)
	}
}

//go:build unix

package cli_test

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"sitemend/cmd/internal/cli"
)

// A pipe into which nobody writes keeps nobody from stopping.
func TestOpenOfASilentPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := cli.Open(ctx, pipe); !errors.Is(err, context.Canceled) {
		t.Errorf("Open returned %v once it was to stop", err)
	}
}

//go:build unix

package logfiles_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"syscall"
	"testing"

	"sitemend/cmd/internal/logfiles"
	"sitemend/storage"
)

// A pipe into which nobody writes keeps nobody from stopping.
func TestSilentPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "access.log")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	into := storage.NewSorter(t.TempDir())
	defer into.Close()
	ctx, stop := context.WithCancel(t.Context())
	r, err := logfiles.Open(ctx, logfiles.Spec{Files: []string{pipe}, Ranges: []string{"known"}}, nil, slog.New(slog.DiscardHandler), into)
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan error)
	go func() { read <- r.Read(ctx) }()
	stop()
	if err := <-read; !errors.Is(err, context.Canceled) {
		t.Errorf("Read returned %v once it was to stop", err)
	}
}

// A device, which may never end, is refused as what it is.
func TestDevice(t *testing.T) {
	s := logfiles.Spec{Files: []string{"/dev/zero"}}
	if err := s.Check(); err == nil || err.Error() != "/dev/zero is no file" {
		t.Errorf("Check returned %v", err)
	}
}

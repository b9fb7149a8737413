package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"sitemend/cmd/internal/web"
)

// stumbling panics when it is to write a text, once.
type stumbling struct {
	bytes.Buffer
	at   string
	done atomic.Bool
}

func (s *stumbling) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(s.at)) && s.done.CompareAndSwap(false, true) {
		panic("lost the thread")
	}
	return s.Buffer.Write(p)
}

// A fault of ours is told in a line, with what to do: exit status 2, no stack. What was
// asked is kept: the same command asks nothing of it again.
func TestAFaultOfOurs(t *testing.T) {
	w, err := web.Parse(killWeb, killFiles)
	must(t, err)
	s, err := w.Start()
	must(t, err)
	defer s.Close()
	result := func(t *testing.T, code int, said string) {
		t.Helper()
		if code != exitError || strings.Contains(said, "goroutine") ||
			!strings.Contains(said, "this is a fault of sitemend itself: lost the thread (sitemend/panic_test.go:") || !strings.Contains(said, "\nhint: neither you nor the site") {
			t.Errorf("exit status %d: %s", code, said)
		}
	}
	t.Run("before the first URL is asked", func(t *testing.T) {
		args := append(killArgs(s.Addr(), filepath.Join(t.TempDir(), "out")), "-v")
		errOut := &stumbling{at: "the sitemaps are read"}
		var out bytes.Buffer
		result(t, run(context.Background(), args, strings.NewReader(""), &out, errOut), errOut.String())
		if said := runCommand(t, args, exitFound); !strings.Contains(said, "continuing the audit") {
			t.Errorf("then: %s", said)
		}
	})
	t.Run("in the summary", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "out")
		out := &stumbling{at: "Then"}
		var errOut bytes.Buffer
		result(t, run(context.Background(), killArgs(s.Addr(), dir), strings.NewReader(""), out, &errOut), errOut.String())
		before := len(s.Requests())
		runCommand(t, []string{"report", "--out", dir, "--lang", "en"}, exitOK)
		if len(s.Requests()) != before {
			t.Error("it was asked again")
		}
	})
	t.Run("while standard input is read", func(t *testing.T) {
		var out, errOut bytes.Buffer
		result(t, run(context.Background(), []string{"audit", "-", "--out", filepath.Join(t.TempDir(), "out")}, stumblingReader{}, &out, &errOut), errOut.String())
	})
}

type stumblingReader struct{}

func (stumblingReader) Read([]byte) (int, error) { panic("lost the thread") }

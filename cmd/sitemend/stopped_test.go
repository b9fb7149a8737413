package main

import (
	"io"
	"log/slog"
	"strings"
	"testing"

	"sitemend/cmd/internal/job"
)

// A command that was stopped prints how far the audit is and which command shows what is there,
// where something is, and ends with the exit status of an interruption.
func TestStoppedSaysWhatIsThere(t *testing.T) {
	for shows, want := range map[string]bool{"sitemend report 1 --out a shows what is known so far": true, "": false} {
		var said strings.Builder
		log := slog.New(slog.NewTextHandler(&said, nil))
		err := stopped(stdio{err: io.Discard}, log, &job.Stopped{Says: "stopped; 2 of 3", Shows: shows})
		if err == nil || !strings.Contains(said.String(), "stopped; 2 of 3") || strings.Contains(said.String(), "hint: "+shows) != want {
			t.Errorf("%v\n%s", err, said.String())
		}
	}
}
